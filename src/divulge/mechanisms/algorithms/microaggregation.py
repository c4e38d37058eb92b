"""Microaggregation: records in groups of at least k that are alike, as numbers of groups.

Records are first put in the order of their values, and of records that are equally near or far the first in
that order is taken: the one with the lower value of the first attribute, then of the next. So groups do not
depend on the order of rows. Which of several records with the same values goes into which group is decided
by ``tie_order``, or by rows where it is not given; the values in each group are the same either way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.microaggregation import RemainingPoints
from divulge._compiled.neighbours import rounded
from divulge.errors import ParameterError
from divulge.mechanisms.algorithms.remaining_points import PlainRemainingPoints, remaining

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[Any]
Left = RemainingPoints | PlainRemainingPoints
LARGEST = 1e140  # of a coordinate: the square of a distance is to be a number


def mdav_groups(points: Floats, k: int, *, tie_order: Integers | None = None) -> Integers:
    """The group of each record by MDAV: groups of k, the last of up to 2k - 1.

    While at least 3k records are left: the record r furthest from the mean of those left and the k - 1
    nearest to it are a group, and so are the record s furthest from r and the k - 1 nearest to that. Of 2k to
    3k - 1 records left, r and its k - 1 nearest are one group and the others the last one
    (Domingo-Ferrer and Torra, 2005).

    Each pair of groups takes four searches among the records left. Compiled loops search a tree of boxes: on
    normal records the time grew like n^1.2 with three attributes and n^1.5 with six; with dozens it grows
    like n squared over k. Without compiled loops it always does.

    >>> mdav_groups(np.array([[1.0], [9.0], [2.0], [8.0], [1.5]]), 2).tolist()
    [1, 0, 1, 0, 1]
    """
    return _grouped(points, k, tie_order, lambda left: _mdav(left, k))


def variable_groups(
    points: Floats, k: int, gamma: float = 0.2, *, tie_order: Integers | None = None
) -> Integers:
    """The group of each record by V-MDAV: groups of k to 2k - 1 that grow where records lie close together.

    While at least k records are left, the one furthest from the mean of all records and its k - 1 nearest
    are a group. The record left that is nearest to any of the group, at d_in, joins as well as long as
    d_in < gamma d_out, where d_out is how far its own nearest record left is, and the group has fewer than
    2k - 1. Each of the last records, fewer than k, joins the group whose mean was nearest before any of them
    joined (Solanas and Martínez-Ballesté, 2006). ``gamma`` 0 never lets a group grow; the paper proposes 0.2
    for scattered records and 1.1 for clustered ones.

    >>> variable_groups(np.array([[0.0], [1.0], [1.1], [7.0], [9.0]]), 2, gamma=1.1).tolist()
    [1, 1, 1, 0, 0]
    """
    if not 0 <= gamma < math.inf:
        raise ParameterError(f"gamma is {gamma}, and has to be a number of at least 0.")
    return _grouped(points, k, tie_order, lambda left: _variable(left, k, gamma))


def within_strata(grouping: Callable[[Integers], Integers], strata: Integers, k: int) -> Integers:
    """Groups that never hold records of different strata.

    ``grouping`` is given the rows of one stratum and says their groups. A stratum of fewer than k records
    cannot be grouped.

    >>> within_strata(lambda rows: np.zeros(len(rows), int), np.array([1, 0, 1, 0]), 2).tolist()
    [1, 0, 1, 0]
    """
    _, number, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    small = int((sizes < k).sum())
    if small:
        raise ParameterError(
            f"{small} of {len(sizes)} strata have fewer than k = {k} records, which no group can hold.",
            hint="Use coarser strata or a smaller k.",
        )
    groups, begun = np.empty(len(strata), np.int64), 0
    for rows in np.split(np.argsort(number, kind="stable"), np.cumsum(sizes)[:-1]):
        groups[rows] = grouping(rows) + begun
        begun = int(groups[rows].max()) + 1
    return groups


def standardized(points: Floats) -> Floats:
    """Each attribute with mean 0 and standard deviation 1 (of a sample); one without spread is 0.

    Sums are rounded once, so that they do not depend on the order of rows.

    >>> standardized(np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])).tolist()
    [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    """
    found = np.zeros(points.shape)
    for side, column in enumerate(points.T):
        centred = column - math.fsum(column) / len(column)
        spread = math.sqrt(math.fsum(centred * centred) / max(1, len(column) - 1))
        if spread > 0 and column.min() < column.max():
            found[:, side] = centred / spread
    return found


def value_order(points: Floats, k: int, tie_order: Integers | None) -> Integers:
    """The rows in the order of their values, the first attribute first; refuses what cannot be grouped."""
    if not 1 <= k <= len(points):
        raise ParameterError(f"k is {k}, and has to lie between 1 and the number of records.")
    if not np.isfinite(points).all() or np.abs(points).max(initial=0) > LARGEST:
        raise ParameterError("Microaggregation needs numbers: some are missing, infinite or far too large.")
    last = () if tie_order is None else (tie_order,)
    return np.lexsort((*last, *points.T[::-1]))


def _grouped(
    points: Floats, k: int, tie_order: Integers | None, grouping: Callable[[Left], object]
) -> Integers:
    order = value_order(points, k, tie_order)
    left = remaining(np.ascontiguousarray(points[order], np.float64))
    grouping(left)
    groups = np.empty(len(points), np.int64)
    groups[order] = left.group
    return groups


def _mdav(left: Left, k: int) -> None:
    group = 0
    while left.left >= 3 * k:
        left.move_centre()
        first = left.farthest_from_centre()
        left.take(first, k, group)
        # As far as the furthest of all records is one that the first group leaves: that holds the nearest.
        second = left.farthest_from(first)
        left.take(second, k, group + 1)
        group += 2
    if left.left >= 2 * k:
        left.move_centre()
        left.take(left.farthest_from_centre(), k, group)
        group += 1
    left.take(0, left.left, group)


def _variable(left: Left, k: int, gamma: float) -> None:
    left.move_centre()
    group = 0
    while left.left >= k:
        members = _begun(left, left.farthest_from_centre(), k, group)
        while left.left and len(members) < 2 * k - 1:
            candidates = [left.nearest(member, 1) for member in members]
            inside, joining = min((float(distance[0]), int(number[0])) for number, distance in candidates)
            own = left.nearest(joining, min(2, left.left))[1]
            outside = float(own[1]) if len(own) > 1 else math.inf
            if not inside < gamma * gamma * outside:
                break
            left.assign(joining, group)
            members.append(joining)
        group += 1
    _join_nearest(left, group)


def _begun(left: Left, first: int, k: int, group: int) -> list[int]:
    """Put a record and its k - 1 nearest into a group, and say which they are."""
    members: list[int] = left.nearest(first, k)[0].tolist()
    left.take(first, k, group)
    return members


def _join_nearest(left: Left, groups: int) -> None:
    """Put each record that is left into the group whose mean is nearest."""
    done = left.group >= 0
    sizes = np.bincount(left.group[done], minlength=groups)
    means = [np.bincount(left.group[done], side[done], groups) / sizes for side in left.points.T]
    for number in np.flatnonzero(~done).tolist():
        apart = np.array(means) - left.points[number][:, None]
        left.assign(number, int(rounded((apart * apart).sum(axis=0)).argmin()))
