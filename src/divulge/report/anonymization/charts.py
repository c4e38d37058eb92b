"""The chart of a search: risk against loss, with the transformation that was chosen."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from divulge.report.anonymization.tables import front
from divulge.report.charts.theme import PADDING, PALETTE, Spec, chart
from divulge.report.shared.tables import Chart, Document

WIDTH, HEIGHT = 320, 240
MOST_POINTS = 400
LARGE = 1e5  # from which on an axis counts in thousands, millions and so on
LOSS, RISK = "loss (further left is better)", "average risk (lower is better)"
MARKS: dict[str, Spec] = {
    "front": {"shape": "circle", "size": 45, "color": PALETTE["accent"], "filled": True},
    "chosen": {
        "shape": "circle",
        "size": 130,
        "fill": PALETTE["accent"],
        "stroke": PALETTE["ink"],
        "strokeWidth": 2,
    },
    "local": {"shape": "diamond", "size": 130, "color": PALETTE["ink"], "filled": False, "strokeWidth": 2},
}


class Axis(NamedTuple):
    """The numbers at an axis, and how much one of them stands for."""

    values: list[float]
    unit: float

    def title(self, words: str) -> str:
        return words if self.unit == 1 else f"{words}, in units of {self.unit:,.0f}"


def loss_risk(document: Document) -> Spec | None:
    """The front, the transformation that was chosen, and the local recoding where there is one."""
    points = _points(document)
    if not points or not document["front"]:
        return None
    across, up = (axis([point[name] for point in points]) for name in ("loss", "risk"))
    for point in points:
        point["loss"] /= across.unit
        point["risk"] /= up.unit
    line = {"type": "line", "color": PALETTE["soft"], "strokeWidth": 1.5}
    return chart(
        padding={**PADDING, "right": 20},
        width=WIDTH,
        height=HEIGHT,
        encoding={"x": _scaled("loss", across, LOSS), "y": _scaled("risk", up, RISK)},
        layer=[
            {"data": {"values": [one for one in points if one["kind"] == "front"]}, "mark": line},
            *(_marked(points, kind) for kind in MARKS),
            *_labels(points, across),
        ],
    )


def _points(document: Document) -> list[dict[str, Any]]:
    best, local = document["best"], document["local"]
    found = [("front", one, "") for one in (document["front"] or ())[:MOST_POINTS]]
    found.append(("chosen", best, "released" if local is None else "best for all records alike"))
    found += [] if local is None else [("local", local, "local recoding, released")]
    return [
        {"kind": kind, "loss": one["loss"], "risk": one["risk"], "label": label}
        for kind, one, label in found
        if one["risk"] is not None
    ]


def axis(numbers: list[float]) -> Axis:
    """Round numbers around all those that are shown, from 0 on where that is not far.

    >>> axis([0.31, 0.58, 0.9]).values, axis([2e6, 9e6])
    ([0.2, 0.4, 0.6, 0.8, 1.0], Axis(values=[0.0, 2.0, 4.0, 6.0, 8.0, 10.0], unit=1000000.0))
    """
    low, high = min(numbers), max(numbers)
    unit = 1000.0 ** math.floor(math.log10(high) / 3) if high >= LARGE else 1.0
    low, high = low / unit, high / unit
    low = 0.0 if 0 <= low <= high / 3 or low == high >= 0 else low
    rough = (high - low or 1.0) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    wide = next(one * power for one in (1, 2, 5, 10) if one * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / wide + 1e-9), math.ceil(high / wide - 1e-9)
    return Axis([float(f"{place * wide:.10g}") for place in range(first, max(last, first + 1) + 1)], unit)


def _scaled(field: str, found: Axis, words: str) -> Spec:
    values = found.values
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": [values[0], values[-1]]},
        "axis": {
            "values": values,
            "format": ".6~g",
            "title": found.title(words),
            **({"domain": False} if field == "risk" else {}),
        },
    }


def _marked(points: list[dict[str, Any]], kind: str) -> Spec:
    chosen = [point for point in points if point["kind"] == kind]
    return {"data": {"values": chosen}, "mark": {"type": "point", **MARKS[kind]}}


def _labels(points: list[dict[str, Any]], across: Axis) -> list[Spec]:
    """What the larger points are, above them on the side where there is room."""
    middle = (across.values[0] + across.values[-1]) / 2
    named = [point for point in points if point["label"]]
    return [
        {
            "data": {"values": [one for one in named if (one["loss"] > middle) == left]},
            "mark": {
                "type": "text",
                "align": "right" if left else "left",
                "dx": -10 if left else 10,
                "dy": -12,
            },
            "encoding": {"text": {"field": "label"}},
        }
        for left in (True, False)
    ]


#: Every chart of a search, in the order of the report.
SEARCH_CHARTS = (
    Chart(
        "loss_risk",
        "Risk against loss",
        "Each small point is a transformation whose groups meet the policy and that no other beats in both. "
        "The large point has the least loss of those whose release passes all checks.",
        loss_risk,
        front,
    ),
)
