"""Draws by key and row number, by compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function

Array = npt.NDArray[Any]
KEY = 32  # characters of a key


def uniform_pairs(key: str, rows: Array, first: Array, second: Array) -> None:
    """Two draws for each row, from 0 up to 1."""
    letters = np.frombuffer(key.encode("ascii"), np.uint8)
    if len(rows) and int(rows.min()) < 0:
        raise ValueError("a loop was given rows below 0")
    function("draws_uniform", "ppipp")(
        address(letters, np.uint8, KEY),
        address(rows, np.int64, len(rows)),
        len(rows),
        *(address(one, np.float64, len(rows), write=True) for one in (first, second)),
    )
