"""A release as a Parquet file written straight from codes: the values once, and places in their list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.lines import MOST_BITS, packed_places
from divulge._support.threads import ahead, blocks
from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.outputs.column_kinds import Kind, kind_of
from divulge.recipes.outputs.csv_lines import spelled
from divulge.recipes.outputs.parquet_headers import (
    PHYSICAL,
    ReleasedChunk,
    data_header,
    dictionary_header,
    footer,
    varint,
)
from divulge.table.codes import MISSING, Codes

Array = npt.NDArray[Any]
_ROW_GROUP = 1 << 18  # rows
_MOST_BYTES = 1 << 24  # of a list of values, which every row group may repeat
_RUN_BYTES = 5  # of a run of one place, at most, while it has less than 2^20 rows
_MAGIC = b"PAR1"
_EPOCH = 719_163  # the day 1970-01-01, counted as Python counts days
_NUMBERS: dict[Kind, str] = {"integer": "<i8", "float": "<f8", "date": "<i4"}


@dataclass(frozen=True)
class _Column:
    """A column that is written straight from its codes."""

    name: str
    kind: Kind
    codes: Array
    used: Array  # codes that occur, without that for missing
    values: Array  # the value of each of them: a number, or the bytes of a text with their length before them

    def chunk(self, rows: slice) -> tuple[ReleasedChunk, list[bytes | memoryview]]:
        """Some rows: a page of the values that occur in them, and a page of places."""
        codes = np.ascontiguousarray(self.codes[rows])
        most = int(self.used[-1]) if len(self.used) else 0
        frequencies = Codes(codes, range(most)).frequencies()
        missing, there = int(frequencies[MISSING]), frequencies[self.used] > 0
        values = self.values if there.all() else self.values[there]
        listed = b"".join(values.tolist()) if self.kind == "text" else values.tobytes()
        places = np.zeros(most + 1, np.uint16)
        places[self.used[there]] = np.arange(len(values))
        body = _page(codes, places, len(values), missing)
        head = dictionary_header(len(listed), len(values))
        behind = data_header(sum(map(len, body)), len(codes))
        bounds = None if self.kind == "text" else _bounds(values)
        pages = [head, listed, behind, *body]
        size, first = sum(map(len, pages)), len(head) + len(listed)
        return ReleasedChunk(size, first, len(codes), missing, bounds), pages


def write_from_codes(table: WorkingTable, path: Path) -> bool:
    """Write the table if all columns are numbers, days or texts of not too many values; whether it did."""
    known: list[_Column] = []
    for name, column in table.columns.items():
        found = _column(name, column)
        if found is None:
            return False
        known.append(found)
    if not table.records or not known:
        return False
    groups = blocks(table.records, _ROW_GROUP)
    written: list[ReleasedChunk] = []
    with path.open("wb") as file:
        file.write(_MAGIC)
        for chunk, pages in ahead(lambda one: one[1].chunk(one[0]), product(groups, known)):
            file.writelines(pages)
            written.append(chunk)
        parts = [written[first : first + len(known)] for first in range(0, len(written), len(known))]
        told = [(rows.stop - rows.start, chunks) for rows, chunks in zip(groups, parts, strict=True)]
        file.write(footer([(one.name, one.kind) for one in known], told, len(_MAGIC)))
    return True


def _column(name: str, column: Codes) -> _Column | None:
    """A column whose values fit into dictionaries; None where they do not, or are of another type."""
    if column.cardinality > 1 << MOST_BITS or column.codes.itemsize > 4:
        return None
    kind = kind_of(column)
    if kind not in PHYSICAL:
        return None
    used = column.used()
    used = used[used != MISSING]
    values = _values(column, kind, used)
    size = sum(map(len, values)) if kind == "text" else values.nbytes
    return _Column(name, kind, column.codes, used, values) if size <= _MOST_BYTES else None


def _values(column: Codes, kind: Kind, used: Array) -> Array:
    if kind == "text":
        texts = [spelled(one).encode() for one in column.values_of(used)]
        found = np.empty(len(texts), object)
        found[:] = [len(text).to_bytes(4, "little") + text for text in texts]
        return found
    if isinstance(column.values, range):
        return (column.values.start + (used - 1) * column.values.step).astype(_NUMBERS[kind])
    values: Sequence[Any] = column.values_of(used)
    numbers = [one.toordinal() - _EPOCH for one in values] if kind == "date" else values
    return np.array(numbers, _NUMBERS[kind])


def _bounds(values: Array) -> tuple[bytes, bytes] | None:
    """The lowest and the highest value; None where there is none, or one that is no number."""
    if not len(values) or (values.dtype.kind == "f" and np.isnan(values).any()):
        return None
    low, high = values.min(), values.max()
    if values.dtype.kind == "f":  # 0.0 and -0.0 are alike, and Parquet wants the wider of them
        low, high = (-0.0 if low == 0 else low), (0.0 if high == 0 else high)
    return np.array(low, values.dtype).tobytes(), np.array(high, values.dtype).tobytes()


def _page(codes: Array, places: Array, entries: int, missing: int) -> list[bytes | memoryview]:
    """The body of a page: which records have a value, and the places of these in the list of values."""
    bits = max(1, (entries - 1).bit_length())
    pack = packed_places if library.built() else plain_places
    packed, present = pack(codes, places, bits, missing=missing > 0)
    every = [varint(len(codes) << 1), b"\1"]
    levels = [varint(len(present) << 1 | 1), present.data] if missing else every
    size = sum(map(len, levels)).to_bytes(4, "little")
    runs = [varint(len(packed) // bits << 1 | 1), packed.data]
    if _RUN_BYTES * (1 + np.count_nonzero(codes[1:] != codes[:-1])) < len(packed):
        runs = [_repeated(codes[codes != MISSING] if missing else codes, places, bits).data]
    return [size, *levels, bytes([bits]), *(runs if entries else [])]


def _repeated(codes: Array, places: Array, bits: int) -> Array:
    """Runs of one place each: twice how often it is there, seven bits a byte, and the place."""
    first = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]]))
    twice = np.diff(first, append=len(codes)) << 1
    found, kept = [], []
    for shift in range(0, int(twice.max()).bit_length(), 7):
        found.append(twice >> shift & 127 | np.where(twice >> shift + 7, 128, 0))
        kept.append(twice >> shift > 0)
    for shift in range(0, bits, 8):
        found.append(places[codes[first]].astype(np.int64) >> shift & 255)
        kept.append(np.ones(len(first), bool))
    return np.stack(found, axis=1)[np.stack(kept, axis=1)].astype(np.uint8)


def plain_places(codes: Array, places: Array, bits: int, *, missing: bool) -> tuple[Array, Array]:
    """What the loop of the same kind finds, by NumPy."""
    there = codes != MISSING
    found = places[codes[there] if missing else codes].astype(np.uint32)
    whole = np.zeros(-(-len(found) // 8) * 8, np.uint32)
    whole[: len(found)] = found
    of_places = (whole[:, None] >> np.arange(bits, dtype=np.uint32) & 1).astype(np.uint8)
    packed = np.packbits(of_places, bitorder="little")
    return packed, np.packbits(there if missing else there[:0], bitorder="little")
