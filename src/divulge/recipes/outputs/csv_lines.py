"""A released table as lines of CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.lines import LineWriter
from divulge._support.threads import ahead, blocks
from divulge.mechanisms.working_table import WorkingTable

_ROWS = 1 << 15  # whose lines are made at a time, while those before are written
_QUOTED = '"\r\n'
_BLANK_AT_AN_END = re.compile(r"^\s|\s\s|\s$|^$")  # of a text, where a line end parts texts


def csv_lines(table: WorkingTable, separator: str = ",") -> Iterator[bytes | memoryview]:
    """The header and the records in blocks of UTF-8; a missing value is an empty cell."""
    yield separator.join(cell(name, separator) for name in table.attributes).encode() + b"\n"
    alone = len(table.attributes) == 1  # an empty line would be no record
    empty = b'""' if alone else b""
    yield from record_lines(
        [(column.codes, [empty, *cells(column.values, separator)]) for column in table.columns.values()],
        separator.encode(),
    )


def record_lines(
    columns: Sequence[tuple[npt.NDArray[np.unsignedinteger[Any]], Sequence[bytes]]], separator: bytes
) -> Iterator[bytes | memoryview]:
    """A line for each record, in blocks; a column is a code for each record and a text for each code."""
    if library.built():
        for lines in ahead(LineWriter(columns, separator).lines, blocks(len(columns[0][0]), _ROWS)):
            yield from lines
        return
    for row in zip(*([texts[code] for code in codes.tolist()] for codes, texts in columns), strict=True):
        yield separator.join(row) + b"\n"


def cells(values: Sequence[object], separator: str) -> list[bytes]:
    """Every value as a cell; plain texts and whole numbers are turned all at once.

    >>> cells(["Oslo", "Rome, Italy"], ","), cells(range(3), ",")
    ([b'Oslo', b'"Rome, Italy"'], [b'0', b'1', b'2'])
    """
    kinds = set(map(type, values))
    if kinds in ({str}, {int}):
        joined = "\n".join(map(str, values))
        plain = joined.count("\n") == len(values) - 1 and not any(
            sign in joined for sign in (separator, '"', "\r")
        )
        if plain and _BLANK_AT_AN_END.search(joined) is None:
            return joined.encode("utf-8", "replace").split(b"\n")
    return [cell(value, separator).encode("utf-8", "replace") for value in values]


def cell(value: object, separator: str) -> str:
    """A value as a cell, in quotation marks where it would be read as something else."""
    text = spelled(value)
    plain = (
        text and separator not in text and text == text.strip() and not any(one in text for one in _QUOTED)
    )
    if plain:
        return text
    out = io.StringIO()
    csv.writer(out, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="").writerow([text])
    return out.getvalue()


def spelled(value: object) -> str:
    """A value as text: true and false in small letters, times as ISO 8601 has them."""
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat(sep=" ") if isinstance(value, datetime) else str(value)
