"""How often numbers or combinations of a few attributes occur: one table, filled in one pass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.counting import MOST_ROWS, fill, histogram, sum_over, sums
from divulge._support.threads import cores, run, shares
from divulge.counting.counts import Integers
from divulge.table.codes import Codes

THREADS_PAY = 1 << 17  # records from which several threads fill tables of their own


def added_up(
    numbers: npt.NDArray[Any],
    times: Integers | None,
    bound: int,
    codes: npt.NDArray[Any] | None = None,
    width: int = 1,
) -> Integers:
    """How many records have each number below a bound, with each code below a width.

    ``times`` says how many records each row stands for; without it, one.

    >>> added_up(np.array([1, 0, 1]), np.array([5, 1, 2]), 3).tolist()
    [1, 7, 0]
    """
    cells = bound * width
    if library.built() and numbers.dtype.kind in "ui" and max(len(numbers), cells) < MOST_ROWS:
        number, code = (None if one is None else np.ascontiguousarray(one) for one in (numbers, codes))
        assert number is not None
        if times is None:
            few = np.zeros(cells, np.uint32)
            histogram(number, code, width, few)
            return few
        if times.dtype == np.int64:
            table = np.zeros(cells, np.int64)
            sums(number, code, width, np.ascontiguousarray(times), table)
            return table
    word = numbers if codes is None else numbers.astype(np.int64) * width + codes
    return np.bincount(word, weights=times, minlength=cells).astype(np.int64)  # exact below 2^53


def listed(columns: Sequence[Codes]) -> bool:
    """Whether there is a loop that fills such a table."""
    narrow = all(one.codes.dtype.kind == "u" and one.codes.itemsize <= 4 for one in columns)
    return library.built() and narrow and 0 < len(columns[0].codes) < MOST_ROWS


def cell_table(columns: Sequence[Codes], times: Integers | None = None) -> Integers:
    """How many records have each combination of codes, the last column's next to each other.

    ``times`` says how many records each row stands for, less than 2^32 together.
    """
    sizes = [one.cardinality for one in columns]
    records, cells = len(columns[0].codes), math.prod(sizes)
    threads = max(1, min(cores(), records // max(THREADS_PAY, 4 * cells)))
    tables = np.zeros((threads, cells), np.uint32)

    def work(part: slice, table: Integers) -> None:
        often = None if times is None else np.ascontiguousarray(times[part], np.int64)
        fill([np.ascontiguousarray(one.codes[part]) for one in columns], sizes, table, often)

    run(work, shares(records, threads), tables)
    return tables[0] if threads == 1 else tables.sum(axis=0, dtype=np.uint32)


def summed(table: Integers, axes: Sequence[int]) -> Integers:
    """A table added up over some axes, whose numbers together fit those that it holds.

    >>> summed(np.arange(6, dtype=np.uint32).reshape(1, 2, 3), [0, 2]).tolist()
    [3, 12]
    """
    if not (library.built() and table.dtype == np.uint32 and table.flags.c_contiguous):
        return np.asarray(table.sum(axis=tuple(axes), dtype=table.dtype))
    for axis in sorted(axes, reverse=True):
        table = sum_over(table, axis)
    return table
