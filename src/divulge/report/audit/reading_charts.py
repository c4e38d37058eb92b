"""The chart of readings: every rate of a question, beside what chance would give."""

from __future__ import annotations

from divulge.measures import MEASURES
from divulge.report.charts.theme import PALETTE, RATES, Spec, chart, labels, names_at
from divulge.report.shared.tables import Chart, Document, ReportTable, TableColumn, named


def rates(document: Document) -> Spec | None:
    """A bar for each reading from 0 to 1, a tick for what chance gives, a whisker for the population."""
    rows = rates_table(document).rows
    if not rows:
        return None
    names = labels((row[0] for row in rows), longest=40)
    points = [
        {"measure": names[name], "rate": value, "chance": by_chance, "low": low, "high": high}
        for name, value, by_chance, low, high in rows
    ]
    rate = {"field": "rate", "type": "quantitative", "scale": {"domain": [0, 1]}, "axis": RATES}
    whisker = {
        "transform": [{"filter": "datum.low !== null"}],
        "mark": {"type": "rule", "strokeWidth": 2, "color": PALETTE["ink"]},
        "encoding": {"x": {"field": "low"}, "x2": {"field": "high"}},
    }
    return chart(
        data={"values": points},
        width=420,
        height={"step": 22},
        encoding={"y": names_at("measure", list(names.values())), "x": rate},
        layer=[
            {"mark": {"type": "bar", "size": 12}},
            {"mark": {"type": "tick", "size": 18}, "encoding": {"x": {"field": "chance"}}},
            *([whisker] if any(one["low"] is not None for one in points) else []),
        ],
    )


def rates_table(document: Document) -> ReportTable:
    """The readings that run from 0 to 1, of which higher is riskier."""
    head = (
        TableColumn("measure"),
        TableColumn("value", "rate"),
        TableColumn("by chance", "rate"),
        TableColumn("population from", "rate"),
        TableColumn("to", "rate"),
    )
    rows = [
        [named(MEASURES[one["measure"]].title, one), one["value"], one["chance"], *_in_population(one)]
        for one in document["readings"]
        if one["value"] is not None
        and one["riskier"] == "higher"
        and MEASURES[one["measure"]].bounds == (0, 1)
    ]
    return ReportTable(head, rows)


def _in_population(reading: Document) -> list[float | None]:
    """The ends between which a reading is in the population, where that was asked for and can be told."""
    said = reading.get("in_population") or {"low": None, "high": None}
    return [said["low"], said["high"]]


READING_CHARTS = (
    Chart(
        "rates",
        "Readings from 0 to 1",
        "Each bar is a reading for which 1 is the most risk. The upright line is what chance alone gives. "
        "A line along a bar runs between the values that the reading may have in the population.",
        rates,
        rates_table,
    ),
)
