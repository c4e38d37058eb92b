"""The charts of a comparison as Vega-Lite specifications: plain dictionaries, as those of an audit."""

from __future__ import annotations

from dataclasses import replace

from divulge.report.charts.theme import PADDING, RATES, Spec, chart, labels, names_at
from divulge.report.comparison.attacks import attack_risks, matched_attacks
from divulge.report.comparison.distributions import distribution_charts
from divulge.report.comparison.needs import matched_needs, need_readings, original_utility
from divulge.report.comparison.risk_utility import risk_utility
from divulge.report.comparison.side_by_side import short_names, value_of
from divulge.report.comparison.tables import risk_and_utility
from divulge.report.shared.formats import rate
from divulge.report.shared.tables import Chart, Document

MOST_RELEASES = 12
MOST_PANELS = 16


def attack_risk(document: Document) -> Spec | None:
    """The risk under each attack, release by release."""
    return _panels(
        document,
        [
            (one["title"], [value_of(attack, "risk") for attack in found], None)
            for one, found in matched_attacks(document)
        ],
    )


def need_utility(document: Document) -> Spec | None:
    """The utility for each need, release by release, with that of the original."""
    return _panels(
        document,
        [
            (one["name"], [value_of(need, "utility") for need in found], original_utility(found))
            for one, found in matched_needs(document)
        ],
    )


def _panels(document: Document, found: list[tuple[str, list[float | None], float | None]]) -> Spec | None:
    """A small chart for each thing that was read: a bar for each release, a line for the original."""
    releases = list(short_names(document).values())[:MOST_RELEASES]
    drawn = [one for one in found if any(value is not None for value in one[1][:MOST_RELEASES])]
    if not drawn:
        return None
    titles = labels((title for title, _, _ in drawn), longest=40)
    return chart(
        concat=[
            _panel(titles[title], releases, values, original)
            for title, values, original in drawn[:MOST_PANELS]
        ],
        padding={**PADDING, "right": 24},
        columns=2,
        spacing={"row": 28, "column": 72},
    )


def _panel(title: str, releases: list[str], values: list[float | None], original: float | None) -> Spec:
    points = [
        {
            "release": name,
            "value": _within(value),
            "said": "not measured" if value is None else rate(value),
        }
        for name, value in zip(releases, values, strict=False)
    ]
    same = [{"release": name, "value": _within(original)} for name in releases]
    return {
        "title": title,
        "data": {"values": points},
        "width": 190,
        "height": {"step": 24},
        "encoding": {
            "y": names_at("release", releases),
            "x": {"field": "value", "type": "quantitative", "scale": {"domain": [0, 1]}, "axis": RATES},
        },
        "layer": [
            {"mark": {"type": "bar", "size": 12}},
            *([] if original is None else [{"data": {"values": same}, "mark": {"type": "tick", "size": 20}}]),
            {
                "mark": {"type": "text", "align": "left", "dx": 8},
                "encoding": {"text": {"field": "said"}, "x": {"value": 190}},
            },
        ],
    }


def _within(value: float | None) -> float | None:
    """A value as it is drawn, from 0 to 1."""
    return None if value is None else min(max(value, 0.0), 1.0)


#: Every chart of a comparison, in the order of the report.
COMPARISON_CHARTS = (
    Chart(
        "risk_utility",
        "Risk against utility",
        "Each point is a release, the diamond is the original. Best is bottom right: few people linked, much "
        "utility kept.",
        risk_utility,
        risk_and_utility,
    ),
    Chart(
        "attack_risk",
        "Risk by attack and release",
        "Each bar is the risk under one attack: 0 where the attacker learns nothing, 1 where everything.",
        attack_risk,
        attack_risks,
    ),
    Chart(
        "need_utility",
        "Utility by need and release",
        "Each bar is how well a release serves a need, from 0 to 1. The upright line is the original.",
        need_utility,
        need_readings,
    ),
)


def comparison_charts(document: Document) -> tuple[Chart, ...]:
    """The charts as a document has them: a band is spoken of only where one is drawn."""
    first, *others = COMPARISON_CHARTS
    band = " The shaded band is what the checks allow." if document["allowed"] else ""
    return replace(first, reading=first.reading + band), *others, *distribution_charts(document)


def page_charts(document: Document) -> tuple[Chart, ...]:
    """Those on the page, where every attack has a part of its own instead of a bar in a chart of all."""
    return tuple(chart for chart in comparison_charts(document) if chart.name != "attack_risk")
