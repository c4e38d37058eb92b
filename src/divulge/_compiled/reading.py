"""Lines of text and pages of Parquet files read as codes, by compiled loops."""

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
SLACK = 8  # bytes that have to be there behind those that are read, since loops take eight at a time
NOWHERE = 1 << 31  # what a table of codes has where a dictionary has no entry
_NO_MEMORY = -3
PACKINGS = {"UNCOMPRESSED": 0, "SNAPPY": 1}


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


class Page(NamedTuple):
    """What the header of a page says; sizes are in bytes, and the body begins behind the header."""

    kind: int
    size: int
    packed_size: int
    values: int
    encoding: int
    level_bytes: int
    repeat_bytes: int
    packed: int
    body: int


def page_header(pages: Array) -> Page | None:
    """The header at the beginning of pages, behind which there is slack; None where it is not sound."""
    found = np.empty(len(Page._fields), np.int64)
    size = len(pages) - SLACK
    failed = function("parquet_header", "pip", "i")(
        address(pages, np.uint8, size + SLACK), size, address(found, np.int64, len(found), write=True)
    )
    return None if failed else Page(*found.tolist())


class Joined(NamedTuple):
    """How many bytes pages have, those put together of them, what these hold unpacked, and their records."""

    pages: int
    packed: int
    size: int
    records: int


def joined_pages(pages: Array, records: int, most: int, out: Array) -> Joined | None:
    """Put together what pages of values hold, packed as it is: of one, or so many bytes unpacked.

    It ends before a page of which some is not packed. None where pages, behind which there is slack, are not
    sound.
    """
    if len(out) < len(pages) - SLACK:
        raise ValueError("a loop was given less room than there are pages")
    found = np.empty(len(Joined._fields), np.int64)
    failed = function("parquet_join", "piiipp", "i")(
        address(pages, np.uint8, len(pages)),
        *(len(pages) - SLACK, records, most),
        address(out, np.uint8, len(out), write=True),
        address(found, np.int64, len(found), write=True),
    )
    return None if failed else Joined(*found.tolist())


def unpacked_snappy(packed: Array, size: int) -> Array | None:
    """Bytes that were packed, behind which there is slack, with slack behind them; None if not sound."""
    out = np.empty(size + SLACK, np.uint8)
    failed = function("parquet_unpack", "pipi", "i")(
        address(packed, np.uint8, len(packed)),
        len(packed) - SLACK,
        address(out, np.uint8, len(out), write=True),
        size,
    )
    return None if failed else out


def page_codes(
    pages: Array,
    packing: int,
    table: Array,
    out: Array,
    *,
    optional: bool,
    integers: tuple[int, int, int] = (0, 0, 0),
    unpacked: Array | None = None,
) -> bool:
    """Write the codes of the records of pages, behind which there is slack; false where they are not known.

    ``table`` has the code of each entry of the dictionary. ``integers`` are the bytes, the lowest and the
    highest of those written as they are. ``unpacked`` is what pages hold that loops cannot unpack, and slack.
    """
    bits = len(table).bit_length() - 1
    if len(table) != 1 << bits or out.dtype.kind != "u" or out.itemsize > 4:
        raise ValueError("a loop was given a table or codes of a size that it does not know")
    whole = (
        (None, 0) if unpacked is None else (address(unpacked, np.uint8, len(unpacked)), len(unpacked) - SLACK)
    )
    known = np.array([optional, *integers], np.int64)
    failed = function("parquet_codes", "piipippipii", "i")(
        address(pages, np.uint8, len(pages)),
        len(pages) - SLACK,
        packing,
        *whole,
        address(known, np.int64, 4),
        address(table, np.uint32, len(table)),
        bits,
        address(out, out.dtype, len(out), write=True),
        *(out.itemsize, len(out)),
    )
    if failed == _NO_MEMORY:
        raise MemoryError
    return not failed
