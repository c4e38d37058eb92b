"""Sums and extremes of numbers that change a few at a time.

A running sum drifts, and where the least of numbers is taken away the next is not known. A tree over them,
whose nodes reduce their two children, has neither fault: what its root says depends on the numbers alone, not
on how they came about, and a change of one touches as many nodes as the tree is high.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
SMALLEST = 64  # numbers that there is room for at the least


@dataclass(frozen=True)
class Reduced:
    """What numbers add up to, alone and times their weights, their least and their most."""

    total: float
    weighted: float
    least: float
    most: float


class ReductionTree:
    """Numbers by place, with their weights, and what all of them reduce to.

    >>> tree = ReductionTree()
    >>> tree.put(np.array([0, 5]), np.array([3.0, 4.0]), np.array([1, 2]))
    >>> tree.reduced
    Reduced(total=7.0, weighted=11.0, least=3.0, most=4.0)
    >>> tree.take(np.array([0]))
    >>> tree.reduced.least
    4.0
    """

    def __init__(self) -> None:
        self._nodes = _empty(SMALLEST)

    @property
    def reduced(self) -> Reduced:
        return Reduced(*self._nodes[:, 1].tolist())

    def put(self, places: Places, numbers: npt.NDArray[Any], weights: npt.NDArray[Any]) -> None:
        """Set the numbers at some places, which ascend."""
        if not len(places):
            return
        self._make_room(int(places[-1]))
        self._set(places, np.stack([numbers, numbers * weights, numbers, numbers]))

    def take(self, places: Places) -> None:
        """Let the numbers at some places, which ascend, be none."""
        if len(places):
            self._make_room(int(places[-1]))
            self._set(places, np.repeat(_NOTHING, len(places), axis=1))

    @property
    def _room(self) -> int:
        return self._nodes.shape[1] // 2

    def _set(self, places: Places, numbers: Floats) -> None:
        at = places + self._room
        self._nodes[:, at] = numbers
        while len(at := _parents(at)):
            _reduce(self._nodes, at)

    def _make_room(self, place: int) -> None:
        if place < self._room:
            return
        room = self._room
        while room <= place:
            room *= 2
        nodes = _empty(room)
        nodes[:, room : room + self._room] = self._nodes[:, self._room :]
        level = room
        while level > 1:
            level //= 2
            _reduce(nodes, np.arange(level, 2 * level))
        self._nodes = nodes


#: Of no number: it adds nothing, and is neither the least nor the most.
_NOTHING = np.array([[0.0], [0.0], [np.inf], [-np.inf]])


def _empty(room: int) -> Floats:
    return np.repeat(_NOTHING, 2 * room, axis=1)


def _parents(at: Places) -> Places:
    """The nodes above, each once; none above the root."""
    above = at >> 1
    if above[-1] == 0:
        return above[:0]
    return above[np.append(True, above[1:] != above[:-1])]


def _reduce(nodes: Floats, at: Places) -> None:
    """Work nodes out from those below."""
    left, right = nodes[:, 2 * at], nodes[:, 2 * at + 1]
    nodes[:2, at] = left[:2] + right[:2]
    nodes[2, at] = np.minimum(left[2], right[2])
    nodes[3, at] = np.maximum(left[3], right[3])
