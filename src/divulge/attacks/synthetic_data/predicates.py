"""Conditions on several attributes that single out one synthetic record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.questions.data import Data

TRIES = 10  # rows looked at for each condition that is wanted
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Condition:
    """One attribute equal to a text, or at least or at most a number."""

    attribute: str
    kind: Literal["equal", "at least", "at most"]
    text: str = ""
    number: float = 0.0


Predicate = tuple[Condition, ...]


@dataclass(frozen=True, eq=False)
class ConditionTable:
    """A table that conditions are tried on: its attributes as numbers and as texts, read once."""

    data: Data
    attributes: tuple[str, ...]

    @cached_property
    def numbers(self) -> dict[str, npt.NDArray[np.float64]]:
        return {name: self.data.numbers(name) for name in self.attributes}

    @cached_property
    def texts(self) -> dict[str, npt.NDArray[np.object_]]:
        columns = {name: self.data.column(name) for name in self.attributes}
        return {
            name: np.array(["", *map(str, column.values)], object)[column.codes]
            for name, column in columns.items()
        }

    @cached_property
    def medians(self) -> dict[str, float]:
        """Of attributes that are numbers with more than two values."""
        return {
            name: float(np.nanmedian(one))
            for name, one in self.numbers.items()
            if not np.isnan(one).all() and len(self.data.column(name).values) > 2
        }

    def condition(self, name: str, row: int) -> Condition:
        """What a record says of an attribute: a number above the median is taken as at least."""
        value = float(self.numbers[name][row])
        if name in self.medians and not np.isnan(value):
            return Condition(name, "at least" if value >= self.medians[name] else "at most", number=value)
        return Condition(name, "equal", str(self.texts[name][row]))

    def count(self, predicate: Predicate) -> int:
        """How many records the conditions hold for."""
        left = np.arange(self.data.records)
        for one in predicate:
            left = left[self._holds(one, left)]
        return len(left)

    def _holds(self, one: Condition, rows: npt.NDArray[np.int64]) -> Mask:
        if one.kind == "equal":
            return np.asarray(self.texts[one.attribute][rows] == one.text, np.bool_)
        numbers = self.numbers[one.attribute][rows]
        held = numbers >= one.number if one.kind == "at least" else numbers <= one.number
        return np.asarray(held, np.bool_)

    def singled_out(self, predicates: Sequence[Predicate]) -> Mask:
        """Which conditions hold for one record alone."""
        return np.array([self.count(one) == 1 for one in predicates], np.bool_)


def guessed_predicates(
    table: ConditionTable, size: int, wanted: int, rng: np.random.Generator, *, unique: bool = True
) -> list[Predicate]:
    """Conditions of synthetic records drawn at random, kept where they single out one of them.

    Blind ones (``unique`` false) are kept whatever they do.
    """
    names = table.attributes
    size = min(size, len(names))
    found: dict[Predicate, None] = {}
    for _ in range(wanted * TRIES):
        if len(found) >= wanted:
            break
        row = int(rng.integers(table.data.records))
        chosen = rng.choice(len(names), size, replace=False)
        predicate = tuple(table.condition(names[place], row) for place in sorted(chosen.tolist()))
        if not unique or table.count(predicate) == 1:
            found[predicate] = None
    return list(found)
