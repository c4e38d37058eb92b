"""Counting by compiled loops: tables filled, words packed and ranked, classes told apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
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
    for codes, bound in ((classes, len(table) // width), (targets, width)):
        if codes is not None and (codes.itemsize == 8 or codes.dtype.kind != "u"):
            within(codes, bound)  # others are looked at while they are counted
    aims = (None, 0) if targets is None else codes_at(targets, records)
    cells = address(table, np.uint32, len(table), write=True)
    counted = function("counting_histogram", "pipiiipi", "i")(
        *(*codes_at(classes, records), *aims, records, width, cells, len(table))
    )
    if not counted:
        raise ValueError("a loop was given places that are not all below their bound")


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


def sum_over(table: Array, axis: int) -> Array:
    """A table added up over one of its axes; NumPy takes ten times as long where little lies beside it."""
    before, length, after = table.shape[:axis], table.shape[axis], table.shape[axis + 1 :]
    found = np.zeros((*before, *after), np.uint32)
    function("tables_sum", "piiip")(
        address(table, np.uint32, table.size),
        *(math.prod(before), length, math.prod(after)),
        address(found, np.uint32, found.size, write=True),
    )
    return found


def cells(table: Array, width: int, codes: Array | None) -> tuple[Array, Array, Array, Array, Array]:
    """The cells of a table of sets by so many codes that are not empty, set by set.

    What comes are the sizes of sets that have any, of each cell its set, code (or what stands for it) and
    count, and how many records have each code.
    """
    if table.dtype not in (np.uint32, np.int64) or width < 1 or len(table) % width:
        raise ValueError(f"a loop was given {len(table)} cells of {table.dtype} by {width} codes")
    sets, most = len(table) // width, int(np.count_nonzero(table))
    found = [np.empty(most, np.int64) for _ in range(3)]
    size, having = np.empty(min(sets, most), np.int64), np.zeros(width, np.int64)
    many = function("tables_cells", "piiipippppp", "i")(
        *(address(table, table.dtype, len(table)), table.itemsize, sets, width),
        None if codes is None else address(codes, np.int64, width),
        most,
        *(address(one, np.int64, most, write=True) for one in found),
        address(size, np.int64, len(size), write=True),
        address(having, np.int64, width, write=True),
    )
    owner, value, count = found
    return size[:many].copy(), owner, value, count, having


def below(
    columns: Sequence[Array], sizes: Sequence[int], least: int, most: int, lost: Sequence[Array]
) -> tuple[int, float]:
    """The records with combinations of codes that fewer than ``least`` have, and what these add by code.

    Once they are more than ``most`` it is left open how many, and what they add.
    """
    records, many = len(columns[0]), len(columns)
    table = np.zeros(math.prod(sizes), np.uint32)
    given, sums = _combined(columns, sizes, len(table)), np.zeros(many)
    held = [address(one, np.float64, size) for one, size in zip(lost, sizes, strict=True)]
    added = np.array(held, np.int64)
    found = function("tables_below", "pppiiiiippp", "i")(
        *(address(one, np.int64, many) for one in given),
        *(many, records, least, most, len(table)),
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


def sums(classes: Array, targets: Array | None, width: int, times: Array, table: Array) -> None:
    """Add how often each row stands to ``table[class * width + target]``; without targets all are 0."""
    within(classes, len(table) // max(width, 1))
    within(classes[:0] if targets is None else targets, width)
    aims = (None, 0) if targets is None else codes_at(targets, len(classes))
    given = (*codes_at(classes, len(classes)), *aims, len(classes), width)
    often, cells = address(times, np.int64, len(classes)), address(table, np.int64, len(table), write=True)
    function("counting_sums", "pipiiipp")(*given, often, cells)


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


def ranks_by_marks(words: Array, bound: int, *, first: bool = True) -> tuple[Integers, Integers | None, int]:
    """The same ranks of words below a bound, the first rows where asked for, and how many ranks there are.

    Each word has a bit of its own: of a low bound that is quicker than to sort.
    """
    given, marks, before, found = _marks(words, bound)
    many, places = len(words), len(marks)
    rank, rows = np.empty(many, np.int64), np.empty(found, np.int64) if first else None
    function("ranking_look_up", "piipppp")(
        *given,
        address(marks, np.uint64, places),
        address(before, np.uint32, places),
        address(rank, np.int64, many, write=True),
        None if rows is None else address(rows, np.int64, found, write=True),
    )
    return rank, rows, found


def marked(words: Array, bound: int) -> int:
    """How many different words there are, all below a bound."""
    return _marks(words, bound)[3]


def _marks(words: Array, bound: int) -> tuple[tuple[int, int, int], Array, Array, int]:
    """Where words are, a bit for each that occurs, how many are in the bits before every 64, and in all."""
    many, places = len(words), (bound >> 6) + 1
    if many >= MOST_ROWS or words.dtype.kind not in "ui" or words.itemsize not in (4, 8):
        raise ValueError(f"a loop cannot rank {many} words of {words.dtype}")
    within(words, bound)
    given = (address(words, words.dtype, many), words.itemsize, many)
    marks, before = np.zeros(places, np.uint64), np.empty(places, np.uint32)
    found = function("ranking_mark", "piiipp", "i")(
        *given,
        places,
        address(marks, np.uint64, places, write=True),
        address(before, np.uint32, places, write=True),
    )
    return given, marks, before, int(found)


# -- classes of millions of records, parted by a hash and told apart ----------------------------------------

MOST_TALLIED = 1 << 31  # a cell's count has 31 bits
_MOST_PARTS = 24  # bits of a hash that part words; others tell classes of a partition apart


class PackedColumns:
    """Columns of codes that make one word for each record, the first column in the highest bits."""

    def __init__(self, columns: Sequence[Array], bits: Sequence[int]) -> None:
        if not all(0 <= wide <= 32 for wide in bits) or sum(bits) > 64 or not columns:
            raise ValueError("a loop was given columns that do not fit a word")
        self.records, self._held = len(columns[0]), columns
        given = [codes_at(column, self.records) for column in columns]
        self._arrays = [np.array([one[i] for one in given], np.int64) for i in range(2)]
        self._arrays.append(np.array(bits, np.int64))

    @property
    def given(self) -> tuple[int, ...]:
        count = len(self._held)
        return (*(address(one, np.int64, count) for one in self._arrays), count)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Words in blocks of records, each block in the order of its partitions; rows beside them where asked.

    Partitions are by a hash of all but the ``shift`` lowest bits.
    """

    words: Array
    rows: Array | None
    starts: Array  # where each block begins, and the last ends
    shift: int
    parts: int
    edges: Array = field(init=False)  # where in each block every partition begins, and the last ends

    def __post_init__(self) -> None:
        starts, size = self.starts, len(self.words)
        if not (0 <= self.shift <= 32 and 1 <= self.parts <= _MOST_PARTS):
            raise ValueError(f"a loop cannot shift words by {self.shift} bits and part them by {self.parts}")
        if len(starts) < 2 or starts[0] or starts[-1] != size or (np.diff(starts) < 0).any():
            raise ValueError("a loop was given blocks that do not hold its words")
        if size >= MOST_TALLIED or (self.rows is not None and len(self.rows) != size):
            raise ValueError(f"a loop was given {size} words, or other rows than words")
        object.__setattr__(self, "edges", np.zeros((len(starts) - 1, self.partitions + 1), np.uint32))

    @property
    def partitions(self) -> int:
        return 1 << self.parts

    # -- parting ----------------------------------------------------------------------------------

    def part(self, columns: PackedColumns, which: slice) -> None:
        """Make some blocks of words from columns; rows, where they count, are those of the columns."""
        if columns.records != len(self.words):
            raise ValueError(f"a loop was given {columns.records} records for {len(self.words)} words")
        room, part_of = np.empty(self._largest, np.uint64), np.empty(self._largest, np.uint32)
        for block in range(which.start, which.stop):
            function("tallying_part", "pppi" + "iiii" + "p" * 5)(
                *columns.given,
                *self._block(block),
                address(room, np.uint64, self._largest, write=True),
                address(part_of, np.uint32, self._largest, write=True),
                address(self.edges[block], np.uint32, self.partitions + 1, write=True),
                address(self.words, np.uint64, len(self.words), write=True),
                self._row_address(),
            )

    def part_words(self, which: slice) -> None:
        """Bring the words (and rows) of some blocks, which are there, into the order of their partitions."""
        room, part_of = np.empty(self._largest, np.uint64), np.empty(self._largest, np.uint32)
        room_rows = np.empty(0 if self.rows is None else self._largest, np.uint32)
        for block in range(which.start, which.stop):
            function("tallying_part_words", "pp" + "iiii" + "pppp")(
                address(self.words, np.uint64, len(self.words), write=True),
                self._row_address(),
                *self._block(block),
                address(room, np.uint64, len(room), write=True),
                address(room_rows, np.uint32, len(room_rows)),
                address(part_of, np.uint32, self._largest, write=True),
                address(self.edges[block], np.uint32, self.partitions + 1, write=True),
            )

    def _block(self, block: int) -> tuple[int, int, int, int]:
        return int(self.starts[block]), int(self.starts[block + 1]), self.shift, self.parts

    @cached_property
    def _largest(self) -> int:
        return int(np.diff(self.starts).max())

    def _row_address(self) -> int | None:
        return None if self.rows is None else address(self.rows, np.uint32, len(self.words), write=True)

    # -- counting ---------------------------------------------------------------------------------

    @cached_property
    def fullest(self) -> int:
        """The words of the largest partition."""
        return int(np.diff(self.edges.astype(np.int64), axis=1).sum(axis=0).max())

    def tally(self, which: slice, small: TalliedClasses, found: Array) -> None:
        """Tally the classes of some partitions, whose lowest bits are the target.

        The cells of classes that are not tallied are written over the words; ``found`` has for each
        partition how many classes and cells that are.
        """
        often, targets = np.zeros(1 << self.shift, np.uint32), np.empty(self.fullest, np.uint32)
        room = self._room()
        function("tallying_tally", "ppipi" + "iiii" + "p" * 12)(
            *self._given(which),
            *(self.shift, self.parts),
            *(one.ctypes.data for one in (*room, targets, often)),
            address(small.held, np.int64, 1 << self.shift, write=True),
            address(small.singles, np.int64, 1 << self.shift, write=True),
            *(_table(one, times * self.shift) for times, one in ((2, small.pairs), (3, small.triples))),
            address(found, np.int64, 2 * self.partitions, write=True),
        )

    def expand(
        self,
        which: slice,
        found: Array,
        places: Array,
        place_of: Array,
        classes: Sequence[Array],
        cells: Sequence[Array],
    ) -> None:
        """Write classes' sizes and ends of their cells, and cells' targets and counts, from ``places`` on."""
        self._check_places(found, places, (len(classes[0]), len(cells[0])))
        room = np.empty(self.fullest, np.uint64)
        function("tallying_expand", "ppipi" + "ii" + "p" * 8)(
            *self._given(which),
            room.ctypes.data,
            *(address(one, np.int64, 2 * self.partitions) for one in (found, places)),
            address(place_of, np.int64, 1 << self.shift),
            *(address(one, np.int64, len(classes[0]), write=True) for one in classes),
            *(address(one, np.int64, len(cells[0]), write=True) for one in cells),
        )

    def group(self, which: slice, targets: Array | None, singles: Array, found: Array) -> None:
        """Keep the rows of classes of two or more in some partitions; tally the targets of single rows."""
        if targets is not None:
            within(targets, len(singles))
            within(self.rows if self.rows is not None else np.zeros(0, np.uint32), len(targets))
        words, *rest = self._given(which)
        room = self._room()
        function("tallying_group", "pppipi" + "iii" + "pi" + "p" * 7)(
            *(words, self._row_address(), *rest, self.parts),
            *((None, 0) if targets is None else codes_at(targets, len(targets))),
            *(one.ctypes.data for one in room),
            address(singles, np.int64, len(singles), write=True),
            address(found, np.int64, 2 * self.partitions, write=True),
        )

    def gather(self, which: slice, found: Array, places: Array, rows: Array, classes: Array) -> None:
        """Write the rows that were kept and their classes, numbered through, from ``places`` on."""
        self._check_places(found, places, (int(found[:, 0].sum()), len(rows)))
        room = np.empty(self.fullest, np.uint64)
        function("tallying_gather", "ppipi" + "ii" + "p" * 5)(
            *self._given(which),
            room.ctypes.data,
            *(address(one, np.int64, 2 * self.partitions) for one in (found, places)),
            address(rows, np.uint32, len(rows), write=True),
            address(classes, np.uint64, len(rows), write=True),
        )

    def _given(self, which: slice) -> tuple[int, ...]:
        if not 0 <= which.start <= which.stop <= self.partitions:
            raise ValueError(f"a loop was asked for partitions {which.start} to {which.stop}")
        return (
            address(self.words, np.uint64, len(self.words), write=True),
            address(self.starts, np.int64, len(self.starts)),
            len(self.starts) - 1,
            address(self.edges, np.uint32, self.edges.size),
            *(self.partitions, which.start, which.stop),
        )

    def _room(self) -> list[Array]:
        """Room for the words of a partition, and for a table that tells its classes apart."""
        slots = 1 << (self.fullest + self.fullest // 2).bit_length() + 1
        lengths = (self.fullest, slots, slots, slots, self.fullest)
        kinds = (np.uint64, np.uint64, np.uint32, np.uint32, np.uint32)
        return [np.empty(length, kind) for length, kind in zip(lengths, kinds, strict=True)]

    def _check_places(self, found: Array, places: Array, room: tuple[int, int]) -> None:
        if (places < 0).any() or (found < 0).any() or (places + found > room).any():
            raise ValueError("a loop was given places that do not hold what it found")
        if (found[:, 1] > self.fullest).any():
            raise ValueError("a loop was given more cells than there are words")


@dataclass(frozen=True, eq=False)
class TalliedClasses:
    """How many classes of one, two and three records have which targets, and targets of larger classes."""

    singles: Array
    pairs: Array | None
    triples: Array | None
    held: Array  # how many records of larger classes have each target

    @classmethod
    def of_target(cls, bits: int, most: int) -> TalliedClasses:
        """Nothing yet of a target of so many bits; combinations of up to ``most`` bits are tallied."""
        pairs, triples = (
            np.zeros(1 << many * bits, np.uint32) if many * bits <= most else None for many in (2, 3)
        )
        return cls(np.zeros(1 << bits, np.int64), pairs, triples, np.zeros(1 << bits, np.int64))


def _table(table: Array | None, bits: int) -> int | None:
    return None if table is None else address(table, np.uint32, 1 << bits, write=True)
