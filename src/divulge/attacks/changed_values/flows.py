"""Which released values can stand for which original ones once every record has its place."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge.alignment.recognition import IntArray


def possible_pairs(
    size: IntArray, owner: IntArray, target: IntArray, room: IntArray
) -> npt.NDArray[np.bool_] | None:
    """Whether records can have each pair of values once all others are placed; None where they cannot all be.

    ``size`` records of each released value go to the original values that it may stand for, which have room
    for so many. A pair is possible where some way to place all records uses it: this one does, or the pair
    lies on a cycle along which records could be placed otherwise. Values that fit the same are taken as one.
    """
    group, supply = _alike(owner, target, size)
    pairs = np.unique(np.stack([group[owner], target]), axis=1)
    atom, capacity = _alike(pairs[1], pairs[0], room)
    edges, place = np.unique(np.stack([group[owner], atom[target]]), axis=1, return_inverse=True)
    fits: list[list[int]] = [[] for _ in supply]
    for one, other in edges.T.tolist():
        fits[one].append(other)
    placed = _Placement(fits, supply.tolist(), capacity.tolist())
    if not placed.complete():
        return None
    part = placed.cycles()
    found = [
        placed.flow[one].get(other, 0) > 0 or part[one] == part[len(fits) + other]
        for one, other in edges.T.tolist()
    ]
    return np.array(found)[place.ravel()]


def _alike(side: IntArray, other: IntArray, amount: IntArray) -> tuple[IntArray, IntArray]:
    """The kinds of values by what they are paired with: the kind of each, and the amount of each kind."""
    order = np.lexsort((other, side))
    start = np.searchsorted(side[order], np.arange(len(amount) + 1))
    kinds: dict[bytes, int] = {}
    kind = np.zeros(len(amount), np.int64)
    for value in range(len(amount)):
        fitting = other[order[start[value] : start[value + 1]]]
        kind[value] = kinds.setdefault(fitting.tobytes(), len(kinds))
    return kind, np.bincount(kind, weights=amount).astype(np.int64)


@dataclass
class _Placement:
    """Records of kinds of released values, placed with kinds of original ones: a flow."""

    fits: list[list[int]]
    supply: list[int]  # records of each kind that are not placed yet
    room: list[int]  # places left

    def __post_init__(self) -> None:
        self.flow: list[dict[int, int]] = [{} for _ in self.fits]
        self.holders: list[set[int]] = [set() for _ in self.room]
        for kind in sorted(range(len(self.fits)), key=lambda one: len(self.fits[one])):
            for place in self.fits[kind]:
                records = min(self.supply[kind], self.room[place])
                self._move(kind, place, records)
                self.supply[kind] -= records
                self.room[place] -= records

    def _move(self, kind: int, place: int, records: int) -> None:
        left = self.flow[kind].get(place, 0) + records
        if left:
            self.flow[kind][place] = left
            self.holders[place].add(kind)
        else:
            self.flow[kind].pop(place, None)
            self.holders[place].discard(kind)

    def complete(self) -> bool:
        """Place the records that are left, by moving others; whether all could be."""
        while any(self.supply):
            path = self._path()
            if path is None:
                return False
            records = min(
                self.supply[path[0]],
                self.room[path[-1]],
                *(self.flow[path[i + 1]][path[i]] for i in range(1, len(path) - 1, 2)),
            )
            for i in range(0, len(path), 2):
                self._move(path[i], path[i + 1], records)
                if i:
                    self._move(path[i], path[i - 1], -records)
            self.supply[path[0]] -= records
            self.room[path[-1]] -= records
        return True

    def _path(self) -> list[int] | None:
        """Kinds and places in turn, from a kind with records left to a place with room: a shortest."""
        waiting = deque(kind for kind, records in enumerate(self.supply) if records)
        to: dict[int, int] = {}  # by place, the kind it was reached from
        by: dict[int, int | None] = dict.fromkeys(waiting)  # by kind, the place it was reached from
        while waiting:
            kind = waiting.popleft()
            for place in self.fits[kind]:
                if place in to:
                    continue
                to[place] = kind
                if self.room[place]:
                    path, at = [place], place
                    while True:
                        path.append(to[at])
                        if (before := by[to[at]]) is None:
                            return path[::-1]
                        path.append(before)
                        at = before
                for holder in self.holders[place]:
                    if holder not in by:
                        by[holder] = place
                        waiting.append(holder)
        return None

    def cycles(self) -> list[int]:
        """For each kind and then each place, the component in which records can go round."""
        kinds, sink = len(self.fits), len(self.fits) + len(self.room)
        used = [kinds + place for place, holders in enumerate(self.holders) if holders]

        def following(node: int) -> list[int]:
            if node == sink:
                return used
            if node < kinds:
                whole = sum(self.flow[node].values())
                return [kinds + place for place in self.fits[node] if self.flow[node].get(place, 0) < whole]
            return [*self.holders[node - kinds], *([sink] if self.room[node - kinds] else [])]

        return _components(sink + 1, following)


def _components(nodes: int, following: Callable[[int], list[int]]) -> list[int]:
    """The strongly connected component of each node of a directed graph."""
    number, lowest, part = [-1] * nodes, [0] * nodes, [-1] * nodes
    open_nodes: list[int] = []
    numbered = 0
    for first in range(nodes):
        if number[first] >= 0:
            continue
        visits: list[tuple[int, Iterator[int]]] = [(first, iter(()))]
        while visits:
            node, rest = visits[-1]
            if number[node] < 0:
                number[node] = lowest[node] = numbered
                numbered += 1
                open_nodes.append(node)
                rest = iter(following(node))
                visits[-1] = node, rest
            for other in rest:
                if number[other] < 0:
                    visits.append((other, iter(())))
                    break
                if part[other] < 0:
                    lowest[node] = min(lowest[node], number[other])
            else:
                visits.pop()
                if visits:
                    before = visits[-1][0]
                    lowest[before] = min(lowest[before], lowest[node])
                if lowest[node] == number[node]:
                    while part[node] < 0:
                        part[open_nodes.pop()] = node
    return part
