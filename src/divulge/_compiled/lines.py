"""Records as lines of text, by compiled loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ctypes import Structure, addressof, c_int64, c_void_p
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function, within

Array = npt.NDArray[Any]
ROOM = 1 << 22


class _Column(Structure):
    _fields_ = [("codes", c_void_p), ("width", c_int64), ("start", c_void_p), ("text", c_void_p)]


def written_lines(columns: Sequence[tuple[Array, Sequence[bytes]]], separator: bytes) -> Iterator[memoryview]:
    """Lines in blocks; a column is a code for each record and a text for each code."""
    held, given = [], (_Column * len(columns))()
    records = len(columns[0][0])
    for place, (codes, texts) in enumerate(columns):
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        text = np.frombuffer(b"".join(texts) or b"\0", np.uint8)
        plain = np.ascontiguousarray(codes)
        within(plain, len(texts))
        if plain.dtype.kind != "u" or len(plain) != records:
            raise ValueError("a loop was given columns of different length, or codes below 0")
        held.append((plain, start, text))
        given[place] = _Column(
            address(plain, plain.dtype, records),
            plain.dtype.itemsize,
            address(start, np.int64, len(texts) + 1),
            address(text, np.uint8, len(text)),
        )
    longest = sum(int(np.diff(start).max(initial=0)) + 1 for _, start, _ in held)
    out, used, at = np.empty(max(ROOM, longest), np.uint8), c_int64(), 0
    write = function("lines_write", "piiiipip", "i")
    while at < records:
        at = write(
            addressof(given),
            len(columns),
            at,
            records,
            separator[0],
            address(out, np.uint8, len(out), write=True),
            len(out),
            addressof(used),
        )
        yield out[: used.value].data
