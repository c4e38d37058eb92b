"""Risk against loss: the transformations that no other beats in both, or why they are not known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from divulge._compiled.generalization import NodeSums
from divulge.anonymization.lattice import GeneralizationLattice
from divulge.anonymization.search import (
    MOST_NODES,
    MOST_WORK,
    SearchResult,
    Transformation,
    feasible,
    transformation,
)

Front = tuple[Transformation, ...]
TOO_MANY = "there are too many transformations to evaluate one and all"
STOPPED = "the search was stopped before it"
_TOLERANCE = 1e-12


def front_of(
    lattice: GeneralizationLattice, result: SearchResult, step: Callable[[int, int], None]
) -> tuple[Front | None, str | None]:
    """The front, or why there is none; nodes that the search had no need to evaluate are evaluated now."""
    sums, table = result.sums, lattice.table
    if sums is None:
        if table.nodes > MOST_NODES or table.nodes * len(table.keys) > MOST_WORK:
            return None, TOO_MANY
        if result.certificate.stopped:
            return None, STOPPED
        sums = lattice.room()
        try:
            for _ in lattice.whole(sums, step):
                pass
        except KeyboardInterrupt:
            return None, STOPPED
    return pareto_front(lattice, sums), None


def pareto_front(lattice: GeneralizationLattice, sums: NodeSums) -> Front:
    """The transformations that meet the policy and that no other beats in both loss and risk.

    The risk is the average over the records that are left. The first has least loss: the best of all.
    """
    losses = lattice.costs.losses(sums)
    order = np.flatnonzero(feasible(lattice, sums))
    left = lattice.left(sums)[order]
    risk = sums.kept[order] / left
    scale = max(float(np.abs(losses[order]).max(initial=0.0)), 1.0)
    order = order[np.lexsort((risk, np.round(losses[order] / scale, 12)))]  # equal but for rounding: by risk
    found: list[Transformation] = []
    for node in order.tolist():
        here = transformation(lattice, sums, losses, node, lattice.table.levels(node))
        if not found or here.risk < found[-1].risk - _TOLERANCE:
            found.append(here)
    return tuple(found)
