"""Published tables for the terminal: the result, cells at risk, and what attackers find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from divulge._support.wording import WIDTH, aligned, many, number
from divulge.errors import counted
from divulge.report.shared.lines import SIGN, wrapped
from divulge.report.shared.tables import Document, ReportTable
from divulge.report.table import tables as tables
from divulge.report.table.wording import protection_sentence, rules_sentence

MOST_ROWS = 15


def text(document: Document, *, width: int = WIDTH, files: Sequence[tuple[str, str]] = ()) -> str:
    """The document as plain lines; ``files`` are what was written, each with what it is."""
    lines = [
        *wrapped(f"{SIGN[document['outcome']]}: {document['sentence']}", "", width),
        *wrapped(f"Rules: {rules_sentence(document['rules'])}.", "", width),
    ]
    for entry in document["linked"]:
        lines += ["", *_entry(entry, width)]
    for title, found in (
        ("Cells that fail or were not audited", _failed(document)),
        ("Attacks on contributors", tables.attacks(document)),
        ("Groups in one category", tables.groups(document)),
        ("Cells at risk at coarser levels", tables.recoding(document)),
        ("What one attribute says of the other", tables.joint(document)),
    ):
        lines += _table(title, found)
    lines += ["", *(f"{what}: {where}" for what, where in files)] if files else []
    return "\n".join(lines).rstrip() + "\n"


def _entry(entry: Document, width: int) -> Iterator[str]:
    named = ", ".join(" x ".join(one["by"]) for one in entry["tables"])
    yield from wrapped(
        f"{entry['name']} by {named}: {counted(entry['cells'], 'cell')}, "
        f"{counted(entry['sums'], 'sum')} between them.",
        "",
        width,
    )
    for rule, cells in entry["cells_by_rule"].items():
        yield f"  {rule}: {counted(cells, 'cell')}"
    yield from wrapped(protection_sentence(entry), "  ", width)
    for note in (*entry["notes"], *entry["audit"]["not_audited"]):
        yield from wrapped(note, "  - ", width)


def _failed(document: Document) -> ReportTable:
    found = tables.audited(document)
    return ReportTable(found.head, [row for row in found.rows if row[4] in ("Fails", "Not evaluated")])


def _table(title: str, found: ReportTable) -> list[str]:
    if not found.rows:
        return []
    rows = [[_cell(value) for value in row] for row in found.rows[:MOST_ROWS]]
    right = {place for place, one in enumerate(found.head) if one.kind in ("count", "number")}
    more = len(found.rows) - MOST_ROWS
    said = [f"and {many(more)} more; --json has all of them"] if more > 0 else []
    return ["", f"{title}:", *aligned([one.title for one in found.head], rows, right=right), *said]


def _cell(value: object) -> str:
    return (
        many(value) if isinstance(value, int) else number(value) if isinstance(value, float) else str(value)
    )
