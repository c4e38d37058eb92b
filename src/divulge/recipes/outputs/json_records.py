"""A release as JSON: an object for each record, in a list or line by line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from decimal import Decimal

from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.outputs.csv_lines import record_lines, spelled

Block = bytes | memoryview


def json_lines(table: WorkingTable, *, end: bytes = b"") -> Iterator[Block]:
    """An object on each line; a missing value is null."""
    names = list(table.columns)
    columns = []
    for place, (name, column) in enumerate(table.columns.items()):
        before = f"{'{' if place == 0 else ' '}{json.dumps(name, ensure_ascii=False)}: ".encode()
        after = b"}" + end if place == len(names) - 1 else b""
        texts = [json_text(None), *map(json_text, column.values)]
        columns.append((column.codes, [before + text.encode("utf-8", "replace") + after for text in texts]))
    yield from record_lines(columns, b",")


def json_list(table: WorkingTable) -> Iterator[Block]:
    """All objects in one list."""
    yield b"[\n"
    held: Block = b""
    for block in json_lines(table, end=b","):
        yield held
        held = bytes(block)  # the memory is used again for the next block
    yield held[: -len(b",\n")]
    yield b"\n]\n"


def json_text(value: object) -> str:
    """A value as JSON has it: numbers and truth values as such, everything else as text."""
    if isinstance(value, bool | int | None):
        return json.dumps(value)
    if isinstance(value, float | Decimal) and math.isfinite(value):
        return str(value)
    return json.dumps(spelled(value), ensure_ascii=False)
