"""Charts of a release over time: how exposed targets were, and how much was learned about them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from divulge.report.charts.theme import PALETTE, RATES, Spec, chart
from divulge.report.release.bars import PADDING
from divulge.report.release.tables import of_test, reading_title
from divulge.report.release.wording import shortened, used
from divulge.report.shared.tables import Document

MOST_PANELS, ACROSS = 12, 3
IN_SHORT = {
    "kld": "distance, bits",
    "cst": "statistic",
    "seq": "odds",
}  # of the tests with a panel for each target
LOGARITHMIC = ("mis", "kld", "seq")  # exposures that fall as records get out, or are ratios
LOWEST = 1e-2  # of the least critical value; an exposure below is drawn there
LINE: Spec = {"type": "line", "color": PALETTE["accent"], "strokeWidth": 2}
BROKEN: Spec = {"type": "line", "color": PALETTE["ink"], "strokeWidth": 1.5, "strokeDash": [5, 3]}
STEPS: Spec = {**BROKEN, "interpolate": "step-after"}
CRITICAL = {"mis": BROKEN, "kld": BROKEN, "cst": STEPS, "dqt": STEPS, "seq": BROKEN}

Points = list[dict[str, Any]]
Marks = Mapping[str, tuple[str, Spec]]  # by field: what a line is called, and how it is drawn


def exposure(test: str, document: Document) -> Spec | None:
    """How exposed the released records were over time, beside the critical value."""
    found = _by_target(test, document)
    carried_out = [point for points in found.values() for point in points if point["critical"] is not None]
    if not carried_out:
        return None
    scale = _scale(test, carried_out)
    marks = {"exposure": ("exposure", LINE), "critical": ("critical value", CRITICAL[test])}
    across = _records(document)
    if None in found:
        upright = _upright(scale, reading_title(test, document))
        return chart(padding=PADDING, width=520, height=240, **_panel(found[None], across, upright, marks))
    shown = _nearest(found)
    names = shortened(str(name) for name in shown)
    panels = []
    for place, (name, points) in enumerate(shown.items()):
        upright = _upright(scale, None if place % ACROSS else IN_SHORT[test])
        panel = _panel(points, across, upright, marks, named=place == min(len(shown), ACROSS) - 1)
        title = {"text": names[str(name)], "frame": "group", "offset": 8}
        panels.append({"title": title, "width": 200, "height": 130, **panel})
    return chart(concat=panels, columns=ACROSS, padding=PADDING, spacing={"row": 24, "column": 28})


def readings(document: Document) -> Spec | None:
    """How much the released values say about the targets over time."""
    fields = ("records", "discrimination_rate", "itpr")
    points = [{name: one[name] for name in fields} for one in document["evolution"]]
    if all(one["discrimination_rate"] is None for one in points):
        return None
    marks = {
        "discrimination_rate": ("discrimination rate", LINE),
        "itpr": ("ITPR", {**BROKEN, "color": PALETTE["muted"]}),
    }
    upright = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": {**RATES, "domain": False}}
    return chart(padding=PADDING, width=520, height=200, **_panel(points, _records(document), upright, marks))


def _by_target(test: str, document: Document) -> dict[str | None, Points]:
    """The points of each panel; those of a test for all targets together stand under None."""
    found: dict[str | None, Points] = {}
    for moment in document["evolution"]:
        for one in of_test(moment, test):
            point = {"exposure": one["value"], "critical": one["critical"], "used": used(one)}
            found.setdefault(one["target"], []).append({"records": moment["records"], **point})
    return {name: found[name] for name in (None, *document["targets"]) if name in found}


def _nearest(found: Mapping[str | None, Points]) -> dict[str | None, Points]:
    """The targets that came nearest to their critical value in the end, in their own order."""
    nearest = sorted(found, key=lambda name: -(found[name][-1]["used"] or 0.0))[:MOST_PANELS]
    return {name: points for name, points in found.items() if name in nearest}


def _panel(points: Points, across: Spec, upright: Spec, marks: Marks, *, named: bool = True) -> Spec:
    """Lines over the number of released records, with their names at their ends."""
    ends = [point for point in points if all(point[field] is not None for field in marks)][-1:]
    lines = [
        {"mark": mark, "encoding": {"y": {"field": field, **upright}}} for field, (_, mark) in marks.items()
    ]
    names = _names(ends[0], upright, marks) if named and ends else []
    return {"data": {"values": points}, "encoding": {"x": across}, "layer": [*lines, *names]}


def _names(end: Mapping[str, Any], upright: Spec, marks: Marks) -> list[Spec]:
    """Two names beside the ends of two lines, pushed apart, since lines often end close together."""
    upper = max(marks, key=lambda field: end[field])
    found = []
    for field, (name, mark) in marks.items():
        beside = {"align": "left", "dx": 7, "dy": -7 if field == upper else 8}
        words = {"type": "text", "text": name, "color": mark["color"], **beside}
        place = {"y": {"field": field, **upright}}
        found.append({"data": {"values": [end]}, "mark": words, "encoding": place})
    return found


def _records(document: Document) -> Spec:
    most = max(moment["records"] for moment in document["evolution"])
    axis = {"title": "records released so far", "grid": False, "format": ",", "values": _ticks(1, most)}
    scale = {"type": "log", "domain": [1, max(most, 2)], "nice": False}
    return {"field": "records", "type": "quantitative", "scale": scale, "axis": axis}


def _scale(test: str, points: Points) -> Spec:
    """The scale that all panels of a test share."""
    limits = [point["critical"] for point in points]
    exposures = [point["exposure"] for point in points if point["exposure"] is not None]
    if test not in LOGARITHMIC:
        return {"domain": [0, max(limits + exposures)], "nice": True}
    positive = [value for value in limits + exposures if value > 0]
    lowest = LOWEST * min((limit for limit in limits if limit > 0), default=0)
    domain = [max(min(positive), lowest), max(positive)]
    return {"type": "log", "domain": domain, "nice": False, "clamp": True}


def _upright(scale: Spec, title: str | None) -> Spec:
    axis: Spec = {"title": title, "domain": False}
    if scale.get("type") == "log":
        axis |= {"format": "~g", "values": _ticks(*scale["domain"])}
    else:
        axis |= {"tickCount": 4}
    return {"type": "quantitative", "scale": scale, "axis": axis}


def _ticks(least: float, most: float) -> list[float]:
    """Powers of ten between two numbers, with multiples of them where there are few.

    >>> _ticks(1, 6113), _ticks(3, 40), _ticks(1, 4)
    ([1.0, 10.0, 100.0, 1000.0], [5.0, 10.0, 20.0], [1.0, 2.0, 3.0, 4.0])
    """
    span = most / least
    steps = (1,) if span >= 100 else (1, 2, 5) if span >= 10 else tuple(range(1, 10))
    exponents = range(math.floor(math.log10(least)), math.floor(math.log10(most)) + 1)
    ticks = [float(f"{step}e{exponent}") for exponent in exponents for step in steps]
    return [tick for tick in ticks if least <= tick <= most]
