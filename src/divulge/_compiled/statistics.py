"""Class statistics, what chance gives for mutual information, and large shares of sets, by compiled loops."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function, within

Array = npt.NDArray[Any]
Way = Literal["each", "by two", "at most", "at least"]
_WAYS: tuple[Way, ...] = ("each", "by two", "at most", "at least")
_NOT_IN_ORDER = -1
SLOTS = 10  # rows of statistics that one pass writes
_LOOKED_UP = 63 * 4  # sizes of small classes and cells, for each value of a target


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
    within(order, values)
    ceiling = -np.log(np.where(overall > 0, overall, 1.0))
    shares, looked_up, bits = np.zeros(values), None, _LOOKED_UP * values
    if weight.dtype == class_weight.dtype == np.int64 and bits < start[-1] - start[0]:
        looked_up = np.empty(bits)
    known = function("statistics_scan", "pipp" + "pipi" + "ppiipip" + "dpip" + "ppi", "i")(
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
        None if looked_up is None else address(looked_up, np.float64, bits, write=True),
        *_rows(out, classes),
    )
    if not known:
        raise ValueError(f"a loop was given targets that are not all below {values}")


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


def reaching(
    size: Array,
    cells: tuple[Array, Array, Array],
    number: Array | None,
    unknown: Array | None,
    least: Array,
    bands: int,
    way: Way,
) -> tuple[Array, Array, Array, Array, Array, Array | None] | None:
    """The cells of sets (owner, value and count) that are a share of at least ``least`` of their set.

    Values are asked about as a ``number``, if there is one for each; ``unknown`` flags numbers of people who
    are left out. What comes are the sizes of all sets, then of each cell its owner, number, count, size and,
    with a limit, the next number of its set. None where sets or the values of a set are not in order.
    """
    owner, value, count = cells
    many, numbers, limit = len(owner), len(least), way in ("at most", "at least")
    room = np.full((3, numbers), -1, np.int64)
    length = 2 * many if way == "by two" else many
    found = np.empty((5 if limit else 4, length), np.int64)
    known = size if unknown is None else np.zeros(len(size), np.int64)
    if not 0 <= bands <= numbers:
        raise ValueError(f"a loop was given {bands} bands of {numbers} numbers")
    reached = function("shares_reaching", "pipppipippiiipppi", "i")(
        *(address(size, np.int64, len(size)), len(size)),
        *(address(one, np.int64, many) for one in (owner, value, count)),
        many,
        None if number is None else address(number, np.int64, len(number)),
        numbers if number is None else len(number),
        None if unknown is None else address(unknown, np.bool_, numbers),
        *(address(least, np.float64, numbers), numbers, bands, _WAYS.index(way)),
        None if unknown is None else address(known, np.int64, len(size), write=True),
        address(room, np.int64, room.size, write=True),
        *(address(found, np.int64, found.size, write=True), length),
    )
    if reached == _NOT_IN_ORDER:
        return None
    if reached < 0:
        raise ValueError("a loop was given cells of sets or values that are not there")
    owners, told, counts, sizes, *after = (row[:reached].copy() for row in found)
    return known, owners, told, counts, sizes, after[0] if limit else None
