"""Experiments of the papers on a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from divulge._support.wording import WIDTH, aligned
from divulge.report.reproduction.wording import Entry, head, in_all, reasons, rows, shown, verdict

MOST_ROWS = 40  # of a table


def text(document: Entry) -> str:
    """Every experiment with its numbers, then how many agree in all."""
    parts = ["\n".join(_experiment(entry)) for entry in document["experiments"]]
    return "\n\n\n".join([*parts, in_all(document)]) + "\n"


def _experiment(entry: Entry) -> Iterator[str]:
    yield f"{entry['paper']} {entry['item']}: {entry['title']}"
    yield _filled(f"{entry['where']}. {entry['shows']}")
    yield ""
    yield _filled(verdict(entry))
    if entry["numbers"]:
        yield ""
        yield from _indented(aligned(head(entry), rows(entry), right=(1, 2, 3)))
    yield from map(_filled, reasons(entry))
    for one in entry["claims"]:
        reason = f" {one['why']}" if one["why"] else ""
        yield _filled(f"{'Holds' if one['holds'] else 'Does not hold'}: {one['says']}{reason}")
    for table in entry["tables"]:
        yield ""
        yield _filled(table["title"])
        cells = [[shown(cell) for cell in row] for row in table["rows"][:MOST_ROWS]]
        yield from _indented(aligned(table["columns"], cells, right=_numeric(table["rows"])))
        if len(table["rows"]) > MOST_ROWS:
            yield f"    {len(table['rows']) - MOST_ROWS:,} more rows: --json or --report."
    for note in [*entry["notes"], *filter(None, [entry["caveat"]])]:
        yield ""
        yield _filled(note)


def _numeric(rows: Sequence[Sequence[object]]) -> list[int]:
    """The columns that hold numbers."""
    columns = enumerate(zip(*rows, strict=True))
    return [place for place, cells in columns if not any(isinstance(cell, str) for cell in cells)]


def _filled(words: str) -> str:
    return textwrap.fill(words, WIDTH, initial_indent="  ", subsequent_indent="  ")


def _indented(lines: list[str]) -> Iterator[str]:
    return (f"    {line}".rstrip() for line in lines)
