"""The library of compiled loops: whether it was built, and what its functions are given."""

from __future__ import annotations

import ctypes
from ctypes import c_double, c_int64, c_void_p
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.building import library

#: What a library that is not there means for a user; ``doctor`` says it.
MISSING = (
    "The compiled loops are missing, so NumPy and Python are used: the same numbers, more slowly. "
    "Install a C compiler (on Debian: apt install gcc libc6-dev), then reinstall divulge."
)
_KINDS = {"p": c_void_p, "i": c_int64, "d": c_double}


@lru_cache(maxsize=1)
def _loaded() -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(str(library()))
    except OSError:
        return None


def built() -> bool:
    """Whether there is a library of the sources that are installed."""
    return _loaded() is not None


@lru_cache(maxsize=64)
def function(name: str, takes: str, gives: str | None = None) -> Any:
    """A function of the library; a letter for each argument: p a pointer, i a whole number, d a number."""
    found = _loaded()
    assert found is not None, "asked for without having looked whether the library was built"
    called = getattr(found, name)
    called.argtypes = [_KINDS[one] for one in takes]
    called.restype = None if gives is None else _KINDS[gives]
    return called


def address(array: npt.NDArray[Any], kind: Any, length: int, *, write: bool = False) -> int:
    """Where the numbers of an array begin, if they are of the kind, without gaps and so many."""
    flags = array.flags
    fits = array.dtype == kind and array.size == length and flags.c_contiguous
    if not fits or (write and not flags.writeable):
        raise ValueError(f"a loop was given {array.size} {array.dtype} instead of {length} {np.dtype(kind)}")
    if array.base is None and flags.writeable and length:
        return ctypes.addressof(ctypes.c_char.from_buffer(array.data))  # a third of the time of NumPy's own
    return int(array.ctypes.data)


def within(numbers: npt.NDArray[Any], bound: int) -> None:
    """Refuse numbers that are no places below a bound."""
    if len(numbers) == 0 or (numbers.dtype.kind == "u" and np.iinfo(numbers.dtype).max < bound):
        return
    if int(numbers.max()) >= bound or (numbers.dtype.kind != "u" and int(numbers.min()) < 0):
        raise ValueError(f"a loop was given places that are not all below {bound}")
