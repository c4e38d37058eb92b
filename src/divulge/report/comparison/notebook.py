"""A comparison in a notebook: a small fragment without scripts, at home on white and on dark paper."""

from __future__ import annotations

from markupsafe import Markup

from divulge._support.notebook import style
from divulge.report.charts.draw import draw
from divulge.report.comparison import attacks as attacks
from divulge.report.comparison import tables as tables
from divulge.report.comparison.charts import comparison_charts
from divulge.report.comparison.needs import needs
from divulge.report.comparison.side_by_side import first_releases
from divulge.report.comparison.wording import said_once
from divulge.report.shared.tables import Document
from divulge.report.shared.template import render

MOST_RELEASES, MOST_ROWS = 6, 20


def notebook(document: Document) -> str:
    """Recommendation, readings, attacks, needs and one chart, as HTML to be put inside a page."""
    kept = first_releases(said_once(document), MOST_RELEASES)
    chart = comparison_charts(kept)[0]
    spec = chart.spec(kept)
    shown = {
        "Readings": tables.readings(kept),
        "Attacks": attacks.attacks(kept),
        "Needs": needs(kept),
    }
    return render(
        "comparison_notebook.html.j2",
        document=kept,
        notices=tables.notices(kept),
        css=Markup(style()),
        sides={title: side.first(MOST_ROWS) for title, side in shown.items() if side.rows},
        left_out=len(document["releases"]) - len(kept["releases"]),
        chart=chart,
        svg=None if spec is None else Markup(draw(spec, chart.title)),
    )
