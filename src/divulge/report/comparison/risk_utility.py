"""The chart of risk against utility: every release a point, the original among them, and what is allowed."""

from __future__ import annotations

from typing import Any

from divulge._support.wording import number
from divulge.report.comparison.side_by_side import ORIGINAL, short_names
from divulge.report.comparison.tables import risk_and_utility
from divulge.report.shared.tables import Document
from divulge.report.shared.theme import PALETTE, RATES, Spec, chart

WIDTH, HEIGHT = 460, 320
LINE = 16 / HEIGHT  # of the chart that a name needs


def risk_utility(document: Document) -> Spec | None:
    """Every release by what it risks and what it keeps, the original among them."""
    points = _points(document)
    if not points:
        return None
    layers = [*_allowed(document), *(_marked(points, kind) for kind in MARKS), *_labelled(points)]
    axes = document["axes"]
    return chart(
        padding={"left": 4, "top": 4, "bottom": 4, "right": 24},
        width=WIDTH,
        height=HEIGHT,
        encoding={
            "x": {
                **_scaled("utility"),
                "axis": {**RATES, "title": f"{axes['utility']} (further right keeps more)"},
            },
            "y": {
                **_scaled("risk"),
                "axis": {**RATES, "title": f"{axes['risk']} (lower is better)", "domain": False},
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
    shown = {ORIGINAL: ORIGINAL, **short_names(document)}
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
    for side in (False, True):
        _spread([point for point in points if (point["utility"] > 0.5) == side])
    return points if len(points) > 1 else []


def _spread(points: list[dict[str, Any]]) -> None:
    """Names at the height of their points, pushed apart where they would cover each other."""
    points = sorted(points, key=lambda one: -one["risk"])
    limit = 2.0
    for point in points:
        limit = point["named_at"] = min(point["risk"], limit - LINE)
    limit = -LINE
    for point in reversed(points):
        limit = point["named_at"] = max(point["named_at"], limit + LINE)


def _scaled(field: str) -> Spec:
    return {"field": field, "type": "quantitative", "scale": {"domain": [0, 1], "nice": False}}


def _marked(points: list[dict[str, Any]], kind: str) -> Spec:
    chosen = [point for point in points if point["kind"] == kind]
    return {"data": {"values": chosen}, "mark": {"type": "point", "opacity": 1, **MARKS[kind]}}


def _labelled(points: list[dict[str, Any]]) -> list[Spec]:
    """Names beside their points, on the side where there is room."""
    return [
        {
            "data": {"values": [point for point in points if (point["utility"] > 0.5) == left]},
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
