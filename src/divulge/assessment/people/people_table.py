"""Sets of people alike and the values they have, one entry for each set and each value of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import counting, library
from divulge._support.threads import cached_property
from divulge.table.packing import ranked

Numbers = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class PeopleTable:
    """Sets of people alike and the values they have; cell ``i`` says how many of a set have a value.

    ``times`` says how many sets an entry stands for, ``having`` how many people of the table have each
    value, and ``people`` how many there are. Where values are asked about as a ``number``, ``having`` is of
    these, and cells are still of values.
    """

    size: Numbers
    times: Numbers
    owner: Numbers
    value: Numbers
    count: Numbers
    having: Numbers
    people: int
    number: Numbers | None = None

    @cached_property
    def sets(self) -> int:
        return int(self.times.sum())

    def standing_for(self, used: Numbers, values: int) -> PeopleTable:
        """The same by the codes that values stand for, in their order, of so many."""
        return replace(self, value=used[self.value], having=_spread(self.having, used, values))

    def regrouped(self, of_value: Numbers, values: int) -> PeopleTable:
        """The same sets with other values, one for each of those there are; people have one value each."""
        having = np.bincount(of_value, weights=self.having, minlength=values).astype(np.int64)
        return replace(self, having=having, number=of_value)

    @cached_property
    def together(self) -> PeopleTable:
        """The same with the cells of a set put together whose values are asked about as one."""
        if self.number is None:
            return self
        values, asked = len(self.having), self.number[self.value]
        place, cells = ranked(self.owner * values + asked, len(self.size) * values)
        owner, value = np.zeros(cells, np.int64), np.zeros(cells, np.int64)
        owner[place], value[place] = self.owner, asked
        count = np.bincount(place, weights=self.count, minlength=cells).astype(np.int64)
        return replace(self, owner=owner, value=value, count=count, number=None)


def of_table(
    filled: Numbers, width: int, people: int, used: Numbers | None = None, values: int = 0
) -> PeopleTable:
    """A table from how many records are in each cell of sets by so many codes, each a person.

    Codes may stand for those ``used`` of so many ``values``.
    """
    if filled.dtype in (np.uint32, np.int64) and library.built():
        codes = None if used is None else np.ascontiguousarray(used, np.int64)
        size, owner, value, count, having = counting.cells(np.ascontiguousarray(filled), width, codes)
        found = PeopleTable(size, np.ones(len(size), np.int64), owner, value, count, having, people)
        return found if used is None else replace(found, having=_spread(having, used, values))
    cell = np.flatnonzero(filled != 0)
    found = of_cells(cell, filled[cell].astype(np.int64, copy=False), width, people)
    return found if used is None else found.standing_for(used, values)


def _spread(having: Numbers, used: Numbers, values: int) -> Numbers:
    whole = np.zeros(values, having.dtype)
    whole[used] = having
    return whole


def of_cells(cell: Numbers, count: Numbers, values: int, people: int) -> PeopleTable:
    """A table from cells in order, each a set and one of so many values, if nobody is in two of them."""
    place = cell // values
    begins = np.append(True, place[1:] != place[:-1])[: len(cell)]  # the cells of a set
    value, owner = cell - place * values, np.cumsum(begins) - 1
    size = np.add.reduceat(count, np.flatnonzero(begins)) if len(cell) else count
    having = np.bincount(value, weights=count, minlength=values).astype(np.int64)
    return PeopleTable(size, np.ones(len(size), np.int64), owner, value, count, having, people)
