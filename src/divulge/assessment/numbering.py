"""Records numbered by their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.data import Data

Numbers = npt.NDArray[Any]


def numbered(data: Data, attributes: Sequence[str]) -> tuple[Numbers, int]:
    """Records numbered by their values of some attributes."""
    first, *others = (data.column(name) for name in attributes)
    numbers, bound = ranked(first.codes.astype(np.int64))
    for column in others:
        numbers, bound = ranked(numbers * column.cardinality + column.codes)
    return numbers, bound


def ranked(numbers: Numbers) -> tuple[Numbers, int]:
    """The same numbers without gaps, and how many there are."""
    used, places = np.unique(numbers, return_inverse=True)
    return places.astype(np.int64), len(used)
