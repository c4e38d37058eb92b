"""How loops are compiled: without the interpreter lock, and kept on disk where there is a place for them."""

from __future__ import annotations

import os
from pathlib import Path

from numba import njit


def _can_keep() -> bool:
    """Whether Numba finds a folder for compiled code: one it was told, beside the source, or at home."""
    places = [Path(__file__).parent, Path(os.path.expanduser("~"))]
    return "NUMBA_CACHE_DIR" in os.environ or any(os.access(place, os.W_OK) for place in places)


KEEP = _can_keep()
loop = njit(nogil=True, cache=KEEP)
inlined = njit(nogil=True, cache=KEEP, inline="always")
