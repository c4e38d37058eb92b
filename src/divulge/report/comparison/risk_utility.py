"""The chart of risk against utility: every release a point, the original among them, and what is allowed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from divulge._support.wording import number
from divulge.report.comparison.side_by_side import ORIGINAL, names
from divulge.report.comparison.tables import risk_and_utility
from divulge.report.shared.tables import Document
from divulge.report.shared.theme import PALETTE, SHARES, Spec, chart, labels

WIDTH, HEIGHT = 320, 240
LINE = 15 / HEIGHT  # of the chart that a name needs
SIGN, GAP = 6.2 / WIDTH, 12 / WIDTH  # that a letter needs, and between a point and its name
LONGEST = 20


def risk_utility(document: Document) -> Spec | None:
    """Every release by what it risks and what it keeps, the original among them."""
    points = _points(document)
    if not points:
        return None
    layers = [*_allowed(document), *(_marked(points, kind) for kind in MARKS), *_labelled(points)]
    return chart(
        padding={"left": 4, "top": 4, "bottom": 4, "right": 20},
        width=WIDTH,
        height=HEIGHT,
        encoding={
            "x": {
                **_scaled("utility"),
                "axis": {**SHARES, "title": "utility kept (further right is better)"},
            },
            "y": {
                **_scaled("risk"),
                "axis": {**SHARES, "title": "people truly linked (lower is better)", "domain": False},
            },
        },
        layer=layers,
    )


MARKS: dict[str, Spec] = {
    "original": {"shape": "diamond", "size": 110, "color": PALETTE["ink"], "filled": False, "strokeWidth": 2},
    "release": {"shape": "circle", "size": 90, "color": PALETTE["accent"], "filled": True},
    "recommended": {
        "shape": "circle",
        "size": 130,
        "fill": PALETTE["accent"],
        "stroke": PALETTE["ink"],
        "strokeWidth": 2,
    },
}


def _points(document: Document) -> list[dict[str, Any]]:
    """The releases and the original as points, with a place for each name that no other name takes."""
    shown = {ORIGINAL: ORIGINAL, **labels(names(document), LONGEST)}
    recommended = document["recommendation"]["release"]
    points = [
        {
            "name": shown[name] + (", recommended" if name == recommended else ""),
            "kind": "recommended" if name == recommended else name if name == ORIGINAL else "release",
            "risk": risk,
            "utility": utility,
        }
        for name, risk, utility in risk_and_utility(document).rows
        if risk is not None and utility is not None
    ]
    _spread(points)
    return points if len(points) > 1 else []


def _spread(points: list[dict[str, Any]]) -> None:
    """Names as near to the height of their points as they cover no other name and no point."""
    named: list[dict[str, Any]] = []
    for point in sorted(points, key=lambda one: one["risk"]):
        others = [one for one in points if one is not point]
        point["named_at"] = next(
            (height for height in _heights(point["risk"]) if not _covers(point, height, named, others)),
            point["risk"],
        )
        named.append(point)


def _heights(risk: float) -> Iterator[float]:
    """Heights for a name: that of its point, then a little further up or down each time."""
    for step in range(2 * int(1 / LINE)):
        yield from (height for height in (risk + step * LINE / 2, risk - step * LINE / 2) if 0 <= height <= 1)


def _covers(
    point: dict[str, Any], height: float, named: list[dict[str, Any]], others: list[dict[str, Any]]
) -> bool:
    start, end = _reach(point)
    over_name = any(
        abs(height - one["named_at"]) < 0.99 * LINE and _reach(one)[0] < end and start < _reach(one)[1]
        for one in named
    )
    return over_name or any(
        abs(height - one["risk"]) < 0.7 * LINE and start - GAP / 2 < one["utility"] < end + GAP / 2
        for one in others
    )


def _reach(point: dict[str, Any]) -> tuple[float, float]:
    """Where a name begins and ends, along the axis of utility."""
    at, wide = point["utility"], GAP + SIGN * len(point["name"])
    return (at - wide, at - GAP) if _named_left(point) else (at + GAP, at + wide)


def _named_left(point: dict[str, Any]) -> bool:
    """Whether a name is left of its point, where there is more room than on the right."""
    return bool(point["utility"] > 0.45)


def _scaled(field: str) -> Spec:
    return {"field": field, "type": "quantitative", "scale": {"domain": [0, 1], "nice": False}}


def _marked(points: list[dict[str, Any]], kind: str) -> Spec:
    chosen = [point for point in points if point["kind"] == kind]
    return {"data": {"values": chosen}, "mark": {"type": "point", "opacity": 1, **MARKS[kind]}}


def _labelled(points: list[dict[str, Any]]) -> list[Spec]:
    """Names beside their points, on the side where there is room."""
    return [
        {
            "data": {"values": [point for point in points if _named_left(point) == left]},
            "mark": {"type": "text", "align": "right" if left else "left", "dx": -12 if left else 12},
            "encoding": {"y": _scaled("named_at"), "text": {"field": "name"}},
        }
        for left in (True, False)
    ]


def _allowed(document: Document) -> list[Spec]:
    """The region that the policy allows, with its bound."""
    if not document["allowed"]:
        return []
    bound = document["allowed"]["risk"]
    line = {"type": "rule", "color": PALETTE["accent"], "strokeDash": [4, 4]}
    region = {"type": "rect", "color": PALETTE["soft"], "fillOpacity": 0.28, "opacity": 1}
    who = "the policy" if document["policy"] else "the default checks"
    said = f"allowed by {who}: at most {number(bound)}"
    words = {"type": "text", "align": "left", "baseline": "bottom", "dx": 8, "dy": -5}
    at = {"risk": bound, "least": 0, "utility": 0, "most": 1, "said": said}
    ends = {"y2": {"field": "least"}, "x2": {"field": "most"}}
    return [
        {"data": {"values": [at]}, "mark": region, "encoding": ends},
        {"data": {"values": [at]}, "mark": line, "encoding": {"x2": {"field": "most"}}},
        {"data": {"values": [at]}, "mark": words, "encoding": {"text": {"field": "said"}}},
    ]
