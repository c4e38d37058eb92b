"""A search in a notebook: a small fragment without scripts, at home on white and on dark paper."""

from __future__ import annotations

from markupsafe import Markup

from divulge._support.notebook import style
from divulge.report.anonymization import tables as tables
from divulge.report.anonymization.charts import SEARCH_CHARTS
from divulge.report.anonymization.wording import headline, proved, roles, verdict
from divulge.report.charts.draw import draw
from divulge.report.shared.tables import Document
from divulge.report.shared.template import render

MOST_ROWS = 20


def notebook(document: Document) -> str:
    """The result, checks before and after, levels and the chart, as HTML to be put inside a page."""
    [chart] = SEARCH_CHARTS
    spec = chart.spec(document)
    return render(
        "anonymization_notebook.html.j2",
        document=document,
        css=Markup(style()),
        headline=headline(document),
        verdict=verdict(document)[1],
        sentences=[*filter(None, [proved(document), roles(document)])],
        checks=[
            (one.title, one.asked, tables.found_in(one.before), tables.found_in(one.after))
            for one in tables.held(document)[:MOST_ROWS]
        ],
        levels=tables.levels(document)[:MOST_ROWS],
        chart=chart,
        svg=None if spec is None else Markup(draw(spec, chart.title)),
    )
