"""Headers of pages and the footer of a Parquet file, in Thrift's compact protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from divulge.recipes.outputs.column_kinds import Kind

INT32, INT64, DOUBLE, BYTE_ARRAY = 1, 2, 5, 6
PHYSICAL: dict[Kind, int] = {"integer": INT64, "float": DOUBLE, "date": INT32, "text": BYTE_ARRAY}
_PLAIN, _RLE, _RLE_DICTIONARY = 0, 3, 8
_DATA_PAGE, _DICTIONARY_PAGE = 0, 2
_REQUIRED, _OPTIONAL = 0, 1
_UNCOMPRESSED = 0
_SHORT, _I32, _I64, _BINARY, _LIST, _STRUCT = 4, 5, 6, 8, 9, 12
_LONG_LIST = 15  # entries from which on their count stands apart

Field = tuple[int, int, bytes]  # its number, its type, and its value as bytes


class ReleasedChunk(NamedTuple):
    """A column of a row group, as the footer has it."""

    size: int  # all bytes of it
    dictionary_bytes: int  # header and body of its first page
    values: int  # missing ones among them
    missing: int
    bounds: tuple[bytes, bytes] | None  # the lowest and the highest value


def varint(number: int) -> bytes:
    """A number from 0 on, seven bits a byte.

    >>> varint(300).hex()
    'ac02'
    """
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def dictionary_header(size: int, entries: int) -> bytes:
    """The header of a page that has each value once."""
    return _page(_DICTIONARY_PAGE, size, _struct(7, _integer(1, entries), _integer(2, _PLAIN)))


def data_header(size: int, values: int) -> bytes:
    """The header of a page of places in the dictionary."""
    encodings = _integer(2, _RLE_DICTIONARY), _integer(3, _RLE), _integer(4, _RLE)
    return _page(_DATA_PAGE, size, _struct(5, _integer(1, values), *encodings))


def footer(
    columns: Sequence[tuple[str, Kind]], groups: Sequence[tuple[int, Sequence[ReleasedChunk]]], start: int
) -> bytes:
    """What stands behind the row groups, the first of which begins at a byte; each with its count of rows."""
    root = _fields(_integer(3, _REQUIRED), _text(4, "schema"), _integer(5, len(columns)))
    written, at = [], start
    for ordinal, (rows, chunks) in enumerate(groups):
        begun, told = at, []
        for (name, kind), chunk in zip(columns, chunks, strict=True):
            told.append(_fields(_integer(2, 0, _I64), _struct(3, *_column(name, kind, chunk, at))))
            at += chunk.size
        sizes = _integer(2, at - begun, _I64), _integer(3, rows, _I64), _integer(5, begun, _I64)
        # The ordinal has two bytes, and may be left out.
        number = [_integer(7, ordinal, _SHORT)] if ordinal < 1 << 15 else []
        written.append(_fields(_list(1, _STRUCT, told), *sizes, _integer(6, at - begun, _I64), *number))
    found = _fields(
        _integer(1, 2),
        _list(2, _STRUCT, [root, *(_schema(name, kind) for name, kind in columns)]),
        _integer(3, sum(rows for rows, _ in groups), _I64),
        _list(4, _STRUCT, written),
        _text(6, "divulge"),
        _list(7, _STRUCT, [_fields(_struct(1))] * len(columns)),  # bounds are in the order of the type
    )
    return found + len(found).to_bytes(4, "little") + b"PAR1"


def _schema(name: str, kind: Kind) -> bytes:
    plain = _integer(1, PHYSICAL[kind]), _integer(3, _OPTIONAL), _text(4, name)
    if kind == "text":
        return _fields(*plain, _integer(6, 0), _struct(10, _struct(1)))
    return _fields(*plain, _integer(6, 6), _struct(10, _struct(6))) if kind == "date" else _fields(*plain)


def _column(name: str, kind: Kind, chunk: ReleasedChunk, at: int) -> list[Field]:
    encodings = [_zigzag(one) for one in (_PLAIN, _RLE, _RLE_DICTIONARY)]
    found = [
        _integer(1, PHYSICAL[kind]),
        _list(2, _I32, encodings),
        _list(3, _BINARY, [_text(0, name)[2]]),
        _integer(4, _UNCOMPRESSED),
        _integer(5, chunk.values, _I64),
        _integer(6, chunk.size, _I64),
        _integer(7, chunk.size, _I64),
        _integer(9, at + chunk.dictionary_bytes, _I64),
        _integer(11, at, _I64),
    ]
    if kind == "text":
        return found
    bounds = [] if chunk.bounds is None else [_bytes(5, chunk.bounds[1]), _bytes(6, chunk.bounds[0])]
    return [*found, _struct(12, _integer(3, chunk.missing, _I64), *bounds)]


def _page(kind: int, size: int, header: Field) -> bytes:
    return _fields(_integer(1, kind), _integer(2, size), _integer(3, size), header)


def _fields(*fields: Field) -> bytes:
    """A struct; numbers of fields are at most 15 apart."""
    found, last = [], 0
    for number, kind, value in fields:
        found.append(bytes([number - last << 4 | kind]) + value)
        last = number
    return b"".join(found) + b"\0"


def _struct(number: int, *fields: Field) -> Field:
    return number, _STRUCT, _fields(*fields)


def _zigzag(number: int) -> bytes:
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


def _integer(number: int, value: int, kind: int = _I32) -> Field:
    return number, kind, _zigzag(value)


def _bytes(number: int, value: bytes) -> Field:
    return number, _BINARY, varint(len(value)) + value


def _text(number: int, value: str) -> Field:
    return _bytes(number, value.encode())


def _list(number: int, kind: int, entries: Sequence[bytes]) -> Field:
    few = len(entries) < _LONG_LIST
    head = bytes([len(entries) << 4 | kind]) if few else bytes([0xF0 | kind]) + varint(len(entries))
    return number, _LIST, head + b"".join(entries)
