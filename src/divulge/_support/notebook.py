"""An object as a notebook shows it: a small table under a style of its own, without scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from importlib import resources

from divulge._support.wording import clipped, many, number, one_line

MOST_ROWS, LONGEST = 40, 200


@cache
def style() -> str:
    """The style of everything that is shown in a notebook; it touches nothing else there.

    Its class is said three times, so that no style of the notebook outweighs it. What it does not say is as
    browsers have it.
    """
    return resources.files("divulge._support").joinpath("notebook.css").read_text("utf-8")


def table_view(title: str, head: Sequence[str], rows: Iterable[Sequence[object]], note: str = "") -> str:
    """A title, a line about it, and a table of plain values; a long table is cut, and says so.

    >>> view = table_view("Channel", ["secrets"], [[2]], "a note")
    >>> view[view.index("<tbody>") : view.index("</tbody>")]
    '<tbody><tr><th scope="row">2</th></tr>'
    """
    lines = list(rows)
    parts = [f'<p class="head"><strong>{_said(title)}</strong></p>']
    parts += [f'<p class="note">{_said(note)}</p>'] if note else []
    if lines:
        heads = "".join(f'<th scope="col">{_said(name)}</th>' for name in head)
        body = "".join(f"<tr>{_row(line)}</tr>" for line in lines[:MOST_ROWS])
        table = f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
        parts.append(f'<div class="wide">{table}</div>')
    if len(lines) > MOST_ROWS:
        parts.append(f'<p class="note">The first {MOST_ROWS} of {many(len(lines))} rows.</p>')
    return f'<div class="divulge-report"><style>{style()}</style>{"".join(parts)}</div>'


def _row(cells: Sequence[object]) -> str:
    first, *others = map(_said, cells)
    return f'<th scope="row">{first}</th>' + "".join(f"<td>{cell}</td>" for cell in others)


def _said(value: object) -> str:
    """A value as text: a dash for nothing, numbers short, names of any length cut."""
    if value is None or value == "":
        return "–"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return many(value) if isinstance(value, int) else number(value)
    words = one_line(str(value))
    return escape(clipped(words, LONGEST))
