"""A search as one HTML file, in the look of an audit: the release of least loss, and how that is known."""

from __future__ import annotations

from divulge.report.anonymization import tables as tables
from divulge.report.anonymization.charts import SEARCH_CHARTS
from divulge.report.anonymization.wording import (
    PARTS,
    SEARCH_WORDS,
    WHY,
    bought,
    groups,
    headline,
    proved,
    released,
    roles,
    verdict,
)
from divulge.report.shared.frame import drawings, fitted, framed, shown
from divulge.report.shared.provenance import made_with
from divulge.report.shared.tables import Document


def page(document: Document) -> str:
    """The report of a search, one self-contained file of less than a megabyte."""
    drawn = drawings(SEARCH_CHARTS, document)
    without = set() if document["local"] else {"local"}
    without |= set() if document["provenance"]["command"] else {"again"}
    outcome, said = verdict(document)
    return fitted(
        lambda most: framed(
            "anonymization.html.j2",
            document,
            charts=SEARCH_CHARTS,
            drawn=drawn,
            most=most,
            measures={check["measure"] for check in document["checks"]},
            parts={name: title for name, title in PARTS.items() if name not in without},
            words=SEARCH_WORDS,
            outcome_of=outcome,
            said=said,
            headline=headline(document),
            left=groups(released(document)["classes"]),
            proved=proved(document),
            bought=bought(document),
            roles=roles(document),
            checks=tables.held(document)[:most],
            checks_left_out=max(0, len(document["checks"]) - most),
            levels=tables.levels(document)[:most],
            levels_left_out=max(0, len(document["quasi_identifiers"]) - most),
            found_in=tables.found_in,
            best=shown(tables.best(document), most),
            proof=tables.proof(document),
            laws=[WHY[law] for law in document["certificate"]["excluded"]],
            local=shown(tables.local(document), most),
            hierarchies=shown(tables.hierarchies(document), most),
            facts=made_with(document),
        )
    )
