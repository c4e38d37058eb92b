"""The chart of readings: every rate of a question, beside what chance would give."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from divulge._support.wording import percent
from divulge.measures import MEASURES
from divulge.report.audit.tables import TOGETHER
from divulge.report.charts.theme import PADDING, PALETTE, RATES, Spec, chart, labels, names_at, shares_up_to
from divulge.report.shared.tables import Chart, Document, ReportTable, TableColumn, named

MOST_TARGETS, MOST_KEYS = 2, 5  # of the chart of how sure rates are


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


def short(value: float) -> str:
    """A reading to three digits."""
    return f"{value:.3g}" if value < 1 else f"{value:.4g}"


def in_population_text(said: Document | None, written: Callable[[float], str] = short) -> str | None:
    """What a sample says of a reading: an estimate and its interval, a bracket, or an upper end.

    >>> in_population_text({"kind": "interval", "low": 0.384, "high": 0.461, "estimate": 0.42})
    '0.42 [0.384, 0.461]'
    >>> in_population_text({"kind": "bracket", "low": 0.01, "high": 0.25, "estimate": None})
    '[0.01, 0.25]'
    >>> in_population_text({"kind": "at most", "low": 0.0, "high": 0.31, "estimate": None})
    'at most 0.31'
    """
    if said is None:
        return None
    if said["high"] is None:
        return "not known"
    if said["kind"] == "at most":
        return f"at most {written(said['high'])}"
    estimate = "" if said["estimate"] is None else f"{written(said['estimate'])} "
    wide = " (too wide to tell)" if said["kind"] == "cannot tell" else ""
    return f"{estimate}[{written(said['low'])}, {written(said['high'])}]{wide}"


def certainty(document: Document) -> Spec | None:
    """For each attribute the rate in this table as a bar, and its ends in the population as a whisker."""
    rows = [row for row in certainty_table(document).rows if row[4] is not None]
    targets = list(dict.fromkeys(row[1] for row in rows))[:MOST_TARGETS]
    if not targets:
        return None
    views = [_whiskers(target, [row for row in rows if row[1] == target][:MOST_KEYS]) for target in targets]
    return chart(concat=views, columns=1, padding={**PADDING, "right": 36}, spacing={"row": 24, "column": 24})


def _whiskers(target: str, rows: list[list[Any]]) -> Spec:
    names = labels(row[0] for row in rows)
    points = [
        {"attribute": names[name], "rate": rate, "said": said, "low": low, "high": high, "estimate": estimate}
        for name, _, rate, said, low, high, estimate in rows
    ]
    axis = shares_up_to(min(1.0, 1.4 * max(max(row[2], row[5]) for row in rows)), "discrimination rate")
    end = {"type": "tick", "size": 9, "thickness": 1.5}
    dot = {"type": "point", "filled": True, "size": 34, "color": PALETTE["ink"]}
    layer: list[Spec] = [
        {"mark": {"type": "bar", "size": 13, "color": PALETTE["soft"]}},
        {
            "mark": {"type": "rule", "strokeWidth": 1.5, "color": PALETTE["ink"]},
            "encoding": {"x": {"field": "low"}, "x2": {"field": "high"}},
        },
        *({"mark": end, "encoding": {"x": {"field": field}}} for field in ("low", "high")),
        {"mark": dot, "encoding": {"x": {"field": "estimate"}}},
        {
            "mark": {"type": "text", "align": "left", "dx": 8},
            "encoding": {"x": {"field": "high"}, "text": {"field": "said"}},
        },
    ]
    if all(point["estimate"] is None for point in points):
        del layer[4]
    return {
        "title": labels([target], longest=40)[target],
        "data": {"values": points},
        "width": 380,
        "height": {"step": 22},
        "encoding": {
            "y": names_at("attribute", list(names.values())),
            "x": {"field": "rate", "type": "quantitative", **axis},
        },
        "layer": layer,
    }


def certainty_table(document: Document) -> ReportTable:
    """The rate of each attribute, most first, and what a sample says of it in the population."""
    head = (
        TableColumn("attribute"),
        TableColumn("target"),
        TableColumn("in this table", "rate"),
        TableColumn("in the population"),
        *(TableColumn(title, "rate") for title in ("from", "to", "estimate")),
    )
    rows = []
    for target in document["targets"]:
        own = []
        for name, rate in _rates_of(target):
            said = rate.get("in_population")
            if said is not None and rate["value"] is not None:
                ends = [said["low"], said["high"], said["estimate"]]
                own.append([name, target["title"], rate["value"], in_population_text(said, percent), *ends])
        rows += sorted(own, key=lambda row: -row[2])
    return ReportTable(head, rows)


def _rates_of(target: Document) -> Iterator[tuple[str, Document]]:
    """The discrimination rate of all quasi-identifiers together, and of each attribute alone."""
    for one in (target.get("together") or {}).get("readings") or []:
        if one["measure"] == "discrimination_rate":
            yield TOGETHER, one
    for key in target["keys"]:
        yield key["key"], key["discrimination_rate"]


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

CERTAINTY_CHART = Chart(
    "certainty",
    "How sure: what attributes reveal in the population",
    "The table is a sample. Each bar is the discrimination rate in this table: the part of the information "
    "about the sensitive attribute that an attribute gives. A whisker runs between what the rate may be in "
    "the population, with 95% confidence; a dot is an estimate, where groups have enough records "
    "for one. Attributes that reveal less are in the data of this chart.",
    certainty,
    certainty_table,
)
