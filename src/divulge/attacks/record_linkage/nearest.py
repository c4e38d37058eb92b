"""The nearest original records of released ones, and how many are equally near."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.neighbours import Nearest, NeighbourTree, rounded
from divulge._support.threads import ahead, cores, shares
from divulge.table.packing import Column, RowCombinations, combinations, ranked

Floats = npt.NDArray[np.float64]
Metric = Literal["squares", "sum"]  # what sides are apart is squared and added up, or added up as it is
BLOCK = 1 << 21  # distances held at a time where no loops were built
PART = 20_000  # points that a thread looks from at a time


def nearest(points: Floats, looked_from: Floats, metric: Metric = "squares") -> Nearest:
    """For each point to look from the nearest and second nearest of the points, ties counted.

    >>> found = nearest(np.array([[0.0], [1.0], [1.0]]), np.array([[0.2], [2.0]]))
    >>> found.ties.tolist(), found.second_ties.tolist(), found.found.tolist()
    ([1, 2], [2, 1], [0, 1])
    """
    own, asked = distinct_points(points), distinct_points(looked_from)
    kept, times = points[own.first], np.bincount(own.number)
    found = _nearest(kept, times, looked_from[asked.first], metric)
    found = found._replace(found=own.first[found.found])
    return Nearest(*(one[asked.number] for one in found))


def distinct_points(points: Floats) -> RowCombinations:
    """Points that are the same, which are looked at once."""
    return combinations([_side(points[:, side]) for side in range(points.shape[1])], len(points))


def _side(values: Floats) -> Column:
    """The values of a side as numbers from 0 on; most sides have two, and need not be sorted."""
    low, high = (values.min(), values.max()) if len(values) else (0.0, 0.0)
    upper = values == high
    return (upper.astype(np.int64), 2) if bool((upper | (values == low)).all()) else ranked(values)


def _nearest(points: Floats, times: npt.NDArray[Any], looked_from: Floats, metric: Metric) -> Nearest:
    if not library.built():
        return plain(points, times, looked_from, metric)
    tree = NeighbourTree(points, times, summed=metric == "sum")
    parts = shares(len(looked_from), max(cores(), -(-len(looked_from) // PART)))
    chosen = [looked_from[part] for part in parts if part.stop > part.start]
    return Nearest(*map(np.concatenate, zip(*ahead(tree.find, chosen), strict=True)))


def distances(points: Floats, looked_from: Floats, metric: Metric = "squares") -> Floats:
    """Distances from points to others, which NumPy may stretch to every pair.

    Sides are added up in this order everywhere and sums are rounded, so that ties are ties.
    """
    found = np.zeros(np.broadcast_shapes(points.shape[:-1], looked_from.shape[:-1]))
    for side in range(points.shape[-1]):
        apart = points[..., side] - looked_from[..., side]
        found += np.abs(apart) if metric == "sum" else apart * apart
    return rounded(found)


def plain(
    points: Floats, times: npt.NDArray[Any], looked_from: Floats, metric: Metric = "squares"
) -> Nearest:
    """The same without compiled loops: all distances, some points at a time."""
    step = max(1, BLOCK // len(points))
    found = [
        _of_block(distances(points, looked_from[at : at + step, None], metric), times)
        for at in range(0, len(looked_from), step)
    ]
    return Nearest(*map(np.concatenate, zip(*found, strict=True)))


def _of_block(distance: Floats, times: npt.NDArray[Any]) -> Nearest:
    least = distance.min(axis=1)
    at_least = distance == least[:, None]
    beyond = np.where(at_least, np.inf, distance)
    second = beyond.min(axis=1)
    at_second = (beyond == second[:, None]) & np.isfinite(second)[:, None]
    return Nearest(least, second, at_least @ times, at_second @ times, at_least.argmax(axis=1))
