"""An audit in a notebook: a small fragment without scripts, at home on white and on dark paper."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from divulge._support.notebook import style
from divulge.policy.demands import QUESTIONS
from divulge.report.audit.charts import CHARTS
from divulge.report.audit.summary import tiles, tone, verdict_line
from divulge.report.audit.tables import quasi_identifiers
from divulge.report.charts.draw import draw
from divulge.report.shared.tables import Document
from divulge.report.shared.template import render
from divulge.report.shared.wording import OUTCOMES, by_outcome

MOST_CHECKS, MOST_ATTRIBUTES, MOST_TARGETS = 20, 12, 3


def notebook(document: Document) -> str:
    """Verdict, four numbers, checks and one chart of an audit document, as HTML to be put inside a page."""
    chart = CHARTS[0]
    spec = chart.spec(_worst(document))
    return render(
        "notebook.html.j2",
        audit=document,
        css=Markup(style()),
        line=verdict_line(document),
        tiles=tiles(document),
        tone=tone(document),
        outcomes=OUTCOMES,
        questions=QUESTIONS,
        checks=by_outcome(document["checks"])[:MOST_CHECKS],
        left_out=max(0, len(document["checks"]) - MOST_CHECKS),
        chart=chart,
        svg=None if spec is None else Markup(draw(spec, chart.title)),
    )


def _worst(document: Document) -> dict[str, Any]:
    """As much of the document as a small chart can show."""
    names = quasi_identifiers(document)[:MOST_ATTRIBUTES]
    return {
        **document,
        "targets": [
            {**target, "keys": [key for key in target["keys"] if key["key"] in names]}
            for target in document["targets"][:MOST_TARGETS]
        ],
    }
