"""The chart of readings: every rate of a question, beside what chance would give."""

from __future__ import annotations

from divulge.measures import MEASURES
from divulge.report.charts.theme import RATES, Spec, chart, labels, names_at
from divulge.report.shared.tables import Chart, Document, ReportTable, TableColumn, named


def rates(document: Document) -> Spec | None:
    """A bar for each reading that runs from 0 to 1, and a line for what chance gives."""
    rows = rates_table(document).rows
    if not rows:
        return None
    names = labels((row[0] for row in rows), longest=40)
    points = [{"measure": names[name], "rate": value, "chance": by_chance} for name, value, by_chance in rows]
    rate = {"field": "rate", "type": "quantitative", "scale": {"domain": [0, 1]}, "axis": RATES}
    return chart(
        data={"values": points},
        width=420,
        height={"step": 22},
        encoding={"y": names_at("measure", list(names.values())), "x": rate},
        layer=[
            {"mark": {"type": "bar", "size": 12}},
            {"mark": {"type": "tick", "size": 18}, "encoding": {"x": {"field": "chance"}}},
        ],
    )


def rates_table(document: Document) -> ReportTable:
    """The readings that run from 0 to 1, of which higher is riskier."""
    head = (TableColumn("measure"), TableColumn("value", "rate"), TableColumn("by chance", "rate"))
    rows = [
        [named(MEASURES[one["measure"]].title, one), one["value"], one["chance"]]
        for one in document["readings"]
        if one["value"] is not None
        and one["riskier"] == "higher"
        and MEASURES[one["measure"]].bounds == (0, 1)
    ]
    return ReportTable(head, rows)


READING_CHARTS = (
    Chart(
        "rates",
        "Readings from 0 to 1",
        "Each bar is a reading for which 1 is the most risk. The upright line is what chance alone gives.",
        rates,
        rates_table,
    ),
)
