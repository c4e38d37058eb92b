"""The comparison as a comment on a pull request: what is recommended, what releases buy and cost."""

from __future__ import annotations

from collections.abc import Iterator

from divulge._support.wording import records
from divulge.report.audit.markdown import asked_by_regulators, plain, table
from divulge.report.comparison import attacks as attacks
from divulge.report.comparison import tables as tables
from divulge.report.comparison.needs import needs
from divulge.report.comparison.overview import HEAD, overview, reasons
from divulge.report.comparison.side_by_side import ShownCell, SideBySide
from divulge.report.comparison.wording import said_once, with_warnings
from divulge.report.shared.tables import Document

MOST_ROWS, MOST_NOTES, ACROSS = 20, 6, 6


def markdown(document: Document) -> str:
    """The document as Markdown, short enough for a comment."""
    document = said_once(document)
    found, original = document["recommendation"], document["original"]
    headline = f"{found['release']} is recommended" if found["release"] else "no release is recommended"
    if found["release"] and len(document["releases"]) == 1:  # there was no choice
        headline = f"no check fails for {found['release']}"
    headline += with_warnings(document)
    lines = [
        f"### divulge: {plain(headline)}",
        "",
        *_notices(document),
        " ".join(map(plain, found["sentences"])),
        "",
        plain(f"{original['name']}: {records(original['records'])}, beside {_releases(document)} of it."),
        "",
        *_overview(document),
        *_side("Checks", tables.checks(document)),
        *_side("Before and after", tables.readings(document)),
        *_side("Attacks", attacks.attacks(document)),
        *_untried(document),
        *_side("Needs", needs(document)),
        *_notes(document),
        *_regulators(document),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _overview(document: Document) -> Iterator[str]:
    """The releases in short, and why something was not measured."""
    rows = overview(document)
    shown = [[row.name, *map(_cell, row.cells)] for row in (*rows[:MOST_ROWS], *rows[MOST_ROWS:][-1:])]
    yield from table(["Release", *HEAD], shown)
    if len(shown) < len(rows):
        yield f"Not shown: {len(rows) - len(shown)} releases."
        yield ""
    for name, reason in reasons(rows)[:MOST_NOTES]:
        yield f"{plain(name)} not measured: {plain(reason)}."
        yield ""


def _notices(document: Document) -> Iterator[str]:
    for title, texts in tables.notices(document):
        about = f" on {plain(title)}" if title else ""
        yield f"> **Note{about}:** {plain(' '.join(texts))}"
        yield ""


def _releases(document: Document) -> str:
    number = len(document["releases"])
    return "1 release" if number == 1 else f"{number} releases"


def _side(title: str, side: SideBySide) -> Iterator[str]:
    shown = side.first(MOST_ROWS)
    for part in shown.parts(ACROSS)[:1]:
        yield f"**{title}**"
        yield ""
        rows = [
            [_label(group, row.label), *map(_cell, row.cells)] for group, rows in part.groups for row in rows
        ]
        yield from table([plain(name) for name in (part.corner, *part.columns)], rows)
        for name, reason in part.reasons[:MOST_NOTES]:
            yield f"{plain(name)}: {plain(reason.rstrip('.'))}."
            yield ""
        if len(part.reasons) > MOST_NOTES:
            yield f"Shown: {MOST_NOTES} of {len(part.reasons)} notes."
            yield ""
        left = [f"{shown.left_out} rows"] * (shown.left_out > 0)
        left += [f"{len(side.columns) - len(part.columns)} releases"] * (
            len(side.columns) > len(part.columns)
        )
        if left:
            yield f"Not shown: {', '.join(left)}."
            yield ""


def _regulators(document: Document) -> Iterator[str]:
    found = document.get("regulators", ())
    for one in found[:ACROSS]:
        yield ""
        yield from asked_by_regulators(one, f" of {one['release']}")
    if len(found) > ACROSS:
        yield f"Not shown: {len(found) - ACROSS} releases."


def _untried(document: Document) -> Iterator[str]:
    for title, reason in attacks.untried(document):
        yield f"{plain(title)} not measured: {plain(reason)}."
        yield ""


def _label(group: str, label: str) -> str:
    return f"{group}: {label[:1].lower()}{label[1:]}" if group else label


def _cell(cell: ShownCell) -> str:
    said = " ".join(filter(None, [cell.text, cell.sign, cell.word]))
    return "; ".join(filter(None, [said, cell.note]))


def _notes(document: Document) -> Iterator[str]:
    notes = tables.notes(document)
    if notes:
        yield "**Alignment**"
        yield ""
        yield from (f"- {plain(name)}: {plain(note)}" for name, note in notes[:MOST_NOTES])
        if len(notes) > MOST_NOTES:
            yield f"- Shown: {MOST_NOTES} of {len(notes)}."
