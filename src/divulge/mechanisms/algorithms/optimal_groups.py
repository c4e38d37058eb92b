"""Optimal microaggregation of one attribute: groups of at least k values with the least sum of squares."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.microaggregation import sizes_of_least_squares
from divulge.mechanisms.algorithms.microaggregation import value_order

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[Any]


def univariate_optimal_groups(values: Floats, k: int, *, tie_order: Integers | None = None) -> Integers:
    """The group of each value such that the sum of squares within groups of at least k is the least there is.

    Optimal groups hold neighbours in the order of values, k to 2k - 1 of them; the least sum for the first i
    values follows from those for the first i - 2k + 1 to i - k (Hansen and Mukherjee, 2003). The time grows
    like n k after sorting. Of partitions that are equally good the one with smaller last groups is taken.

    >>> univariate_optimal_groups(np.array([4.0, 5, 3, 13, 8, 15, 9, 7, 11]), 3).tolist()
    [0, 0, 0, 2, 1, 2, 1, 1, 2]
    """
    order = value_order(values[:, None], k, tie_order)
    ordered = np.ascontiguousarray(values[order], np.float64)
    sizes = (sizes_of_least_squares if library.built() else plain_sizes_of_least_squares)(ordered, k)
    ends = [len(values)]
    while ends[-1]:
        ends.append(ends[-1] - int(sizes[ends[-1]]))
    groups = np.empty(len(values), np.int64)
    groups[order] = np.repeat(np.arange(len(ends) - 1), -np.diff(ends)[::-1])
    return groups


def plain_sizes_of_least_squares(values: Floats, k: int) -> Integers:
    """Of the first i sorted values, grouped with the least squares, how many are in the last group."""
    length = len(values)
    mean, own = np.zeros(length + 1), np.zeros(length + 1)
    within = np.full((k, length + 1), np.inf)  # by size from k on: the squares of the group that ends here
    for size in range(1, min(2 * k, length + 1)):
        apart = values[: length + 1 - size] - mean[size:]
        mean[size:] += apart / size
        own[size:] += apart * (values[: length + 1 - size] - mean[size:])
        if size >= k:
            within[size - k, size:] = own[size:]
    squares, sizes = np.full(length + 1, np.inf), np.zeros(length + 1, np.int64)
    squares[0] = 0.0
    for end in range(k, length + 1):
        most = min(2 * k - 1, end)
        total = squares[end - most : end - k + 1][::-1] + within[: most - k + 1, end]
        best = int(total.argmin())
        squares[end], sizes[end] = total[best], k + best if total[best] < np.inf else 0
    return sizes
