"""Parquet files straight to codes: their dictionaries already number values, so that none has to be made."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.reading import (
    NOWHERE,
    PACKINGS,
    SLACK,
    Page,
    joined_pages,
    page_codes,
    page_header,
    unpacked_snappy,
)
from divulge._support.threads import ahead
from divulge.source.dictionary import Dictionary
from divulge.source.frames.large_pages import side_by_side
from divulge.source.integers import Span
from divulge.table.codes import Codes, code_type

Bytes = npt.NDArray[np.uint8]
Table = npt.NDArray[np.uint32]
_WIDTHS = {"INT32": 4, "INT64": 8, "BYTE_ARRAY": 0}
_BY_ARROW = {"ZSTD": "zstd", "GZIP": "gzip", "BROTLI": "brotli", "LZ4_RAW": "lz4_raw"}
_DICTIONARY, _DATA_2, _PLAIN = 2, 3, {0, 2}
_TOGETHER = 1 << 18  # bytes that pages hold which are unpacked by one call: each call makes tables of its own
_MOST_VALUES = 1 << 30  # of one attribute: a table has a bit to spare


class _NotKnown(Exception):
    """Something in a column that other readers know, or refuse in their own words."""


@dataclass(frozen=True)
class Chunk:
    """Where a file has the values of an attribute in one group of its rows."""

    first: int  # record
    records: int
    kind: str
    packing: str
    dictionary: int | None  # where in the file its dictionary begins
    begin: int
    end: int
    optional: bool  # whether values may be missing
    bounds: Span | None = None  # between which the file says its integers are

    @property
    def start(self) -> int:
        """Where the first page is, that of the dictionary if there is one."""
        return self.dictionary or self.begin

    @property
    def is_readable(self) -> bool:
        """Whether there is a reader here for how it is written, as far as the file describes it."""
        packing = self.packing in PACKINGS or (self.packing in _BY_ARROW and _has_arrow())
        return packing and self.kind in _WIDTHS and (bool(self.dictionary) or self.kind != "BYTE_ARRAY")


@dataclass(frozen=True, eq=False)
class WrittenColumn:
    """The values of an attribute, and for each group of rows what the entries of its dictionary are numbered.

    Integers that lie close together are numbered by their span instead.
    """

    values: Sequence[object]
    parts: Sequence[tuple[Chunk, Span | Table]]

    @property
    def kind(self) -> type[np.unsignedinteger[Any]]:
        """The type of its codes."""
        return code_type(len(self.values))


class PageReader:
    """Reads pages of a file into a room of its own, since getting room anew takes longer than reading."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._room = np.empty(0, np.uint8)

    def fill(self, part: tuple[Chunk, Span | Table], out: npt.NDArray[Any]) -> bool:
        """Write the codes of a group of rows; false where something in it is not known here."""
        chunk, known = part
        size = chunk.end - chunk.start + SLACK
        if len(self._room) < size:
            self._room = np.empty(size + size // 4, np.uint8)
        try:
            return _fill(chunk, _bytes(self.path, chunk.start, chunk.end, self._room), known, out)
        except _NotKnown:
            return False


def written_columns(
    path: Path, columns: Mapping[str, Sequence[Chunk]], spans: Mapping[str, Span], records: int
) -> dict[str, WrittenColumn]:
    """Those attributes that are written in a way known here: by dictionaries, or as plain integers."""
    found: dict[str, WrittenColumn] = {}
    if not library.built():
        return found
    for attribute, chunks in columns.items():
        span = spans.get(attribute)
        if not all(chunk.is_readable for chunk in chunks):
            continue
        if span is not None and span.is_dense(records) and span.high - span.low < _MOST_VALUES:
            values = range(span.low, span.high + 1)
            found[attribute] = WrittenColumn(values, [(chunk, span) for chunk in chunks])
        elif all(chunk.dictionary for chunk in chunks):
            try:
                found[attribute] = _numbered(path, attribute, chunks)
            except (_NotKnown, ValueError):
                continue
    return found


def read_codes(path: Path, columns: Mapping[str, WrittenColumn], records: int) -> dict[str, Codes]:
    """Codes of attributes, but of those in which something turns out not to be known here."""
    found = {name: Codes(side_by_side(records, one.kind), one.values) for name, one in columns.items()}
    own = threading.local()

    def read(job: tuple[str, tuple[Chunk, Span | Table]]) -> str | None:
        attribute, part = job
        if not hasattr(own, "reader"):
            own.reader = PageReader(path)
        out = found[attribute].codes[part[0].first : part[0].first + part[0].records]
        return None if own.reader.fill(part, out) else attribute

    jobs = [(name, part) for name, column in columns.items() for part in column.parts]
    failed = set(ahead(read, jobs))
    return {attribute: codes for attribute, codes in found.items() if attribute not in failed}


def _fill(chunk: Chunk, pages: Bytes, known: Span | Table, out: npt.NDArray[Any]) -> bool:
    """Write the codes of a group of rows, by its table or by the span of integers; whether that was known."""
    integers = (0, 0, 0)
    if isinstance(known, Span):
        width = _WIDTHS[chunk.kind]
        integers = width, known.low, known.high
        numbers = _integers(*_entries(pages, chunk), width) if chunk.dictionary else np.zeros(0, np.int64)
        table = _table(_span_codes(known, numbers))
    else:
        table = known
    pages = pages[chunk.begin - chunk.start :]
    packing = PACKINGS.get(chunk.packing)
    if packing is not None:
        return page_codes(pages, packing, table, out, optional=chunk.optional, integers=integers)
    while len(out):
        size, records, unpacked = _next(pages, chunk.packing, len(out))
        how: dict[str, Any] = {"optional": chunk.optional, "integers": integers, "unpacked": unpacked}
        if records and not page_codes(pages, 0, table, out[:records], **how):
            return False
        pages, out = pages[size:], out[records:]
    return True


def _next(pages: Bytes, packing: str, records: int) -> tuple[int, int, Bytes | None]:
    """How many bytes the next page or pages have, their records, and what they hold, with slack behind it."""
    if packing == "ZSTD":  # what is packed may follow another, and slack is packed behind the last
        slack = _codec(packing).compress(bytes(SLACK), asbytes=True)
        room = np.empty(len(pages) + len(slack), np.uint8)
        found = joined_pages(pages, records, _TOGETHER, room)
        if found is not None and found.records:
            packed = room[: found.packed + len(slack)]
            packed[found.packed :] = np.frombuffer(slack, np.uint8)
            return found.pages, found.records, _decompressed(packing, packed, found.size + SLACK)
    page = page_header(pages)
    if page is None or not 0 <= page.values <= records:
        raise _NotKnown
    size = page.body + page.packed_size
    if page.kind == _DICTIONARY:
        return size, 0, None
    return size, page.values, _unpacked(pages, page, packing)


def _decompressed(packing: str, packed: Bytes, size: int) -> Bytes:
    """What packed bytes hold, which has to be so many."""
    try:
        return np.frombuffer(_codec(packing).decompress(packed, size, memory_pool=_pool()), np.uint8)
    except (OSError, ValueError):
        raise _NotKnown from None


def _numbered(path: Path, attribute: str, chunks: Sequence[Chunk]) -> WrittenColumn:
    """The values of all dictionaries of an attribute, each once, and the numbers of the entries of each."""
    dictionary = Dictionary(attribute)
    parts = []
    for chunk in chunks:
        width = _WIDTHS[chunk.kind]
        entries = _entries(_bytes(path, chunk.start, chunk.begin), chunk)
        values = _integers(*entries, width).tolist() if width else _texts(*entries)
        parts.append((chunk, _table(dictionary.codes(values))))
    return WrittenColumn(dictionary.values, parts)


def _table(codes: Sequence[int] | npt.NDArray[Any]) -> Table:
    """Codes of places, as many as a whole number of bits tells apart."""
    table = np.full(1 << max((len(codes) - 1).bit_length(), 1), NOWHERE, np.uint32)
    table[: len(codes)] = codes
    return table


def _span_codes(span: Span, numbers: npt.NDArray[Any]) -> Table:
    """The codes of integers by how far they are from the lowest; nowhere if they are not within the span."""
    there = (numbers >= span.low) & (numbers <= span.high)
    return np.where(there, numbers - (span.low - 1), NOWHERE).astype(np.uint32)


def _integers(body: Bytes, entries: int, width: int) -> npt.NDArray[np.int64]:
    """The integers of a dictionary."""
    if len(body) < entries * width:
        raise _NotKnown
    return np.frombuffer(body, f"<i{width}", entries).astype(np.int64)


def _texts(body: Bytes, entries: int) -> list[str]:
    """The texts of a dictionary, each behind its length."""
    data, at, texts = body.tobytes(), 0, []
    for _ in range(entries):
        begin = at + 4
        at = begin + int.from_bytes(data[at:begin], "little")
        if at > len(data):
            raise _NotKnown
        texts.append(data[begin:at].decode())
    return texts


def _entries(pages: Bytes, chunk: Chunk) -> tuple[Bytes, int]:
    """The bytes of the dictionary that pages begin with, and how many entries it has."""
    page = page_header(pages)
    if page is None or page.kind != _DICTIONARY or page.encoding not in _PLAIN or page.values < 0:
        raise _NotKnown
    return _unpacked(pages, page, chunk.packing)[: page.size], page.values


def _unpacked(pages: Bytes, page: Page, packing: str) -> Bytes:
    """What a page holds, with slack behind it: the levels of a page of version 2 are never packed."""
    body = pages[page.body : page.body + page.packed_size + SLACK]
    levels = page.level_bytes + page.repeat_bytes if page.kind == _DATA_2 else 0
    if packing == "UNCOMPRESSED" or not page.packed or page.size == levels:
        if page.size > page.packed_size:
            raise _NotKnown
        return body
    if packing == "SNAPPY" and not levels:
        found = unpacked_snappy(body, page.size)
        if found is None:
            raise _NotKnown
        return found
    whole = np.empty(page.size + SLACK, np.uint8)
    whole[:levels] = body[:levels]
    whole[levels : page.size] = _decompressed(packing, body[levels:-SLACK], page.size - levels)
    return whole


@lru_cache(maxsize=1)
def _has_arrow() -> bool:
    return find_spec("pyarrow") is not None


def _pool() -> Any:
    """The system's memory: pools of pyarrow's own keep tens of megabytes for what is gone at once."""
    import pyarrow

    return pyarrow.system_memory_pool()


def _codec(packing: str) -> Any:
    import pyarrow

    return pyarrow.Codec(_BY_ARROW[packing])


def _bytes(path: Path, begin: int, end: int, room: Bytes | None = None) -> Bytes:
    """A stretch of a file with slack behind it, in a room that is large enough if one is given."""
    if not 0 <= begin <= end:
        raise _NotKnown
    size = end - begin
    found = np.empty(size + SLACK, np.uint8) if room is None else room[: size + SLACK]
    with path.open("rb", buffering=0) as file:
        file.seek(begin)
        if file.readinto(found.data[:size]) != size:
            raise _NotKnown
    return found
