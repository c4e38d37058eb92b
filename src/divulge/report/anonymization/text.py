"""A search for the terminal: the result, checks before and after, levels, the proof, those that come next."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from divulge._support.wording import WIDTH, aligned, capitalized
from divulge.report.anonymization import tables as tables
from divulge.report.anonymization.wording import groups, headline, proved, released, roles, too_late, warned
from divulge.report.shared.lines import SIGN, wrapped
from divulge.report.shared.tables import Document

CHECKS = ["result", "check", "required", "before", "after"]
LEVELS = ["attribute", "original", "released", "level"]
INDENT = " " * 8


def text(document: Document, *, width: int = WIDTH, files: Sequence[tuple[str, str]] = ()) -> str:
    """The document as plain lines; ``files`` are what was written, each with what it is."""
    lines = [
        *wrapped(_first(document), "", width),
        *wrapped(f"Loss: {document['loss']}. {proved(document)}", "", width),
        *([] if (said := roles(document)) is None else ["", *wrapped(said, "", width)]),
        *_notes(document, width),
        "",
        *_checks(document, width),
        "",
        *_fitting(LEVELS, [list(row) for row in tables.levels(document)], width),
        "",
        *_best(document, width),
        *(f"{what}: {where}" for what, where in files),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _first(document: Document) -> str:
    """What a reader must not miss: that time was over, the loss, what is left, and checks that warn."""
    left = capitalized(groups(released(document)["classes"]))
    said = [too_late(document), headline(document), left, warned(document)]
    return " ".join(f"{one}." for one in said if one)


def _notes(document: Document, width: int) -> Iterator[str]:
    if document["notes"]:
        yield ""
    for note in document["notes"]:
        yield from wrapped(note, "- ", width)


def _checks(document: Document, width: int) -> Iterator[str]:
    """Every check with what it found, each thing in a line where a table would be too wide."""
    rows = tables.held(document)
    if not rows:
        return
    found = [
        [
            SIGN[one.after["outcome"]],
            one.title,
            one.asked,
            tables.found_in(one.before),
            tables.found_in(one.after),
        ]
        for one in rows
    ]
    lines = aligned(CHECKS, found)
    if max(map(len, lines)) <= width:
        yield from lines
        return
    yield "Checks"
    for sign, title, asked, before, after in found:
        yield from wrapped(title, f"  {sign}  ", width)
        yield from wrapped(f"required: {asked}", INDENT, width)
        yield from wrapped(f"before: {before}; after: {after}", INDENT, width)


def _best(document: Document, width: int) -> Iterator[str]:
    if document["next"]:
        rows = [tables.text_row(one) for one in (document["best"], *document["next"])]
        yield from _fitting(["loss", "suppressed", "groups", tables.RAISED], rows, width, right={0, 1, 2})
        yield ""


def _fitting(
    head: Sequence[str], rows: Sequence[Sequence[str]], width: int, right: Collection[int] = ()
) -> Iterator[str]:
    """A table whose last columns go on in further lines where they would make it too wide."""
    lines = aligned(head, rows, right)
    if max(map(len, lines)) <= width:
        yield from lines
        return
    for first, *others in rows:
        said = [f"{title} {cell}" for title, cell in zip(head[1:], others, strict=True)]
        named = f"{head[0]} {first}" if 0 in right else first
        yield from wrapped(f"{named}: {'; '.join(said)}", "- ", width)
