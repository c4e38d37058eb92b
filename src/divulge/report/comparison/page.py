"""A comparison as one HTML file, in the look of an audit: what each release buys, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from divulge.report.comparison import attacks as attacks
from divulge.report.comparison import details as details
from divulge.report.comparison import loss as loss
from divulge.report.comparison import needs as needs
from divulge.report.comparison import tables as tables
from divulge.report.comparison.charts import comparison_charts
from divulge.report.comparison.details import Attack
from divulge.report.comparison.side_by_side import SideBySide, first_releases, named, names
from divulge.report.comparison.wording import COMPARISON_WORDS, PARTS
from divulge.report.shared.formats import listing
from divulge.report.shared.frame import drawings, fitted, framed, shown
from divulge.report.shared.provenance import made_with
from divulge.report.shared.tables import Document, ReportTable
from divulge.report.shared.wording import by_outcome

ACROSS = 4  # releases in one table, as many as A4 has room for
MOST_RELEASES = 24
SIDES: dict[str, Callable[[Document], SideBySide]] = {
    "readings": tables.readings,
    "attacks": attacks.attacks,
    "summary": attacks.information_loss,
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
    kept = first_releases(document, MOST_RELEASES)
    found = Parts(
        kept,
        len(document["releases"]) - len(kept["releases"]),
        drawings(comparison_charts(kept), kept),
        {name: side(kept) for name, side in SIDES.items()},
        {name: table(kept) for name, table in TABLES.items()},
        [details.attack(one, kept) for one in attacks.matched_attacks(kept)],
    )
    return fitted(lambda most: _fill(found, most))


def _fill(found: Parts, most: int) -> str:
    document = found.document

    def cut(side: SideBySide) -> list[SideBySide]:
        return side.first(most).parts(ACROSS)

    return framed(
        "comparison.html.j2",
        document,
        charts=comparison_charts(document),
        drawn=found.drawn,
        most=most,
        measures=READ | {check["measure"] for release in document["releases"] for check in release["checks"]},
        parts=PARTS,
        words=COMPARISON_WORDS,
        left_out=found.left_out,
        names=names(document),
        known=lambda keys: _known(document, keys),
        sides={name: cut(side) for name, side in found.sides.items()},
        tables={name: shown(table, most) for name, table in found.tables.items()},
        attacks=[
            {
                "attack": one.attack,
                "of_releases": one.of_releases,
                "readings": shown(one.readings, most),
                "values": shown(one.by_value, most),
                "facts": cut(one.facts),
                "lists": [(title, shown(table, most)) for title, table in one.lists],
            }
            for one in found.attacks[:most]
        ],
        attacks_left_out=len(found.attacks) - len(found.attacks[:most]),
        checks=[(name, by_outcome(release["checks"])[:most]) for name, release in named(document)],
        numbers=loss.numbers(document),
        not_measured=loss.not_measured(document),
        notes=tables.notes(document),
        notices=tables.notices(document),
        unplaced=[name for name, *scores in tables.risk_and_utility(document).rows if None in scores],
        facts=made_with(document),
    )


def _known(document: Document, keys: list[str]) -> str:
    quasi = document["original"]["quasi_identifiers"]
    return f"all {len(quasi)} quasi-identifiers" if len(keys) == len(quasi) > 3 else listing(keys)
