"""Small subsets of many rows by tables of all combinations: few passes over the rows, no row is sorted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.counting import MOST_ROWS, fill
from divulge._support.threads import ahead
from divulge.counting.counts import Floats, Integers
from divulge.counting.statistics import xlog2x
from divulge.engines.lattice.routes import Step, SubsetSums, gathered
from divulge.engines.memory.cell_tables import summed
from divulge.table.codes import Codes, narrow

CELLS = 1 << 19  # of a table: more attributes at once mean fewer passes, as long as a cache holds most of it
MOSTLY_USED = 1.25  # as many codes as values that occur
BLOCK = 1 << 20  # rows that are counted at a time where no loops were built

Subset = tuple[int, ...]
Array = npt.NDArray[Any]


class _Field(NamedTuple):
    """Codes that leave few gaps, and what they are below."""

    codes: Array
    values: int

    @classmethod
    def of(cls, column: Codes) -> _Field:
        used = column.used()
        bound = int(used[-1]) + 1
        if bound <= MOSTLY_USED * len(used) + 1:  # to copy the codes would cost more than some empty cells
            return cls(column.codes, bound)
        table = np.zeros(bound, np.int64)
        table[used] = np.arange(len(used))
        return cls(narrow(table, len(used))[column.codes], len(used))


class SmallTables(NamedTuple):
    """Attributes and targets whose subsets of up to a size are counted in tables."""

    fields: Sequence[_Field]
    targets: Sequence[_Field]
    largest: int

    @classmethod
    def of(cls, columns: Sequence[Codes], targets: Sequence[Codes], largest: int) -> SmallTables:
        return cls([_Field.of(one) for one in columns], [_Field.of(one) for one in targets], largest)

    @property
    def cells(self) -> int:
        """The cells of the largest subset with any target."""
        most = sorted((field.values for field in self.fields), reverse=True)[: self.largest]
        return math.prod(most) * max((field.values for field in self.targets), default=1)


def tabled(tables: SmallTables, times: Integers | None, step: Step) -> SubsetSums:
    """Every subset by a table of all combinations there can be of it and some more attributes.

    Subsets come by size, then in the order of their attributes; attribute i is bit i of a mask.
    """
    sizes = [field.values for field in tables.fields]
    about: list[_Field | None] = [*tables.targets] or [None]
    jobs = [
        (place, group)
        for place, one in enumerate(about)
        for group in groups(sizes, tables.largest, 1 if one is None else one.values)
    ]

    def work(job: tuple[int, Subset]) -> tuple[int, dict[Subset, tuple[Any, ...]]]:
        place, group = job
        target = about[place]
        fields = [*(tables.fields[one] for one in group), *([] if target is None else [target])]
        whole = _filled(fields, times).reshape([*(sizes[one] for one in group), -1])
        return place, {one: _found(cells) for one, cells in _marginals(group, whole, tables.largest)}

    found: list[dict[Subset, tuple[Any, ...]]] = [{} for _ in about]
    for done, (place, subsets) in enumerate(ahead(work, jobs), 1):
        found[place] |= subsets
        step(done, len(jobs))
    chosen = [one for n in range(1, tables.largest + 1) for one in combinations(range(len(sizes)), n)]
    some = found[: len(tables.targets)]
    return gathered(
        (
            *found[0][one][:4],
            *([by[one][at] for by in some] for at in (4, 5)),
            sum(1 << place for place in one),
        )
        for one in chosen
    )


def groups(sizes: Sequence[int], largest: int, width: int) -> list[Subset]:
    """Groups of attributes that hold every subset of a size, of few combinations with a target each.

    >>> groups([100, 50, 2, 2], 2, 10)
    [(0, 1, 2, 3)]
    """
    left = set(combinations(range(len(sizes)), largest))
    found = []
    while left:
        group = max(left, key=lambda one: (math.prod(sizes[place] for place in one), one))
        while more := _gains(group, sizes, width, left):
            _, added = max(more)
            group = tuple(sorted((*group, added)))
        left.difference_update(combinations(group, largest))
        found.append(group)
    return found


def _gains(group: Subset, sizes: Sequence[int], width: int, left: set[Subset]) -> list[tuple[float, int]]:
    """The attributes that a group has room for, by the subsets held for the room taken."""
    cells, largest = math.prod(sizes[place] for place in group) * width, len(next(iter(left)))
    gains = []
    for one in range(len(sizes)):
        if one not in group and cells * sizes[one] <= CELLS:
            held = sum(tuple(sorted((*some, one))) in left for some in combinations(group, largest - 1))
            if held:
                gains.append((held / math.log(sizes[one] + 1), one))
    return gains


def _filled(fields: Sequence[_Field], times: Integers | None) -> Array:
    """How many records have each combination of codes."""
    sizes, rows = [field.values for field in fields], len(fields[0].codes)
    narrow_codes = all(field.codes.dtype.kind == "u" and field.codes.itemsize <= 4 for field in fields)
    if library.built() and narrow_codes and (rows if times is None else int(times.sum())) < MOST_ROWS:
        table = np.zeros(math.prod(sizes), np.uint32)
        often = None if times is None else np.ascontiguousarray(times, np.int64)
        fill([np.ascontiguousarray(field.codes) for field in fields], sizes, table, often)
        return table
    counted = np.zeros(math.prod(sizes), np.int64)
    for first in range(0, rows, max(BLOCK, len(counted))):
        block = slice(first, first + max(BLOCK, len(counted)))
        place = np.ravel_multi_index([field.codes[block].astype(np.int64) for field in fields], sizes)
        weights = None if times is None else times[block]
        counted += np.bincount(place, weights, len(counted)).astype(np.int64)  # exact below 2^53
    return counted


def _marginals(group: Subset, whole: Array, largest: int) -> Iterator[tuple[Subset, Array]]:
    """The cells of each subset of a group up to a size, each added up from those of one attribute more."""
    held = {group: whole}
    if len(group) <= largest:
        yield group, whole
    for size in range(len(group) - 1, 0, -1):
        finer, held_now = held, dict[Subset, Array]()
        for one in combinations(group, size):
            parents = [tuple(sorted((*one, more))) for more in group if more not in one]
            parent = min(parents, key=lambda larger: finer[larger].size)
            axis = next(place for place, name in enumerate(parent) if name not in one)
            held_now[one] = summed(finer[parent], [axis])
            if size <= largest:
                yield one, held_now[one]
        held = held_now


def _found(cells: Array) -> tuple[Any, ...]:
    """What is found of one subset, by its classes and the target's values in them."""
    cells = cells.reshape(-1, cells.shape[-1])
    size = summed(cells, [1]).astype(np.int64)
    here = size > 0
    size, bits = size[here], xlog2x(size[here])
    left: Floats = np.maximum(bits - xlog2x(cells[here]).sum(axis=1), 0.0)
    whole = len(size), int((size == 1).sum()), int(size.min()), float(bits.sum())
    return *whole, float(left.sum()), float(left.min())
