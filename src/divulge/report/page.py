"""An audit as one HTML file: offline, printable, readable without scripts, under a strict content policy."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from divulge.measures import MEASURES, Measure
from divulge.references import REFERENCES
from divulge.report import sections
from divulge.report.charts import CHARTS
from divulge.report.draw import draw
from divulge.report.formats import listing
from divulge.report.tables import Column, Document, Table
from divulge.report.template import beside, render
from divulge.report.wording import CASES, MISSING, OUTCOMES, PARTS, WORDS, by_outcome
from divulge.wording import many

LIMIT = 1_000_000  # bytes of a page
ROWS = (200, 60, 20, 8)  # of a table; fewer where the page would get too large
TABLES = {
    "roles": sections.roles,
    "subsets": sections.subsets,
    "riskiest": sections.riskiest,
    "contributions": sections.contributions,
    "homogeneous": sections.homogeneous,
    "smallest": sections.smallest,
    "helps": sections.helps,
}


@dataclass(frozen=True)
class Shown:
    """A table with as many rows as the page has room for."""

    head: tuple[Column, ...]
    rows: Sequence[Sequence[Any]]
    left_out: int


def page(document: Document) -> str:
    """The report of an audit document, one self-contained file of less than a megabyte."""
    drawn = {}
    for chart in CHARTS:
        spec = chart.spec(document)
        drawn[chart.name] = None if spec is None else Markup(draw(spec, f"{chart.title}. {chart.reading}"))
    for rows in ROWS:
        made = _fill(document, drawn, rows)
        if len(made.encode()) < LIMIT:
            break
    return made


def _fill(document: Document, drawn: dict[str, Markup | None], most: int) -> str:
    css, script = beside("page.css"), beside("page.js")

    def shown(table: Table) -> Shown:
        return Shown(table.head, table.rows[:most], max(0, len(table.rows) - most))

    used = measures_used(document)
    return render(
        "page.html.j2",
        audit=document,
        most=most,
        css=Markup(css),
        script=Markup(script),
        policy=content_policy(css, script),
        outcomes=OUTCOMES,
        known=lambda keys: _known(document, keys),
        cases=CASES,
        parts=PARTS,
        words=WORDS,
        checks=by_outcome(document["checks"])[:most],
        charts={
            chart.name: {"chart": chart, "svg": drawn[chart.name], "table": shown(chart.table(document))}
            for chart in CHARTS
        },
        tables={name: shown(table(document)) for name, table in TABLES.items()},
        readings=[
            {
                "target": target,
                "keys": shown(sections.keys(target)),
                "together": shown(sections.together(target)),
            }
            for target in document["targets"][:most]
        ],
        measures=used,
        references=[(key, REFERENCES[key]) for key in sorted({measure.reference for measure in used})],
        facts=facts(document),
    )


def _known(document: Document, keys: Sequence[str]) -> str:
    """What the attacker of a check knows, said shortly where it is everything."""
    attributes = document["roles"]["attributes"]
    quasi = {found["name"] for found in attributes if found["role"] == "quasi-identifier"}
    return f"all {len(quasi)} quasi-identifiers" if set(keys) == quasi and len(quasi) > 3 else listing(keys)


def content_policy(css: str, script: str) -> str:
    """What the page may do: apply this style, run this script, and nothing else."""
    return (
        f"default-src 'none'; style-src {_digest(css)}; script-src {_digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def measures_used(document: Document) -> list[Measure]:
    """The measures that stand somewhere in the document, in the order of the catalogue."""
    names = {found["measure"] for found in document["checks"]} | {"discrimination_rate", "itpr", "uniqueness"}
    names |= {number["name"] for number in document["numbers"]}
    names |= {
        reading["measure"]
        for target in document["targets"]
        for reading in (target.get("together") or {}).get("readings") or []
    }
    return [measure for name, measure in MEASURES.items() if name in names]


def facts(document: Document) -> list[tuple[str, str]]:
    """What someone needs who wants to make the same report again."""
    source, policy = document["source"], document["policy"]
    found = [
        ("Source", source["name"]),
        ("Records", many(source["records"])),
        ("Records counted", many(source["counted"])),
        ("Left out as suppressed", many(source["suppressed"]) if source["suppressed"] else None),
        ("Left out for missing values", many(source["dropped"]) if source["dropped"] else None),
        ("People", many(source["people"]) if source["people"] != source["records"] else None),
        ("Missing values", MISSING.get(source["missing"], source["missing"])),
        ("Weights", source["weights"]),
        ("Roles", "proposed" if document["roles"]["proposed"] else "given"),
        ("Policy", policy["name"] if policy else "none"),
        ("Digest of the policy", policy["digest"] if policy else None),
        ("Thresholds", "of the policy" if document["verdict"]["thresholds"] == "policy" else "usual"),
        ("Values of records", "shown" if document["shows_values"] else "not shown"),
        ("Seed", str(document["seed"])),
        ("divulge", document["divulge"]),
        ("Version of the audit document", str(document["version"])),
    ]
    return [(name, value) for name, value in found if value is not None]
