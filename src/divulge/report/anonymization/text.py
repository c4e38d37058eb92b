"""A search for the terminal: the result, checks before and after, levels, the proof, those that come next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from divulge._support.wording import WIDTH, aligned, capitalized
from divulge.report.anonymization import tables as tables
from divulge.report.anonymization.wording import groups, headline, proved, released, roles, too_late, warned
from divulge.report.shared.lines import SIGN, wrapped
from divulge.report.shared.tables import Document


def text(document: Document, *, width: int = WIDTH, files: Sequence[tuple[str, str]] = ()) -> str:
    """The document as plain lines; ``files`` are what was written, each with what it is."""
    lines = [
        *wrapped(_first(document), "", width),
        *wrapped(f"Loss: {document['loss']}. {proved(document)}", "", width),
        *([] if (said := roles(document)) is None else ["", *wrapped(said, "", width)]),
        *_notes(document, width),
        "",
        *_checks(document),
        "",
        *aligned(
            ["attribute", "original", "released", "level"], [list(row) for row in tables.levels(document)]
        ),
        "",
        *_best(document),
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


def _checks(document: Document) -> Iterator[str]:
    rows = [
        [
            SIGN[one.after["outcome"]],
            one.title,
            one.asked,
            tables.found_in(one.before),
            tables.found_in(one.after),
        ]
        for one in tables.held(document)
    ]
    if rows:
        yield from aligned(["result", "check", "required", "before", "after"], rows)


def _best(document: Document) -> Iterator[str]:
    if document["next"]:
        rows = [tables.text_row(one) for one in (document["best"], *document["next"])]
        yield from aligned(["loss", "suppressed", "groups", tables.RAISED], rows, right={0, 1, 2})
        yield ""
