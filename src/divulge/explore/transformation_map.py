"""All transformations as points of risk against loss, found part by part while the page is used."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import NodeSums
from divulge._support.threads import cores
from divulge.documents.making.exploration import MapEntry
from divulge.explore.scene import Scene
from divulge.generalization.best_first import MOST_NODES
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.transformations import Levels, feasible

Mask = npt.NDArray[np.bool_]
GRID = (100, 60)  # of which each cell shows one point
STRIPS = 40  # of losses, in which the region of the policy is shown
PARTS = 256  # in which they are found, at least
MOST_WORK = 4e9  # nodes times groups


class TransformationMap:
    """The points of a scene; a thread finds them, and any request shows those found so far."""

    def __init__(self, scene: Scene, suppress: float) -> None:
        table = scene.table
        self.scene, self.suppress = scene, suppress
        limit = int(suppress * table.records + 1e-9)
        self._lattice = GeneralizationLattice(table, scene.criteria, scene.lattice.costs, table.records)
        self._limit = limit
        self._done = np.zeros(table.nodes if table.nodes <= MOST_NODES else 0, bool)
        self._stop = Event()
        self.too_large = table.nodes > MOST_NODES or table.nodes * len(table.keys) > MOST_WORK
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
        self._done[start : start + each] = True

    def _parts(self) -> list[tuple[int, ...]]:
        """The levels of the first attributes, so many that each part is found in no time."""
        shape, depth = self.scene.table.shape, 0
        while depth < len(shape) - 1 and math.prod(shape[:depth]) < PARTS:
            depth += 1
        return list(itertools.product(*(range(levels) for levels in shape[:depth])))

    def entry(self, here: Levels) -> MapEntry:
        """The points found so far: one for each cell of a grid, the front, and the release of now."""
        nodes = self.scene.table.nodes
        done = self._done.copy()
        if self._sums is None or not done.any():
            return MapEntry(done=0, transformations=nodes, region=[], points=[])
        left = self._lattice.left(self._sums)
        found = np.flatnonzero(done & (left > 0))
        losses = self._lattice.costs.losses(self._sums)[found]
        risk = self._sums.kept[found] / left[found]
        meets = feasible(self._lattice, self._sums)[found] & (self._sums.suppressed[found] <= self._limit)
        front = _front(losses, risk, meets)
        now = np.flatnonzero(found == np.ravel_multi_index(here, self.scene.table.shape))
        shown = np.union1d(np.union1d(_thinned(losses, risk, meets), front), now)
        on_front = np.isin(shown, front)
        return MapEntry(
            done=int(done.sum()),
            transformations=nodes,
            region=_region(losses[meets], risk[meets]),
            points=[
                self._point(
                    int(found[place]), float(losses[place]), float(risk[place]), bool(meets[place]), best
                )
                for place, best in zip(shown.tolist(), on_front.tolist(), strict=True)
            ],
        )

    def _point(self, node: int, loss: float, risk: float, meets: bool, front: bool) -> dict[str, Any]:
        table = self.scene.table
        return {
            "loss": loss,
            "risk": risk,
            "meets": meets,
            "front": front,
            "levels": table.by_name(table.levels(node)),
        }


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


def _thinned(losses: Any, risk: Any, meets: Mask) -> npt.NDArray[np.int64]:
    """One point for each cell of a grid over loss and risk, those that meet the policy apart."""
    wide, high = GRID
    scale = max(float(losses.max(initial=0.0)), 1e-12)
    column = np.minimum((losses / scale * wide).astype(np.int64), wide - 1)
    row = np.minimum((np.log10(np.maximum(risk, 1e-6)) / -6 * high).astype(np.int64), high - 1)
    found: npt.NDArray[np.int64] = np.unique((column * high + row) * 2 + meets, return_index=True)[1]
    return found
