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
    """The attacker's error over what runs across."""
    values = [{"at": at, "error": error} for at, error in points]
    ends, most = [points[0][0], points[-1][0]], max(error for _, error in points)
    mark: dict[str, Any] = {"type": "line", "color": PALETTE["accent"]}
    if len(points) <= MOST_POINTS:
        mark["point"] = {"color": PALETTE["accent"]}
    return chart(
        width=WIDTH,
        height=HEIGHT,
        padding={**PADDING, "right": 24},
        data={"values": values},
        mark=mark,
        encoding={
            "x": {
                "field": "at",
                "type": "quantitative",
                "scale": {"domain": ends, "nice": False, "zero": False},
                "axis": {"title": across, "grid": False, "format": "d", "tickCount": _ticks(ends)},
            },
            "y": {
                "field": "error",
                "type": "quantitative",
                "scale": {"domain": [0, 1.12 * most or 1], "nice": False},
                "axis": {
                    "title": error_title(document),
                    "format": error_format(document),
                    "tickCount": 4,
                    "domain": False,
                },
            },
        },
    )


def _ticks(ends: Sequence[float]) -> int:
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
