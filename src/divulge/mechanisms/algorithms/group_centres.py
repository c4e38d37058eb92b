"""What the records of a group are given in place of their values: mean, median or mode."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Centre = Literal["mean", "median", "lower_median", "mode"]


def aggregated(values: Array, groups: Array, centre: Centre = "mean") -> Array:
    """Each value replaced by the centre of its group; groups are numbers from 0 on.

    The median of an even number of values is the mean of the two in the middle, the lower median the lower of
    them, which suits codes of ordered categories. The mode is the most frequent value, and of several the
    lowest. A mean never lies outside of its group's values, so that a group of equal values stays as it is,
    and does not depend on the order of rows.

    >>> aggregated(np.array([7.0, 12.0, 9.0, 8.0, 11.0]), np.array([0, 0, 0, 1, 1]), "median").tolist()
    [9.0, 9.0, 9.0, 9.5, 9.5]
    """
    if len(values) == 0:
        return values.copy()
    order = np.lexsort((values, groups))
    _, starts, number = np.unique(groups[order], return_index=True, return_inverse=True)
    found = _CENTRES[centre](values[order], starts, number)
    released = np.empty(len(values), found.dtype)
    released[order] = found[number]
    return released


def squared_error(points: Array, groups: Array) -> float:
    """The sum of squared distances between records and the mean of their group: SSE."""
    return float(sum(((side - aggregated(side, groups)) ** 2).sum() for side in points.T))


def _ends(starts: Array, ordered: Array) -> Array:
    return np.append(starts[1:], len(ordered))


def _mean(ordered: Array, starts: Array, _: Array) -> Array:
    ends = _ends(starts, ordered)
    mean = np.add.reduceat(ordered.astype(np.float64), starts) / (ends - starts)
    return np.clip(mean, ordered[starts], ordered[ends - 1])


def _median(ordered: Array, starts: Array, _: Array) -> Array:
    sizes = _ends(starts, ordered) - starts
    lower, upper = ordered[starts + (sizes - 1) // 2], ordered[starts + sizes // 2]
    return lower + (upper.astype(np.float64) - lower) / 2


def _lower_median(ordered: Array, starts: Array, _: Array) -> Array:
    sizes = _ends(starts, ordered) - starts
    return np.asarray(ordered[starts + (sizes - 1) // 2])


def _mode(ordered: Array, starts: Array, number: Array) -> Array:
    begins = np.append(True, (ordered[1:] != ordered[:-1]) | (number[1:] != number[:-1]))
    runs = np.flatnonzero(begins)
    lengths = _ends(runs, ordered)
    by_length = np.lexsort((runs, -(lengths - runs), number[runs]))  # the longest run of each group first
    _, firsts = np.unique(number[runs][by_length], return_index=True)
    return np.asarray(ordered[runs[by_length[firsts]]])


_CENTRES = {"mean": _mean, "median": _median, "lower_median": _lower_median, "mode": _mode}
