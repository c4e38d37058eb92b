"""Whose rows are in a set and have a value: from cells of a table back to the rows that were counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.assessment.people.candidate_sets import candidate_sets
from divulge.assessment.people.people import CodedRows

Numbers = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PlacedSets:
    """The set of each row that counts, and the numbers of the sets in the order of a table."""

    chosen: Any  # the rows that count
    numbers: Numbers  # of their sets
    used: Numbers  # the number of each set of the table
    bound: int  # above all numbers

    def holding(self, owner: Numbers, value: Numbers, codes: Numbers) -> Flags:
        """The rows that are in one of some sets with a value of it; ``codes`` has the value of each row."""
        held, sets = codes[self.chosen], self.used[owner]
        found = np.zeros(len(self.numbers), bool)
        while len(sets):  # a set rarely tells two values, so that this is done once or twice
            told = np.full(self.bound, -1, np.int32)  # codes of values are far fewer than that holds
            told[sets] = value
            found |= told[self.numbers] == held
            left = told[sets] != value
            sets, value = sets[left], value[left]
        if isinstance(self.chosen, slice):
            return found
        rows = np.zeros(len(codes), bool)
        rows[self.chosen] = found
        return rows


def placed(rows: CodedRows, keys: Sequence[str], target: str, *, lone: bool = False) -> PlacedSets:
    """Where each row that counts is found in a table of sets, or of those who could be its person.

    ``lone`` says that those who are alone with a value are one set of it.
    """
    candidates = candidate_sets(rows, keys, target)
    if candidates is not None:
        numbers, sets = candidates.number[candidates.chosen], candidates.sets
        return PlacedSets(candidates.chosen, numbers, np.arange(sets), sets)
    kept = rows.showing(keys, target)
    chosen: Any = slice(None) if kept is None else kept
    apart = rows.apart(keys, target, chosen) if lone else None
    if apart is not None:
        return PlacedSets(chosen, apart.numbers, apart.used, apart.sets + len(apart.lone))
    numbers, bound = rows.sets(keys)
    used = np.flatnonzero(np.bincount(numbers[chosen], minlength=bound) != 0)
    return PlacedSets(chosen, numbers[chosen], used, bound)
