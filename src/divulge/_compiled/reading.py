"""Lines of text read as codes, by compiled loops."""

from __future__ import annotations

import weakref
from ctypes import addressof, c_int64
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function, within

Array = npt.NDArray[Any]
DOUBTFUL = -1
MOST_BYTES = 1 << 31  # of one block


class Texts(NamedTuple):
    """Texts one behind the other, and how many bytes each has."""

    text: Array
    length: Array


class LineReader:
    """Reads blocks of lines of so many cells, and knows the texts of each column that it met."""

    def __init__(self, width: int, separator: bytes, quote: bytes) -> None:
        if width < 1 or len(separator) != 1 or len(quote) > 1:
            raise ValueError("a loop was given no columns, or marks of more than one byte")
        self.width = width
        self._marks = separator[0], quote[0] if quote else -1
        self._reader = function("reader_new", "i", "p")(width)
        if self._reader is None:
            raise MemoryError
        weakref.finalize(self, function("reader_free", "p"), self._reader)

    def read(self, block: bytearray, most: int) -> Array | None:
        """A row of codes for each column of whole lines, up to so many; None where the lines are doubtful.

        Code 0 is an empty cell. Doubled quotes in the block are no longer doubled afterwards.
        """
        text = np.frombuffer(block, np.uint8)
        if not 0 < len(text) < MOST_BYTES or most < 0:
            raise ValueError("a loop was given no lines, or more than it can count")
        codes = np.empty(self.width * most, np.uint32)
        found = function("reader_read", "ppiiipi", "i")(
            self._reader,
            address(text, np.uint8, len(text), write=True),
            len(text),
            *self._marks,
            address(codes, np.uint32, self.width * most, write=True),
            most,
        )
        if found < DOUBTFUL:
            raise MemoryError
        return None if found == DOUBTFUL else codes.reshape(self.width, most)[:, :found]

    def texts(self, column: int) -> Texts:
        """The texts of a column by their codes, from 1 on."""
        if not 0 <= column < self.width:
            raise ValueError("a loop was given a column that is not there")
        size = c_int64()
        count = function("reader_texts", "pip", "i")(self._reader, column, addressof(size))
        found = Texts(np.empty(size.value, np.uint8), np.empty(count, np.int64))
        function("reader_copy", "pipp")(
            self._reader,
            column,
            address(found.text, np.uint8, size.value, write=True),
            address(found.length, np.int64, count, write=True),
        )
        return found


def lines_end(block: bytes | bytearray, quote: bytes) -> int:
    """Where the last line ends that is whole, in text that begins with a line; 0 where none is."""
    if not quote or quote not in block:
        return block.rfind(b"\n") + 1
    text = np.frombuffer(block, np.uint8)
    end = function("reader_lines_end", "pii", "i")(address(text, np.uint8, len(text)), len(text), quote[0])
    return int(end)


def ordered(texts: Texts) -> tuple[Array, Texts]:
    """The place of each text in the order of their bytes, from 1 on and equal ones alike; and each once."""
    count, size = len(texts.length), len(texts.text)
    if int(texts.length.sum()) != size or (count and int(texts.length.min()) < 0):
        raise ValueError("a loop was given texts of another length than they have")
    number, text, length = np.empty(count, np.uint32), np.empty(size, np.uint8), np.empty(count, np.int64)
    found = function("reader_order", "ppippp", "i")(
        address(texts.text, np.uint8, size),
        address(texts.length, np.int64, count),
        count,
        address(number, np.uint32, count, write=True),
        address(text, np.uint8, size, write=True),
        address(length, np.int64, count, write=True),
    )
    if found < 0:
        raise MemoryError
    return number, Texts(text[: int(length[:found].sum())], length[:found])


def renumber(number: Array, codes: Array, out: Array) -> None:
    """Write for each code what it is replaced by; unsigned integers of up to four bytes."""
    within(codes, len(number))
    within(number, int(np.iinfo(out.dtype).max) + 1)
    if {codes.dtype.kind, out.dtype.kind} != {"u"} or max(codes.dtype.itemsize, out.dtype.itemsize) > 4:
        raise ValueError("a loop was given codes that are no unsigned integers of up to four bytes")
    function("reader_renumber", "ppiipi")(
        address(number, np.uint32, len(number)),
        address(codes, codes.dtype, len(codes)),
        *(codes.dtype.itemsize, len(codes)),
        address(out, out.dtype, len(codes), write=True),
        out.dtype.itemsize,
    )
