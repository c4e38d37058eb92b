"""The charts of an account of an attacker: what is left to get wrong, what it would cost, what bounds it."""

from __future__ import annotations

from divulge.report.shared.tables import Chart, Document, ReportTable, finite, table
from divulge.report.shared.theme import PALETTE, SHARES, Spec, chart, names_at


def distribution(document: Document) -> Spec | None:
    """How probable observations are that leave the attacker about the same error."""
    bins = document["distribution"]
    if not bins:
        return None
    step = bins[0]["high"] - bins[0]["low"]
    across = {
        "type": "quantitative",
        "axis": {"title": "error left to the attacker", "grid": False, "format": ".3~f", "tickCount": 6},
        "scale": {"domain": [0, bins[-1]["high"]], "nice": False},
    }
    return chart(
        width=520,
        height=200,
        layer=[
            {
                "data": {"values": [{**one, "high": one["low"] + 0.92 * step} for one in bins]},
                "mark": {"type": "bar", "color": PALETTE["accent"]},
                "encoding": {
                    "x": {"field": "low", **across},
                    "x2": {"field": "high"},
                    "y2": {"datum": 0},
                    "y": {
                        "field": "probability",
                        "type": "quantitative",
                        "scale": {"domain": [0, 1]},
                        "axis": {**SHARES, "title": "probability of such observations", "domain": False},
                    },
                },
            },
            {
                "data": {"values": [{"at": document["privacy"]["average"]}]},
                "mark": {"type": "rule", "color": PALETTE["ink"], "strokeWidth": 1.5},
                "encoding": {"x": {"field": "at", **across}},
            },
        ],
    )


def curve(document: Document) -> Spec | None:
    """The most privacy that any mechanism gives for its loss."""
    points = document["curve"]
    if not points:
        return None
    return chart(
        width=520,
        height=220,
        data={"values": points},
        mark={"type": "line", "color": PALETTE["accent"], "point": {"color": PALETTE["accent"]}},
        encoding={
            "x": {
                "field": "loss",
                "type": "quantitative",
                "axis": {"title": "expected loss of the system", "grid": False},
            },
            "y": {
                "field": "value",
                "type": "quantitative",
                "axis": {"title": "error left to the attacker", "domain": False},
            },
        },
    )


def bounds(document: Document) -> Spec | None:
    """Both sides of each bound that is finite."""
    known = [one for one in document["bounds"] if one["left"] is not None and one["right"] is not None]
    if not known:
        return None
    points = [
        {"bound": one["name"], "side": side, "value": one[side]}
        for one in known
        for side in ("left", "right")
    ]
    return chart(
        width=420,
        height={"step": 30},
        data={"values": points},
        mark={"type": "point", "size": 70, "filled": True, "opacity": 1},
        encoding={
            "y": names_at("bound", [one["name"] for one in known]),
            "x": {"field": "value", "type": "quantitative", "axis": {"title": "bits"}},
            "shape": {"field": "side", "scale": {"domain": ["left", "right"], "range": ["circle", "square"]}},
            "color": {
                "field": "side",
                "scale": {"domain": ["left", "right"], "range": [PALETTE["accent"], PALETTE["muted"]]},
                "legend": {"title": None, "orient": "top"},
            },
        },
    )


def _distribution_table(document: Document) -> ReportTable:
    head = {"error from": "number", "to": "number", "probability": "share"}
    return table(head, ([one["low"], one["high"], one["probability"]] for one in document["distribution"]))


def _curve_table(document: Document) -> ReportTable:
    head = {"loss": "number", "error left": "number", "price": "number"}
    return table(head, ([one["loss"], one["value"], one["price"]] for one in document["curve"] or ()))


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
        "distribution",
        "How much is left to get wrong, by observation",
        "Each bar is the probability of observations that leave about this error; the upright line is the "
        "average. Further left is riskier.",
        distribution,
        _distribution_table,
    ),
    Chart(
        "curve",
        "What privacy would cost",
        "The most error that any mechanism can leave the attacker, for the loss it costs the system.",
        curve,
        _curve_table,
    ),
    Chart(
        "bounds",
        "Bounds",
        "The left side of each bound never passes the right one. Infinite sides are in the table only.",
        bounds,
        bounds_table,
    ),
)
