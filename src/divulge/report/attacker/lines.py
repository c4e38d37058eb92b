"""Charts of an error that changes from step to step, or with the number of observations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from divulge.report.attacker.wording import error_format, error_title
from divulge.report.charts.theme import PADDING, PALETTE, Spec, chart
from divulge.report.shared.tables import Chart, Document, ReportTable, table

WIDTH, HEIGHT = 560, 200
MOST_POINTS = 40  # that are marked on a line


def error_line(document: Document, points: Sequence[tuple[float, float]], across: str) -> Spec:
    """The attacker's error over what runs across, in whole numbers."""
    return line(points, (across, "d"), (error_title(document), error_format(document)))


def line(
    points: Sequence[tuple[float, float]],
    across: tuple[str, str],
    upright: tuple[str, str],
    level: tuple[str, float] | None = None,
) -> Spec:
    """A line through points, with the title and the format of each axis; a level is named and broken."""
    values = [{"at": at, "value": value} for at, value in points]
    ends = [points[0][0], points[-1][0]]
    most = max([value for _, value in points] + ([] if level is None else [level[1]]))
    mark: dict[str, Any] = {"type": "line", "color": PALETTE["accent"]}
    if len(points) <= MOST_POINTS:
        mark["point"] = {"color": PALETTE["accent"]}
    ticks = _ticks(ends) if across[1] == "d" else 6
    x = {
        "field": "at",
        "type": "quantitative",
        "scale": {"domain": ends, "nice": False, "zero": False},
        "axis": {
            "title": across[0],
            "grid": False,
            "format": across[1],
            "tickCount": ticks,
        },
    }
    y = {
        "field": "value",
        "type": "quantitative",
        "scale": {"domain": [0, 1.12 * most or 1], "nice": False},
        "axis": {"title": upright[0], "format": upright[1], "tickCount": 4, "domain": False},
    }
    layers: list[Spec] = [{"data": {"values": values}, "mark": mark, "encoding": {"x": x, "y": y}}]
    if level is not None:
        data = {"values": [{"at": ends[1], "value": level[1]}]}
        rule = {"type": "rule", "color": PALETTE["ink"], "strokeDash": [5, 3]}
        named = {"type": "text", "text": level[0], "align": "right", "dx": -4, "dy": -8}
        layers += [
            {"data": data, "mark": rule, "encoding": {"y": y}},
            {"data": data, "mark": named, "encoding": {"x": x, "y": y}},
        ]
    return chart(width=WIDTH, height=HEIGHT, padding={**PADDING, "right": 24}, layer=layers)


def _ticks(ends: Sequence[float]) -> int:
    """As many as there are whole numbers, where they are few."""
    return int(max(1, min(8, ends[1] - ends[0])))


def _repeated(document: Document) -> Spec | None:
    points = [(one["observations"], one["average"]) for one in document["repeated"] or ()]
    return error_line(document, points, "number of observations") if len(points) > 1 else None


def _repeated_table(document: Document) -> ReportTable:
    head = dict.fromkeys(("observations", "average", "standard error", "worst", "best"), "number")
    names = ("observations", "average", "error", "worst", "best")
    return table(head, ([one[name] for name in names] for one in document["repeated"] or ()))


REPEATED = Chart(
    "repeated",
    "Remaining error, by number of observations",
    "The line is the attacker's error on average after so many independent observations of the same secret.",
    _repeated,
    _repeated_table,
)
