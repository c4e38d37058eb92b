"""What becomes of values as rows of a table, which records are joined with where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.engines.external.workplace import ValueMapping
from divulge.mechanisms.transitions import Transition
from divulge.recipes.outputs.column_kinds import decimal_digits, kind_of, occurring
from divulge.recipes.outputs.csv_lines import spelled
from divulge.table.codes import MISSING, Codes, narrow

_FEW = 4  # targets of a value up to which all are looked at for a draw
_ROUNDED = 2.0**-20  # more than adding a code to a draw can be off


def value_mapping(column: Codes, made: Transition) -> ValueMapping:
    """A transition as rows: for the value at each place of a column, one for each target in each part."""
    origin, bounds = made.origin, made.bounds()
    first = np.arange(len(origin)) == made.start[origin]
    last = np.arange(len(origin)) == made.start[origin + 1] - 1
    low = np.where(first, origin, np.concatenate([[0.0], bounds[:-1]]))
    high = np.where(last, origin + 2.0, bounds)
    rows = [np.arange(made.start[code], made.start[code + 1]) for code in column.codes.tolist()]
    picked = np.concatenate(rows) if rows else np.empty(0, np.int64)
    place = np.repeat(np.arange(len(rows)), [len(one) for one in rows])
    parts = _parts(len(picked) / max(len(rows), 1))
    repeated, part = _by_part(low[picked] - origin[picked], high[picked] - origin[picked], parts)
    picked, place = picked[repeated], place[repeated]
    target = made.target[picked]
    released = Codes(narrow(target, len(made.released)), made.released)
    kind = kind_of(released)
    texts = [None, *map(spelled, made.released)]
    return ValueMapping(
        place,
        part,
        parts,
        origin[picked],
        low[picked],
        high[picked],
        [texts[code] for code in target.tolist()],
        kind,
        decimal_digits(occurring(released)) if kind == "decimal" else None,
        made.certain,
        bool(((origin[picked] == MISSING) & (target != MISSING)).any()),
    )


def _parts(targets: float) -> int:
    """In how many parts draws are divided where a value has so many targets: a power of 2, which is exact."""
    return 1 if targets <= _FEW else 1 << int(targets).bit_length()


def _by_part(
    low: npt.NDArray[np.float64], high: npt.NDArray[np.float64], parts: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[Any]]:
    """Each row once for every part that draws from low up to high can lie in, and the number of that part."""
    begins = np.clip(np.floor((low - _ROUNDED) * parts), 0, parts - 1).astype(np.int64)
    ends = np.clip(np.floor((high + _ROUNDED) * parts), 0, parts - 1).astype(np.int64)
    times = ends - begins + 1
    repeated = np.repeat(np.arange(len(low)), times)
    past = np.arange(len(repeated)) - np.repeat(np.cumsum(times) - times, times)
    return repeated, (begins[repeated] + past).astype(np.float64)
