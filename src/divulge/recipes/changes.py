"""What a step changed: records that left, cells that differ, attributes that went or came."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from divulge._support.threads import blocks
from divulge.mechanisms.working_table import WorkingTable
from divulge.table.codes import MISSING, Codes


@dataclass(frozen=True)
class StepChange:
    """How a table differs from what it was before a step; None where records cannot be put side by side."""

    records_before: int
    records_after: int
    cells: dict[str, int] | None  # how many cells of each attribute differ, those that do
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


def step_change(before: WorkingTable, after: WorkingTable) -> StepChange:
    """What lies between a table and the same table one step later."""
    cells: dict[str, int] | None = None
    if before.rows is not None and after.rows is not None:
        places = None
        if before.rows is not after.rows:
            order = np.argsort(before.rows, kind="stable")
            places = order[np.searchsorted(before.rows, after.rows, sorter=order)]
        cells = {
            name: differing
            for name, column in after.columns.items()
            if name in before.columns
            and (differing := differing_cells(before.columns[name], column, places)) > 0
        }
    return StepChange(
        before.records,
        after.records,
        cells,
        tuple(name for name in before.attributes if name not in after.columns),
        tuple(name for name in after.attributes if name not in before.columns),
    )


def differing_cells(before: Codes, after: Codes, places: np.ndarray | None = None) -> int:
    """How many records have another value than at their place before; without places, at the same one."""
    if before is after:
        return 0
    old = before.codes if places is None else before.codes[places]
    if before.values is after.values:
        return int(np.count_nonzero(old != after.codes))
    kept = _codes_after(before, after)
    return sum(
        int(np.count_nonzero(kept[old[rows]] != after.codes[rows])) for rows in blocks(len(after.codes))
    )


def _codes_after(before: Codes, after: Codes) -> np.ndarray:
    """For each code before the code of the same value after; -1 where there is none."""
    found = np.full(before.cardinality, -1, np.int64)
    found[MISSING] = MISSING
    known = {(isinstance(value, bool), value): code for code, value in enumerate(after.values, 1)}
    for code in before.used().tolist():
        if code != MISSING:
            value = before.values[code - 1]
            found[code] = known.get((isinstance(value, bool), value), -1)
    return found


def same_value(one: object, other: object) -> bool:
    """Whether two values are the same; True is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)
