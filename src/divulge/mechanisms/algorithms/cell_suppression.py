"""Cell suppression: few cells of keys are suppressed so that every record has at least k that match it.

A suppressed cell is a value of its own by default, so that records form classes and every class has at least
k. With ``wildcard`` it matches any value, which takes fewer cells and gives weaker protection.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError, TooMuch
from divulge.mechanisms.algorithms.suppressed_classes import class_patterns
from divulge.mechanisms.algorithms.suppressed_wildcards import wildcard_patterns
from divulge.mechanisms.algorithms.suppression_patterns import Patterns, suppressed_columns
from divulge.table.packing import combinations, of_matrix

Array = npt.NDArray[Any]
MOST_KEYS = 16  # all sets of keys are looked at


def suppressed_cells(
    keys: Array,
    k: int,
    *,
    wildcard: bool = False,
    importance: Sequence[int] | None = None,
    tie_order: Array | None = None,
) -> npt.NDArray[np.bool_]:
    """Which cells to suppress: a row for each record, a column for each key.

    ``keys`` are codes from 0 on; a code for missing is a value like others. The result is minimal: whichever
    single cell were put back, some record would have fewer than k matches. There may be results with fewer
    cells; to find the fewest is hard (Meyerson and Williams, 2004). ``importance`` are the columns, the most
    important first: of equally many cells those of less important keys are suppressed. Which of several
    records with the same keys lose a cell is decided by ``tie_order``, or by rows where it is not given.

    The time grows like sets of keys times combinations of values that have no class yet; with ``wildcard``
    also like combinations that lose cells times all combinations.

    >>> keys = np.array([[0, 0], [0, 0], [1, 0], [1, 1]])
    >>> suppressed_cells(keys, 2).tolist()
    [[False, False], [False, False], [False, True], [False, True]]
    >>> suppressed_cells(keys, 2, wildcard=True).sum()
    np.int64(1)
    """
    records, width = keys.shape
    if not 1 <= k <= records:
        raise ParameterError(f"k is {k}, and has to lie between 1 and the number of records.")
    if width > MOST_KEYS:
        raise TooMuch(f"Cell suppression looks at all sets of keys, and takes at most {MOST_KEYS} keys.")
    columns = list(range(width)) if importance is None else list(importance)
    if sorted(columns) != list(range(width)):
        raise ParameterError("The order of importance has to name every key once.")
    ordered = keys[:, columns]
    alike = combinations(of_matrix(ordered), records)
    search = wildcard_patterns if wildcard else class_patterns
    patterns = search(ordered[alike.first], np.bincount(alike.number), k)
    found = np.empty(keys.shape, np.bool_)
    found[:, columns] = _by_row(patterns, alike.number, width, tie_order)
    return found


def _by_row(patterns: Patterns, number: Array, width: int, tie_order: Array | None) -> Array:
    """Patterns dealt out to the records of each kind, those with fewer suppressed cells first."""
    last = () if tie_order is None else (tie_order,)
    rows = np.lexsort((*last, number))
    sets = patterns.suppressed
    order = np.lexsort((sets, np.bitwise_count(sets), patterns.kind))
    found = np.empty((len(number), width), np.bool_)
    found[rows] = suppressed_columns(np.repeat(sets[order], patterns.records[order]), width)
    return found
