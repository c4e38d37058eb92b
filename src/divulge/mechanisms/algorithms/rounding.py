"""Rounding to multiples of a base, at random."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]


def random_rounding(values: Array, base: float, uniforms: Floats) -> Array:
    """One of the two multiples of the base around a value, such that the value is the mean: unbiased.

    A value that is r above a multiple goes up with probability r / base, otherwise down; a multiple stays
    (Nargundkar and Saveland, 1972). Sums are kept on average. ``uniforms`` are numbers in [0, 1).

    >>> random_rounding(np.array([5, 6, 6]), 5, np.array([0.0, 0.1, 0.9])).tolist()
    [5, 10, 5]
    """
    multiples, rest, step = _divided(values, base)
    return (multiples + (uniforms * step < rest)) * step


def _divided(values: Array, base: float) -> tuple[Array, Array, Any]:
    """Multiples of the base below, what is left, and the base; whole numbers where all are whole."""
    if not 0 < base < math.inf:
        raise ParameterError(f"The base is {base}, and has to be a positive number.")
    whole = values.dtype.kind in "iu" and float(base).is_integer()
    numbers: Array = values.astype(np.int64 if whole else np.float64)
    step = int(base) if whole else float(base)
    if whole:
        return numbers // step, numbers % step, step
    quotient = numbers / step
    nearest = np.rint(quotient)
    # What is a multiple but for rounding, such as 0.3 of 0.1, is one.
    multiple = np.abs(quotient - nearest) <= 4 * np.spacing(np.abs(quotient))
    below = np.where(multiple, nearest, np.floor(quotient))
    return below, np.where(multiple, 0.0, (quotient - below) * step), step
