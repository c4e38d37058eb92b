"""Targeted swapping: records in small classes exchange a value with records that are like them otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.table.packing import of_matrix, packed, ranked

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]


def targeted_swap_rows(
    codes: Array, keys: Array, class_sizes: Array, k: int, uniforms: Floats, *, least_alike: int = 0
) -> Array:
    """The row that each record has its value from: records in classes below k are swapped, with partners.

    A record whose class has fewer than k records is at risk. Its partner is a record that has none yet, has
    another value, and agrees with it on the first keys: on as many as possible, and on ``least_alike`` of
    them at least. Of several such records the one is taken that its random number points to. The smallest
    classes choose first, and within the same size the lowest random numbers. ``codes`` are of the attribute
    that is swapped, such as a region; ``keys`` has a column for each other key, the most important first. A
    record without a partner keeps its value.
    This is the record swapping of census tables (Shlomo, Tudor and Groom, 2010) for records.

    >>> regions, ages = np.array([1, 2, 2, 1]), np.array([[30], [30], [40], [40]])
    >>> targeted_swap_rows(regions, ages, np.array([1, 9, 9, 9]), 2, np.zeros(4)).tolist()
    [1, 0, 2, 3]
    """
    if k < 1:
        raise ParameterError(f"k is {k}, and has to be at least 1.")
    if not 0 <= least_alike <= keys.shape[1]:
        raise ParameterError(f"{least_alike} keys are to agree, and there are {keys.shape[1]}.")
    rows = np.arange(len(codes))
    waiting = np.flatnonzero(class_sizes < k)
    waiting = waiting[np.lexsort((uniforms[waiting], class_sizes[waiting]))]
    for alike in range(keys.shape[1], least_alike - 1, -1):
        if len(waiting) == 0:
            break
        classes = packed(of_matrix(keys[:, :alike]), len(codes))
        _pair(rows, waiting.tolist(), ranked(classes)[0], codes, uniforms)
        waiting = waiting[rows[waiting] == waiting]
    return rows


def _pair(rows: Array, waiting: list[int], classes: Array, codes: Array, uniforms: Floats) -> None:
    """Pair records that wait with free ones of their class that have another value."""
    order = np.lexsort((uniforms, codes, classes))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    class_edges = np.searchsorted(classes[order], np.arange(int(classes.max()) + 2))
    changes = (np.diff(classes[order]) != 0) | (np.diff(codes[order]) != 0)
    value_edges = np.concatenate([[0], np.flatnonzero(changes) + 1, [len(order)]])
    run = np.searchsorted(value_edges, np.arange(len(order)), side="right") - 1
    free = _FreePlaces(rows[order] == order)
    for row in waiting:
        at = int(place[row])
        if not free.holds(at):
            continue
        begin, end = (int(edge) for edge in class_edges[classes[row] : classes[row] + 2])
        low, high = (int(edge) for edge in value_edges[run[at] : run[at] + 2])
        wanted = begin + int(uniforms[row] * (end - begin - (high - low)))
        wanted += high - low if wanted >= low else 0  # the run of its own value does not count
        found = free.outside(wanted, end, low, high)
        found = free.outside(begin, end, low, high) if found < 0 else found
        if found >= 0:
            other = int(order[found])
            rows[row], rows[other] = other, row
            free.take(at)
            free.take(found)


class _FreePlaces:
    """Places that are free, with the next free one found in steps that get shorter by use."""

    def __init__(self, free: Array) -> None:
        places = np.arange(len(free) + 1)
        self._next: list[int] = np.where(np.append(free, True), places, places + 1).tolist()

    def holds(self, place: int) -> bool:
        return self._next[place] == place

    def take(self, place: int) -> None:
        self._next[place] = place + 1

    def outside(self, first: int, end: int, low: int, high: int) -> int:
        """The next free place from the first on that lies before the end and not from low to high, or -1."""
        found = self._from(first)
        if low <= found < high:
            found = self._from(high)
        return found if found < end else -1

    def _from(self, place: int) -> int:
        passed = []
        while self._next[place] != place:
            passed.append(place)
            place = self._next[place]
        for one in passed:
            self._next[one] = place
        return place
