"""Charts of experiments: curves over one axis, each named at its end."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from divulge.report.charts.theme import PADDING, PALETTE, Spec, chart
from divulge.report.shared.tables import Chart, Document, ReportTable, table

WIDTH, HEIGHT = 520, 260
GAP = 14  # pixels between two names
STROKES: Sequence[Spec] = (
    {"color": PALETTE["accent"]},
    {"color": PALETTE["ink"], "strokeDash": [5, 3]},
    {"color": PALETTE["muted"]},
    {"color": PALETTE["accent"], "strokeDash": [2, 2]},
    {"color": PALETTE["soft"]},
    {"color": PALETTE["ink"], "strokeDash": [8, 2, 2, 2]},
    {"color": PALETTE["muted"], "strokeDash": [3, 5]},
    {"color": PALETTE["soft"], "strokeDash": [6, 2]},
)
Drawn = Mapping[str, Any]


def charts(entry: Document, name: str) -> list[Chart]:
    """The charts of an experiment, each with its numbers as a table."""
    return [
        Chart(
            f"{name}-{place}",
            one["title"],
            _reading(one),
            lambda _, one=one: curves(one),  # type: ignore[misc]
            lambda _, one=one: points(one),  # type: ignore[misc]
        )
        for place, one in enumerate(entry["figures"], 1)
    ]


def curves(figure: Drawn) -> Spec | None:
    """The curves of a figure as lines, or as points where x is a name."""
    lines = [one for one in figure["curves"] if one["points"]]
    if not lines:
        return None
    upright, heights = _upright(figure, lines)
    across = _across(figure, lines)
    layers: list[Spec] = []
    ends = _apart([heights(one["points"][-1][1]) for one in lines])
    for place, (one, end) in enumerate(zip(lines, ends, strict=True)):
        stroke = STROKES[place % len(STROKES)]
        values = [{"x": _name(figure, x), "y": y} for x, y in one["points"]]
        dots = bool(figure["categories"]) or one["published"] or len(values) < 3
        mark: Spec = (
            {"type": "point", "filled": True, "size": 60, "color": stroke["color"]}
            if dots
            else {"type": "line", "strokeWidth": 2, **stroke}
        )
        layers.append({"data": {"values": values}, "mark": mark, "encoding": {"x": across, "y": upright}})
        words = {
            "type": "text",
            "text": one["name"],
            "align": "left",
            "dx": 7,
            "dy": heights(one["points"][-1][1]) - end,
            "color": stroke["color"],
        }
        layers.append(
            {"data": {"values": values[-1:]}, "mark": words, "encoding": {"x": across, "y": upright}}
        )
    room = 12 + 7 * max(len(one["name"]) for one in lines)
    return chart(width=WIDTH, height=HEIGHT, padding={**PADDING, "right": room}, layer=layers)


def points(figure: Drawn) -> ReportTable:
    """A row for each place on x, a column for each curve."""
    names = [one["name"] for one in figure["curves"]]
    found = {one["name"]: dict(one["points"]) for one in figure["curves"]}
    places = sorted({x for one in found.values() for x in one})
    head = {figure["x"]: "text" if figure["categories"] else "number", **dict.fromkeys(names, "number")}
    rows = [[_name(figure, x), *(found[name].get(x) for name in names)] for x in places]
    return table(head, rows)


def _name(figure: Drawn, x: float) -> Any:
    return figure["categories"][int(x)] if figure["categories"] else x


def _reading(figure: Drawn) -> str:
    said = f"{figure['y']} over {figure['x']}."
    if any(one["published"] for one in figure["curves"]):
        said += " Points are numbers that the paper prints."
    return said[0].upper() + said[1:]


def _across(figure: Drawn, lines: Sequence[Drawn]) -> Spec:
    axis: Spec = {"title": figure["x"], "grid": False}
    if figure["categories"]:
        return {
            "field": "x",
            "type": "nominal",
            "sort": figure["categories"],
            "axis": {**axis, "labelAngle": 0},
        }
    found = [x for one in lines for x, _ in one["points"]]
    scale: Spec = {"domain": [min(found), max(found)], "nice": False, "zero": False}
    if "x" in figure["logarithmic"]:
        scale = {**scale, "type": "log"}
    axis = {**axis, "format": _format(max(map(abs, found))), "tickCount": 6}
    return {"field": "x", "type": "quantitative", "scale": scale, "axis": axis}


def _format(most: float) -> str:
    """How the numbers of an axis are written, by the largest of them."""
    return "~s" if most >= 100_000 else ",d" if most >= 20 else ".3~g"


def _upright(figure: Drawn, lines: Sequence[Drawn]) -> tuple[Spec, Any]:
    """The upright axis, and how high a value stands on it in pixels."""
    found = [y for one in lines for _, y in one["points"]]
    form = _format(max(map(abs, found)))
    axis: Spec = {"title": figure["y"], "domain": False, "format": form, "tickCount": 5}
    if "y" in figure["logarithmic"]:
        low, high = math.log10(min(found)), math.log10(max(found))
        scale: Spec = {"type": "log", "domain": [min(found), max(found)], "nice": False}
        span = (high - low) or 1.0
        return (
            {"field": "y", "type": "quantitative", "scale": scale, "axis": axis},
            lambda y: HEIGHT * (math.log10(y) - low) / span,
        )
    least, most = min(0.0, *found), max(found)
    top = most if most > least else least + 1.0
    scale = {"domain": [least, top], "nice": False}
    return (
        {"field": "y", "type": "quantitative", "scale": scale, "axis": axis},
        lambda y: HEIGHT * (y - least) / (top - least),
    )


def _apart(heights: Sequence[float]) -> list[float]:
    """Heights moved so that no two names stand on one another.

    >>> _apart([100, 101, 50])
    [93.5, 107.5, 50.0]
    """
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    groups: list[tuple[float, int]] = []  # middle of each run of names, and how many
    for place in order:
        groups.append((heights[place], 1))
        while len(groups) > 1 and groups[-1][0] - groups[-2][0] < GAP * (groups[-1][1] + groups[-2][1]) / 2:
            (low, few), (high, many) = groups[-2:]
            groups[-2:] = [((low * few + high * many) / (few + many), few + many)]
    found = [0.0] * len(heights)
    places = iter(order)
    for middle, size in groups:
        for step in range(size):
            found[next(places)] = middle + GAP * (step - (size - 1) / 2)
    lowest = 0.0  # names stay above the axis
    for place in order:
        found[place] = max(found[place], lowest)
        lowest = found[place] + GAP
    return found
