"""A comparison as one HTML file, in the look of an audit: what each release buys, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from divulge._support.wording import capitalized
from divulge.policy.demands import QUESTIONS
from divulge.report.comparison import attacks as attacks
from divulge.report.comparison import details as details
from divulge.report.comparison import loss as loss
from divulge.report.comparison import needs as needs
from divulge.report.comparison import tables as tables
from divulge.report.comparison.charts import page_charts
from divulge.report.comparison.details import Attack
from divulge.report.comparison.distributions import distribution_charts, undrawn
from divulge.report.comparison.overview import HEAD, overview, reasons
from divulge.report.comparison.side_by_side import Match, SideBySide, first_releases, names
from divulge.report.comparison.wording import COMPARISON_WORDS, PARTS, said_once
from divulge.report.shared.formats import listing
from divulge.report.shared.frame import drawings, fitted, framed, shown
from divulge.report.shared.provenance import made_with
from divulge.report.shared.tables import Document, ReportTable
from divulge.report.shared.tables import named as with_parameters

ACROSS = 4  # releases in one table, as many as A4 has room for
MOST_RELEASES = 24
SIDES: dict[str, Callable[[Document], SideBySide]] = {
    "readings": tables.readings,
    "checks": tables.checks,
    "categorical": loss.categorical,
    "contingency": loss.contingency,
    "distributions": loss.distributions,
    "recoding": loss.recoding,
    "mining": needs.mining,
    "needs": needs.needs,
}
TABLES: dict[str, Callable[[Document], ReportTable]] = {
    "more_readings": tables.more_readings,
    "continuous": loss.continuous,
    "contingencies": loss.contingencies,
    "distances": loss.distances,
    "need_values": needs.need_values,
    "alignment": tables.alignment,
}
READ = {
    *("k_anonymity", "uniqueness", "reidentification_risk", "discrimination_rate", "itpr"),
    *("distinct_l_diversity", "t_closeness"),
}


@dataclass(frozen=True)
class Parts:
    """Everything that a page shows of a document, before it is cut to fit."""

    document: Document
    left_out: int  # releases
    drawn: dict[str, Markup | None]
    sides: dict[str, SideBySide]
    tables: dict[str, ReportTable]
    attacks: list[Attack]


def page(document: Document) -> str:
    """The report of a comparison document, one self-contained file of less than a megabyte."""
    kept = first_releases(said_once(document), MOST_RELEASES)
    found = Parts(
        kept,
        len(document["releases"]) - len(kept["releases"]),
        drawings(page_charts(kept), kept),
        {name: side(kept) for name, side in SIDES.items()},
        {name: table(kept) for name, table in TABLES.items()},
        [details.attack(one, kept) for one in attacks.matched_attacks(kept)],
    )
    return fitted(lambda most: _fill(found, most))


def _fill(found: Parts, most: int) -> str:
    document = found.document

    def cut(side: SideBySide) -> list[SideBySide]:
        return side.first(most).parts(ACROSS)

    shown_sides = {name: cut(side) for name, side in found.sides.items()}
    rows = overview(document)
    return framed(
        "comparison.html.j2",
        document,
        charts=page_charts(document),
        drawn=found.drawn,
        most=most,
        measures=READ | {check["measure"] for release in document["releases"] for check in release["checks"]},
        parts=_parts(document, shown_sides),
        words=COMPARISON_WORDS,
        left_out=found.left_out,
        names=names(document),
        overview=rows,
        overview_head=HEAD,
        overview_reasons=reasons(rows),
        few=len(document["releases"]) <= ACROSS,
        sides=shown_sides,
        tables={name: shown(table, most) for name, table in found.tables.items()},
        attacks=[
            {
                "attack": one.attack,
                "outcomes": one.outcomes,
                "readings": shown(one.readings, most),
                "values": shown(one.by_value, most),
                "facts": cut(one.facts),
                "lists": [(title, shown(table, most)) for title, table in one.lists],
            }
            for one in found.attacks[:most]
        ],
        untried=attacks.untried(document),
        attacks_left_out=len(found.attacks) - len(found.attacks[:most]),
        overall=attacks.overall(document),
        checks=[_found(one, document) for one in tables.matched_checks(document)[:most]],
        distributions=[
            (chart.name, chart.title.removeprefix("Distributions in "))
            for chart in distribution_charts(document)
        ],
        undrawn=undrawn(document),
        numbers=loss.numbers(document),
        not_measured=loss.not_measured(document),
        notes=tables.notes(document),
        notices=tables.notices(document),
        unplaced=[name for name, *scores in tables.risk_and_utility(document).rows if None in scores],
        facts=made_with(document),
    )


def _parts(document: Document, sides: dict[str, list[SideBySide]]) -> dict[str, str]:
    """The parts that this page has: nothing about what nobody asked for."""
    without = {name for name in ("needs", "mining") if not sides[name]}
    without |= set() if document["notices"] else {"notes"}
    without |= set() if distribution_charts(document) or undrawn(document) else {"distributions"}
    return {name: title for name, title in PARTS.items() if name not in without}


def _found(match: Match, document: Document) -> dict[str, Any]:
    """What a check found and what would fix it, each said once with the releases that it is about."""
    one, found = match
    said: dict[tuple[str, str], list[str]] = {}
    for name, check in zip(names(document), found, strict=True):
        if check is not None:
            said.setdefault((_sentence(check), check["fix"]), []).append(name)
    title = one["title"] if one["measure"] in QUESTIONS else with_parameters(one["title"], one)
    return {
        "title": title,
        "why": one["why"],
        "found": [(listing(about), *sentences) for sentences, about in said.items()],
    }


def _sentence(check: Document) -> str:
    """What a check found in one release; of a threshold also whom it concerns."""
    concerns = "" if check["measure"] in QUESTIONS else check["concerns"]
    reason = f"Not evaluated: {check['undefined'].rstrip('.')}." if check["undefined"] else check["sentence"]
    return f"{reason} {capitalized(concerns)}." if concerns else reason
