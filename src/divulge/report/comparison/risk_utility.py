"""The chart of risk against utility: every release a point, the original among them, and what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from divulge._support.wording import percent
from divulge.report.charts.theme import PADDING, PALETTE, SHARES, Spec, chart, labels
from divulge.report.comparison.side_by_side import ORIGINAL, names
from divulge.report.comparison.tables import risk_and_utility
from divulge.report.shared.tables import Document

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
        padding={**PADDING, "right": 20},
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
    mark = ", recommended" if len(document["releases"]) > 1 else ""  # of one release there is no choice
    points = [
        {
            "name": shown[name] + (mark if name == recommended else ""),
            "kind": "recommended" if name == recommended else name if name == ORIGINAL else "release",
            "risk": risk,
            "utility": utility,
        }
        for name, risk, utility in risk_and_utility(document).rows
        if risk is not None and utility is not None
    ]
    _label(points)
    _spread([point for point in points if point["label"]], points, _words(document))
    return points if len(points) > 1 else []


def _label(points: list[dict[str, Any]]) -> None:
    """A name for each place, with how many more releases are there; the recommended one comes first."""
    places: dict[tuple[float, float], list[dict[str, Any]]] = {}
    for point in points:
        point["label"] = ""
        places.setdefault((round(point["risk"], 2), round(point["utility"], 2)), []).append(point)
    for there in places.values():
        first = next((one for one in there if one["kind"] == "recommended"), there[0])
        first["label"] = first["name"] + (f" (+{len(there) - 1})" if len(there) > 1 else "")


def _spread(labelled: list[dict[str, Any]], points: list[dict[str, Any]], words: Iterable[Label]) -> None:
    """Names as near to the height of their points as they cover no other words and no point."""
    taken = list(words)
    for point in sorted(labelled, key=lambda one: one["risk"]):
        others = [one for one in points if one["label"] != point["label"]]
        free = (label for label in _places(point) if not _covers(label, taken, others))
        chosen = next(free, next(_places(point)))
        point["named_at"] = chosen.height
        taken.append(chosen)


class Label(NamedTuple):
    """Words in the chart: how high they stand, and where they begin and end on the axis of utility."""

    height: float
    start: float
    end: float


def _places(point: dict[str, Any]) -> Iterator[Label]:
    """Places for the name of a point, the nearest first."""
    at, wide = point["utility"], GAP + SIGN * len(point["label"])
    reach = (at - wide, at - GAP) if _named_left(point) else (at + GAP, at + wide)
    return (Label(height, *reach) for height in _heights(point["risk"]))


def _heights(risk: float) -> Iterator[float]:
    """Heights for a name: that of its point, then a little further up or down each time."""
    for step in range(2 * int(1 / LINE)):
        yield from (height for height in (risk + step * LINE / 2, risk - step * LINE / 2) if 0 <= height <= 1)


def _covers(label: Label, taken: list[Label], points: list[dict[str, Any]]) -> bool:
    over_words = any(
        abs(label.height - one.height) < 0.99 * LINE and one.start < label.end and label.start < one.end
        for one in taken
    )
    return over_words or any(
        abs(label.height - one["risk"]) < 0.7 * LINE
        and label.start - GAP / 2 < one["utility"] < label.end + GAP / 2
        for one in points
    )


def _named_left(point: dict[str, Any]) -> bool:
    """Whether a name is left of its point, where there is more room than on the right."""
    return bool(point["utility"] > 0.45)


def _scaled(field: str) -> Spec:
    return {"field": field, "type": "quantitative", "scale": {"domain": [0, 1]}}


def _marked(points: list[dict[str, Any]], kind: str) -> Spec:
    chosen = [point for point in points if point["kind"] == kind]
    return {"data": {"values": chosen}, "mark": {"type": "point", **MARKS[kind]}}


def _labelled(points: list[dict[str, Any]]) -> list[Spec]:
    """Names beside their points, on the side where there is room."""
    return [
        {
            "data": {"values": [one for one in points if one["label"] and _named_left(one) == left]},
            "mark": {"type": "text", "align": "right" if left else "left", "dx": -12 if left else 12},
            "encoding": {"y": {"field": "named_at"}, "text": {"field": "label"}},
        }
        for left in (True, False)
    ]


def _bound(document: Document) -> str:
    who = "the policy" if document["policy"] else "the default checks"
    return f"allowed by {who}: at most {percent(document['allowed']['risk'])}"


def _words(document: Document) -> list[Label]:
    """Where the words stand that say what is allowed."""
    if not document["allowed"]:
        return []
    return [Label(document["allowed"]["risk"] + 0.7 * LINE, 0, GAP + SIGN * len(_bound(document)))]


def _allowed(document: Document) -> list[Spec]:
    """The region that the policy allows, with its bound."""
    if not document["allowed"]:
        return []
    bound, said = document["allowed"]["risk"], _bound(document)
    region = {"type": "rect", "width": WIDTH, "height": bound * HEIGHT}
    region |= {"color": PALETTE["soft"], "fillOpacity": 0.28}
    line = {"type": "line", "color": PALETTE["accent"], "strokeDash": [4, 4], "strokeWidth": 1}
    words = {"type": "text", "align": "left", "dx": 8, "dy": -12}
    left, right = ({"utility": utility, "risk": bound, "said": said} for utility in (0, 1))
    return [
        {"data": {"values": [{"utility": 0.5, "risk": bound / 2}]}, "mark": region},
        {"data": {"values": [left, right]}, "mark": line},
        {"data": {"values": [left]}, "mark": words, "encoding": {"text": {"field": "said"}}},
    ]
