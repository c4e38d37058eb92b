"""What becomes of each value: p(released | true), for mechanisms that see one record at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.threads import blocks
from divulge.table.codes import MISSING, Codes, as_number, code_type, looked_up

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Transition:
    """For each code, missing first, the released codes it may turn into and how likely each is.

    The codes of ``code`` may turn into ``target[start[code]:start[code + 1]]``, which stand for ``released``.

    >>> coin = Transition.of_rows(["a", "b"], [{0: 1.0}, {1: 0.75, 2: 0.25}, {2: 1.0}])
    >>> coin.matrix()[1].tolist()
    [0.0, 0.75, 0.25]
    """

    released: Sequence[object]
    start: Integers
    target: Integers
    chance: Floats

    @classmethod
    def to(cls, released: Sequence[object], target: npt.ArrayLike) -> Transition:
        """One that is certain: each code turns into one other."""
        codes = np.asarray(target, np.int64)
        return cls(released, np.arange(len(codes) + 1), codes, np.ones(len(codes)))

    @classmethod
    def of_rows(cls, released: Sequence[object], rows: Sequence[Mapping[int, float]]) -> Transition:
        """One from a row for each code: how likely each released code is."""
        sizes = [len(row) for row in rows]
        return cls(
            released,
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.asarray([code for row in rows for code in row], np.int64),
            np.asarray([chance for row in rows for chance in row.values()], np.float64),
        )

    @classmethod
    def relabelling(cls, values: Sequence[object], new: Sequence[object]) -> Transition:
        """Each value turns into the one at its place, missing into the first; None is missing."""
        places: dict[tuple[bool, object], int] = {}
        target = [
            MISSING if one is None else places.setdefault((isinstance(one, bool), one), len(places) + 1)
            for one in new
        ]
        assert len(new) == len(values) + 1, "a value for missing comes first"
        return cls.to([value for _, value in places], target)

    def keeping(self, code: int, value: object) -> Transition:
        """The same, but that one code stays the value that it stands for."""
        released = list(self.released)
        if value not in released:
            released.append(value)
        first, last = int(self.start[code]), int(self.start[code + 1])
        start = self.start.copy()
        start[code + 1 :] -= last - first - 1
        kept = np.array([released.index(value) + 1])
        return Transition(
            released,
            start,
            np.concatenate([self.target[:first], kept, self.target[last:]]),
            np.concatenate([self.chance[:first], [1.0], self.chance[last:]]),
        )

    @property
    def certain(self) -> bool:
        """Whether nothing is drawn."""
        return len(self.target) == len(self.start) - 1

    def matrix(self) -> Floats:
        """p(released | true): a row for each code, a column for each released code, missing first."""
        found = np.zeros((len(self.start) - 1, len(self.released) + 1))
        np.add.at(found, (self.origin, self.target), self.chance)
        return found

    @property
    def origin(self) -> Integers:
        """The code that each of the targets is one of."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def bounds(self) -> Floats:
        """The number that a code and its draw together stay below where it turns into each target."""
        origin, sums = self.origin, np.cumsum(self.chance)
        before = np.concatenate([[0.0], sums])[self.start[origin]]
        return origin + np.minimum(sums - before, 1.0)

    def apply(self, column: Codes, draw: Callable[[], Floats]) -> Codes:
        """The column as it is released; ``draw`` gives a number from 0 up to 1 for each record."""
        narrowed = self.target.astype(code_type(len(self.released)))
        if self.certain:
            return Codes(looked_up(narrowed, column.codes), self.released)
        last, bounds, drawn = self.start[1:] - 1, self.bounds(), draw()
        found = np.empty_like(narrowed, shape=len(column.codes))
        for rows in blocks(len(found)):
            codes = column.codes[rows]
            places = np.searchsorted(bounds, codes + drawn[rows], side="right")
            found[rows] = narrowed[np.minimum(places, last[codes])]
        return Codes(found, self.released)


def recoded(values: Sequence[object], function: Callable[[object], object | None]) -> Transition:
    """Each value turns into what a function makes of it; missing stays missing."""
    return Transition.relabelling(values, [None, *map(function, values)])


def in_canonical_order(column: Codes) -> Codes:
    """The same records, the values that occur in an order that depends on them alone.

    Sources list values in an order of their own; what is drawn must not depend on it.

    >>> in_canonical_order(Codes.of(["b", 10, None, 9, "a"])).values
    [9, 10, 'a', 'b']
    """
    used = [code for code in column.used().tolist() if code != MISSING]
    used.sort(key=lambda code: _canonical(column.values[code - 1]))
    table = np.zeros(column.cardinality, np.int64)
    table[used] = np.arange(1, len(used) + 1)
    return column.recode(table, [column.values[code - 1] for code in used])


def _canonical(value: object) -> tuple[int, Any]:
    """What values are sorted by: truth values, numbers and texts that spell one, texts, all others."""
    if isinstance(value, bool):
        return 0, value
    number = as_number(value)
    if number == number:  # spelled or not, it is the same number
        return 1, (number, str(value))
    return (2, value) if isinstance(value, str) else (3, str(value))
