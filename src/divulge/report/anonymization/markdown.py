"""A search as a comment on a pull request: the result, checks before and after, levels and the proof."""

from __future__ import annotations

from divulge._support.wording import many
from divulge.report.anonymization import tables as tables
from divulge.report.anonymization.wording import headline, proved, roles, verdict, warned
from divulge.report.audit.markdown import plain, table
from divulge.report.shared.tables import Document
from divulge.report.shared.wording import OUTCOMES

MOST_ROWS = 20


def markdown(document: Document) -> str:
    """The document as Markdown, short enough for a comment."""
    warns = warned(document)
    said = [*filter(None, [warns and f"{warns}.", proved(document), roles(document)]), *document["notes"]]
    checks = [
        [
            OUTCOMES[one.after["outcome"]].word,
            one.title,
            one.asked,
            tables.found_in(one.before),
            tables.found_in(one.after),
        ]
        for one in tables.held(document)[:MOST_ROWS]
    ]
    lines = [
        f"### divulge: {plain(headline(document))} ({verdict(document)[1].lower()})",
        "",
        plain(f"{document['name']}: {many(document['records'])} records. Loss: {document['loss']}."),
        "",
        plain(" ".join(said)),
        "",
        *table(["result", "check", "required", "before", "after"], checks),
        *table(
            ["attribute", "original", "released", "level"],
            [list(row) for row in tables.levels(document)[:MOST_ROWS]],
        ),
        *table(
            ["loss", "suppressed", "groups", tables.RAISED],
            [tables.text_row(one) for one in (document["best"], *document["next"])],
        ),
    ]
    return "\n".join(lines).rstrip() + "\n"
