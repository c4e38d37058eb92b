"""Charts of distributions: values of each target beside the baseline, and test statistics by chance."""

from __future__ import annotations

from typing import Any

from divulge._support.wording import many
from divulge.report.charts.theme import PALETTE, Spec, chart
from divulge.report.release.bars import PADDING
from divulge.report.release.tables import losing
from divulge.report.release.wording import READS, shortened
from divulge.report.shared.tables import Document, ReportTable, TableColumn

MOST_PANELS, ACROSS = 12, 3
LIGHT: Spec = {"type": "bar", "color": PALETTE["heat-2"]}
DARK: Spec = {"type": "bar", "color": PALETTE["accent"]}
LINE: Spec = {"type": "line", "color": PALETTE["ink"], "strokeWidth": 1.5}


def histograms(document: Document) -> Spec | None:
    """Records of each target by value: in the table, released, and as the baseline would have them."""
    found = document.get("histograms")
    if not found or not found["targets"]:
        return None
    chosen = {document["by_target"][place]["target"] for place in losing(document, MOST_PANELS)}
    targets = [one for one in found["targets"] if one["target"] in chosen]
    names = shortened(one["target"] for one in targets)
    panels = [
        {
            "title": {"text": names[one["target"]], "frame": "group", "offset": 8},
            "width": 220,
            "height": 120,
            **_panel(one, found["groups"], first=place % ACROSS == 0),
        }
        for place, one in enumerate(targets)
    ]
    return chart(concat=panels, columns=ACROSS, padding=PADDING, spacing={"row": 24, "column": 24})


def _panel(target: Document, groups: list[Any], *, first: bool) -> Spec:
    """Light bars for the table, dark ones for released records, a line for the baseline of as many."""
    total = sum(target["released"])
    points = [
        {
            "at": place,
            "end": place + 0.86,
            "table": table,
            "released": released,
            "baseline": one["expected"] * total,
        }
        for place, (one, table, released) in enumerate(
            zip(groups, target["records"], target["released"], strict=True)
        )
    ]
    line = [
        {"at": place + step, "baseline": one["baseline"]}
        for place, one in enumerate(points)
        for step in (0, 1)
    ]
    most = max((max(one["table"], one["released"], one["baseline"]) for one in points), default=0) or 1
    across = {
        "type": "quantitative",
        "scale": {"domain": [0, len(groups)], "nice": False},
        "axis": {"title": None, "labels": False, "grid": False},
    }
    up = {
        "type": "quantitative",
        "scale": {"domain": [0, most], "nice": False},
        "axis": {"title": "records" if first else None, "tickCount": 3, "format": ",~f", "domain": False},
    }
    bars = [
        {
            "data": {"values": points},
            "mark": mark,
            "encoding": {
                "x": {"field": "at", **across},
                "x2": {"field": "end"},
                "y": {"field": field, **up},
                "y2": {"datum": 0},
            },
        }
        for field, mark in (("table", LIGHT), ("released", DARK))
    ]
    baseline = {
        "data": {"values": line},
        "mark": LINE,
        "encoding": {"x": {"field": "at", **across}, "y": {"field": "baseline", **up}},
    }
    return {"layer": [*bars, baseline]}


def histogram_table(document: Document) -> ReportTable:
    """Released records by group of values and target, beside the share of the baseline."""
    found = document.get("histograms") or {"groups": [], "targets": []}
    head = (
        TableColumn(", ".join(document["x"])),
        TableColumn("baseline", "share"),
        *(TableColumn(one["target"], "number") for one in found["targets"]),
    )
    rows = [
        [one["values"], one["expected"], *(round(target["released"][place]) for target in found["targets"])]
        for place, one in enumerate(found["groups"])
    ]
    return ReportTable(head, rows)


def statistics(document: Document) -> Spec | None:
    """The statistic of each information test by chance: simulated, and as chi-square says."""
    found = document.get("statistics")
    if not found:
        return None
    panels = [
        {
            "title": {"text": _title(one), "frame": "group", "offset": 8},
            "width": 350,
            "height": 170,
            **_statistic(one, first=place == 0),
        }
        for place, one in enumerate(found)
    ]
    return chart(concat=panels, columns=2, padding=PADDING, spacing=36)


def _title(found: Document) -> str:
    of = "".join(f" of {name}" for name in shortened(filter(None, [found["target"]]), 20).values())
    return f"{READS[found['test']]}{of}, {many(found['records'])} records"


def _statistic(found: Document, *, first: bool) -> Spec:
    bins = found["bins"]
    width = bins[0]["high"] - bins[0]["low"]
    marks = {"critical value": found["critical"], "first run": found["value"]}
    ends = [bins[0]["low"], bins[-1]["high"], *(one for one in marks.values() if one is not None)]
    most = 1.25 * max(max(one["simulated"], one["chi_square"]) for one in bins)
    title = f"statistic ({found['degrees']} degrees of freedom)"
    across = {
        "type": "quantitative",
        "scale": {"domain": [min(ends), max(ends)], "nice": False, "zero": False},
        "axis": {
            "title": title,
            "grid": False,
            "tickCount": 5,
            "format": ",.0f" if max(ends) > 10 else ".1f",
        },
    }
    up = {
        "type": "quantitative",
        "scale": {"domain": [0, most], "nice": False},
        "axis": {"title": "share" if first else None, "format": ".0%", "tickCount": 4, "domain": False},
    }
    bars = {
        "data": {"values": [{**one, "high": one["high"] - 0.1 * width} for one in bins]},
        "mark": LIGHT,
        "encoding": {
            "x": {"field": "low", **across},
            "x2": {"field": "high"},
            "y": {"field": "simulated", **up},
            "y2": {"datum": 0},
        },
    }
    curve = {
        "data": {"values": [{"at": one["low"] + width / 2, "chi_square": one["chi_square"]} for one in bins]},
        "mark": {**LINE, "color": PALETTE["accent"], "strokeWidth": 2},
        "encoding": {"x": {"field": "at", **across}, "y": {"field": "chi_square", **up}},
    }
    return {"layer": [bars, curve, *_marked(marks, across, up, most)]}


def _marked(marks: dict[str, float | None], across: Spec, up: Spec, most: float) -> list[Spec]:
    """Upright lines with their names, one under the other."""
    found: list[Spec] = []
    low, high = across["scale"]["domain"]
    for place, (name, value) in enumerate(marks.items()):
        if value is None:
            continue
        line: Spec = {"type": "rule", "color": PALETTE["ink"], "strokeWidth": 1.5}
        if place == 0:
            line["strokeDash"] = [5, 3]
        left = place == 1 if 0.25 < (value - low) / ((high - low) or 1) < 0.75 else value > (low + high) / 2
        side = {"align": "right", "dx": -5} if left else {"align": "left", "dx": 5}
        point = [{"at": value, "top": most * (0.97 - 0.1 * place)}]
        x = {"field": "at", **across}
        found += [
            {"data": {"values": point}, "mark": line, "encoding": {"x": x}},
            {
                "data": {"values": point},
                "mark": {"type": "text", "text": name, **side},
                "encoding": {"x": x, "y": {"field": "top", **up}},
            },
        ]
    return found


def statistics_table(document: Document) -> ReportTable:
    """Both distributions by bin."""
    head = (
        TableColumn("test"),
        TableColumn("statistic from", "number"),
        TableColumn("to", "number"),
        TableColumn("simulated", "share"),
        TableColumn("chi-square", "share"),
    )
    rows = [
        [one["test"].upper(), bin["low"], bin["high"], bin["simulated"], bin["chi_square"]]
        for one in document.get("statistics") or ()
        for bin in one["bins"]
    ]
    return ReportTable(head, rows)
