"""The charts of a report on published tables: what an attacker finds of suppressed cells."""

from __future__ import annotations

from typing import Any

from divulge._support.wording import shortened
from divulge.report.charts.theme import PADDING, PALETTE, Spec, chart
from divulge.report.shared.tables import Chart, Document
from divulge.report.table.tables import audited
from divulge.report.table.wording import cell_name

MOST_CELLS = 25
WIDTH, HEIGHT = 420, 18
LARGE = "replace(replace(format(datum.value, '~s'), 'G', ' billion'), 'M', ' million')"  # labels of amounts


def intervals(document: Document) -> Spec | None:
    """A line for each cell at risk of the first tables that have some, from the least to the largest."""
    drawn = ([_row(one) for one in entry["audit"]["cells"] if _drawn(one)] for entry in document["linked"])
    rows = next(filter(None, drawn), None)
    if rows is None:
        return None
    rows = sorted(rows, key=lambda row: row["high"] - row["low"])[:MOST_CELLS]
    names = [row["cell"] for row in rows]
    position = {"field": "cell", "type": "nominal", "sort": names, "axis": {"title": None, "labelLimit": 260}}
    title = {"title": "what the cell can be", "tickCount": 5, "labelExpr": LARGE}
    low = {"field": "low", "type": "quantitative", "axis": title}
    return chart(
        padding={**PADDING, "left": 8 + max(map(len, names)) // 2, "right": 16},
        width=WIDTH,
        height=HEIGHT * len(set(names)),
        data={"values": rows},
        encoding={"y": position},
        layer=[
            {
                "mark": {"type": "rule", "strokeWidth": 3, "color": PALETTE["accent"]},
                "encoding": {"x": low, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 40, "color": PALETTE["ink"]},
                "encoding": {"x": {"field": "low", "type": "quantitative"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 40, "color": PALETTE["ink"]},
                "encoding": {"x": {"field": "high", "type": "quantitative"}},
            },
        ],
    )


def _drawn(one: Document) -> bool:
    return one["outcome"] is not None and one["lower"] is not None and one["upper"] is not None


def _row(one: Document) -> dict[str, Any]:
    return {"cell": shortened(cell_name(one["cell"]), 48), "low": one["lower"], "high": one["upper"]}


#: Every chart of the report, in its order.
TABLE_CHARTS = (
    Chart(
        "intervals",
        "What an outsider finds of the cells at risk",
        "Each line is a cell, from the least to the largest that all published numbers allow; the narrowest "
        "first. A single point is a cell that is found exactly.",
        intervals,
        audited,
    ),
)
