"""Partners for rank swapping, by a compiled loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function

Array = npt.NDArray[Any]


def swap_ranks(uniforms: Array, window: int) -> Array:
    """The partner of every rank, at most a window away; a rank that found none is its own."""
    length = len(uniforms)
    inside = length < np.iinfo(np.int32).max and window > 0
    if not inside or (length and not (uniforms.min() >= 0 and uniforms.max() < 1)):
        raise ValueError(
            "a loop was given more ranks than it can count, no window, or numbers outside of 0 to 1"
        )
    free, partner = np.empty(length + 1, np.int32), np.empty(length, np.int64)
    function("swap_ranks", "piipp")(
        address(uniforms, np.float64, length),
        *(length, window),
        address(free, np.int32, length + 1, write=True),
        address(partner, np.int64, length, write=True),
    )
    return partner
