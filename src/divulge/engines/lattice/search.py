"""Every subset of some attributes at once: what each tells about records, and about targets.

Subsets are searched depth first, attributes of most values first, so that what is found of a subset serves
all that add to it. Compiled loops search, and NumPy where none were built.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from divulge._compiled import library
from divulge._compiled.lattice import MOST_RECORDS
from divulge._support.rounding import settled_each
from divulge._support.shares import entropy
from divulge.counting.counts import Floats, Integers
from divulge.counting.statistics import xlog2x
from divulge.engines.base import SubsetSearch
from divulge.engines.lattice.routes import Step, SubsetSums, compiled, plain
from divulge.engines.lattice.rows import DistinctRows, Words, batches, tabulate
from divulge.engines.lattice.tables import SmallTables, tabled
from divulge.errors import EmptySource, ParameterError, listing
from divulge.table.codes import Codes

MOST_ATTRIBUTES = 64  # a mask has a bit for each
TABLES_PAY = 1 << 21  # rows from which counting subsets one by one costs less than to sort the rows


@dataclass(frozen=True, eq=False)
class Left:
    """What each subset leaves unknown about a target: n H(X|y) in bits, summed over classes and the least.

    ``entropy`` is H(X), what is unknown before. Where that is 0 rates are undefined.
    """

    entropy: float
    total: Floats
    least: Floats


@dataclass(frozen=True, eq=False)
class Lattice:
    """Subsets of attributes by size, then in the order of their attributes, and what was found of each.

    Bit i of a mask says that attribute i is in the subset. All subsets up to the ``largest`` size are there.
    """

    largest: int
    records: int
    masks: Words
    classes: Integers
    least: Integers  # records in the smallest class: k
    unique: Integers  # classes of one record
    about_records: Left
    targets: tuple[Left, ...]

    @property
    def uniqueness(self) -> Floats:
        """The share of records that are alone with their values."""
        return self.unique / self.records

    def discrimination_rate(self, target: int | None = None) -> Floats:
        """How far each subset narrows down a target, or the record if none is given; NaN where undefined."""
        left = self._left(target)
        return settled_each(1 - self._share(left.total, left))

    def itpr(self, target: int | None = None) -> Floats:
        """The same of the class that leaves least unknown, scaled by the number of classes."""
        left = self._left(target)
        return settled_each(1 - self._share(self.classes * left.least, left))

    def _left(self, target: int | None) -> Left:
        return self.about_records if target is None else self.targets[target]

    def _share(self, bits: Floats, left: Left) -> Floats:
        """Bits as a share of all that is unknown, at most 1."""
        if left.entropy == 0:
            return np.full(len(bits), np.nan)
        return np.minimum(bits / self.records / left.entropy, 1.0)


def subsets(attributes: int, largest: int) -> int:
    """How many subsets have at most so many attributes, the empty one left out.

    >>> subsets(12, 12), subsets(12, 2)
    (4095, 78)
    """
    return sum(math.comb(attributes, size) for size in range(1, largest + 1))


def search(
    columns: Sequence[Codes],
    *,
    targets: Sequence[Codes] = (),
    largest: int | None = None,
    times: Integers | None = None,
    budget: int | None = None,
    different: Sequence[int] | None = None,
    step: Step = lambda done, of: None,
    own: SubsetSearch | None = None,
) -> Lattice:
    """Find all subsets of the attributes, or those of at most ``largest``.

    ``times`` says how many records each row stands for. The ``budget`` bounds how many rows are touched,
    counting every different row once for each subset and each target. Sizes that exceed it are left out
    whole, though single attributes never are. How many different rows there are for each target is
    found out unless told. ``step`` is told how many parts are done, of how many. ``own`` is an
    engine's own way, which is tried first and has a budget of its own.

    >>> found = search([Codes.of([1, 1, 2, 2]), Codes.of(["f", "m", "f", "f"])])
    >>> found.masks.tolist(), found.classes.tolist(), found.least.tolist()
    ([1, 2, 3], [2, 2, 3], [2, 1, 1])
    """
    _check(columns, targets, times)
    largest = len(columns) if largest is None else largest
    given = columns, targets, times, largest, different, step
    largest, found = (own and _by_engine(own, *given)) or _at_hand(budget, *given)
    records = len(columns[0].codes) if times is None else int(times.sum())
    return Lattice(
        largest,
        records,
        found.masks,
        found.classes,
        found.least,
        found.unique,
        Left(math.log2(records), found.uncertainty, xlog2x(found.least)),
        tuple(
            Left(entropy(target.frequencies(times)), left, least)
            for target, left, least in zip(targets, found.target, found.least_target, strict=True)
        ),
    )


def _at_hand(
    budget: int | None,
    columns: Sequence[Codes],
    targets: Sequence[Codes],
    times: Integers | None,
    largest: int,
    different: Sequence[int] | None,
    step: Step,
) -> tuple[int, SubsetSums]:
    """What is found of rows in memory, and the largest size that the budget allows."""
    tables, at_once = list[DistinctRows](), batches(targets)
    if not different:
        tables = [tabulate(columns, some, times) for some in at_once]
        different = _rows_by_target(columns, targets, times, tables, budget)
    largest = _affordable(len(columns), largest, sum(different), budget)
    small = _small_tables(columns, targets, largest)
    if small is not None:
        return largest, tabled(small, times, step)
    tables = tables or [tabulate(columns, some, times) for some in at_once]
    found = [_search(table, largest, _one_of(len(tables), place, step)) for place, table in enumerate(tables)]
    return largest, SubsetSums.joined(found)


def _by_engine(
    own: SubsetSearch,
    columns: Sequence[Codes],
    targets: Sequence[Codes],
    times: Integers | None,
    largest: int,
    different: Sequence[int] | None,
    step: Step,
) -> tuple[int, SubsetSums] | None:
    """The same by an engine's own way; None where it cannot."""
    about: Sequence[Codes | None] = targets or [None]
    rows = sum(different or [len(columns[0].codes)] * len(about))
    largest, found = _affordable(len(columns), largest, rows, own.work), list[SubsetSums]()
    for place, target in enumerate(about):
        sums = own.find(columns, target, times, largest, _one_of(len(about), place, step))
        if sums is None:
            return None
        found.append(sums)
    return largest, SubsetSums.joined(found)


def _rows_by_target(
    columns: Sequence[Codes],
    targets: Sequence[Codes],
    times: Integers | None,
    tables: Sequence[DistinctRows],
    budget: int | None,
) -> list[int]:
    """How many different rows there are for each target, or a bound where even that is within the budget."""
    most = max(len(table.words) for table in tables)
    most_work = most * max(len(targets), 1) * subsets(len(columns), len(columns))
    if len(targets) < 2 or budget is None or most_work <= budget:
        return [most] * max(len(targets), 1)
    return [len(tabulate(columns, [target], times).words) for target in targets]


def _check(columns: Sequence[Codes], targets: Sequence[Codes], times: Integers | None) -> None:
    """Refuse what cannot be searched."""
    if not 0 < len(columns) <= MOST_ATTRIBUTES:
        raise ParameterError(
            f"Subsets of {len(columns)} attributes cannot be searched.",
            hint=f"Choose between 1 and {MOST_ATTRIBUTES}.",
        )
    lengths = {len(column.codes) for column in (*columns, *targets)}
    lengths |= set() if times is None else {len(times)}
    if len(lengths) > 1:
        raise ParameterError(
            f"Attributes, targets and times have {listing([str(n) for n in sorted(lengths)])} rows.",
            hint="Give all of them for the same rows.",
        )
    if lengths == {0}:
        raise EmptySource("There is no record to search combinations of attributes in.")


def _affordable(attributes: int, largest: int, rows: int, budget: int | None) -> int:
    """The largest size whose subsets and all smaller ones stay within the budget."""
    if largest < 1:
        raise ParameterError(f"No subset has at most {largest} attributes.", hint="Give 1 or more.")
    largest = min(largest, attributes)
    while budget is not None and largest > 1 and rows * subsets(attributes, largest) > budget:
        largest -= 1
    return largest


def _one_of(tables: int, place: int, step: Step) -> Step:
    """What is told how far one of several tables is, and tells how far that is among all."""
    return lambda done, of: step(place * of + done, tables * of)


def _small_tables(columns: Sequence[Codes], targets: Sequence[Codes], largest: int) -> SmallTables | None:
    """Tables of subsets, if there are rows enough, and subsets small enough, to count them in tables."""
    rows = len(columns[0].codes)
    if rows < TABLES_PAY or largest == len(columns):
        return None
    tables = SmallTables.of(columns, targets, largest)
    return tables if tables.cells <= rows else None


def _search(table: DistinctRows, largest: int, step: Step) -> SubsetSums:
    """What is found of every subset, in the order of subsets."""
    by_loops = library.built() and int(table.times.sum()) < MOST_RECORDS
    found = compiled(table, largest, step) if by_loops else plain(table, largest)
    masks, turned = np.zeros_like(found.masks), np.zeros_like(found.masks)
    for place, which in enumerate(table.order.tolist()):
        held = (found.masks >> np.uint64(table.attributes - 1 - place)) & np.uint64(1)
        masks |= held << np.uint64(which)
        turned |= held << np.uint64(MOST_ATTRIBUTES - 1 - which)
    order = np.lexsort((~turned, np.bitwise_count(masks)))
    return found.at(order, masks[order])
