"""Published tables as a comment on a pull request."""

from __future__ import annotations

from divulge.report.audit.markdown import plain, table
from divulge.report.shared.lines import SIGN
from divulge.report.shared.tables import Document
from divulge.report.table import tables as tables
from divulge.report.table.wording import protection_sentence, rules_sentence

MOST_ROWS = 20


def markdown(document: Document) -> str:
    """The document as Markdown, short enough for a comment."""
    lines = [
        f"### divulge table: {SIGN[document['outcome']]}",
        "",
        plain(document["sentence"]),
        "",
        plain(f"Rules: {rules_sentence(document['rules'])}."),
        "",
    ]
    for entry in document["linked"]:
        said = " ".join([protection_sentence(entry), *entry["notes"], *entry["audit"]["not_audited"]])
        lines += [plain(f"{entry['name']}: {said}"), ""]
    found = tables.audited(document)
    lines += table([one.title for one in found.head], [list(map(str, row)) for row in found.rows[:MOST_ROWS]])
    return "\n".join(lines).rstrip() + "\n"
