"""A level for each quasi-identifier: which of them meet a policy, and what becomes of the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import NodeSums
from divulge.generalization.lattice import GeneralizationLattice

Levels = tuple[int, ...]


@dataclass(frozen=True)
class Transformation:
    """A level for each quasi-identifier, and what becomes of the table: loss, and records suppressed."""

    levels: Mapping[str, int]
    loss: float
    suppressed: int = field(repr=False)
    classes: int  # groups that are left
    risk: float = field(repr=False)  # average re-identification risk of the records that are left


def feasible(lattice: GeneralizationLattice, sums: NodeSums) -> npt.NDArray[np.bool_]:
    """The nodes that suppress few enough records and meet every threshold on what is left."""
    left = lattice.left(sums)
    found: npt.NDArray[np.bool_] = left > 0
    for one in lattice.criteria.of_rest:
        found &= one.holds(sums, left)
    return found


def exact_loss(lattice: GeneralizationLattice, levels: Levels, sums: NodeSums) -> npt.NDArray[np.float64]:
    """The loss of a single node that was found."""
    [bound] = lattice.costs.losses_at([levels], sums).tolist()
    return np.asarray([lattice.loss_at(levels, int(sums.suppressed[0]), bound)])


def transformation(
    lattice: GeneralizationLattice,
    sums: NodeSums,
    losses: npt.NDArray[np.float64],
    node: int,
    levels: Levels,
) -> Transformation:
    """What was found of a node, in the terms of a user."""
    left = lattice.table.records - int(sums.suppressed[node])
    kept = int(sums.kept[node])
    return Transformation(
        lattice.table.by_name(levels), float(losses[node]), int(sums.suppressed[node]), kept, kept / left
    )
