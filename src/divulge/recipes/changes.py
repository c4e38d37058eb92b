"""What a step changed: records that left, cells that differ, attributes that went or came."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from divulge.mechanisms.working_table import WorkingTable
from divulge.table.codes import Codes

_FEW_PAIRS = 1 << 22


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


def differing_cells(before: Codes, after: Codes, places: np.ndarray) -> int:
    """How many records have another value than at their place before."""
    if before is after:
        return 0
    old, width = before.codes[places].astype(np.int64), after.cardinality
    pairs = old * width + after.codes
    if before.cardinality * width <= _FEW_PAIRS:
        times = np.bincount(pairs, minlength=before.cardinality * width)
        found = np.flatnonzero(times)
        times = times[found]
    else:
        found, times = np.unique(pairs, return_counts=True)
    alike = (same_value(before.value(pair // width), after.value(pair % width)) for pair in found.tolist())
    return int(times[~np.fromiter(alike, bool, len(found))].sum())


def same_value(one: object, other: object) -> bool:
    """Whether two values are the same; True is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)
