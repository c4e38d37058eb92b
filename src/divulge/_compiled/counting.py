"""Counting by compiled loops: tables filled, words packed, scattered, ranked, counted and grouped."""

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


def _codes(codes: Array, length: int) -> tuple[int, int]:
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
    aims = (None, 0) if targets is None else _codes(targets, records)
    cells = address(table, np.uint32, len(table), write=True)
    function("counting_histogram", "pipiiip")(*_codes(classes, records), *aims, records, width, cells)


def pack(words: Array, columns: Sequence[Array], bits: Sequence[int]) -> None:
    """One word for each record: codes of columns one below the other, each in its bits, the first highest."""
    if not all(0 <= wide <= 32 for wide in bits) or sum(bits) > 64:
        raise ValueError("a loop was given columns that do not fit a word")
    given = [_codes(column, len(words)) for column in columns]
    addresses, widths = (np.array([one[i] for one in given], np.int64) for i in range(2))
    wide, many = np.array(bits, np.int64), len(columns)
    function("counting_pack", "pipppi")(
        *(address(words, np.uint64, len(words), write=True), len(words)),
        *(address(one, np.int64, many) for one in (addresses, widths, wide)),
        many,
    )


def partition_sizes(words: Array, shift: int, bits: int, sizes: Array) -> None:
    """How many words fall into each of 2^bits partitions, by a hash of all but the lowest bits."""
    _check_bits(shift, bits)
    given = address(words, np.uint64, len(words)), len(words), shift, bits
    function("counting_partition_sizes", "piiip")(*given, address(sizes, np.int64, 1 << bits, write=True))


def scatter(
    words: Array,
    rows: Array | None,
    shift: int,
    bits: int,
    sizes: Array,
    ends: Array,
    out_words: Array,
    out_rows: Array,
) -> None:
    """Move words (and their row numbers, if any) to their partitions: ``sizes`` of them, up to ``ends``."""
    _check_bits(shift, bits)
    places = ends - sizes
    if (sizes < 0).any() or sizes.sum() != len(words) or (places < 0).any() or (ends > len(out_words)).any():
        raise ValueError("a loop was given partitions that do not hold its words")
    numbers = None if rows is None else address(rows, np.uint32, len(words))
    given = address(words, np.uint64, len(words)), numbers, len(words), shift, bits
    function("counting_scatter", "ppiiippp")(
        *given,
        address(places, np.int64, 1 << bits),
        address(out_words, np.uint64, len(out_words), write=True),
        None if rows is None else address(out_rows, np.uint32, len(out_words), write=True),
    )


def count_runs(words: Array, edges: Array, shift: int, singles: Array, found: Array) -> None:
    """Of partitions of sorted words, how many classes have several records, and their cells.

    Classes of one record are only tallied by target, which the lowest bits are, in ``singles``.
    """
    _check_bits(shift, 1)
    parts = _check_edges(edges, words)
    function("counting_count_runs", "ppiipp")(
        address(words, np.uint64, len(words)),
        address(edges, np.int64, parts + 1),
        *(parts, shift),
        address(singles, np.int64, 1 << shift, write=True),
        address(found, np.int64, 2 * parts, write=True),
    )


def write_runs(
    words: Array,
    edges: Array,
    shift: int,
    found: Array,
    places: Array,
    classes: list[Array],
    cells: list[Array],
) -> None:
    """Write the classes that were found, and their cells, from each partition's places on."""
    parts = _check_edges(edges, words)
    of_classes, of_cells = len(classes[0]), len(cells[0])
    if (places < 0).any() or (places + found > [of_classes, of_cells]).any():
        raise ValueError("a loop was given places that do not hold what it found")
    function("counting_write_runs", "ppiippppp")(
        address(words, np.uint64, len(words)),
        address(edges, np.int64, parts + 1),
        *(parts, shift),
        address(places, np.int64, 2 * parts),
        *(address(one, np.int64, of_classes, write=True) for one in classes),
        *(address(one, np.int64, of_cells, write=True) for one in cells),
    )


def group(
    words: Array,
    rows: Array,
    edges: Array,
    bits: int,
    targets: Array | None,
    singles: Array,
    out: tuple[Array, ...],
) -> None:
    """Keep the rows of classes of two or more, class by class; tally the targets of single rows.

    ``out`` are the rows, their classes, and for each partition how many there are of classes and of rows.
    """
    parts, words_in_all = _check_edges(edges, words), len(words)
    largest = int(np.diff(edges).max(initial=0))
    slots = 1 << (largest + largest // 2).bit_length() + 1
    _check_bits(slots.bit_length(), bits)
    if targets is not None:
        within(rows, len(targets))
        within(targets, len(singles))
    out_rows, out_class, used = out
    scratch = [np.empty(slots, kind) for kind in (np.uint64, np.uint32, np.uint32)]
    slot_of = np.empty(largest, np.uint32)
    function("counting_group", "pppiipipppppppp")(
        address(words, np.uint64, words_in_all),
        address(rows, np.uint32, words_in_all),
        address(edges, np.int64, parts + 1),
        *(parts, bits),
        *((None, 0) if targets is None else _codes(targets, len(targets))),
        *(one.ctypes.data for one in (*scratch, slot_of)),
        address(singles, np.int64, len(singles), write=True),
        address(out_rows, np.uint32, words_in_all, write=True),
        address(out_class, np.uint32, words_in_all, write=True),
        address(used, np.int64, 2 * parts, write=True),
    )


def gather(source: Array, firsts: Array, lengths: Array, places: Array, out: Array) -> None:
    """Copy stretches of ``source`` to their places in ``out``."""
    if (np.minimum(np.minimum(firsts, lengths), places) < 0).any():
        raise ValueError("a loop was given stretches that begin nowhere")
    if (firsts + lengths > len(source)).any() or (places + lengths > len(out)).any():
        raise ValueError("a loop was given stretches that end nowhere")
    function("counting_gather", "pppipp")(
        address(source, np.uint32, len(source)),
        address(firsts, np.int64, len(firsts)),
        address(lengths, np.int64, len(firsts)),
        len(firsts),
        address(places, np.int64, len(firsts)),
        address(out, np.int64, len(out), write=True),
    )


def _check_bits(shift: int, bits: int) -> None:
    if not (0 <= shift < 64 and 1 <= bits < 64):
        raise ValueError(f"a loop cannot shift words by {shift} bits and part them by {bits}")


def _check_edges(edges: Array, words: Array) -> int:
    """How many partitions there are, if they lie one after the other among the words."""
    if not len(edges) or edges[0] < 0 or edges[-1] > len(words) or (np.diff(edges) < 0).any():
        raise ValueError("a loop was given partitions that do not lie among its words")
    return len(edges) - 1


def fill(columns: Sequence[Array], sizes: Sequence[int], table: Array, times: Array | None = None) -> None:
    """Add every row to a table of all combinations of codes, the last column's next to each other.

    ``times`` says how often each row stands, all of them together less than 2^32 times.
    """
    rows = len(columns[0])
    given = _combined(columns, sizes, len(table))
    often = None if times is None else address(times, np.int64, rows)
    function("tables_fill", "pppiipp")(
        *(address(one, np.int64, len(columns)) for one in given),
        *(len(columns), rows, often, address(table, np.uint32, len(table), write=True)),
    )


def below(
    columns: Sequence[Array], sizes: Sequence[int], least: int, most: int, lost: Sequence[Array]
) -> tuple[int, float]:
    """The records with combinations of codes that fewer than ``least`` have, and what these add by code.

    Once they are more than ``most`` they are counted no further.
    """
    records, many = len(columns[0]), len(columns)
    table, places = np.zeros(math.prod(sizes), np.uint32), np.empty(records, np.uint32)
    given, sums = _combined(columns, sizes, len(table)), np.zeros(many)
    held = [address(one, np.float64, size) for one, size in zip(lost, sizes, strict=True)]
    added = np.array(held, np.int64)
    found = function("tables_below", "pppiiiipppp", "i")(
        *(address(one, np.int64, many) for one in given),
        *(many, records, least, most),
        address(places, np.uint32, records, write=True),
        address(table, np.uint32, len(table), write=True),
        address(added, np.int64, many),
        address(sums, np.float64, many, write=True),
    )
    return int(found), float(sums.sum())


def _combined(columns: Sequence[Array], sizes: Sequence[int], cells: int) -> tuple[Array, Array, Array]:
    """Where columns are, how many bytes a code has, and how far apart its cells are in a table of all."""
    records = len(columns[0])
    if math.prod(sizes) != cells or max(cells, records) >= MOST_ROWS:
        raise ValueError(f"a loop was given {cells} cells for combinations of {list(sizes)} codes")
    for column, size in zip(columns, sizes, strict=True):
        if column.dtype.kind != "u" or column.itemsize > 4:
            raise ValueError(f"a loop was given {column.dtype} for codes")
        within(column, size)
    given = np.array([address(one, one.dtype, records) for one in columns], np.int64)
    bytes_each = np.array([one.itemsize for one in columns], np.int64)
    strides = np.array([math.prod(sizes[place + 1 :]) for place in range(len(sizes))], np.int64)
    return given, bytes_each, strides


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
