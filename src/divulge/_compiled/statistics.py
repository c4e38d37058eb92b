"""Class statistics and what chance gives for mutual information, by compiled loops."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function, within

Array = npt.NDArray[Any]
SLOTS = 9  # rows of statistics that one pass writes


@lru_cache(maxsize=1)
def _logs() -> Array:
    """log2 of small numbers, 0 of 0."""
    return np.log2(np.maximum(np.arange(1 << 14), 1.0))


def scan(
    start: Array,
    target: Array,
    weight: Array,
    class_weight: Array,
    overall: Array,
    order: Array,
    rises: Array,
    out: Array,
) -> None:
    """Write nine statistics of each class, in whose order the cells come: a row of ``out`` for each.

    ``overall`` has the share of every target value in the table; ``order`` the values by rank, if they have
    one, and ``rises`` how far each is from the next.
    """
    classes, values, cells, logs = len(class_weight), len(overall), len(target), _logs()
    if start[0] < 0 or start[-1] > cells or (np.diff(start) < 0).any() or out.shape[0] != SLOTS:
        raise ValueError("a loop was given classes that do not lie among their cells")
    within(target, values)
    within(order, values)
    ceiling = -np.log(np.where(overall > 0, overall, 1.0))
    shares = np.zeros(values)
    found = np.empty((SLOTS, classes))
    function("statistics_scan", "pippppp" + "ipip" + "dpippi")(
        *(address(start, np.int64, classes + 1), classes),
        address(target, np.int64, cells),
        address(weight, np.float64, cells),
        address(class_weight, np.float64, classes),
        *(address(overall, np.float64, values), address(ceiling, np.float64, values)),
        np.count_nonzero(overall),
        *(address(order, np.int64, len(order)), len(order)),
        address(rises, np.float64, max(len(order) - 1, 0)),
        max(float(rises.sum()), 1.0),
        *(address(logs, np.float64, len(logs)), len(logs)),
        *(address(shares, np.float64, values), address(found, np.float64, SLOTS * classes), classes),
    )
    out[:] = found


def expected_information(sizes: Array, often: Array, targets: Array, common: Array, records: int) -> float:
    """Sum of E[n log2(n N / (a b))] over class sizes a and target frequencies b: N times bits."""
    if min(sizes.min(initial=1), targets.min(initial=1)) < 1 or max(sizes.max(), targets.max()) > records:
        raise ValueError("a loop was given classes or targets of more records than there are")
    return float(
        function("statistics_expected_information", "ppippii", "d")(
            *(address(one, np.int64, len(sizes)) for one in (sizes, often)),
            len(sizes),
            *(address(one, np.int64, len(targets)) for one in (targets, common)),
            *(len(targets), records),
        )
    )
