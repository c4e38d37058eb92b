"""The search for minimal sample uniques, by compiled loops."""

from __future__ import annotations

from ctypes import Structure, byref, c_int64, c_void_p
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function, within

Array = npt.NDArray[Any]
FEW = 1 << 12  # candidates there is room for at first


class _Search(Structure):
    _fields_ = [
        *((name, c_int64) for name in ("rows", "attributes", "largest", "capacity")),
        *((name, c_void_p) for name in ("codes", "once", "order", "start", "classes", "size", "to", "seen")),
        *(("row", c_void_p), ("set", c_void_p), ("found", c_int64)),
    ]


class UniqueSearch:
    """What a thread searches with: codes by attribute and row, and memory that it writes to."""

    def __init__(self, codes: Array, once: Array, largest: int) -> None:
        attributes, rows = codes.shape
        if not 0 < attributes <= 64 or not 0 < rows < np.iinfo(np.int32).max:
            raise ValueError("a loop was given no rows, or more rows or attributes than it can number")
        possible = int(codes.max()) + 1
        within(codes, possible)
        depths = min(largest, attributes) + 1
        self._codes, self._once = codes, once
        self._order, self._start = (
            np.empty(depths * rows, np.int32),
            np.empty(depths * (rows // 2 + 2), np.int32),
        )
        self._classes = np.empty(depths, np.int64)
        self._size, self._to, self._seen = (
            np.zeros(possible, np.int32),
            np.empty(possible, np.int32),
            np.empty(possible, np.int32),
        )
        self._row, self._set = np.empty(FEW, np.int32), np.empty(FEW, np.uint64)
        self._search = _Search(rows, attributes, largest)
        search, spaces = self._search, (("order", self._order), ("start", self._start))
        search.codes = address(codes, np.int32, rows * attributes)
        search.once = address(once, np.uint8, rows)
        search.classes = address(self._classes, np.int64, depths)
        for name, array in (*spaces, ("size", self._size), ("to", self._to), ("seen", self._seen)):
            setattr(search, name, address(array, np.int32, array.size, write=True))

    def candidates(self, first: int, second: int) -> tuple[Array, Array]:
        """The rows that sets with these first attributes make unique, and the sets; -1: the first alone."""
        if not (0 <= first < len(self._codes) and (second == -1 or first < second < len(self._codes))):
            raise ValueError("a loop was given attributes that are not there, or not in order")
        while True:
            room = len(self._row)
            self._search.capacity = room
            self._search.row = address(self._row, np.int32, room, write=True)
            self._search.set = address(self._set, np.uint64, room, write=True)
            function("uniques_search", "pii")(byref(self._search), first, second)
            found = int(self._search.found)
            if found <= room:
                return self._row[:found].copy(), self._set[:found].copy()
            self._row, self._set = np.empty(found, np.int32), np.empty(found, np.uint64)


def minimal(row: Array, sets: Array, rows: int) -> tuple[Array, Array]:
    """Of the candidates of each row those that contain no other: how many, and the sets row after row."""
    length = len(row)
    within(row, rows)
    start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))]).astype(np.int64)
    gathered, place, kept = np.empty(length, np.uint64), start[:-1].copy(), np.empty(rows, np.int64)
    out = address(gathered, np.uint64, length, write=True)
    function("uniques_gather", "ppipp")(
        address(row, np.int32, length),
        address(sets, np.uint64, length),
        length,
        address(place, np.int64, rows, write=True),
        out,
    )
    starts = address(start, np.int64, rows + 1)
    function("uniques_minimal", "pipp")(starts, rows, out, address(kept, np.int64, rows, write=True))
    first = np.repeat(start[:-1], kept)
    within_row = np.arange(len(first)) - np.repeat(np.cumsum(kept) - kept, kept)
    return kept, gathered[first + within_row]
