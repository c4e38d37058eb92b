"""The search through the lattice of attribute subsets, by compiled loops."""

from __future__ import annotations

from ctypes import Structure, addressof, byref, c_double, c_int64, c_void_p
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function, within

MOST = np.iinfo(np.int64).max  # records
MOST_RECORDS = 1 << 32  # a sum has four bytes
MOST_TAIL = 4  # last attributes that are counted together
MOST_TARGETS = 16  # searched at once
SMALL = 500  # records below which classes are counted by their size
LARGEST_TABLE = 1 << 22  # cells of an attribute and the target that are counted in a table
Array = npt.NDArray[Any]


class _Table(Structure):
    _fields_ = [
        *((name, c_int64) for name in ("attributes", "tail", "targets", "logs_length", "largest_table")),
        *((name, c_void_p) for name in ("shift", "mask", "below", "differ")),
        *((name, c_void_p) for name in ("target_shift", "target_bits", "logs")),
    ]


class _Classes(Structure):
    _fields_ = [("rows", c_void_p), ("times", c_void_p), ("start", c_void_p), ("count", c_int64)]


class _Found(Structure):
    _fields_ = [
        ("places", c_int64),
        *((name, c_void_p) for name in ("classes", "unique", "least")),
        *((name, c_void_p) for name in ("uncertainty", "target", "least_target")),
    ]


class _Cells(Structure):
    _fields_ = [("keys", c_void_p), ("times", c_void_p)]


class _Room(Structure):
    _fields_ = [
        *(("classes", c_void_p), ("depth", c_int64)),
        *(
            (name, c_void_p)
            for name in ("words", "values", "to", "seen", "sizes", "left", "often", "several")
        ),
        ("cells", _Cells * (MOST_TAIL + 1)),
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
        return cls(np.empty(rows, np.uint64), np.empty(rows, np.uint32), np.empty(rows // 2 + 2, np.int32))

    def given(self) -> _Classes:
        """As loops take them, checked."""
        rows, starts, start = len(self.rows), len(self.start), self.start
        if start[0] != 0 or start[-1] != rows or (np.diff(start) < 1).any() or starts > rows // 2 + 2:
            raise ValueError("a loop was given classes that do not hold their rows one after the other")
        if rows and (int(self.times.min()) < 1 or int(self.times.sum(dtype=np.uint64)) >= MOST_RECORDS):
            raise ValueError("a loop was given rows of no records, or of more than it can count")
        return self._struct(starts - 1)

    def _struct(self, count: int) -> _Classes:
        rows = len(self.rows)
        return _Classes(
            address(self.rows, np.uint64, rows),
            address(self.times, np.uint32, rows),
            address(self.start, np.int32, len(self.start)),
            count,
        )

    def to_write(self) -> _Classes:
        return self._struct(0)


class Room:
    """Memory that one thread writes to again and again: to ask for it anew would cost as much as to count."""

    def __init__(self, rows: int, depth: int, codes: int, cells: int, targets: int) -> None:
        self.rows, self.depth = rows, depth
        most = min(rows, cells) + 1  # a key is written before it is known to be new
        self._levels = [RowClasses.room(rows) for _ in range(depth)]
        self._classes = (_Classes * depth)(*(level.to_write() for level in self._levels))
        self._arrays = (
            *(np.empty(rows, np.uint64), np.empty(rows, np.int32)),
            *(np.empty(codes, np.int32), np.empty(codes, np.int32)),
            *(np.zeros(max(codes, cells, rows), np.uint32), np.zeros(cells)),
            np.zeros((1 + targets) * SMALL << MOST_TAIL, np.uint32),
            np.empty(most, np.uint32),
        )
        self._cells = [(np.empty(most, np.uint32), np.empty(most, np.uint32)) for _ in range(MOST_TAIL + 1)]
        cells_of = (_Cells * (MOST_TAIL + 1))(
            *(_Cells(keys.ctypes.data, times.ctypes.data) for keys, times in self._cells)
        )
        pointers = [array.ctypes.data for array in self._arrays]
        self.struct = _Room(addressof(self._classes), depth, *pointers, cells_of)


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
        target_shift: Array,
        target_bits: Array,
        tail: int,
    ) -> None:
        attributes, targets = len(shift), len(target_bits)
        low, own = int(below[attributes - tail]), int(below[-1])
        widest = int(target_bits.max(initial=0))
        if not (0 <= tail <= min(MOST_TAIL, attributes) and rows < 1 << 31 and targets <= MOST_TARGETS):
            raise ValueError("a loop was given a table that it does not hold")
        if not (own <= low <= 64 and own < 64 and low - own + widest < 32 and (target_bits >= 0).all()):
            raise ValueError("a loop was given a table that it does not hold")
        if len(differ) << own != 1 << low or (logs[:1] != 0).any() or len(logs) < SMALL:
            raise ValueError("a loop was given a table whose parts do not fit")
        if (target_shift < 0).any() or (target_shift + target_bits > own).any():
            raise ValueError("a loop was given targets that a row does not hold")
        within(differ, 1 << tail)
        self._held = shift, mask, below, differ, logs, target_shift, target_bits
        self.rows, self.attributes, self.tail, self.targets = rows, attributes, tail, targets
        self._codes = int(mask.max()) + 1
        self._cells = max(1 << (low - own + widest), min(self._codes << widest, LARGEST_TABLE))
        self._table = _Table(
            *(attributes, tail, targets, len(logs), LARGEST_TABLE),
            address(shift, np.uint64, attributes),
            address(mask, np.uint64, attributes),
            address(below, np.int64, attributes + 1),
            address(differ, np.int64, len(differ)),
            address(target_shift, np.int64, targets),
            address(target_bits, np.int64, targets),
            address(logs, np.float64, len(logs)),
        )

    def room(self, depth: int) -> Room:
        return Room(self.rows, depth, self._codes, self._cells, self.targets)

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
        given, to = classes.given(), self._given(found)
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
        given, to, codes = classes.given(), self._given(found), address(values, np.int32, len(classes.rows))
        run = function("lattice_count_finer", "ppppipip")
        run(
            *(byref(self._table), byref(given), byref(settled), codes, possible),
            *(byref(to), place, byref(room.struct)),
        )

    def _given(self, found: Any) -> _Found:
        places = len(found.classes)
        whole = [address(one, np.int64, places, write=True) for one in found[:3]]
        uncertainty = address(found.uncertainty, np.float64, places, write=True)
        both = found.target, found.least_target
        targets = [address(one, np.float64, self.targets * places, write=True) for one in both]
        return _Found(places, *whole, uncertainty, *targets)
