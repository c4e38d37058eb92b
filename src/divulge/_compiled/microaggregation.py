"""Points taken from a table group by group, and the best groups of sorted values, by compiled loops."""

from __future__ import annotations

from ctypes import Structure, byref, c_int64, c_void_p
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function
from divulge._compiled.neighbours import NeighbourTree

Array = npt.NDArray[Any]
ORDER_PAYS = 8  # looks at each point that is left, after which to sort them anew takes less time


class _Remaining(Structure):
    _fields_ = [
        *(("tree", c_void_p), ("left", c_int64)),
        *((name, c_void_p) for name in ("parent", "alive", "place", "leaf", "sum", "rest", "centre")),
        *((name, c_void_p) for name in ("distance", "found", "group", "anchor", "reach", "order")),
        *((name, c_int64) for name in ("ordered", "head", "looked")),
    ]


class RemainingPoints:
    """Points that have no group yet, in a tree; of those equally near or far the first counts."""

    def __init__(self, points: Array) -> None:
        length, sides = points.shape
        self.points = np.ascontiguousarray(points, np.float64)
        self._tree = NeighbourTree(self.points, np.ones(length, np.int64))
        self._start, self._step = address(self.points, np.float64, length * sides), 8 * sides
        self.group = np.full(length, -1, np.int64)
        self._distance, self._found = np.empty(length), np.empty(length, np.int64)
        self._spaces = {
            **{name: np.empty(2 * length, np.int64) for name in ("parent", "alive")},
            **{name: np.empty(length, np.int64) for name in ("place", "leaf")},
            **{name: np.zeros(sides) for name in ("sum", "rest", "centre", "anchor")},
            "reach": np.empty(length),
            "order": np.empty(length, np.int64),
            "distance": self._distance,
            "found": self._found,
            "group": self.group,
        }
        self._all = _Remaining(self._tree.place(), length)
        for name, array in self._spaces.items():
            setattr(self._all, name, address(array, array.dtype, array.size, write=True))
        self._pointer = byref(self._all)
        function("remaining_begin", "p")(self._pointer)

    @property
    def left(self) -> int:
        """How many points have no group yet."""
        return int(self._all.left)

    def move_centre(self) -> None:
        """Let the centre be the mean of the points that have no group."""
        self._need(1)
        function("remaining_move_centre", "p")(self._pointer)

    def farthest_from_centre(self) -> int:
        """The point that is furthest from the centre."""
        self._need(1)
        if not self._all.ordered or self._all.looked > ORDER_PAYS * self.left:
            self._anchor()
        return int(function("remaining_farthest_from_centre", "p", "i")(self._pointer))

    def _anchor(self) -> None:
        """Put the points that have no group in the order of their distance from the centre."""
        numbers, centre = np.flatnonzero(self.group < 0), self._spaces["centre"]
        reach = np.sqrt(((self.points[numbers] - centre) ** 2).sum(axis=1))
        furthest_first = np.argsort(-reach)
        self._spaces["anchor"][:] = centre
        self._spaces["order"][: len(numbers)] = numbers[furthest_first]
        self._spaces["reach"][: len(numbers)] = reach[furthest_first]
        self._all.ordered, self._all.head, self._all.looked = len(numbers), 0, 0

    def farthest_from(self, number: int) -> int:
        """The point that is furthest from a point, which may have a group."""
        self._need(1)
        return int(function("remaining_farthest", "pp", "i")(self._pointer, self._at(number)))

    def nearest(self, number: int, count: int) -> tuple[Array, Array]:
        """The points that are nearest to a point, itself among them if it is left, and squared distances."""
        self._need(count)
        function("remaining_nearest", "ppi", "i")(self._pointer, self._at(number), count)
        return self._found[:count].copy(), self._distance[:count].copy()

    def take(self, number: int, count: int, group: int) -> None:
        """Put the points that are nearest to a point into a group."""
        self._need(count)
        function("remaining_take", "ppii")(self._pointer, self._at(number), count, group)

    def assign(self, number: int, group: int) -> None:
        """Put a point into a group."""
        self._at(number)
        if self.group[number] >= 0:
            raise ValueError("a loop was given a point that has a group")
        function("remaining_assign", "pii")(self._pointer, number, group)

    def _at(self, number: int) -> int:
        if not 0 <= number < len(self.group):
            raise ValueError("a loop was given a point that is not there")
        return self._start + self._step * number

    def _need(self, count: int) -> None:
        if not 0 < count <= self.left:
            raise ValueError("a loop was asked for no points, or for more than are left")


def sizes_of_least_squares(values: Array, k: int) -> Array:
    """Of the first i sorted values, grouped with the least squares, how many are in the last group."""
    length = len(values)
    if not 0 < k <= length or not np.isfinite(values).all():
        raise ValueError("a loop was given fewer values than a group has, or values that are not finite")
    squares, size = np.empty(length + 1), np.zeros(length + 1, np.int64)
    function("groups_of_least_squares", "piipp")(
        address(values, np.float64, length),
        *(length, k),
        address(squares, np.float64, length + 1, write=True),
        address(size, np.int64, length + 1, write=True),
    )
    return size
