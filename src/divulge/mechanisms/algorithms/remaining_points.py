"""The points that have no group yet, where no loops were compiled: all distances, again and again."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.microaggregation import RemainingPoints
from divulge._compiled.neighbours import rounded

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[Any]


def remaining(points: Floats) -> RemainingPoints | PlainRemainingPoints:
    """All points, none of them in a group."""
    return RemainingPoints(points) if library.built() else PlainRemainingPoints(points)


class PlainRemainingPoints:
    """As ``RemainingPoints``, by NumPy: of points that are equally near or far the first counts."""

    def __init__(self, points: Floats) -> None:
        self.points = points
        self._open = np.arange(len(points))  # those without a group, in order
        self.group = np.full(len(points), -1, np.int64)
        self._sum, self._rest = np.zeros((2, points.shape[1]))
        for point in points:
            self._add(point)
        self.move_centre()

    @property
    def left(self) -> int:
        """How many points have no group yet."""
        return len(self._open)

    def move_centre(self) -> None:
        """Let the centre be the mean of the points that have no group."""
        self._centre = (self._sum + self._rest) / self.left

    def farthest_from_centre(self) -> int:
        """The point that is furthest from the centre."""
        return int(self._open[self._distances(self._centre).argmax()])

    def farthest_from(self, number: int) -> int:
        """The point that is furthest from a point, which may have a group."""
        return int(self._open[self._distances(self.points[number]).argmax()])

    def nearest(self, number: int, count: int) -> tuple[Integers, Floats]:
        """The points that are nearest to a point, itself among them if it is left, and squared distances."""
        distance = self._distances(self.points[number])
        near = np.flatnonzero(distance <= np.partition(distance, count - 1)[count - 1])
        chosen = near[np.argsort(distance[near], kind="stable")[:count]]
        return self._open[chosen], distance[chosen]

    def take(self, number: int, count: int, group: int) -> None:
        """Put the points that are nearest to a point into a group."""
        for found in self.nearest(number, count)[0].tolist():
            self.assign(found, group)

    def assign(self, number: int, group: int) -> None:
        """Put a point into a group."""
        self.group[number] = group
        self._open = self._open[self._open != number]
        self._add(-self.points[number])

    def _add(self, point: Floats) -> None:
        """Add to a sum in two parts, which together have twice the digits."""
        total = self._sum + point
        part = total - self._sum
        self._rest = self._rest + ((self._sum - (total - part)) + (point - part))
        self._sum = total

    def _distances(self, place: Floats) -> Floats:
        distance = np.zeros(self.left)
        for side in range(len(place)):  # added up in this order everywhere, so that ties are ties
            apart = self.points[self._open, side] - place[side]
            distance += apart * apart
        return rounded(distance)
