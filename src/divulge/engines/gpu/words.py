"""Columns of codes on the card, packed into sorted words: what every count there is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.engines.gpu.arrays import Arrays, OnCard, free_bytes
from divulge.engines.gpu.kernels import joined
from divulge.table.codes import Codes, looked_up, narrow

WORD_BITS, SHORT_BITS = 64, 32
TALLIED_BITS = 16  # of words that are tallied in a table of all that are possible
TALLY_PAYS = 1 << 19  # rows from which on they are


class RecodedColumn(Codes):
    """A column whose codes are those of another, looked up in a table: there, and here once asked for."""

    def __init__(self, before: Codes, table: npt.NDArray[Any], values: Sequence[object]) -> None:
        given = {"before": before, "table": narrow(table, len(values)), "values": values}
        for name, value in given.items():
            object.__setattr__(self, name, value)

    before: Codes
    table: npt.NDArray[np.unsignedinteger[Any]]

    def __repr__(self) -> str:
        return f"RecodedColumn({rows_in(self)} records, {len(self.values)} values)"

    @cached_property
    def codes(self) -> npt.NDArray[np.unsignedinteger[Any]]:
        return looked_up(self.table, self.before.codes)


def rows_in(column: Codes) -> int:
    """How many rows a column has, whether its codes are here or not."""
    return rows_in(column.before) if isinstance(column, RecodedColumn) else len(column.codes)


def bytes_of(column: Codes) -> int:
    """The bytes that each of its codes takes."""
    return column.table.itemsize if isinstance(column, RecodedColumn) else column.codes.itemsize


class CardColumns:
    """Codes that are on the card, as long as somebody here holds them and memory lasts."""

    def __init__(self, xp: Arrays) -> None:
        self.xp = xp
        self._held: WeakKeyDictionary[Codes, OnCard] = WeakKeyDictionary()

    def get(self, column: Codes) -> OnCard:
        """The codes of a column there, brought over once."""
        if column not in self._held:
            free = free_bytes(self.xp)
            if free is not None and 2 * rows_in(column) * bytes_of(column) > free:
                self._held.clear()
            self._held[column] = self._brought(column)
        return self._held[column]

    def _brought(self, column: Codes) -> OnCard:
        if isinstance(column, RecodedColumn):
            return self.xp.asarray(column.table)[self.get(column.before)]
        return self.xp.asarray(column.codes)

    def hold(self, column: Codes, codes: OnCard) -> None:
        """Take codes that are on the card already for those of a column."""
        self._held[column] = codes

    def part(self, column: Codes, rows: slice) -> OnCard:
        """The codes of some rows, which are held only where all are."""
        if column in self._held:
            return self._held[column][rows]
        if isinstance(column, RecodedColumn):
            return self.xp.asarray(column.table)[self.part(column.before, rows)]
        return self.xp.asarray(column.codes[rows])


def bits_of(cardinality: int) -> int:
    """The bits that hold as many different codes.

    >>> bits_of(1), bits_of(2), bits_of(5)
    (0, 1, 3)
    """
    return (cardinality - 1).bit_length()


class PackedWords(NamedTuple):
    """A word for each row, and the bits that are in use; words are alike, and in order, as rows are."""

    words: OnCard
    bits: int


def packed(xp: Arrays, columns: Sequence[tuple[OnCard, int]], records: int) -> PackedWords:
    """Columns with their cardinalities as words; where bits run out, the columns so far become ranks."""
    found, waiting = PackedWords(xp.zeros(records, np.uint64), 0), list[tuple[OnCard, int]]()
    for codes, cardinality in columns:
        wide = bits_of(cardinality)
        if found.bits + sum(bits for _, bits in waiting) + wide > WORD_BITS:
            found = ranked(xp, _joined(xp, found, waiting).words)
            waiting = []
        waiting.append((codes, wide))
    return _joined(xp, found, waiting)


def _joined(xp: Arrays, before: PackedWords, fields: Sequence[tuple[OnCard, int]]) -> PackedWords:
    """Words with more fields below what they hold."""
    bits = before.bits + sum(wide for _, wide in fields)
    if not fields:
        return before
    return PackedWords(joined(xp, before.words, before.bits > 0, fields), bits)


def ranked(xp: Arrays, words: OnCard) -> PackedWords:
    """The same words without gaps, in the same order."""
    order = xp.argsort(words)
    new = begins(xp, words[order])
    rank = xp.empty(len(words), np.uint64)
    numbers = xp.cumsum(new) - 1
    rank[order] = numbers.astype(np.uint64)
    return PackedWords(rank, bits_of(int(numbers[-1]) + 1))


def begins(xp: Arrays, words: OnCard, below: int = 0) -> OnCard:
    """Where sorted words differ from those before them, some bits below left out of account."""
    new = xp.ones(len(words), bool)
    part = words >> words.dtype.type(below) if below else words
    new[1:] = part[1:] != part[:-1]
    return new


class WordRows(NamedTuple):
    """Sorted words, how many records each stands for (None: one), and the bits in use."""

    words: OnCard
    times: OnCard | None
    bits: int

    def before(self, xp: Arrays) -> OnCard | None:
        """How many records come before each word, and all of them at the end; None where each is one."""
        if self.times is None:
            return None
        before = xp.zeros(len(self.words) + 1, np.int64)
        xp.cumsum(self.times, dtype=np.int64, out=before[1:])
        return before

    def sums(self, xp: Arrays, starts: OnCard) -> OnCard:
        """The records of each run of words, by where runs start."""
        before = self.before(xp)
        edges = xp.append(starts, xp.asarray([len(self.words)], dtype=starts.dtype))
        return xp.diff(edges if before is None else before[edges]).astype(np.int64)


def in_order(xp: Arrays, words: OnCard, times: OnCard | None, bits: int) -> WordRows:
    """Words sorted, what they stand for along with them: in the same word where there is room.

    Where few different ones are possible they are tallied instead, and alike ones held once.
    """
    if times is None:
        if bits <= TALLIED_BITS and len(words) >= TALLY_PAYS:
            often = xp.bincount(words.astype(np.int64), minlength=1 << bits)
            used = xp.flatnonzero(often)
            return WordRows(used.astype(words.dtype), often[used], bits)
        short = bits <= SHORT_BITS  # sorted in half the time
        return WordRows(
            xp.sort(words.astype(np.uint32)).astype(words.dtype) if short else xp.sort(words), None, bits
        )
    below = bits_of(int(times.max()) + 1)
    if bits + below <= WORD_BITS and words.dtype == np.uint64:
        both = xp.sort(words << np.uint64(below) | times.astype(np.uint64))
        return WordRows(
            both >> np.uint64(below), (both & np.uint64((1 << below) - 1)).astype(np.uint32), bits
        )
    order = xp.argsort(words)
    return WordRows(words[order], times[order], bits)


def condensed(xp: Arrays, rows: WordRows) -> WordRows:
    """Rows that are alike held once."""
    starts = xp.flatnonzero(begins(xp, rows.words))
    if len(starts) == len(rows.words):
        return rows
    return WordRows(rows.words[starts], rows.sums(xp, starts), rows.bits)
