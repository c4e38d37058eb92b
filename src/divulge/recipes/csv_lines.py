"""A released table as lines of CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import datetime

from divulge._compiled.library import built
from divulge._compiled.lines import written_lines
from divulge.mechanisms.working_table import WorkingTable

_QUOTED = '"\r\n'


def csv_lines(table: WorkingTable, separator: str = ",") -> Iterator[bytes | memoryview]:
    """The header and the records in blocks of UTF-8; a missing value is an empty cell."""
    yield separator.join(cell(name, separator) for name in table.attributes).encode() + b"\n"
    alone = len(table.attributes) == 1  # an empty line would be no record
    empty = b'""' if alone else b""
    columns = [
        (column.codes, [empty, *(cell(value, separator).encode() for value in column.values)])
        for column in table.columns.values()
    ]
    if built():
        yield from written_lines(columns, separator.encode())
        return
    for row in zip(*([texts[code] for code in codes.tolist()] for codes, texts in columns), strict=True):
        yield separator.encode().join(row) + b"\n"


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
