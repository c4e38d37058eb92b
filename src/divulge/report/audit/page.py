"""An audit as one HTML file: offline, printable, readable without scripts, under a strict content policy."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from divulge._support.wording import in_words, many
from divulge.measures.population_figures import FIGURES
from divulge.report.audit import beyond_table, sections, summary
from divulge.report.audit.charts import CHARTS
from divulge.report.audit.helps import MOST_ROWS, helps
from divulge.report.audit.key_charts import drawn_attributes
from divulge.report.audit.tables import attributes
from divulge.report.shared.formats import listing
from divulge.report.shared.frame import drawings, fitted, framed, shown
from divulge.report.shared.provenance import made_with
from divulge.report.shared.tables import Document
from divulge.report.shared.wording import MISSING, PARTS, WORDS, by_outcome

TABLES = {
    "roles": sections.roles,
    "subsets": sections.subsets,
    "riskiest": sections.riskiest,
    "contributions": sections.contributions,
    "homogeneous": sections.homogeneous,
    "smallest": sections.smallest,
    "lone": sections.lone_values,
    "special_values": beyond_table.special_values,
}


def page(document: Document) -> str:
    """The report of an audit document, one self-contained file of less than a megabyte."""
    drawn = drawings(CHARTS, document)
    return fitted(lambda most: _fill(document, drawn, most))


def _fill(document: Document, drawn: dict[str, Markup | None], most: int) -> str:
    rows = helps(document)
    return framed(
        "page.html.j2",
        document,
        charts=CHARTS,
        drawn=drawn,
        most=most,
        measures=measures_used(document),
        parts=PARTS,
        words=WORDS,
        line=summary.verdict_line(document),
        passed=summary.passed(document),
        identifiers=summary.identifiers(document),
        tiles=summary.tiles(document),
        tone=summary.tone(document),
        unmeasured=summary.unmeasured_attributes(document),
        remarks=summary.remarks(document),
        roles=sections.by_role(document, most),
        helps=rows[:MOST_ROWS],
        helps_left_out=len(rows[MOST_ROWS:]),
        small_attributes=max(len(attributes(document).rows) - 1 - drawn_attributes(document), 0),
        known=lambda keys: _known(document, keys),
        checks=by_outcome(document["checks"])[:most],
        tables={name: shown(table(document), most) for name, table in TABLES.items()},
        readings=[
            {
                "target": target,
                "keys": shown(sections.keys(target), most),
                "together": shown(sections.together(target), most),
            }
            for target in document["targets"][:most]
        ],
        beyond_facts=beyond_table.facts(document),
        undeclared=beyond_table.UNDECLARED,
        averaged_over=sections.averaged_over(document),
        facts=facts(document),
    )


def _known(document: Document, keys: Sequence[str]) -> str:
    """What the attacker of a check knows, said shortly where it is everything."""
    attributes = document["roles"]["attributes"]
    quasi = {found["name"] for found in attributes if found["role"] == "quasi-identifier"}
    return f"all {len(quasi)} quasi-identifiers" if set(keys) == quasi and len(quasi) > 3 else listing(keys)


def measures_used(document: Document) -> set[str]:
    """The measures that stand somewhere in the document."""
    names = {found["measure"] for found in document["checks"]} | {"discrimination_rate", "itpr", "uniqueness"}
    names |= {number["name"] for number in document["numbers"]}
    names |= {*FIGURES} if beyond_table.facts(document) else set()
    return names | {
        reading["measure"]
        for target in document["targets"]
        for reading in (target.get("together") or {}).get("readings") or []
    }


def _missing(source: Document) -> str | None:
    """Records that miss a quasi-identifier or a sensitive value, where there are some."""
    found = source.get("with_missing")
    return None if not found else in_words(found)


def facts(document: Document) -> list[tuple[str, str]]:
    """What someone needs who wants to make the same report again, beside the tables that were read."""
    source = document["source"]
    found = [
        ("Records counted", many(source["counted"])),
        ("Left out as suppressed", many(source["suppressed"]) if source["suppressed"] else None),
        ("Left out for missing values", many(source["dropped"]) if source["dropped"] else None),
        ("Missing values", MISSING.get(source["missing"], source["missing"])),
        ("Records with a missing value", _missing(source)),
        ("Weights", source["weights"]),
        ("t-closeness compares groups with", source.get("compared_with")),
        *made_with(document),
    ]
    return [(name, value) for name, value in found if value is not None]
