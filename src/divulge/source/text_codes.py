"""Plain CSV files read straight to codes by compiled loops, block by block, a thread for each processor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.reading import LineReader, Texts, lines_end, ordered, renumber
from divulge._support.threads import ahead, cores
from divulge.source.dialect import Dialect
from divulge.table.codes import Codes, code_type

Array = npt.NDArray[Any]
BLOCK = 1 << 20  # bytes that are read at a time
_LONGEST_LINE = 1 << 26  # bytes; who has longer ones reads them another way


class CodedText(NamedTuple):
    """How many records a file has, and the codes of each column by its place."""

    records: int
    column: Callable[[int], Codes]


class _Part(NamedTuple):
    """Lines as codes of the reader that read them, a column each."""

    reader: int
    records: int
    columns: list[Array]


class _Doubtful(Exception):
    """Lines that could be read in several ways, or not at all."""


def read_codes(path: Path, dialect: Dialect) -> CodedText | None:
    """All columns of a CSV file as codes, values in the order of their bytes.

    None where anything about the file is doubtful, and where no loops were built: then it takes another
    reader to read it, or to say what is wrong.
    """
    separator, quote = dialect.separator.encode(), dialect.quote.encode()
    names_span_lines = dialect.headed and any(sign in name for name in dialect.header for sign in "\r\n")
    plain = dialect.is_utf8 and dialect.comment is None and not names_span_lines
    if not (plain and library.built() and len(separator) == 1 and len(quote) <= 1 and separator != quote):
        return None
    try:
        with path.open("rb") as file:
            _skip_lines(file, dialect)
            return _coded(file, path.stat().st_size, len(dialect.header), separator, quote)
    except _Doubtful:
        return None


def _skip_lines(file: IO[bytes], dialect: Dialect) -> None:
    """Leave out what comes before the first record."""
    if dialect.encoding == "utf-8-sig":
        file.seek(3)
    for _ in range(dialect.before + dialect.skip):
        line = file.readline(_LONGEST_LINE)
        if b"\r" in line.removesuffix(b"\n").removesuffix(b"\r") or b"\0" in line:
            raise _Doubtful


def _blocks(file: IO[bytes], quote: bytes) -> Iterator[bytearray]:
    """Whole lines, about as many bytes at a time."""
    begun = bytearray()
    while read := file.read(max(BLOCK, len(begun))):
        begun += read
        end = lines_end(begun, quote)
        if end:
            block, begun = begun, begun[end:]
            del block[end:]
            yield block
        elif len(begun) > _LONGEST_LINE:
            raise _Doubtful
    if begun:
        yield begun


def _coded(file: IO[bytes], size: int, width: int, separator: bytes, quote: bytes) -> CodedText:
    threads = min(cores(), 1 + size // (2 * BLOCK))
    readers = [LineReader(width, separator, quote) for _ in range(threads)]
    idle: SimpleQueue[int] = SimpleQueue()
    for place in range(threads):
        idle.put(place)

    def read(block: bytearray) -> _Part:
        place = idle.get()
        try:
            return _read_block(readers[place], place, block)
        finally:
            idle.put(place)

    blocks = _blocks(file, quote)
    parts = list(map(read, blocks) if threads == 1 else ahead(read, blocks))
    records = sum(part.records for part in parts)

    def joined(place: int) -> tuple[Array, Texts]:
        codes, texts = _joined([reader.texts(place) for reader in readers], parts, place, records)
        _refuse_other_encodings(texts)
        return codes, texts

    columns = list(map(joined, range(width)) if threads == 1 else ahead(joined, range(width)))

    def column(place: int) -> Codes:
        codes, texts = columns[place]
        return Codes(codes, decoded(texts))

    return CodedText(records, column)


def _read_block(reader: LineReader, place: int, block: bytearray) -> _Part:
    codes = reader.read(block, block.count(b"\n") + 1)
    if codes is None:
        raise _Doubtful
    narrow = [one.astype(code_type(int(one.max(initial=0)))) for one in codes]
    return _Part(place, codes.shape[1], narrow)


def _joined(texts: list[Texts], parts: list[_Part], place: int, records: int) -> tuple[Array, Texts]:
    """A column of all parts, its texts numbered in the order of their bytes; what parts held is let go."""
    together = texts[0]
    if len(texts) > 1:
        together = Texts(*(np.concatenate(arrays) for arrays in zip(*texts, strict=True)))
    number, kept = ordered(together)
    firsts = np.cumsum([0, *(len(one.length) for one in texts)])
    tables = [np.concatenate([[0], number[a:b]]).astype(np.uint32) for a, b in pairwise(firsts)]
    codes = np.empty(records, code_type(len(kept.length)))
    first = 0
    for part in parts:
        renumber(tables[part.reader], part.columns[place], codes[first : first + part.records])
        part.columns[place] = part.columns[place][:0]
        first += part.records
    return codes, kept


def _refuse_other_encodings(texts: Texts) -> None:
    """Doubt bytes that are no UTF-8."""
    try:
        decoded(texts) if texts.text.max(initial=0) > 127 else None
    except UnicodeDecodeError:
        raise _Doubtful from None


def decoded(texts: Texts) -> list[str]:
    """Texts as Python has them.

    >>> decoded(Texts(np.frombuffer("aéz".encode(), np.uint8), np.array([1, 3])))
    ['a', 'éz']
    """
    whole = texts.text.tobytes()
    ends = np.cumsum(texts.length).tolist()
    if whole.isascii():
        letters = whole.decode("ascii")
        return [letters[a:b] for a, b in pairwise([0, *ends])]
    return [whole[a:b].decode() for a, b in pairwise([0, *ends])]
