"""All transformations as points of risk against loss, found part by part while the page is used."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event, Thread
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import NodeSums
from divulge._support.rounding import above
from divulge._support.threads import cores
from divulge.anonymization.inputs import plainly_counted
from divulge.documents.making.exploration import MapEntry
from divulge.explore.groups import known_groups
from divulge.explore.policy_demands import (
    GroupDemand,
    counts_decide,
    group_demands,
)
from divulge.explore.scene import Scene
from divulge.explore.table_checks import names_people
from divulge.generalization.best_first import MOST_NODES
from divulge.generalization.criteria import SmallClasses
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.transformations import Levels, feasible

Mask = npt.NDArray[np.bool_]
GRID = (100, 60)  # of which each cell shows one point
STRIPS = 40  # of losses, in which the region of the policy is shown
PARTS = 256  # in which they are found, at least
MOST_WORK = 4e9  # nodes times groups
MOST_OF_PEOPLE = 4e8  # the same where people have several records, which no compiled loop counts
MOST_READ, FIXED = 1e8, 2000  # up to which demands are read node by node, and what a node costs beside groups
UNMET, OPEN, MET = 0, 1, 2  # what is known of a node
WORDS = {UNMET: False, OPEN: None, MET: True}


class TransformationMap:
    """The points of a scene; a thread finds them, and any request shows those found so far."""

    def __init__(self, scene: Scene, suppress: float) -> None:
        table = scene.table
        self.scene, self.suppress = scene, suppress
        self._limit = int(suppress * table.records + 1e-9)
        asked = [one for one in group_demands(scene) if one.severity == "fail"]
        plain = (
            plainly_counted(scene.data, scene.policy) and not scene.choices.steps
        )  # which may suppress cells
        self._sized = _largest(asked) if plain else None
        work = table.nodes * (len(table.keys) + FIXED)
        read = [one for one in asked if one is not self._sized and one.holds is not None]
        self._read = read if work <= MOST_READ else []
        #: What the points do not say: whether a release meets these.
        self.undecided = [one for one in asked if one is not self._sized and one not in self._read]
        criteria = scene.criteria
        if self._sized is not None and self._sized.singled_out is not None:
            counted = SmallClasses(self._sized.singled_out.k, 1.0)  # counts the records of small groups
            criteria = replace(criteria, of_rest=(*criteria.of_rest, counted))
        self._lattice = GeneralizationLattice(table, criteria, scene.lattice.costs, table.records)
        nodes = table.nodes if table.nodes <= MOST_NODES else 0
        self._done, self._state = np.zeros(nodes, bool), np.full(nodes, MET, np.int8)
        self._risk = np.zeros(nodes if scene.person is not None else 0)
        self._open_at_some: set[str] = set()  # demands that groups do not decide at some nodes
        self._stop = Event()
        most = MOST_WORK if scene.person is None else MOST_OF_PEOPLE
        self.too_large = table.nodes > MOST_NODES or table.nodes * len(table.keys) > most
        self._sums: NodeSums | None = None
        if not self.too_large:
            self._sums = self._lattice.room()
            Thread(target=self._find, daemon=True).start()

    def stop(self) -> None:
        """End the search: the points are no longer wanted."""
        self._stop.set()

    def _find(self) -> None:
        """Find all points, those of coarse levels first: they cost least, and are soon there to be seen."""
        parts = [*reversed(self._parts())]
        with ThreadPoolExecutor(cores()) as pool:
            for _ in pool.map(self._find_part, parts):
                if self._stop.is_set():
                    pool.shutdown(cancel_futures=True)
                    return

    def _find_part(self, first: tuple[int, ...]) -> None:
        assert self._sums is not None
        if self._stop.is_set():
            return
        shape = self.scene.table.shape
        self._lattice.explore(first, self._sums)
        each = math.prod(shape[len(first) :])
        start = int(np.ravel_multi_index(first, shape[: len(first)])) * each if first else 0
        if self._read or self.scene.person is not None:
            for node in range(start, start + each):
                self._read_groups(node, self._sums)
        self._done[start : start + each] = True

    def _parts(self) -> list[tuple[int, ...]]:
        """The levels of the first attributes, so many that each part is found in no time."""
        shape, depth = self.scene.table.shape, 0
        while depth < len(shape) - 1 and math.prod(shape[:depth]) < PARTS:
            depth += 1
        return list(itertools.product(*(range(levels) for levels in shape[:depth])))

    def _read_groups(self, node: int, sums: NodeSums) -> None:
        """What no sum says of a node: risks of people who have several records, and some demands."""
        table, levels = self.scene.table, self.scene.table.levels(node)
        left = table.records - int(sums.suppressed[node])
        if self._stop.is_set() or not left:
            return
        if self.scene.person is not None:
            groups = known_groups(self.scene, levels, table.named)
            self._risk[node] = float((groups.sizes / groups.people).sum()) / left
        if self._read and left >= table.records - self._limit:
            states = [one.state(levels) for one in self._read]
            self._open_at_some.update(
                one.words for one, state in zip(self._read, states, strict=True) if state is None
            )
            self._state[node] = UNMET if False in states else OPEN if None in states else MET

    def _states(self, sums: NodeSums) -> Any:
        """Whether each node meets the policy, does not, or is not decided by groups."""
        left = self._lattice.left(sums)
        kept = feasible(self._lattice, sums) & (sums.suppressed <= self._limit)
        if self._sized is not None and self._sized.singled_out is not None:
            of = self.scene.table.records if self.scene.data.suppressed else np.maximum(left, 1)
            kept &= ~np.asarray(above(sums.small / of, self._sized.singled_out.max))
        if names_people(self.scene):
            kept[:] = False
        state = np.where(kept, self._state, UNMET)
        unsure = np.full(len(state), bool(self.undecided))
        if not counts_decide(self.scene):
            unsure |= sums.suppressed > 0
        return np.where(unsure & (state == MET), OPEN, state)

    def entry(self, here: Levels) -> MapEntry:
        """The points found so far: one for each cell of a grid, the fronts, and the release of now."""
        nodes, undecided = self.scene.table.nodes, [one.words for one in self.undecided]
        undecided += [f"{one}, at some levels" for one in sorted(self._open_at_some)]
        done = self._done.copy()
        if self._sums is None or not done.any():
            return MapEntry(done=0, transformations=nodes, region=[], points=[], undecided=undecided)
        left = self._lattice.left(self._sums)
        found = np.flatnonzero(done & (left > 0))
        losses = self._lattice.costs.losses(self._sums)[found]
        risk = (self._sums.kept[found] / left[found]) if self.scene.person is None else self._risk[found]
        state = self._states(self._sums)[found]
        front, possible = _front(losses, risk, state == MET), _front(losses, risk, state != UNMET)
        now = np.flatnonzero(found == np.ravel_multi_index(here, self.scene.table.shape))
        shown = np.unique(np.concatenate([_thinned(losses, risk, state), front, possible, now]))
        return MapEntry(
            done=int(done.sum()),
            transformations=nodes,
            region=_region(losses[state == MET], risk[state == MET]),
            points=[
                {
                    "loss": float(losses[place]),
                    "risk": float(risk[place]),
                    "meets": WORDS[int(state[place])],
                    "front": best,
                    "possible": able and WORDS[int(state[place])] is None,
                    "levels": self.scene.table.by_name(self.scene.table.levels(int(found[place]))),
                }
                for place, best, able in zip(
                    shown.tolist(),
                    np.isin(shown, front).tolist(),
                    np.isin(shown, possible).tolist(),
                    strict=True,
                )
            ],
            undecided=undecided,
        )


def _largest(asked: list[GroupDemand]) -> GroupDemand | None:
    """The demand on small groups by all quasi-identifiers that has the largest size: loops count by one."""
    able = [one for one in asked if one.singled_out is not None and one.singled_out.keys is None]
    return max(able, key=lambda one: one.singled_out.k if one.singled_out else 0, default=None)


def _front(losses: Any, risk: Any, meets: Mask) -> npt.NDArray[np.int64]:
    """The points that meet the policy and that no other beats in both loss and risk."""
    order = np.flatnonzero(meets)
    order = order[np.lexsort((risk[order], losses[order]))]
    if not len(order):
        return order
    least = np.minimum.accumulate(risk[order])
    new = np.concatenate([[True], least[1:] < least[:-1] - 1e-12])
    return order[new]


def _region(losses: Any, risk: Any) -> list[list[float]]:
    """Where releases meet the policy: from which loss to which, and the least and the largest risk there."""
    if not len(losses):
        return []
    wide = max(float(losses.max()) / STRIPS, 1e-12)
    strip = np.minimum((losses / wide).astype(np.int64), STRIPS - 1)
    low, high = np.full(STRIPS, np.inf), np.full(STRIPS, -np.inf)
    np.minimum.at(low, strip, risk)
    np.maximum.at(high, strip, risk)
    return [
        [one * wide, (one + 1) * wide, float(low[one]), float(high[one])] for one in np.unique(strip).tolist()
    ]


def _thinned(losses: Any, risk: Any, state: Any) -> npt.NDArray[np.int64]:
    """One point for each cell of a grid over loss and risk, those of another state apart."""
    wide, high = GRID
    scale = max(float(losses.max(initial=0.0)), 1e-12)
    column = np.minimum((losses / scale * wide).astype(np.int64), wide - 1)
    row = np.minimum((np.log10(np.maximum(risk, 1e-6)) / -6 * high).astype(np.int64), high - 1)
    found: npt.NDArray[np.int64] = np.unique((column * high + row) * 3 + state, return_index=True)[1]
    return found
