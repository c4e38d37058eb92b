"""Counting by compiled loops: tables filled, words packed and ranked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function, within

Array = npt.NDArray[Any]
MOST_ROWS = 1 << 32  # a row number has four bytes
_DIGITS = 6 << 11  # a count for each of the digits' values

Integers = npt.NDArray[np.int64]


def codes_at(codes: Array, length: int) -> tuple[int, int]:
    """Where codes begin, and the bytes of each."""
    if codes.dtype.kind not in "ui":
        raise ValueError(f"a loop was given {codes.dtype} for codes")
    return address(codes, codes.dtype, length), codes.dtype.itemsize


def histogram(classes: Array, targets: Array | None, width: int, table: Array) -> None:
    """Add one to ``table[class * width + target]`` for every record; without targets all are 0."""
    records = len(classes)
    if max(records, len(table)) >= MOST_ROWS or width < 1:
        raise ValueError("a loop was given more records or cells than it can count")
    within(classes, len(table) // width)
    if targets is not None:
        within(targets, width)
    aims = (None, 0) if targets is None else codes_at(targets, records)
    cells = address(table, np.uint32, len(table), write=True)
    function("counting_histogram", "pipiiip")(*codes_at(classes, records), *aims, records, width, cells)


def pack(words: Array, columns: Sequence[Array], bits: Sequence[int]) -> None:
    """One word for each record: codes of columns one below the other, each in its bits, the first highest."""
    if not all(0 <= wide <= 32 for wide in bits) or sum(bits) > 64:
        raise ValueError("a loop was given columns that do not fit a word")
    given = [codes_at(column, len(words)) for column in columns]
    addresses, widths = (np.array([one[i] for one in given], np.int64) for i in range(2))
    wide, many = np.array(bits, np.int64), len(columns)
    function("counting_pack", "pipppi")(
        *(address(words, np.uint64, len(words), write=True), len(words)),
        *(address(one, np.int64, many) for one in (addresses, widths, wide)),
        many,
    )


def fill(columns: Sequence[Array], sizes: Sequence[int], table: Array) -> None:
    """Add every record to a table of all combinations of codes, the last column's next to each other."""
    records = len(columns[0])
    if math.prod(sizes) != len(table) or max(len(table), records) >= MOST_ROWS:
        raise ValueError(f"a loop was given {len(table)} cells for combinations of {list(sizes)} codes")
    for column, size in zip(columns, sizes, strict=True):
        if column.dtype.kind != "u" or column.itemsize > 4:
            raise ValueError(f"a loop was given {column.dtype} for codes")
        within(column, size)
    given = np.array([address(one, one.dtype, records) for one in columns], np.int64)
    bytes_each = np.array([one.itemsize for one in columns], np.int64)
    strides = np.array([math.prod(sizes[place + 1 :]) for place in range(len(sizes))], np.int64)
    many = len(columns)
    function("tables_fill", "pppiip")(
        *(address(one, np.int64, many) for one in (given, bytes_each, strides)),
        *(many, records, address(table, np.uint32, len(table), write=True)),
    )


def ranks(words: npt.NDArray[Any]) -> tuple[Integers, Integers]:
    """The rank of each word among those that occur, and the first row with each rank."""
    many = len(words)
    if many >= MOST_ROWS:
        raise ValueError(f"a loop cannot rank {many} words")
    rank, first = np.empty(many, np.int64), np.empty(many, np.int64)
    word, row, sizes = (
        np.empty(2 * many, np.uint64),
        np.empty(2 * many, np.uint32),
        np.empty(_DIGITS, np.int64),
    )
    found = function("ranking_ranks", "pippppp", "i")(
        *(address(words, np.uint64, many), many),
        address(word, np.uint64, 2 * many, write=True),
        address(row, np.uint32, 2 * many, write=True),
        address(sizes, np.int64, _DIGITS, write=True),
        *(address(one, np.int64, many, write=True) for one in (rank, first)),
    )
    return rank, first[:found].copy()
