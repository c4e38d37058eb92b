"""Nodes in the order of their loss, where that is a bound until it has been evaluated."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import NodeSums
from divulge.generalization.lattice import GeneralizationLattice

Floats = npt.NDArray[np.float64]
TOLERANCE = 1e-12


class LossOrder:
    """The chosen nodes by loss, the finest first where losses are the same.

    Where losses are bounds, each is evaluated when its turn comes, and follows when no other could be less;
    ``open`` has the bound of the first that there was no time for.
    """

    def __init__(
        self,
        lattice: GeneralizationLattice,
        sums: NodeSums,
        losses: Floats,
        chosen: npt.NDArray[np.bool_],
        *,
        over: Callable[[], bool],
    ) -> None:
        places = np.flatnonzero(chosen)
        self._order = places[np.argsort(losses[places], kind="stable")].tolist()
        self._lattice, self._sums, self._losses, self._over = lattice, sums, losses, over
        self.open: list[float] = []

    def __iter__(self) -> Iterator[int]:
        if self._lattice.costs.of_records is None:
            yield from self._order
            return
        evaluated: list[tuple[float, int]] = []
        for node in self._order:
            bound = float(self._losses[node])
            while evaluated and evaluated[0][0] <= bound:
                yield heapq.heappop(evaluated)[1]
            if self._over():
                self.open.append(bound)
                break
            _evaluate(self._lattice, self._sums, self._losses, node)
            heapq.heappush(evaluated, (float(self._losses[node]), node))
        while evaluated:
            yield heapq.heappop(evaluated)[1]


def perhaps_best(
    lattice: GeneralizationLattice, sums: NodeSums, losses: Floats, nodes: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """The nodes whose bounds do not show that one of no more risk has less loss, with their losses."""
    risk = sums.kept[nodes] / lattice.left(sums)[nodes]
    found, least = list[int](), np.inf
    for node in nodes[np.lexsort((losses[nodes], risk))].tolist():
        if float(losses[node]) >= least - TOLERANCE:
            continue
        _evaluate(lattice, sums, losses, node)
        least = min(least, float(losses[node]))
        found.append(node)
    return np.asarray(sorted(found), np.int64)


def _evaluate(lattice: GeneralizationLattice, sums: NodeSums, losses: Floats, node: int) -> None:
    """Put the loss of a node where its bound was."""
    bound, suppressed = float(losses[node]), int(sums.suppressed[node])
    losses[node] = lattice.loss_at(lattice.table.levels(node), suppressed, bound)
