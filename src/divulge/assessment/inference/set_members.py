"""Whose rows are in a set and have a value: from cells of a table back to the rows that were counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cores, run, shares
from divulge.assessment.inference.asked.asked_cells import within
from divulge.assessment.inference.asked.sensitive_questions import AskedValues
from divulge.assessment.people.candidate_sets import candidate_sets
from divulge.assessment.people.people import CodedRows
from divulge.table.codes import Codes

Numbers = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]
AT_ONCE = 1 << 16  # rows that are looked up at a time, within the cache


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

    def holding_within(self, asked: AskedValues, owner: Numbers, value: Numbers, codes: Numbers) -> Flags:
        """The rows that are in one of some sets with a value within a limit of it."""
        found = within(asked, self.used[owner], value, self.bound, self.numbers, codes[self.chosen])
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


class TellingSets(Protocol):
    """Entries of sets that tell a value, and what they are about if that is not all rows of their keys."""

    @property
    def owner(self) -> Numbers: ...
    @property
    def value(self) -> Numbers: ...
    @property
    def placed(self) -> PlacedSets | None: ...
    @property
    def about(self) -> Flags | None: ...


def rows_in_cells(
    rows: CodedRows, keys: Sequence[str], target: str, told: Sequence[tuple[AskedValues, TellingSets, Flags]]
) -> Flags | None:
    """The rows in sets that tell, with a value that they tell, by a table of all cells of few keys.

    None where there is no such table, or where entries are about other sets or some rows only.
    """
    elsewhere = any(way.placed is not None or way.about is not None for _, way, _ in told)
    if elsewhere or not told or rows.originals is not None or not rows.shown_by_cells(keys, target):
        return None
    if (found := rows.cells(keys, target)) is None:
        return None
    columns, used, filled = found
    by_set = filled.reshape(-1, len(used)) != 0
    held = by_set.any(axis=1)
    flags = np.zeros((int(np.count_nonzero(held)), len(used)), bool)
    for asked, way, flag in told:
        values = np.zeros((len(flags), asked.values + 1), bool)
        owner, value = way.owner[flag], way.value[flag]
        values[owner, value] = True
        if asked.limit:
            values[:, : asked.bands] = _up_to(values[:, : asked.bands], asked)
        elif asked.by_two:  # a band is asked together with the next
            banded = value < asked.bands
            values[owner[banded], value[banded] + 1] = True
        flags |= values[:, asked.of_code[used]]
    by_set[held] = flags
    return _looked_up(by_set.ravel(), columns)


def _up_to(values: Flags, asked: AskedValues) -> Flags:
    """For each set the bands within the limits that are flagged."""
    if asked.limit == "at least":
        return np.logical_or.accumulate(values, axis=1)
    return np.logical_or.accumulate(values[:, ::-1], axis=1)[:, ::-1]


def _looked_up(cells: Flags, columns: Sequence[Codes]) -> Flags:
    """The flag of the cell that each row is in."""
    found = np.empty(len(columns[0].codes), bool)

    def work(share: slice) -> None:
        for first in range(share.start, share.stop, AT_ONCE):
            part = slice(first, min(first + AT_ONCE, share.stop))
            place = columns[0].codes[part].astype(np.intp)
            for one in columns[1:]:
                place *= one.cardinality
                place += one.codes[part]
            np.take(cells, place, out=found[part])

    run(work, shares(len(found), cores() if len(found) > AT_ONCE else 1))
    return found
