"""What every page shares: one style, one script, a strict content policy, and less than a megabyte."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from divulge._support.references import REFERENCES
from divulge.measures import MEASURES, Measure
from divulge.measures.population_figures import FIGURES, PopulationFigure
from divulge.policy.demands import QUESTIONS
from divulge.report.charts.draw import draw
from divulge.report.shared.tables import Chart, Document, ReportTable, TableColumn
from divulge.report.shared.template import beside, render
from divulge.report.shared.wording import CASES, OPTIONAL_PARTS, OUTCOMES

LIMIT = 1_000_000  # bytes of a page
ROWS = (200, 60, 20, 8, 3)  # of a table; fewer where the page would get too large


@dataclass(frozen=True)
class Shown:
    """A table with as many rows as the page has room for."""

    head: tuple[TableColumn, ...]
    rows: Sequence[Sequence[Any]]
    left_out: int


def shown(table: ReportTable, most: int) -> Shown:
    """The first rows of a table, and how many there are besides."""
    return Shown(table.head, table.rows[:most], max(0, len(table.rows) - most))


def fitted(fill: Callable[[int], str]) -> str:
    """The page with as many rows to a table as keep it within its limit."""
    for rows in ROWS:
        made = fill(rows)
        if len(made.encode()) < LIMIT:
            break
    return made


def drawings(charts: Iterable[Chart], document: Document) -> dict[str, Markup | None]:
    """Every chart drawn, None where there is nothing to draw."""
    found = {chart.name: (chart, chart.spec(document)) for chart in charts}
    return {
        name: None if spec is None else Markup(draw(spec, f"{chart.title}. {chart.reading}"))
        for name, (chart, spec) in found.items()
    }


def framed(
    template: str,
    document: Document,
    *,
    charts: Iterable[Chart],
    drawn: dict[str, Markup | None],
    most: int,
    measures: Iterable[str],
    **context: Any,
) -> str:
    """A page from a template that extends the frame, with its charts, its measures and their papers."""
    css, script = _style(document), beside("page.js")
    names = set(measures)
    known: dict[str, Measure | PopulationFigure] = {**MEASURES, **FIGURES}
    used = [measure for name, measure in known.items() if name in names]
    return render(
        template,
        document=document,
        kind=document["document"].removeprefix("divulge "),
        most=most,
        css=Markup(css),
        script=Markup(script),
        policy=content_policy(css, script),
        outcomes=OUTCOMES,
        questions=QUESTIONS,
        cases=CASES,
        optional_parts=OPTIONAL_PARTS,
        charts={
            chart.name: {
                "chart": chart,
                "svg": drawn[chart.name],
                "table": shown(chart.table(document), most),
            }
            for chart in charts
        },
        measures=used,
        references=[(key, REFERENCES[key]) for key in sorted({measure.reference for measure in used})],
        **context,
    )


def _style(document: Document) -> str:
    """The style of a page; a document with a date has it in the margin of every printed sheet."""
    css, date = beside("page.css"), (document.get("provenance") or {}).get("date", "")[:10]
    if not date:
        return css
    shown = "".join(sign if sign.isascii() and sign.isalnum() else f"\\{ord(sign):x} " for sign in date)
    return f'{css}@page {{ @bottom-left {{ content: "{shown}"; font: 8pt sans-serif; color: #40484f; }} }}\n'


def content_policy(css: str, script: str) -> str:
    """What the page may do: apply this style, run this script, and nothing else."""
    return (
        f"default-src 'none'; style-src {_digest(css)}; script-src {_digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
