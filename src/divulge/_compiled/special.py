"""Distribution functions of many numbers at once, by compiled loops."""

from __future__ import annotations

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
