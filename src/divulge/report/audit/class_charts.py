"""Charts of combinations, of groups, and of the risk of records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from divulge._support.wording import many, percent
from divulge.report.audit import tables
from divulge.report.audit.summary import required_of_all
from divulge.report.charts.theme import PADDING, PALETTE, RATES, SHARES, Spec, chart, names_at, shares_up_to
from divulge.report.shared.tables import Document


def combinations(document: Document) -> Spec | None:
    """How the risk grows with the number of attributes that are known."""
    found = document["combinations"]
    if not found or not found["by_size"]:
        return None
    return chart(
        columns=2,
        spacing={"row": 36, "column": 36},
        concat=[
            _subset_map(found, "discrimination_rate", 1, "discrimination rate (re-identification)", RATES),
            _subset_map(found, "uniqueness", 2, "unique records", SHARES),
        ],
    )


def _subset_map(found: Document, measure: str, place: int, title: str, axis: Spec) -> Spec:
    """A point for each combination, spread sideways; the median, the least and the most of each size."""
    points = [
        {"size": point[0] + (number * 0.618034 % 1 - 0.5) * 0.5, "risk": point[place]}
        for number, point in enumerate(found["map"])
    ]
    spread: list[dict[str, Any]] = [
        {"size": row["size"], **dict(zip(("least", "median", "most"), row[measure], strict=True))}
        for row in found["by_size"]
    ]
    most = max(row["size"] for row in spread)
    size = {
        "field": "size",
        "type": "quantitative",
        "scale": {"domain": [0.5, most + 0.5]},
        "axis": {
            "values": list(range(1, most + 1, 1 + most // 16)),
            "format": ".6~g",
            "title": "attributes known",
            "grid": False,
        },
    }
    risk = {
        "field": "risk",
        "type": "quantitative",
        "scale": {"domain": [0, 1]},
        "axis": {**axis, "domain": False},
    }
    dot = {"type": "point", "color": PALETTE["soft"], "filled": True, "size": 22, "fillOpacity": 0.65}
    stroke = {"type": "point", "color": PALETTE["ink"], "shape": "stroke", "size": 256, "strokeWidth": 1.5}
    line = {"type": "line", "color": PALETTE["accent"]}
    middle = {"type": "point", "color": PALETTE["accent"], "filled": True, "size": 30}
    return {
        "title": title,
        "width": 320,
        "height": 190,
        "encoding": {"x": size, "y": risk},
        "data": {"values": spread},
        "layer": [
            {"data": {"values": points}, "mark": dot},
            *(
                {"mark": mark, "encoding": {"y": {"field": field}}}
                for mark, field in ((stroke, "least"), (stroke, "most"), (line, "median"), (middle, "median"))
            ),
        ],
    }


def class_sizes(document: Document) -> Spec | None:
    """How many records are in groups of each size."""
    bins = _until_the_last(document["class_sizes"])
    if not bins:
        return None
    size = {
        "field": "size",
        "type": "nominal",
        "sort": [row["label"] for row in bins],
        "axis": {"title": "people in the group", "labelAngle": 0},
    }
    share = {
        "field": "share",
        "type": "quantitative",
        **shares_up_to(max(row["share"] or 0 for row in bins), "share of records"),
    }
    return chart(
        padding={**PADDING, "right": 12},
        data={
            "values": [
                {"size": row["label"], "share": row["share"], "said": many(row["records"])} for row in bins
            ]
        },
        width={"step": 76},
        height=150,
        encoding={"x": size, "y": share},
        layer=[
            {"mark": {"type": "bar", "size": 44}},
            {"mark": {"type": "text", "dy": -8}, "encoding": {"text": {"field": "said"}}},
        ],
    )


HIGH, LONG = 150, 300  # height of all bars together, and length of one that has all records
WIDEST = 25  # of a bar with its space
ACROSS = LONG + 150  # to where the threshold is drawn, beside the longest bar
CLOSE = 1e-9


def record_risk(document: Document) -> Spec | None:
    """How many records have at least each risk, with the threshold below those that are too high."""
    required = required_of_all(document)
    rows = tables.cumulated(_until_the_last(document["record_risk"]))
    points: list[dict[str, Any]] = [
        {
            "risk": tables.risk_label(row),
            "share": so_far,
            "said": percent(so_far),
            "above": bool(required) and row["low"] * required > 1 + CLOSE,
        }
        for row, so_far in rows
    ]
    if not points:
        return None
    step = min(WIDEST, HIGH // len(points))
    share = {
        "field": "share",
        "type": "quantitative",
        "scale": {"domain": [0, 1]},
        "axis": {**SHARES, "title": "share of records with this risk or a higher one"},
    }
    high = {
        "field": "above",
        "type": "nominal",
        "scale": {"domain": [True, False], "range": [PALETTE["accent"], PALETTE["soft"]]},
        "legend": None,
    }
    return chart(
        data={"values": points},
        padding={**PADDING, "right": 8},
        width=LONG,
        height={"step": step},
        encoding={"y": names_at("risk", [point["risk"] for point in points]), "x": share},
        layer=[
            {"mark": {"type": "bar", "size": step - 8}, "encoding": {"color": high}},
            {"mark": {"type": "text", "align": "left", "dx": 6}, "encoding": {"text": {"field": "said"}}},
            *_threshold(step, sum(point["above"] for point in points), required, rows),
        ],
    )


def _threshold(
    step: int, above: int, required: int | None, rows: Sequence[tuple[Document, float]]
) -> list[Spec]:
    """A line below the risks that are too high; none where a bin has risks on both sides."""
    if not required or (above < len(rows) and rows[above][0]["high"] * required > 1 + CLOSE):
        return []
    place = {"value": step * above}
    said = {"share": ACROSS / LONG, "said": f"threshold: 1 in {required}"}
    line = {"type": "line", "color": PALETTE["ink"], "strokeDash": [5, 3], "strokeWidth": 1.5}
    label = {"type": "text", "align": "right", "dy": -10}
    return [
        {"data": {"values": [{"share": 0}, said]}, "mark": line, "encoding": {"y": place}},
        {"data": {"values": [said]}, "mark": label, "encoding": {"y": place, "text": {"field": "said"}}},
    ]


def _until_the_last(bins: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The bins without those at the end that nobody is in."""
    filled = [place for place, row in enumerate(bins, start=1) if row["records"]]
    return bins[: max(filled, default=0)]
