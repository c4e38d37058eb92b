"""The search through the lattice of attribute subsets, by compiled loops."""

from __future__ import annotations

from ctypes import Structure, addressof, byref, c_double, c_int64, c_void_p
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function, within

MOST = np.iinfo(np.int64).max  # records
MOST_TAIL = 4  # last attributes that are counted together
LARGEST_TABLE = 1 << 22  # cells of an attribute and the target that are counted in a table
Array = npt.NDArray[Any]


class _Table(Structure):
    _fields_ = [
        *((name, c_int64) for name in ("attributes", "tail", "target_bits", "logs_length", "largest_table")),
        *((name, c_void_p) for name in ("shift", "mask", "below", "differ", "logs")),
    ]


class _Classes(Structure):
    _fields_ = [("rows", c_void_p), ("times", c_void_p), ("start", c_void_p), ("count", c_int64)]


class _Found(Structure):
    _fields_ = [
        *((name, c_void_p) for name in ("classes", "unique", "least")),
        *((name, c_void_p) for name in ("uncertainty", "target", "least_target")),
    ]


class _Room(Structure):
    _fields_ = [
        *(("classes", c_void_p), ("depth", c_int64), ("lowest", _Classes)),
        *((name, c_void_p) for name in ("words", "values", "to", "seen", "sizes", "cells", "left")),
    ]


class Settled(Structure):
    """The unique rows: what they are to every finer subset."""

    _fields_ = [("classes", c_int64), ("unique", c_int64), ("least", c_int64), ("uncertainty", c_double)]


class RowClasses(NamedTuple):
    """The rows that share a class, class by class, and how many records each row stands for."""

    rows: Array
    times: Array
    start: Array

    @classmethod
    def room(cls, rows: int) -> RowClasses:
        """Room to write to, for classes of two rows at least."""
        return cls(np.empty(rows, np.uint64), np.empty(rows, np.int64), np.empty(rows // 2 + 2, np.int32))

    def given(self) -> _Classes:
        """As loops take them, checked."""
        rows, starts, start = len(self.rows), len(self.start), self.start
        if start[0] != 0 or start[-1] != rows or (np.diff(start) < 1).any() or starts > rows // 2 + 2:
            raise ValueError("a loop was given classes that do not hold their rows one after the other")
        return self._struct(starts - 1)

    def _struct(self, count: int) -> _Classes:
        rows = len(self.rows)
        return _Classes(
            address(self.rows, np.uint64, rows),
            address(self.times, np.int64, rows),
            address(self.start, np.int32, len(self.start)),
            count,
        )

    def to_write(self) -> _Classes:
        return self._struct(0)


class Room:
    """Memory that one thread writes to again and again: to ask for it anew would cost as much as to count."""

    def __init__(self, rows: int, depth: int, codes: int, cells: int) -> None:
        self.rows, self.depth = rows, depth
        self._levels = [RowClasses.room(rows) for _ in range(depth)]
        self._lowest = RowClasses.room(rows)
        self._classes = (_Classes * depth)(*(level.to_write() for level in self._levels))
        self._arrays = (
            *(np.empty(rows, np.uint64), np.empty(rows, np.int32)),
            *(np.empty(codes, np.int32), np.empty(codes, np.int32)),
            *(np.zeros(max(codes, cells, rows), np.int64), np.zeros(cells, np.int64), np.zeros(cells)),
        )
        pointers = [array.ctypes.data for array in self._arrays]
        self.struct = _Room(addressof(self._classes), depth, self._lowest.to_write(), *pointers)


class SubsetLoops:
    """The loops over one table of different rows, whose arrays ``engines/lattice/rows.py`` describes."""

    def __init__(
        self,
        rows: int,
        shift: Array,
        mask: Array,
        below: Array,
        differ: Array,
        logs: Array,
        target_bits: int,
        tail: int,
    ) -> None:
        attributes = len(shift)
        low = int(below[attributes - tail])
        if not (0 <= tail <= min(MOST_TAIL, attributes) and rows < 1 << 31 and target_bits <= low < 40):
            raise ValueError("a loop was given a table that it does not hold")
        if len(differ) << target_bits != 1 << low or int(below[-1]) != target_bits or (logs[:1] != 0).any():
            raise ValueError("a loop was given a table whose parts do not fit")
        within(differ, 1 << tail)
        self._held = shift, mask, below, differ, logs
        self.rows, self.attributes, self.tail = rows, attributes, tail
        self._codes = int(mask.max()) + 1
        self._cells = max(1 << low, min(self._codes << target_bits, LARGEST_TABLE))
        self._table = _Table(
            *(attributes, tail, target_bits, len(logs), LARGEST_TABLE),
            address(shift, np.uint64, attributes),
            address(mask, np.uint64, attributes),
            address(below, np.int64, attributes + 1),
            address(differ, np.int64, len(differ)),
            address(logs, np.float64, len(logs)),
        )

    def room(self, depth: int) -> Room:
        return Room(self.rows, depth, self._codes, self._cells)

    def refine(
        self, classes: RowClasses, settled: Settled, values: Array, room: Room
    ) -> tuple[RowClasses, Settled]:
        """Classes told apart by an attribute's codes, and the rows that it settles among the settled."""
        within(values, self._codes)
        out, now = RowClasses.room(len(classes.rows)), Settled.from_buffer_copy(settled)
        given, found, codes = classes.given(), out.to_write(), address(values, np.int32, len(classes.rows))
        run = function("lattice_refine", "pppppp")
        run(byref(self._table), byref(given), byref(now), codes, byref(found), byref(room.struct))
        end = out.start[found.count]
        return RowClasses(out.rows[:end], out.times[:end], out.start[: found.count + 1]), now

    def explore(
        self, classes: RowClasses, settled: Settled, attribute: int, most: int, found: Any, room: Room
    ) -> None:
        """Find a subset and those that add up to so many (one at least) of the attributes from one on."""
        others = self.attributes - attribute
        if most < 1 or not self.tail <= others <= 62 or len(found.classes) < 1 << others:
            raise ValueError("a loop was given subsets that it has no place for")
        if room.depth <= min(most, others - self.tail) or room.rows < len(classes.rows):
            raise ValueError("a loop was given too little room")
        given, to = classes.given(), _given(found)
        run = function("lattice_explore", "pppiiippi")
        run(
            *(byref(self._table), byref(given), byref(settled), attribute, 0, most),
            *(byref(to), byref(room.struct), 0),
        )

    def count_finer(
        self,
        classes: RowClasses,
        settled: Settled,
        values: Array,
        possible: int,
        found: Any,
        place: int,
        room: Room,
    ) -> None:
        """Find the subset with one more attribute, given by its codes, to which nothing is to be added."""
        within(values, possible)
        if not 0 <= place < len(found.classes) or room.rows < len(classes.rows) or possible > self._codes:
            raise ValueError("a loop was given a subset that it has no place for")
        given, to, codes = classes.given(), _given(found), address(values, np.int32, len(classes.rows))
        run = function("lattice_count_finer", "ppppipip")
        run(
            *(byref(self._table), byref(given), byref(settled), codes, possible),
            *(byref(to), place, byref(room.struct)),
        )


def _given(found: Any) -> _Found:
    whole = [address(one, np.int64, len(found.classes), write=True) for one in found[:3]]
    return _Found(*whole, *(address(one, np.float64, len(found.classes), write=True) for one in found[3:6]))
