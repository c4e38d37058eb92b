"""Class statistics and what chance gives for mutual information, by compiled loops."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function, within

Array = npt.NDArray[Any]
SLOTS = 10  # rows of statistics that one pass writes


@lru_cache(maxsize=1)
def _logs() -> Array:
    """log2 of small numbers, 0 of 0."""
    return np.log2(np.maximum(np.arange(1 << 14), 1.0))


def scan(
    start: Array,
    target: Array,
    count: Array,
    weight: Array,
    class_weight: Array,
    overall: Array,
    order: Array,
    rises: Array,
    out: Array,
) -> None:
    """Write ten statistics of each class, in whose order the cells come: a row of ``out`` for each.

    ``overall`` has the share of every target value in the table; ``order`` the values by rank, if they have
    one, and ``rises`` how far each is from the next.
    """
    classes, values, cells, logs = len(class_weight), len(overall), len(target), _logs()
    if start[0] < 0 or start[-1] > cells or (np.diff(start) < 0).any():
        raise ValueError("a loop was given classes that do not lie among their cells")
    within(target[start[0] : start[-1]], values)
    within(order, values)
    ceiling = -np.log(np.where(overall > 0, overall, 1.0))
    shares = np.zeros(values)
    function("statistics_scan", "pipp" + "pipi" + "ppiipip" + "dpip" + "pi")(
        *(address(start, np.int64, classes + 1), classes),
        *(address(one, np.int64, cells) for one in (target, count)),
        *(*_numbers(weight, cells), *_numbers(class_weight, classes)),
        *(address(overall, np.float64, values), address(ceiling, np.float64, values)),
        *(values, np.count_nonzero(overall)),
        *(address(order, np.int64, len(order)), len(order)),
        address(rises, np.float64, max(len(order) - 1, 0)),
        max(float(rises.sum()), 1.0),
        *(address(logs, np.float64, len(logs)), len(logs)),
        address(shares, np.float64, values),
        *_rows(out, classes),
    )


def _numbers(array: Array, length: int) -> tuple[int, int]:
    """Where numbers begin, and 1 if they are whole."""
    whole = array.dtype == np.int64
    return address(array, np.int64 if whole else np.float64, length), int(whole)


def _rows(out: Array, classes: int) -> tuple[int, int]:
    """Where the statistics of some classes are written, and how far it is from one row to the next."""
    apart, beside = out.strides
    fits = out.dtype == np.float64 and out.shape == (SLOTS, classes) and out.flags.writeable
    if not fits or beside != out.itemsize or apart < classes * out.itemsize or apart % out.itemsize:
        raise ValueError(f"a loop was given no room for {SLOTS} statistics of {classes} classes")
    return int(out.ctypes.data), apart // out.itemsize


def expected_information(sizes: Array, often: Array, targets: Array, common: Array, records: int) -> float:
    """Sum of E[n log2(n N / (a b))] over class sizes a and target frequencies b: N times bits."""
    if min(sizes.min(initial=1), targets.min(initial=1)) < 1 or max(sizes.max(), targets.max()) > records:
        raise ValueError("a loop was given classes or targets of more records than there are")
    return float(
        function("chance_expected_information", "ppippii", "d")(
            *(address(one, np.int64, len(sizes)) for one in (sizes, often)),
            len(sizes),
            *(address(one, np.int64, len(targets)) for one in (targets, common)),
            *(len(targets), records),
        )
    )
