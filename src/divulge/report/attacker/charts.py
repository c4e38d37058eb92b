"""The charts of an account of an attacker: the remaining error, and what more privacy would cost."""

from __future__ import annotations

from dataclasses import replace

from divulge.report.attacker import beliefs
from divulge.report.attacker.lines import REPEATED
from divulge.report.attacker.wording import error_format, error_title
from divulge.report.charts.theme import PADDING, PALETTE, Spec, chart
from divulge.report.shared.tables import Chart, Document, ReportTable, finite, table

WIDTH = 560
#: By goal, what a curve has upright and how it is read.
CURVES = {
    "average": (
        None,
        "The line is the most error that any mechanism can leave the attacker for the loss it costs the "
        "system. The broken line is the error that remains now.",
    ),
    "worst": (
        None,
        "The line is the most error that any mechanism can leave after its most revealing output, for the "
        "loss it costs the system.",
    ),
    "information": (
        "information leaked, bits",
        "The line is the least information that any mechanism leaks for the loss it costs the system.",
    ),
    "epsilon": ("expected loss", "The line is the least loss of any mechanism with this epsilon."),
}
GAINED = ("gained", "gained_at_most", "gained_by_divergence")
MARKS = {"prior": "without the observation", "average": "average"}


def distribution(document: Document) -> Spec | None:
    """How probable observations are that leave the attacker about the same error."""
    bins = [one for one in document["distribution"] if one["probability"] > 0]
    if len(bins) < 2:
        return None
    ends = [bins[0]["low"], bins[-1]["high"], document["privacy"]["prior"]]
    across = {
        "type": "quantitative",
        "axis": {
            "title": error_title(document),
            "grid": False,
            "format": error_format(document),
            "tickCount": 6,
        },
        "scale": {"domain": [min(ends), max(ends)], "nice": False, "zero": False},
    }
    most = max(one["probability"] for one in bins)
    upright = {"type": "quantitative", "scale": {"domain": [0, 1.3 * most], "nice": False}}
    step = bins[0]["high"] - bins[0]["low"]
    values = [{**one, "high": one["high"] - 0.08 * step} for one in bins]
    lines = [{"at": document["privacy"][case], "named": name} for case, name in MARKS.items()]
    lines.sort(key=lambda line: line["at"])
    close = lines[1]["at"] - lines[0]["at"] < 0.35 * (max(ends) - min(ends))
    # The left one is named to its left and the right one to its right, unless that leaves the chart.
    middle = (min(ends) + max(ends)) / 2
    sides = ["right", "left"] if close else ["right" if line["at"] > middle else "left" for line in lines]
    return chart(
        width=WIDTH,
        height=180,
        padding={**PADDING, "right": 24},
        layer=[
            {
                "data": {"values": values},
                "mark": {"type": "bar", "color": PALETTE["soft"]},
                "encoding": {
                    "x": {"field": "low", **across},
                    "x2": {"field": "high"},
                    "y2": {"datum": 0},
                    "y": {
                        "field": "probability",
                        **upright,
                        "axis": {
                            "title": "probability of such observations",
                            "format": ".0%",
                            "tickCount": 4,
                            "domain": False,
                        },
                    },
                },
            },
            {
                "data": {"values": lines},
                "mark": {"type": "rule", "color": PALETTE["ink"], "strokeWidth": 1.5},
                "encoding": {"x": {"field": "at", **across}},
            },
            *(
                {
                    "data": {"values": [{**line, "top": 1.28 * most}]},
                    "mark": {
                        "type": "text",
                        "align": side,
                        "dx": -5 if side == "right" else 5,
                        "baseline": "top",
                    },
                    "encoding": {
                        "x": {"field": "at", **across},
                        "y": {"field": "top", **upright},
                        "text": {"field": "named"},
                    },
                }
                for line, side in zip(lines, sides, strict=True)
            ),
        ],
    )


def curve(document: Document) -> Spec | None:
    """The most privacy that any mechanism gives for its loss, and where this channel is."""
    points = document["curve"]
    if not points:
        return None
    now = document["privacy"]["average"]
    goal = document["goal"]
    marked = goal == "average"  # another goal is not in the unit of this error
    own = document["operating_point"] if marked else None
    losses = [one["loss"] for one in points] + ([own["loss"]] if own else [])
    values = [one["value"] for one in points] + ([now] if marked else [])
    across = {
        "field": "loss",
        "type": "quantitative",
        "scale": {"domain": [0, max(losses) or 1], "nice": False},
        "axis": {
            "title": "epsilon" if goal == "epsilon" else "expected loss of the system",
            "grid": False,
            "tickCount": 6,
        },
    }
    upright = {
        "field": "value",
        "type": "quantitative",
        "scale": {"domain": [0, 1.12 * max(values) or 1], "nice": False},
        "axis": {
            "title": CURVES[goal][0] or error_title(document),
            "format": ".3~g" if CURVES[goal][0] else error_format(document),
            "tickCount": 4,
            "domain": False,
        },
    }
    here = {"loss": own["loss"] if own else max(losses), "value": now}
    mark = {"type": "point", "filled": True, "size": 110, "shape": "diamond", "opacity": 1}
    far = here["loss"] > 0.85 * max(losses)  # the label has room to the right, where the line is above it
    side = {"align": "right", "dx": -8} if far else {"align": "left", "dx": 9}
    named = {
        "type": "text",
        "text": "this channel" if own else "remaining error now",
        "dy": 13 if own else -8,
        **side,
    }
    best = {"type": "line", "color": PALETTE["accent"], "point": {"color": PALETTE["accent"]}}
    level = {"type": "rule", "color": PALETTE["ink"], "strokeDash": [5, 3]}
    return chart(
        width=WIDTH,
        height=220,
        padding={**PADDING, "right": 24},
        layer=[
            {"data": {"values": points}, "mark": best, "encoding": {"x": across, "y": upright}},
            *([{"data": {"values": [here]}, "mark": level, "encoding": {"y": upright}}] if marked else []),
            *(
                [
                    {
                        "data": {"values": [here]},
                        "mark": {**mark, "color": PALETTE["ink"]},
                        "encoding": {"x": across, "y": upright},
                    }
                ]
                if own
                else []
            ),
            *(
                [{"data": {"values": [here]}, "mark": named, "encoding": {"x": across, "y": upright}}]
                if marked
                else []
            ),
        ],
    )


def _distribution_table(document: Document) -> ReportTable:
    head = {"error from": "number", "to": "number", "probability": "share"}
    return table(head, ([one["low"], one["high"], one["probability"]] for one in document["distribution"]))


def _curve_table(document: Document) -> ReportTable:
    goal = document["goal"]
    across = "epsilon" if goal == "epsilon" else "loss"
    head = {across: "number", CURVES[goal][0] or "remaining error": "number", "price": "number"}
    return table(head, ([one["loss"], one["value"], finite(one["price"])] for one in document["curve"] or ()))


def moved_table(document: Document) -> ReportTable:
    """How far each observation moves beliefs, and how much error that can save the attacker."""
    head = {"observation": "text", "divergence, bits": "number", "total variation": "number"}
    head |= {"error saved": "number", "at most": "number", "by divergence": "number"}
    head |= {"likely values": "number"}
    names = ("label", "divergence", "total_variation", *GAINED, "candidates")
    told = [one for one in document["observations"] if one["candidates"] is not None]
    return table(head, ([one[name] for name in names] for one in told))


def bounds_table(document: Document) -> ReportTable:
    """Each bound with both its sides."""
    head = {"bound": "text", "left": "number", "right": "number", "unit": "text", "holds": "text"}
    rows = (
        [one["name"], finite(one["left"]), finite(one["right"]), one["unit"], "yes" if one["holds"] else "no"]
        for one in document["bounds"]
    )
    return table(head, rows)


ATTACKER_CHARTS = (
    Chart(
        "belief",
        "What the attacker believes after observing",
        "",  # depends on the form
        beliefs.belief,
        beliefs.belief_table,
    ),
    Chart(
        "distribution",
        "Remaining error, by observation",
        "Each bar is the probability of observations that leave about this error. Further left is riskier.",
        distribution,
        _distribution_table,
    ),
    Chart(
        "curve",
        "Privacy against loss",
        "",  # depends on the goal
        curve,
        _curve_table,
    ),
)


def attacker_charts(document: Document) -> tuple[Chart, ...]:
    """The charts, said how to read them in this document."""
    first, middle, last = ATTACKER_CHARTS
    own = document["operating_point"] and document["goal"] == "average"
    point = " The diamond marks what this channel costs, too." if own else ""
    return (
        replace(first, reading=beliefs.reading(document)),
        middle,
        replace(last, reading=f"{CURVES[document['goal']][1]}{point}"),
        *([REPEATED] if document["repeated"] else []),
    )
