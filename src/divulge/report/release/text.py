"""A release simulation for the terminal: what was released, of which targets, and under which rules."""

from __future__ import annotations

from collections.abc import Iterator

from divulge._support.wording import WIDTH, aligned, many
from divulge.report.release import tables as tables
from divulge.report.release.wording import answer, headline, passing, rules, shortened
from divulge.report.shared.formats import cell, clipped, listing
from divulge.report.shared.lines import wrapped
from divulge.report.shared.tables import Document, ReportTable

MOST_TARGETS = 20
LONGEST = 22  # signs of a name
SHORT = {
    "standard deviation": "+/-",
    "refused for good": "refused",
    "share released": "share",
    "fitting the baseline": "fitting",
    "released with": "with",
}


def text(document: Document) -> str:
    """The document as plain lines, none wider than a terminal."""
    lines = [
        *_asked(document),
        *_answer(document),
        *_tables(document),
        "",
        *wrapped(" ".join(rules(document)), "", WIDTH),
    ]
    return "\n".join(lines) + "\n"


def _asked(document: Document) -> Iterator[str]:
    targets, runs = len(document["targets"]), document["runs"]
    yield from wrapped(
        f"{clipped(document['source'], 60)}: {many(document['records'])} records, "
        f"{many(document['values'])} values of {listing(document['x'])}, {many(targets)} targets of "
        f"{listing(document['y'])}",
        "",
        WIDTH,
    )
    asked = f"{many(document['requests'])} requests, seed {document['seed']}"
    yield f"{many(runs)} run{'s'[: runs != 1]} of {asked}"


def _answer(document: Document) -> Iterator[str]:
    yield ""
    yield from wrapped(f"{headline(document)}.", "", WIDTH)
    for sentence in answer(document):
        yield from wrapped(sentence, "  ", WIDTH)


def _tables(document: Document) -> Iterator[str]:
    yield ""
    table = tables.by_target(document)
    if document["refused"]:  # a line has no room for both
        table = tables.without(table, "standard deviation")
    yield from _of_targets(table, document)

    if document.get("each"):
        yield ""
        yield "Released on average with each test by itself, on the same requests:"
        yield from _of_targets(tables.by_test(document), document)
    yield ""
    yield f"{passing(document)}:"
    yield from _aligned(tables.passed(document))


def _of_targets(table: ReportTable, document: Document) -> Iterator[str]:
    """The rows of targets that lose most, and the last one of all targets together."""
    chosen = [table.rows[place] for place in tables.losing(document, MOST_TARGETS)]
    yield from _aligned(ReportTable(table.head, [*chosen, table.rows[-1]]))
    left_out = len(document["by_target"]) - len(chosen)
    if left_out:
        yield f"  ... and {many(left_out)} targets that lose less, with --json"


def _aligned(table: ReportTable) -> Iterator[str]:
    """Lines of a table: names left, numbers right, a rule under the head."""
    head = [_short(column.title) for column in table.head]
    names = shortened((str(row[0]) for row in table.rows), LONGEST)
    kinds = [column.kind for column in table.head[1:]]
    cells = [
        [names[str(row[0])], *(cell(value, kind) for value, kind in zip(row[1:], kinds, strict=True))]
        for row in table.rows
    ]
    yield from aligned(head, cells, right=range(1, len(head)))


def _short(title: str) -> str:
    short = SHORT.get(title) or title.removeprefix("released with ").removeprefix("passes ")
    return clipped(short, LONGEST)
