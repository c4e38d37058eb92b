"""Shuffled tables held as one: what every class of them has is worked out for many at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from divulge.counting.counts import Cells, Counts, Floats, Integers, JointCounts
from divulge.counting.statistics import Statistic
from divulge.engines.memory.counting import RecordClasses, fills_a_table, table, tabulate
from divulge.table.codes import Codes

AT_ONCE = 1 << 18  # cells of the tables that are held as one


@dataclass(frozen=True, eq=False)
class OneOfMany(JointCounts):
    """The counts of one table; statistics of its classes are worked out with those of others."""

    among: JointCounts | None = None
    first: int = 0  # the place of its first class among all

    def statistic(self, statistic: Statistic) -> Floats:
        if self.among is None:
            return super().statistic(statistic)
        return self.among.statistic(statistic)[self.first : self.first + len(self.size)]


def dealt_table(classes: RecordClasses, codes: Integers, values: Sequence[object]) -> Integers | JointCounts:
    """Records by class and target, a row for each class; counts where a table would have too many cells.

    All classes and all values occur, and ``codes`` number the values from 1 on.
    """
    target = Codes(codes, values)
    if not fills_a_table(classes, target):
        return tabulate(classes, target)
    return table(classes, target).reshape(classes.bound, target.cardinality)[:, 1:]


def counts_of(tables: Iterable[Integers | JointCounts], like: Counts) -> Iterator[JointCounts]:
    """The counts of each table; what is known of target values is known of those of ``like``.

    Tables may have some of the classes only.
    """
    known: dict[str, Any] = {"ground": like.ground, "target": like.target, "compared": like.compared}
    waiting = list[Integers]()
    for one in tables:
        if isinstance(one, JointCounts):
            yield replace(one, **known)
            continue
        waiting.append(one)
        if (len(waiting) + 1) * one.size > AT_ONCE:
            yield from _as_one(waiting, like, known)
            waiting = []
    if waiting:
        yield from _as_one(waiting, like, known)


def _as_one(tables: Sequence[Integers], like: Counts, known: dict[str, Any]) -> Iterator[JointCounts]:
    """Tables with the same classes, and the same number of records with each target value."""
    rows, values = np.concatenate(tables), list(like.target_values)
    cell = np.flatnonzero(rows.ravel() != 0)
    owner = cell // len(values)
    start = np.append(0, np.cumsum(np.bincount(owner, minlength=len(rows))))
    number, place = rows.ravel()[cell].astype(np.int64), cell - owner * len(values)
    size, classes = np.add.reduceat(number, start[:-1]), len(tables[0])

    def cells(first: int, last: int) -> Cells:
        inside = slice(start[first], start[last])
        count = number[inside]
        return Cells(start[first : last + 1] - start[first], place[inside], count, count)

    known = {**known, "whole": like, "margin": like.target_weight}
    each = len(cell) // len(tables) if classes == like.classes else like.classes * len(values)
    among = JointCounts(size, cells(0, len(size)), values, cells_each=each, **known)
    for first in range(0, len(size), classes):
        last = first + classes
        yield OneOfMany(size[first:last], cells(first, last), values, among=among, first=first, **known)
