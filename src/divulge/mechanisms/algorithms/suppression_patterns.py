"""Combinations of keys with what is suppressed of them, and how many records have each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.table.packing import combinations, of_matrix

Array = npt.NDArray[Any]


class Patterns(NamedTuple):
    """Kinds of records, the keys suppressed as bits (the first key has the highest), and how many records.

    A smaller set of bits spares more important keys.
    """

    kind: Array
    suppressed: Array
    records: Array


def suppressed_columns(sets: Array, width: int) -> npt.NDArray[np.bool_]:
    """Sets of keys as columns of truth, the first key first.

    >>> suppressed_columns(np.array([1, 2]), 2).tolist()
    [[False, True], [True, False]]
    """
    return np.asarray(sets[:, None] >> np.arange(width)[::-1] & 1, np.bool_)


def sets_of(size: int, width: int) -> list[int]:
    """All sets of so many keys, those that spare important ones first."""
    return [one for one in range(1 << width) if one.bit_count() == size]


def class_sizes(kinds: Array, records: Array, suppressed: int) -> Array:
    """For each kind how many records have its values of the keys that are not suppressed."""
    kept = ~suppressed_columns(np.array([suppressed]), kinds.shape[1])[0]
    number = combinations(of_matrix(kinds[:, kept]), len(kinds)).number
    return np.bincount(number, records).astype(np.int64)[number]
