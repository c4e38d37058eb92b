"""An attribute of two tables in one numbering: what is the same value has the same code in both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.alignment.recognition import recognise
from divulge.alignment.tables import Alignment
from divulge.counting.value_structure import declared_places, ranks_of
from divulge.table.codes import MISSING, Codes
from divulge.table.hierarchy import Hierarchy
from divulge.utility.numbering import (
    SUPPRESSED,
    Floats,
    Integers,
    Mask,
    TableValues,
    by_number,
    by_spelling,
    used,
)

NOT_ALIGNED = "records are not aligned"
FEWEST = 5  # records of a released value from which on they say what it stands for
Rows = tuple[Integers, Integers]  # the same people in both tables


@dataclass(frozen=True, eq=False)
class Meanings:
    """Codes that only the release has, by what they stand for; both tables count in one list of codes."""

    groups: Mapping[int, Integers]  # codes of the original values that a released one stands for
    nothing: frozenset[int]  # suppressed under another mark, or a group of all values there are
    unknown: frozenset[int]  # neither its spelling nor the aligned records say


@dataclass(frozen=True, eq=False)
class Paired:
    """An attribute of the original and its counterpart in the release, in codes from one list of values.

    Where both hold numbers, values are compared as numbers and listed from the lowest to the highest, and
    ``numbers`` has the number of each code. Otherwise the same is what is spelled the same; the original
    alone may still have ``own_numbers``. The first code means missing and the last one suppressed: gaps.
    """

    attribute: str
    original: Codes
    released: Codes
    numbers: Floats | None
    own_numbers: Floats | None
    hierarchies: tuple[Hierarchy, ...] = ()  # of either table
    rows: Rows | None = None  # the same people in both; None where records are not aligned

    @cached_property
    def meanings(self) -> Meanings:
        """What the values stand for that only the release has."""
        return meanings(self.original, self.released, hierarchies=self.hierarchies, rows=self.rows)

    @property
    def cardinality(self) -> int:
        return self.original.cardinality

    @cached_property
    def both(self) -> npt.NDArray[np.unsignedinteger]:
        """The codes of all records, those of the original first."""
        return np.concatenate([self.original.codes, self.released.codes])

    @property
    def comparable(self) -> bool:
        """Whether the release has no value that the original has not, gaps aside."""
        return bool(used(self.original)[1:-1][used(self.released)[1:-1]].all())

    def gap(self, codes: Codes) -> Mask:
        """The records without a value."""
        return (codes.codes == MISSING) | (codes.codes == self.cardinality - 1)

    def ranks(self, declared: Sequence[object] | None = None) -> tuple[Integers, int] | None:
        """The place of each code in the order of values, and how many places there are; None without order.

        Numbers and dates have an order. Other values have one when it is declared, and then the places are
        those declared.
        """
        values = self.original.values[:-1]
        if declared is not None:
            said = declared_places(values, declared)
            places = None if None in said else np.asarray(said, np.int64)
        elif self.numbers is not None:
            places = np.arange(len(values))
        else:
            ranks = ranks_of(values)
            places = None if ranks is None else np.asarray(ranks, dtype=np.int64)
        if places is None or not len(places):
            return None
        size = int(places.max()) + 1 if declared is None else len(declared)
        return np.concatenate([[0], places, [0]]), size


def attributes_of(alignment: Alignment) -> list[str]:
    """Attributes of which something can be lost: those of both tables, identifiers and weights aside."""
    aside = {*alignment.original.schema.identifiers, alignment.original.weights}
    return [name for name in alignment.columns if name not in aside]


def whole(alignment: Alignment, attribute: str) -> Paired:
    """An attribute on all records of both tables, which need not be aligned."""
    released = alignment.released.column(alignment.columns[attribute])
    return _paired(alignment, attribute, alignment.original.column(attribute), released, alignment.rows)


def aligned(alignment: Alignment, attribute: str) -> Paired:
    """An attribute on the records that are the same in both tables, one by one."""
    every = np.arange(alignment.aligned)
    return _paired(alignment, attribute, *alignment.pair(attribute), (every, every))


def _paired(alignment: Alignment, name: str, original: Codes, released: Codes, rows: Rows | None) -> Paired:
    sides = ((alignment.original, name, original), (alignment.released, alignment.columns[name], released))
    one, other = (TableValues.of(*side) for side in sides)
    ours, theirs = one.numbers(), other.numbers()
    both = own = None
    values: Sequence[object]
    if ours is not None and theirs is not None:
        numbers, mine, yours = by_number(ours, theirs)
        values, both = numbers.tolist(), np.concatenate([[np.nan], numbers, [np.nan]])
    else:
        values, mine, yours = by_spelling(one, other)
    if ours is not None:
        own = np.full(len(values) + 2, np.nan)
        own[mine + 1] = ours
    listed = [*values, SUPPRESSED]
    found = (data.hierarchies.get(attribute) for data, attribute, _ in sides)
    hierarchies = tuple(hierarchy for hierarchy in found if hierarchy is not None)
    return Paired(name, one.recoded(mine, listed), other.recoded(yours, listed), both, own, hierarchies, rows)


def meanings(
    original: Codes, released: Codes, *, hierarchies: Iterable[Hierarchy] = (), rows: Rows | None = None
) -> Meanings:
    """What each value stands for that the release has and the original has not.

    Spelling and hierarchies say it first (20-29, 2*, a group of a hierarchy). Where they do not, aligned
    records may: a value that five records have stands for the original values that became it, if none of
    these became another value of this kind as well. So merged and renamed categories are known, noise is not.
    """
    last = original.cardinality - 1
    fits = recognise(released, original, suppressed=last, hierarchies=hierarchies)
    own = used(original)
    own[[MISSING, last]] = True
    everything = int(own[1:-1].sum())
    groups = {code: found for code, found in fits.codes.items() if not own[code]}
    whole = {code for code, found in groups.items() if len(found) == everything > 1}
    unknown = fits.unknown
    if unknown and rows is not None:
        learned = _learned(original, released, rows, unknown)
        groups |= learned
        unknown -= learned.keys()
    return Meanings(
        {code: found for code, found in groups.items() if code not in whole},
        frozenset(whole | {code for code in fits.anything if not own[code]}),
        frozenset(unknown),
    )


def _learned(original: Codes, released: Codes, rows: Rows, unknown: frozenset[int]) -> dict[int, Integers]:
    """The original values behind unknown ones by the aligned records; none unless each became one only."""
    last = original.cardinality - 1
    ours = original.codes[rows[0]].astype(np.int64)
    theirs = released.codes[rows[1]].astype(np.int64)
    there = np.isin(theirs, list(unknown)) & (ours != MISSING) & (ours != last)
    if not there.any():
        return {}
    records = np.bincount(theirs[there], minlength=last + 1)
    became, before = np.divmod(np.unique(theirs[there] * (last + 1) + ours[there]), last + 1)
    if len(np.unique(before)) < len(before):
        return {}
    codes, starts = np.unique(became, return_index=True)
    parts = zip(codes.tolist(), np.split(before, starts[1:]), strict=True)
    return {code: part for code, part in parts if records[code] >= FEWEST}
