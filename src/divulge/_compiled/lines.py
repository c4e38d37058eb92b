"""Records as lines of text and as pages of Parquet files, by compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import Structure, addressof, c_int64, c_void_p
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function, within

Array = npt.NDArray[Any]
ROOM = 1 << 22  # bytes of a block
MOST_BITS = 16  # of a place in a dictionary
_SLACK = 16  # bytes behind packed places, since loops write eight at a time


class _Column(Structure):
    _fields_ = [("codes", c_void_p), ("width", c_int64), ("start", c_void_p), ("text", c_void_p)]


class LineWriter:
    """Makes lines of records; a column is a code for each record and a text for each code."""

    def __init__(self, columns: Sequence[tuple[Array, Sequence[bytes]]], separator: bytes) -> None:
        self._given, self._separator = (_Column * len(columns))(), separator[0]
        self._held, records = [], len(columns[0][0])  # held as long as loops are given their addresses
        for place, (codes, texts) in enumerate(columns):
            lengths = np.fromiter(map(len, texts), np.int64, len(texts))
            start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
            text = np.frombuffer(b"".join(texts) or b"\0", np.uint8)
            plain = np.ascontiguousarray(codes)
            within(plain, len(texts))
            if plain.dtype.kind != "u" or len(plain) != records:
                raise ValueError("a loop was given columns of different length, or codes below 0")
            self._held.append((plain, start, text))
            self._given[place] = _Column(
                address(plain, plain.dtype, records),
                plain.dtype.itemsize,
                address(start, np.int64, len(texts) + 1),
                address(text, np.uint8, len(text)),
            )
        longest = sum(int(np.diff(start).max(initial=0)) + 1 for _, start, _ in self._held)
        self._room, self._records = max(ROOM, longest), records

    def lines(self, rows: slice) -> list[memoryview]:
        """The lines of some records, in blocks."""
        write, found = function("lines_write", "piiiipip", "i"), []
        at, last = rows.start, min(rows.stop, self._records)
        while at < last:
            out, used = np.empty(self._room, np.uint8), c_int64()
            at = write(
                addressof(self._given),
                len(self._given),
                at,
                last,
                self._separator,
                address(out, np.uint8, len(out), write=True),
                len(out),
                addressof(used),
            )
            found.append(out[: used.value].data)
        return found


def packed_places(codes: Array, places: Array, bits: int, *, missing: bool) -> tuple[Array, Array]:
    """The places of codes in a dictionary, packed bit by bit, and a bit for each record that has a value.

    ``places`` has the place of each code. Where some are missing, whose code is 0, they have no place; where
    none is, there are no bits of records. Both end with whole groups of eight, as Parquet has them.
    """
    within(codes, len(places))
    within(places, 1 << bits)
    if not 1 <= bits <= MOST_BITS or codes.dtype.kind != "u" or codes.itemsize > 4:
        raise ValueError("a loop was given places or codes of a size that it does not know")
    groups = -(-len(codes) // 8)
    levels, out = np.empty(groups if missing else 0, np.uint8), np.empty(groups * bits + _SLACK, np.uint8)
    present = function("pages_pack", "piipipp", "i")(
        address(codes, codes.dtype, len(codes)),
        *(codes.itemsize, len(codes)),
        address(places, np.uint16, len(places)),
        bits,
        address(levels, np.uint8, len(levels), write=True) if missing else None,
        address(out, np.uint8, len(out), write=True),
    )
    return out[: -(-present // 8) * bits], levels
