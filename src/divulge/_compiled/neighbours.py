"""The nearest points of a set, by compiled loops."""

from __future__ import annotations

from ctypes import Structure, addressof, byref, c_int64, c_void_p
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function

Array = npt.NDArray[Any]


def rounded(distance: Array) -> Array:
    """Squared distances with 26 bits of their digits: sides are rounded too, and ties are to be ties."""
    wide = distance * 134217729.0
    return np.asarray(wide - (wide - distance), np.float64)


class _Tree(Structure):
    _fields_ = [
        *((name, c_int64) for name in ("points", "sides", "nodes", "summed")),
        *((name, c_void_p) for name in ("point", "number", "times", "box", "first", "last", "right")),
    ]


class Nearest(NamedTuple):
    """For each point the two nearest distances, squared or summed, points at each, one of the nearest."""

    nearest: Array
    second: Array  # infinite where all points are equally near
    ties: Array
    second_ties: Array
    found: Array


class NeighbourTree:
    """Points in a tree, to look from other points for those nearest to them.

    ``summed`` distances are the sum of what sides are apart, others the sum of its squares.
    """

    def __init__(self, points: Array, times: Array, *, summed: bool = False) -> None:
        length, sides = points.shape
        if not length or not sides or not np.isfinite(points).all():
            raise ValueError("a loop was given no points, or points that are not finite")
        self._point, self._number = points.astype(np.float64, order="C", copy=True), np.arange(length)
        self._box = np.empty(2 * length * 2 * sides)
        self._first, self._last, self._right = (np.empty(2 * length, np.int64) for _ in range(3))
        self._tree = _Tree(length, sides, 0, summed)
        self._tree.point = address(self._point, np.float64, length * sides, write=True)
        self._tree.number = address(self._number, np.int64, length, write=True)
        self._times = times.astype(np.int64, copy=True)
        self._tree.times = address(self._times, np.int64, length, write=True)
        self._tree.box = address(self._box, np.float64, 4 * length * sides, write=True)
        for name in ("first", "last", "right"):
            array = getattr(self, f"_{name}")
            setattr(self._tree, name, address(array, np.int64, 2 * length, write=True))
        function("neighbours_build", "p")(byref(self._tree))

    def place(self) -> int:
        """Where the tree is, for loops that go on with it as long as this is kept."""
        return addressof(self._tree)

    def find(self, points: Array) -> Nearest:
        """The nearest of the tree's points to each of these."""
        length, sides = points.shape
        if sides != int(self._tree.sides) or not np.isfinite(points).all():
            raise ValueError("a loop was given points of other sides than the tree's, or not finite ones")
        given = np.ascontiguousarray(points, np.float64)
        nearest, second = np.empty(length), np.empty(length)
        whole = [np.empty(length, np.int64) for _ in range(3)]
        function("neighbours_find", "ppippppp")(
            byref(self._tree),
            address(given, np.float64, length * sides),
            length,
            *(address(one, np.float64, length, write=True) for one in (nearest, second)),
            *(address(one, np.int64, length, write=True) for one in whole),
        )
        return Nearest(nearest, second, *whole)
