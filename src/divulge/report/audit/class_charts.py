"""Charts of combinations, of classes, and of the risk that records run."""

from __future__ import annotations

from typing import Any

from divulge._support.wording import many, records
from divulge.report.audit import tables
from divulge.report.shared.tables import Document
from divulge.report.shared.theme import PALETTE, RATES, SHARES, Spec, chart, names_at


def combinations(document: Document) -> Spec | None:
    """How the risk grows with the number of attributes that are known."""
    found = document["combinations"]
    if not found or not found["by_size"]:
        return None
    return chart(
        spacing=36,
        hconcat=[
            _subset_map(found, "discrimination_rate", 1, "discrimination rate", RATES),
            _subset_map(found, "uniqueness", 2, "records that stand alone", SHARES),
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
        "scale": {"domain": [0.5, most + 0.5], "nice": False},
        "axis": {
            "values": list(range(1, most + 1, 1 + most // 16)),
            "title": "attributes known",
            "grid": False,
        },
    }
    risk = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": {**axis, "domain": False}}
    dot = {"type": "circle", "color": PALETTE["soft"], "size": 22, "fillOpacity": 0.65, "opacity": 1}
    line = {"type": "line", "color": PALETTE["accent"], "point": {"color": PALETTE["accent"]}}
    stroke = {"type": "tick", "orient": "horizontal", "size": 16, "thickness": 1.5}
    return {
        "title": title,
        "width": 320,
        "height": 230,
        "encoding": {"x": size},
        "layer": [
            {"data": {"values": points}, "mark": dot, "encoding": {"y": {"field": "risk", **risk}}},
            *(
                {"data": {"values": spread}, "mark": mark, "encoding": {"y": {"field": field, **risk}}}
                for mark, field in ((stroke, "least"), (stroke, "most"), (line, "median"))
            ),
        ],
    }


def class_sizes(document: Document) -> Spec | None:
    """How many classes there are of each size."""
    bins = _until_the_last(document["class_sizes"])
    if not bins:
        return None
    size = {
        "field": "size",
        "type": "nominal",
        "sort": [row["label"] for row in bins],
        "axis": {"title": "records in the class", "labelAngle": 0},
    }
    classes = {
        "field": "classes",
        "type": "quantitative",
        "axis": {"title": "classes", "tickCount": 4, "domain": False},
    }
    return chart(
        data={
            "values": [
                {"size": row["label"], "classes": row["classes"], "said": many(row["classes"])}
                for row in bins
            ]
        },
        width={"step": 76},
        height=200,
        encoding={"x": size, "y": classes},
        layer=[
            {"mark": {"type": "bar", "size": 44}},
            {"mark": {"type": "text", "dy": -8}, "encoding": {"text": {"field": "said"}}},
        ],
    )


def record_risk(document: Document) -> Spec | None:
    """How many records run which risk of being picked out, and how many run at least that."""
    points = [
        {"risk": row["label"], "share": row["share"], "so_far": so_far, "said": records(row["records"])}
        for row, so_far in tables.cumulated(_until_the_last(document["record_risk"]))
    ]
    if not points:
        return None
    share = {
        "type": "quantitative",
        "scale": {"domain": [0, 1]},
        "axis": {**SHARES, "title": "share of records"},
    }
    width = 460
    return chart(
        data={"values": points},
        padding={"left": 4, "top": 4, "bottom": 4, "right": 24},
        width=width,
        height={"step": 28},
        encoding={"y": names_at("risk", [point["risk"] for point in points])},
        layer=[
            {"mark": {"type": "bar", "size": 14}, "encoding": {"x": {"field": "share", **share}}},
            {"mark": {"type": "tick", "size": 20}, "encoding": {"x": {"field": "so_far", **share}}},
            {
                "mark": {"type": "text", "align": "left"},
                "encoding": {"text": {"field": "said"}, "x": {"value": width + 16}},
            },
        ],
    )


def _until_the_last(bins: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The bins without those at the end that nobody is in."""
    filled = [place for place, row in enumerate(bins, start=1) if row["records"]]
    return bins[: max(filled, default=0)]
