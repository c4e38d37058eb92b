"""Room of large arrays that is used again, while something is done with many of them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import PYFUNCTYPE, c_char_p, c_void_p, py_object
from importlib import import_module
from typing import Any

from divulge._compiled import library
from divulge._compiled.library import function

_SET, _GET, _USUAL = 304, 305, 306  # places in NumPy's table of functions: of its handlers of memory
_NAME = ctypes.create_string_buffer(b"mem_handler")  # that such a capsule has
_capsules = ctypes.pythonapi


@contextmanager
def kept_room() -> Iterator[None]:
    """Have large arrays that are made meanwhile take the room that others of their size have left.

    Half a gigabyte is kept at most, and given back in the end. It holds for this thread and for what it has
    others do; where arrays are made in a way of the caller's own, that stays.
    """
    if not library.built() or _handler(_GET)() is not _usual():
        yield
        return
    ours = function("room_begin", "p", "p")(_pointer(_usual(), _NAME.value))
    before = _handler(_SET, py_object)(_capsule(ours))
    try:
        yield
    finally:
        _handler(_SET, py_object)(before)
        function("room_end", "")()


def _table() -> Any:
    """NumPy's functions for other languages, by their places."""
    found = _pointer(import_module("numpy._core._multiarray_umath")._ARRAY_API, None)
    return ctypes.cast(found, ctypes.POINTER(c_void_p))


def _handler(place: int, *takes: Any) -> Any:
    """The function that sets or gets how memory is handled."""
    return PYFUNCTYPE(py_object, *takes)(_table()[place])


def _usual() -> Any:
    """NumPy's own way."""
    return ctypes.cast(_table()[_USUAL], ctypes.POINTER(py_object)).contents.value


def _pointer(capsule: Any, name: bytes | None) -> int:
    take = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", _capsules))
    return int(take(capsule, name))


def _capsule(pointer: int) -> Any:
    make = PYFUNCTYPE(py_object, c_void_p, c_void_p, c_void_p)(("PyCapsule_New", _capsules))
    return make(pointer, ctypes.addressof(_NAME), None)
