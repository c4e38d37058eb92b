"""The cells of sets as they are asked about, by value, two bands or up to a limit; which are large shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import library, statistics
from divulge._support.threads import blocks
from divulge.assessment.inference.asked.sensitive_questions import AskedValues
from divulge.assessment.people.people_table import PeopleTable
from divulge.counting.counts import JointCounts
from divulge.table.packing import told_apart

Numbers = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class AskedShares:
    """How many people have what is asked about, of how many people, and which of it is news."""

    having: Numbers
    people: int = field(repr=False)
    news: Flags

    @property
    def overall(self) -> Numbers:
        """The share of the people."""
        return self.having / max(self.people, 1)

    @classmethod
    def of(cls, table: PeopleTable, asked: AskedValues) -> AskedShares:
        having, people, news, bands = table.having, table.people, asked.news, asked.bands
        if asked.known:
            having = np.where(flagged_unknown(asked), 0, having).astype(having.dtype)
            people = min(people, round(float(having.sum())))
        if not (asked.limit or asked.by_two):
            return cls(having, people, news)
        each, having = having[:bands], having.copy()
        if asked.limit:
            having[:bands] = np.cumsum(each[::-1])[::-1] if asked.limit == "at least" else np.cumsum(each)
        else:
            having[: bands - 1] = each[:-1] + each[1:]
            news = news.copy()
            news[: bands - 1], news[bands - 1] = True, False
        return cls(np.minimum(having, people), people, news)


@dataclass(frozen=True, eq=False)
class ReachingCells:
    """Cells that are as large a share of their set as is needed, and how many of its people are asked about.

    ``after`` is the number that comes next in the set, where numbers contain each other, or the one beyond
    the last.
    """

    sizes: Numbers  # of all sets
    owner: Numbers
    value: Numbers
    count: Numbers
    size: Numbers
    after: Numbers | None

    def among(self, flag: Flags) -> ReachingCells:
        """Some of these."""
        names = ("owner", "value", "count", "size", *(() if self.after is None else ("after",)))
        return replace(self, **{name: getattr(self, name)[flag] for name in names})


def reaching(table: PeopleTable, asked: AskedValues, least: Numbers) -> ReachingCells:
    """The cells that are at least a share of their set, by a loop where people are counted whole."""
    whole = all(one.dtype == np.int64 for one in (table.size, table.owner, table.value, table.count))
    if whole and library.built():
        cells = table.owner, table.value, table.count
        unknown = flagged_unknown(asked) if asked.known else None
        way: statistics.Way = asked.limit or ("by two" if asked.by_two else "each")
        found = statistics.reaching(table.size, cells, table.number, unknown, least, asked.bands, way)
        if found is not None:
            return ReachingCells(*found)
    return reaching_cells(table, asked, least)[0]


def reaching_cells(table: PeopleTable, asked: AskedValues, least: Numbers) -> tuple[ReachingCells, Numbers]:
    """The same, and the place of each among the cells that are asked about."""
    table = as_asked(table, asked)
    found = list[Numbers]()
    for part in blocks(len(table.owner)):
        size = table.size[table.owner[part]]
        short = np.minimum(table.count[part], size) / size < least[table.value[part]]
        found.append(np.flatnonzero(~short) + part.start)
    cell = np.concatenate(found)
    owner, value = table.owner[cell], table.value[cell]
    size = table.size[owner]
    after = _after(table, asked)[cell] if asked.limit else None
    return ReachingCells(table.size, owner, value, np.minimum(table.count[cell], size), size, after), cell


def _after(table: PeopleTable, asked: AskedValues) -> Numbers:
    """The number that comes next in the set of each cell, or the one beyond the last."""
    owner, value = table.owner, table.value
    after = np.full(len(value), -1 if asked.limit == "at least" else asked.bands)
    same = owner[1:] == owner[:-1]
    after[:-1][same] = value[1:][same]
    return after


def as_asked(table: PeopleTable, asked: AskedValues) -> PeopleTable:
    """A table whose cells are what is asked about; with a limit, of a set in the order in which they
    contain each other.
    """
    shares, table = AskedShares.of(table, asked), table.together
    if asked.known:
        table = _of_known(table, asked)
    if asked.limit:
        table = _from_one_end(table, asked)
    elif asked.by_two:
        table = _by_two(table, asked)
    return replace(table, having=shares.having, people=shares.people)


def flagged_unknown(asked: AskedValues) -> Flags:
    """Which numbers are no known value."""
    unknown = np.zeros(asked.values, bool)
    unknown[asked.unknown] = True
    return unknown


def _of_known(table: PeopleTable, asked: AskedValues) -> PeopleTable:
    """The same sets with only those who have a known value: as many as there may be."""
    there = ~flagged_unknown(asked)[table.value]
    owner, count = table.owner[there], table.count[there]
    size = np.minimum(table.size, np.bincount(owner, count, len(table.size))).astype(table.size.dtype)
    return replace(table, size=size, owner=owner, value=table.value[there], count=count)


def _from_one_end(table: PeopleTable, asked: AskedValues) -> PeopleTable:
    """Each band of a set with all that are before it, or after it.

    Sets where someone has several values are left out: they would be added up.
    """
    bands, backwards = asked.bands, asked.limit == "at least"
    total = np.bincount(table.owner, table.count, len(table.size))
    once = total <= table.size * (1 + 1e-9)
    inside = (table.value < bands) & once[table.owner]
    owner, value, count = table.owner[inside], table.value[inside], table.count[inside]
    if not in_order(owner, value):
        order = np.lexsort((value, owner))
        owner, value, count = owner[order], value[order], count[order]
    if backwards:
        owner, value, count = owner[::-1], value[::-1], count[::-1]
    reached = np.cumsum(count)
    begins = np.flatnonzero(np.append(True, owner[1:] != owner[:-1])[: len(owner)])
    before = np.append(0, reached)[begins]
    lengths = np.diff(np.append(begins, len(owner)))
    count = (reached - np.repeat(before, lengths)).astype(table.count.dtype)
    return replace(table, owner=owner, value=value, count=count)


def _by_two(table: PeopleTable, asked: AskedValues) -> PeopleTable:
    """Bands two by two: band i stands for itself and the next."""
    last = asked.bands - 1
    first = (table.value >= asked.bands) | (table.value < last)
    second = (table.value > 0) & (table.value <= last)
    owner = np.concatenate([table.owner[first], table.owner[second]])
    value = np.concatenate([table.value[first], table.value[second] - 1])
    count = np.concatenate([table.count[first], table.count[second]])
    cells, place = told_apart(owner * len(table.having) + value)
    total = np.bincount(place, weights=count, minlength=len(cells)).astype(table.count.dtype)
    return replace(table, owner=owner[cells], value=value[cells], count=total)


def within(
    asked: AskedValues, owner: Numbers, value: Numbers, sets: int, place: Numbers, own: Numbers
) -> npt.NDArray[np.bool_]:
    """For rows with the number of their set and their own value, whether it is within a limit of that set."""
    if asked.limit == "at least":
        least = np.full(sets, asked.bands, np.int32)
        np.minimum.at(least, owner, value)
        return np.asarray((own >= least[place]) & (own < asked.bands))
    most = np.full(sets, -1, np.int32)
    np.maximum.at(most, owner, value)
    return np.asarray(own <= most[place])


def in_order(owner: Numbers, value: Numbers) -> bool:
    """Whether the values of each set come in their order, each once; sets come in theirs."""
    for part in blocks(len(owner) - 1):
        here, after = part, slice(part.start + 1, part.stop + 1)
        same = owner[here] == owner[after]
        if ((owner[here] > owner[after]) | (same & (value[here] >= value[after]))).any():
            return False
    return True


def from_counts(counts: JointCounts, values: Sequence[object]) -> PeopleTable:
    """Joint counts as a table by the codes of a target, which stand for values."""
    cells, width = counts.cells, len(values) + 1
    assert cells is not None
    codes = {_spelled(value): code for code, value in enumerate(values, 1)}
    place = np.asarray([0 if value is None else codes[_spelled(value)] for value in counts.target_values])
    value = place[cells.target]
    owner, count = cells.owner, cells.count.astype(np.int64, copy=False)
    if not in_order(owner, value):
        word, cell = np.unique(owner * width + value, return_inverse=True)
        count = np.bincount(cell, weights=cells.count).astype(np.int64)
        owner, value = word // width, word % width
    times = np.ones(len(counts.size), np.int64) if counts.multiplicity is None else counts.multiplicity
    if counts.margin is not None:
        margin = counts.target_weight
    else:
        people = cells.count if counts.multiplicity is None else cells.count * times[cells.owner]
        margin = np.bincount(cells.target, weights=people, minlength=len(place))
    having = np.bincount(place, weights=margin, minlength=width)
    return PeopleTable(counts.size, times, owner, value, count, having, counts.records)


def _spelled(value: object) -> tuple[str, str]:
    return type(value).__name__, str(value)
