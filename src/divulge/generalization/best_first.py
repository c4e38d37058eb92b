"""Transformations one after the other, the least loss first; what a law excludes is never evaluated."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from itertools import count

import numpy as np

from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.transformations import (
    Levels,
    Transformation,
    exact_loss,
    feasible,
    transformation,
)

MOST_NODES = 1 << 22  # that are held at once
PASSED_OVER = 1 << 10  # nodes that are passed over before the time is looked at
MOST_WAITING = 1 << 21  # nodes that wait to be looked at, of those that are not held at once
TOLERANCE = 1e-12  # within which losses are the same


class BestFirst:
    """The transformations that meet a policy, by loss, each found when it is asked for.

    Nodes are looked at in the order of the loss that they have at least: what their levels cost before
    anything is suppressed. One comes out once no node that is left could have less loss. Where a law of the
    measures says that a node which fails fails at every finer level, these are excluded; the coarsest that
    fails is then looked for by bisection along a chain upwards, since it excludes most.
    """

    def __init__(self, lattice: GeneralizationLattice, over: Callable[[int], bool]) -> None:
        """``over`` says of how many nodes were evaluated so far whether no more may be."""
        self.lattice = lattice
        self.evaluated = 0
        self.finer = 0  # nodes passed over because a coarser one fails
        self.floor = 0.0  # the loss that nodes not looked at yet have at least
        self.interrupted = False
        self.bound: float | None = None  # the least loss of what was not looked at, where it ended early
        self._waiting = list[tuple[float, int, Levels, Transformation]]()  # found, and not given out yet
        self._over = over
        self._single = lattice.single()
        lawful = lattice.criteria.lawful(lattice.limit)
        self._lawful = None if lawful is None else replace(lattice, criteria=lawful)
        same = lawful is not None and lawful.size == lattice.criteria.size
        self._lawful_single = self._single if same or self._lawful is None else self._lawful.single()
        self._failed = _Failed(lattice.table.shape)
        self._passes = dict[Levels, bool]()  # by the law
        self._number = count()
        self._looked = 0
        self._unheld_left = False  # whether nodes were left because they are too many to wait

    def __iter__(self) -> Iterator[tuple[Levels, Transformation]]:
        waiting = self._waiting
        try:
            for floor, levels in self._by_floor():
                self.floor = floor
                while waiting and waiting[0][0] <= floor + TOLERANCE:
                    _, _, at, found = heapq.heappop(waiting)
                    yield at, found
                excluded = self._failed.has(levels)
                self._looked += 1
                if (not excluded or self._looked % PASSED_OVER == 0) and self._over(self.evaluated):
                    self.bound = floor
                    break
                if excluded:
                    self.finer += levels not in self._passes
                    continue
                if self._lawful is not None and not self._by_law(levels):
                    self._raise_failure(levels)
                    continue
                here = self._found(levels)
                if here is not None:
                    heapq.heappush(waiting, (here.loss, next(self._number), levels, here))
        except KeyboardInterrupt:
            self.interrupted, self.bound = True, self.floor
        if self.bound is None and self._unheld_left:
            self.bound = self.floor
        if self.bound is not None:
            return
        while waiting:
            _, _, at, found = heapq.heappop(waiting)
            yield at, found

    @property
    def left(self) -> list[Transformation]:
        """Those that were found and not given out, the least loss first."""
        return [one[3] for one in sorted(self._waiting, key=lambda one: one[:2])]

    def _found(self, levels: Levels) -> Transformation | None:
        """What becomes of the table at some levels; None where the policy is not met."""
        self.evaluated += levels not in self._passes
        sums = self._single.find(levels)
        if not feasible(self.lattice, sums)[0]:
            return None
        return transformation(self.lattice, sums, exact_loss(self.lattice, levels, sums), 0, levels)

    def _by_law(self, levels: Levels) -> bool:
        """Whether a node meets what laws hold for; where it does not, all finer ones are excluded."""
        assert self._lawful is not None
        if levels not in self._passes:
            self.evaluated += 1
            self._passes[levels] = bool(feasible(self._lawful, self._lawful_single.find(levels))[0])
            if not self._passes[levels]:
                self._failed.add(levels)
        return self._passes[levels]

    def _raise_failure(self, levels: Levels) -> None:
        """Look for the coarsest node that fails on a chain from one that fails to the top."""
        chain = [levels]
        while (up := _next_up(chain[-1], self.lattice.table.shape)) is not None:
            chain.append(up)
        low, high = 0, len(chain)  # the first of them fails; one beyond the last stands for none
        while high - low > 1:
            middle = (low + high) // 2
            if self._by_law(chain[middle]):
                high = middle
            else:
                low = middle

    def _by_floor(self) -> Iterator[tuple[float, Levels]]:
        """Every node with the loss that it has at least, the least first."""
        table, costs = self.lattice.table, self.lattice.costs
        if table.nodes > MOST_NODES:
            self._unheld_left = yield from _unheld(table.shape, costs.floor)
            return
        floors = costs.bounds()
        for node in np.argsort(floors, kind="stable").tolist():
            yield float(floors[node]), table.levels(node)


class _Failed:
    """The nodes that are at most as coarse as one that fails."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        held = int(np.prod(shape, dtype=np.float64)) <= MOST_NODES
        self._held = np.zeros(shape, bool) if held else None
        self._tops = np.zeros((0, len(shape)), np.int64)

    def add(self, levels: Levels) -> None:
        if self._held is not None:
            self._held[tuple(slice(0, level + 1) for level in levels)] = True
            return
        finer = (self._tops <= np.asarray(levels)).all(axis=1)
        self._tops = np.vstack([self._tops[~finer], [levels]])

    def has(self, levels: Levels) -> bool:
        if self._held is not None:
            return bool(self._held[levels])
        return bool((self._tops >= np.asarray(levels)).all(axis=1).any())


def _next_up(levels: Levels, shape: tuple[int, ...]) -> Levels | None:
    """One level up in the attribute that has most levels left; None at the top."""
    left = [wide - 1 - level for level, wide in zip(levels, shape, strict=True)]
    most = max(left)
    if most == 0:
        return None
    place = left.index(most)
    return (*levels[:place], levels[place] + 1, *levels[place + 1 :])


def _unheld(
    shape: tuple[int, ...], floor_of: Callable[[Levels], float]
) -> Generator[tuple[float, Levels], None, bool]:
    """Nodes by the loss that they have at least, where they are too many to be held at once.

    Each is made from the one that is one level lower in its last attribute above 0, so that none comes twice.
    It ends where too many wait to be looked at, and then returns that some are left.
    """
    start = tuple(0 for _ in shape)
    waiting = [(floor_of(start), start, 0)]
    while waiting:
        if len(waiting) > MOST_WAITING:
            return True
        floor, levels, last = heapq.heappop(waiting)
        yield floor, levels
        for place in range(last, len(shape)):
            if levels[place] + 1 < shape[place]:
                up = (*levels[:place], levels[place] + 1, *levels[place + 1 :])
                heapq.heappush(waiting, (floor_of(up), up, place))
    return False
