"""Distribution functions of many numbers at once, and channels of a few letters, by compiled loops."""

from __future__ import annotations

import sys
from ctypes import c_void_p
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function

Array = npt.NDArray[Any]


def _called(name: str, *numbers: Array, more: tuple[int, ...] = ()) -> Array:
    length = len(numbers[0])
    out = np.empty(length)
    given = [address(one, np.float64, length) for one in numbers]
    takes = f"{'p' * len(given)}i{'i' * len(more)}p"
    function(f"special_{name}", takes)(*given, length, *more, address(out, np.float64, length))
    return out


def normal(x: Array) -> Array:
    return _called("normal", x)


def gamma(a: Array, x: Array, upper: bool) -> Array:
    return _called("gamma", a, x, more=(int(upper),))


def beta(a: Array, b: Array, x: Array) -> Array:
    return _called("beta", a, b, x)


# -- channels of a few letters: one call in place of many of NumPy's ----------------------------------------

_NUMBERS = np.dtype(np.float64)
_HEAD = object.__basicsize__  # of an array, and then the place of its numbers, as in NumPy's C interface


def _placed(sample: Array) -> bool:
    """Whether the place of an array's numbers is where NumPy's C interface has it."""
    return (
        sys.implementation.name == "cpython"
        and c_void_p.from_address(id(sample) + _HEAD).value == sample.ctypes.data
    )


_PLACED = all(_placed(sample) for sample in (np.zeros(3), np.zeros((2, 3))[1:]))


def are_probabilities(array: Array) -> bool:
    """Whether the numbers of every row, or of the only one, add up to one and none is negative."""
    rows, columns = array.shape if array.ndim == 2 else (1, array.size)
    return bool(function("channels_probabilities", "pii", "i")(_begin(array), rows, columns))


def is_channel(prior: Array, matrix: Array) -> bool:
    """Whether a prior, and a row of a matrix for each of its letters, are all probabilities."""
    rows, columns = matrix.shape
    if prior.shape != (rows,):
        return False
    found = function("channels_valid", "ppii", "i")(_begin(prior), _begin(matrix), rows, columns)
    return bool(found)


def best_guess(prior: Array, matrix: Array) -> tuple[Array, Array, float]:
    """p(y), how likely the best guess is wrong after each y, and on average: -1 where some y cannot occur."""
    rows, columns = _shape(prior, matrix)
    marginal, wrong = np.empty(columns), np.empty(columns)
    average = function("channels_best_guess", "ppiipp", "d")(
        _begin(prior), _begin(matrix), rows, columns, _begin(marginal), _begin(wrong)
    )
    return marginal, wrong, average


def information(prior: Array, matrix: Array) -> float:
    """I(X;Y) in nats; -1 where probabilities are too small for it."""
    rows, columns = _shape(prior, matrix)
    room = np.empty(rows + columns)
    found = function("channels_information", "ppiip", "d")
    return float(found(_begin(prior), _begin(matrix), rows, columns, _begin(room)))


def _shape(prior: Array, matrix: Array) -> tuple[int, int]:
    rows, columns = matrix.shape
    if prior.shape != (rows,):
        raise ValueError(f"a loop was given {prior.size} probabilities for {rows} rows")
    return rows, columns


def _begin(array: Array) -> int:
    """Where the numbers of an array begin: as ``library.address``, in less time."""
    if array.dtype is not _NUMBERS or not array.flags.c_contiguous:
        raise ValueError(f"a loop was given {array.dtype} in its own order instead of {_NUMBERS}")
    if _PLACED:
        return c_void_p.from_address(id(array) + _HEAD).value or 0
    return int(array.ctypes.data)
