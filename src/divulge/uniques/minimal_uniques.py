"""Minimal sample uniques: the smallest sets of attributes that make a record unique in its table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.minimal_uniques import UniqueSearch, minimal
from divulge._support.threads import ahead, cores
from divulge._support.wording import many
from divulge.errors import ParameterError, TooMuch
from divulge.table.codes import Codes
from divulge.table.packing import coded, of_matrix
from divulge.table.packing import combinations as row_combinations

MOST_ATTRIBUTES = 64  # a set is a bit for each
MOST_WORK = 2 * 10**10  # rows times sets that may be visited: minutes
Integers = npt.NDArray[np.int64]
Sets = npt.NDArray[np.uint64]
Step = Callable[[int, int], object]


@dataclass(frozen=True, eq=False)
class MinimalUniques:
    """For every record the minimal sets of attributes that make it unique.

    The sets of record i are ``sets[start[i]:start[i + 1]]``; bit a says that attribute a is in a set. All
    sets of up to ``largest`` attributes were searched.
    """

    attributes: int
    largest: int
    start: Integers
    sets: Sets

    @property
    def records(self) -> int:
        return len(self.start) - 1

    @property
    def sizes(self) -> Integers:
        """How many attributes each set has."""
        return np.bitwise_count(self.sets).astype(np.int64)

    @property
    def owner(self) -> Integers:
        """The record of each set."""
        return np.repeat(np.arange(self.records), np.diff(self.start))

    def of(self, record: int) -> list[tuple[int, ...]]:
        """The sets of one record, as the places of their attributes."""
        own = self.sets[self.start[record] : self.start[record + 1]].tolist()
        sets = (tuple(a for a in range(self.attributes) if one >> a & 1) for one in own)
        return sorted(sets, key=lambda chosen: (len(chosen), chosen))


def search_work(rows: int, attributes: int, largest: int) -> int:
    """How many rows are looked at, at most, in all sets of up to a size."""
    return rows * sum(comb(attributes, size) for size in range(1, min(largest, attributes) + 1))


def largest_searched(rows: int, attributes: int) -> int:
    """Up to which size all sets can be searched; 0 where not even single attributes can."""
    fits = [size for size in range(1, attributes + 1) if search_work(rows, attributes, size) <= MOST_WORK]
    return max(fits, default=0)


def minimal_uniques(
    columns: Sequence[Codes], largest: int | None = None, step: Step = lambda done, of: None
) -> MinimalUniques:
    """The minimal sample uniques of every record, sets of up to ``largest`` attributes, or all.

    >>> ages = Codes.of([22, 22, 35]); sexes = Codes.of(["f", "m", "m"])
    >>> found = minimal_uniques([ages, sexes])
    >>> [found.of(record) for record in range(3)]
    [[(1,)], [(0, 1)], [(0,)]]
    """
    attributes = len(columns)
    if not 0 < attributes <= MOST_ATTRIBUTES:
        raise ParameterError(
            f"Special uniques were asked for on {attributes} attributes.",
            hint=f"Give from 1 to {MOST_ATTRIBUTES} of them with --keys.",
        )
    largest = min(largest or attributes, attributes)
    first, row_of = row_combinations(coded(columns), len(columns[0].codes))
    times = np.bincount(row_of)
    if search_work(len(times), attributes, largest) > MOST_WORK:
        raise TooMuch(
            f"All sets of up to {largest} of {attributes} attributes are too many "
            f"for {many(len(times))} records.",
            hint=f"Search sets of up to {largest_searched(len(times), attributes)} attributes, "
            "or give fewer keys.",
        )
    order = np.argsort([-np.count_nonzero(np.bincount(one.codes)) for one in columns], kind="stable")
    codes = np.array([columns[place].codes[first] for place in order.tolist()], np.int32)
    found = _compiled if library.built() else plain
    count, sets = found(codes, (times == 1).astype(np.uint8), largest, step)
    start = np.concatenate([[0], np.cumsum(count)])
    return _by_record(attributes, largest, start, _in_given_order(sets, order), row_of)


def _in_given_order(sets: Sets, order: Integers) -> Sets:
    """Sets whose bits stand for attributes in the order they were given in."""
    given = np.zeros(len(sets), np.uint64)
    for place, attribute in enumerate(order.tolist()):
        given |= (sets >> np.uint64(place) & np.uint64(1)) << np.uint64(attribute)
    return given


def _by_record(
    attributes: int, largest: int, start: Integers, sets: Sets, row_of: Integers
) -> MinimalUniques:
    """From different rows to records; the sets of a record come by size."""
    count = np.diff(start)[row_of]
    ends = np.cumsum(count)
    place = np.arange(ends[-1]) - np.repeat(ends - count, count) + np.repeat(start[:-1][row_of], count)
    own = sets[place]
    owner = np.repeat(np.arange(len(row_of)), count)
    own = own[np.lexsort((own, np.bitwise_count(own), owner))]
    return MinimalUniques(attributes, largest, np.concatenate([[0], ends]), own)


def _compiled(
    codes: npt.NDArray[Any], once: npt.NDArray[Any], largest: int, step: Step
) -> tuple[Integers, Sets]:
    attributes = len(codes)
    rooms = [UniqueSearch(codes, once, largest) for _ in range(cores())]
    branches = [(first, -1) for first in range(attributes)]
    branches += combinations(range(attributes), 2) if largest > 1 else ()

    def work(branch: tuple[int, int]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        room = rooms.pop()
        try:
            return room.candidates(*branch)
        finally:
            rooms.append(room)

    parts = []
    for part in ahead(work, branches):
        parts.append(part)
        step(len(parts), len(branches))
    row, sets = map(np.concatenate, zip(*parts, strict=True))
    return minimal(row, sets, codes.shape[1])


def plain(codes: npt.NDArray[Any], once: npt.NDArray[Any], largest: int, step: Step) -> tuple[Integers, Sets]:
    """The same without compiled loops: every set by size, and unique where no smaller set already is."""
    attributes, rows = codes.shape
    smaller = {0: np.zeros(rows, bool)}
    found_rows, found_sets = list[Integers](), list[Sets]()
    for size in range(1, largest + 1):
        unique: dict[int, npt.NDArray[np.bool_]] = {}
        for chosen in combinations(range(attributes), size):
            mask = sum(1 << a for a in chosen)
            number = row_combinations(of_matrix(codes[list(chosen)].T), rows).number
            alone = (np.bincount(number)[number] == 1) & (once == 1)
            before = np.any([smaller[mask & ~(1 << a)] for a in chosen], axis=0)
            new = np.flatnonzero(alone & ~before)
            found_rows.append(new)
            found_sets.append(np.full(len(new), mask, np.uint64))
            unique[mask] = alone | before
        smaller = unique
        step(size, largest)
    row, sets = np.concatenate(found_rows), np.concatenate(found_sets)
    return np.bincount(row, minlength=rows), sets[np.argsort(row, kind="stable")]
