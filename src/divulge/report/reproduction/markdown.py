"""Experiments of the papers as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from divulge.report.audit.markdown import plain, table
from divulge.report.reproduction.wording import Entry, head, in_all, reasons, rows, shown, verdict


def markdown(document: Entry) -> str:
    """The document as Markdown: a part for each experiment."""
    lines = ["# The papers, reproduced", "", in_all(document), ""]
    for entry in document["experiments"]:
        lines += _experiment(entry)
    return "\n".join(lines).rstrip() + "\n"


def _experiment(entry: Entry) -> Iterator[str]:
    yield from (f"## {plain(entry['title'])}", "")
    yield from (plain(f"{entry['where']}. {entry['shows']}"), "", plain(verdict(entry)), "")
    if entry["numbers"]:
        yield from table(head(entry), rows(entry))
    yield from _listed(reasons(entry))
    yield from _listed(
        [
            f"{'Holds' if one['holds'] else 'Does not hold'}: {one['says']} {one['why']}".rstrip()
            for one in entry["claims"]
        ]
    )
    for one in entry["tables"]:
        yield from (f"**{plain(one['title'])}**", "")
        yield from table(one["columns"], [[shown(cell) for cell in row] for row in one["rows"]])
    for note in [*entry["notes"], *filter(None, [entry["caveat"]])]:
        yield from (plain(note), "")


def _listed(lines: Sequence[str]) -> Iterator[str]:
    yield from (f"- {plain(line)}" for line in lines)
    if lines:
        yield ""
