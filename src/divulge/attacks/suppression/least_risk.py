"""The least that a class reveals, over all choices of members that suppressed cells make fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from divulge.attacks.suppression.suppressed_cells import FloatArray, SureCells, lowest
from divulge.counting.counts import Cells, JointCounts
from divulge.counting.statistics import DIVERGENCE, Statistic

STEPS = 80  # of the search for how many belong to a class
RANGE = 1e-9  # of those that may: the least with which it begins

Risks = Callable[[JointCounts], npt.NDArray[np.float64]]


def least_risks(counts: JointCounts, cells: SureCells, toward: FloatArray, risks: Risks) -> FloatArray:
    """The least of a risk in each class, over all ways to fill it with those who may belong to it.

    ``toward`` has the shares of all target values at which the risk is least: those of a table that classes
    are compared with, or the same for all. Of all ways to fill a class to one size the risk is least where
    each value has its share as far as it can: what surely belongs to the class is the least of it, and what
    fits the most. Over sizes the risk falls and then rises, since a risk that merging classes never raises
    is quasi-convex.
    """
    share = toward[cells.target]
    used = _used(cells, share)
    owner, share = cells.owner[used], np.where(share > 0, share, share[share > 0].min(initial=1.0))[used]
    low, high = cells.surely[used], (cells.surely + cells.perhaps)[used]
    start = np.append(np.flatnonzero(np.diff(owner, prepend=-1)), len(owner))
    target, number = cells.target[used], np.ones(len(owner), np.int64)

    def filled(level: FloatArray) -> FloatArray:
        weight = np.clip(np.exp(level)[owner] * share, low, high)
        return risks(replace(counts, cells=Cells(start, target, number, weight), _statistics={}))

    most = np.log(np.maximum.reduceat(high / share, start[:-1]))
    level = lowest(filled, most + np.log(RANGE), most, STEPS if (high > low).any() else 0)
    return np.minimum(filled(level), filled(most))


def least_mean(
    exact: JointCounts, wide: JointCounts, cells: SureCells, toward: FloatArray, statistic: Statistic
) -> float:
    """The mean over records of the least that a statistic can be in their class.

    ``exact`` are counts with the mark for a value, ``wide`` those of classes with all who fit them.
    """
    least = least_risks(wide, cells, toward, lambda counts: counts.statistic(statistic))
    return float((exact.class_weight * least).sum() / exact.class_weight.sum())


def least_told(exact: JointCounts, wide: JointCounts, cells: SureCells | None, everyone: int) -> float:
    """Bits that keys tell about the target: the mean divergence of classes from the table, over everyone."""
    if cells is None:
        return float((wide.members * np.log2(everyone / wide.size)).sum()) / everyone
    table = replace(wide, compared=None, ground={}, _statistics={})  # their order is that of both tables
    return least_mean(exact, table, cells, wide.target_weight, DIVERGENCE) * wide.records / everyone


def _used(cells: SureCells, share: FloatArray) -> npt.NDArray[np.bool_]:
    """The cells that a class needs: not those that may be left out and only take it further away."""
    used = (cells.surely > 0) | (share > 0)
    empty = np.bincount(cells.owner, weights=used) == 0
    return used | empty[cells.owner]
