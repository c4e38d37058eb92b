"""Records as lines of text, by compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import Structure, addressof, c_int64, c_void_p
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function, within

Array = npt.NDArray[Any]
ROOM = 1 << 22  # bytes of a block


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
