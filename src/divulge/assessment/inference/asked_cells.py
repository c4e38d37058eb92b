"""The cells of sets as they are asked about: by value, two bands, up to a limit, or of known values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.threads import blocks
from divulge.assessment.inference.sensitive_questions import AskedValues
from divulge.assessment.people.people_table import PeopleTable
from divulge.counting.counts import JointCounts
from divulge.table.packing import told_apart

Numbers = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]


def as_asked(table: PeopleTable, asked: AskedValues) -> tuple[PeopleTable, Flags]:
    """A table whose cells are what is asked about, and which of its values are news.

    With a limit, cells come set by set in the order in which they contain each other.
    """
    if asked.known:
        table = _of_known(table, asked)
    if asked.limit:
        return _from_one_end(table, asked), asked.news
    return _by_two(table, asked) if asked.by_two else (table, asked.news)


def _of_known(table: PeopleTable, asked: AskedValues) -> PeopleTable:
    """The same sets with only those who have a known value: as many as there may be."""
    unknown = np.zeros(len(table.having), bool)
    unknown[asked.unknown] = True
    there = ~unknown[table.value]
    owner, count = table.owner[there], table.count[there]
    size = np.minimum(table.size, np.bincount(owner, count, len(table.size))).astype(table.size.dtype)
    having = np.where(unknown, 0, table.having).astype(table.having.dtype)
    people = min(table.people, round(float(having.sum())))
    return replace(
        table, size=size, owner=owner, value=table.value[there], count=count, having=having, people=people
    )


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
    having, each = table.having.copy(), table.having[:bands]
    having[:bands] = np.cumsum(each[::-1])[::-1] if backwards else np.cumsum(each)
    return replace(
        table,
        owner=owner,
        value=value,
        count=(reached - np.repeat(before, lengths)).astype(table.count.dtype),
        having=np.minimum(having, table.people),
    )


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


def _by_two(table: PeopleTable, asked: AskedValues) -> tuple[PeopleTable, Flags]:
    """Bands two by two: band i stands for itself and the next."""
    last = asked.bands - 1
    first = (table.value >= asked.bands) | (table.value < last)
    second = (table.value > 0) & (table.value <= last)
    owner = np.concatenate([table.owner[first], table.owner[second]])
    value = np.concatenate([table.value[first], table.value[second] - 1])
    count = np.concatenate([table.count[first], table.count[second]])
    cells, place = told_apart(owner * len(table.having) + value)
    total = np.bincount(place, weights=count, minlength=len(cells)).astype(table.count.dtype)
    having, news = table.having.copy(), asked.news.copy()
    having[:last] = table.having[:last] + table.having[1 : asked.bands]
    news[:last], news[last] = True, False
    having = np.minimum(having, table.people)
    return replace(table, owner=owner[cells], value=value[cells], count=total, having=having), news


def in_order(owner: Numbers, value: Numbers) -> bool:
    """Whether the values of each set come in their order, each once; sets come in theirs."""
    for part in blocks(len(owner) - 1):
        here, after = part, slice(part.start + 1, part.stop + 1)
        same = owner[here] == owner[after]
        if ((owner[here] > owner[after]) | (same & (value[here] >= value[after]))).any():
            return False
    return True


def from_counts(counts: JointCounts, values: Sequence[object], asked: AskedValues) -> PeopleTable:
    """Joint counts as a table of values that are asked about."""
    cells = counts.cells
    assert cells is not None
    codes = {_spelled(value): code for code, value in enumerate(values, 1)}
    place = np.asarray([0 if value is None else codes[_spelled(value)] for value in counts.target_values])
    value = asked.of_code[place][cells.target]
    owner, count = cells.owner, cells.count.astype(np.int64, copy=False)
    if not in_order(owner, value):  # several values of a set may be asked about as one
        word, cell = np.unique(owner * asked.values + value, return_inverse=True)
        count = np.bincount(cell, weights=cells.count).astype(np.int64)
        owner, value = word // asked.values, word % asked.values
    times = np.ones(len(counts.size), np.int64) if counts.multiplicity is None else counts.multiplicity
    margin = (
        counts.target_weight
        if counts.margin is not None
        else np.bincount(cells.target, weights=cells.count * times[cells.owner], minlength=len(place))
    )
    having = np.bincount(asked.of_code[place], weights=margin, minlength=asked.values)
    return PeopleTable(counts.size, times, owner, value, count, having, counts.records)


def _spelled(value: object) -> tuple[str, str]:
    return type(value).__name__, str(value)
