"""The tables of a report that have no chart: roles, combinations, groups, lone values, readings."""

from __future__ import annotations

from divulge._support.wording import number
from divulge.measures import MEASURES
from divulge.report.audit.reading_charts import in_population_text
from divulge.report.shared.formats import listing
from divulge.report.shared.tables import Document, ReportTable, TableColumn, named, without_gaps

LONE = "lone value"
MOST_OTHERS = 20  # attributes without a role that are named
ROLES = {
    "identifier": "Direct identifiers",
    "quasi-identifier": "Quasi-identifiers",
    "sensitive": "Sensitive",
    "other": "No role",
}


def roles(document: Document) -> ReportTable:
    """Every attribute with its role, what kind of identifier it is alone, and why the role was suggested."""
    head = ("attribute", "role", "alone, for re-identification", "why this role")
    rows = [
        [found["name"], found["role"], found["identifier_class"], "; ".join(found["reasons"])]
        for found in document["roles"]["attributes"]
    ]
    return without_gaps(ReportTable(tuple(map(TableColumn, head)), rows))


def by_role(document: Document, most: int) -> list[tuple[str, list[str], int, bool]]:
    """The roles that attributes have: their first attributes, how many more, and whether suggested."""
    names: dict[str, list[str]] = {role: [] for role in ROLES}
    for found in document["roles"]["attributes"]:
        names[found["role"]].append(found["name"])
    shown = {role: min(most, MOST_OTHERS) if role == "other" else most for role in ROLES}
    suggested = document["roles"]["proposed"]
    return [
        (ROLES[role], own[: shown[role]], len(own[shown[role] :]), suggested and role != "other")
        for role, own in names.items()
        if own
    ]


def lone_values(document: Document) -> ReportTable:
    """The attributes with values that only one record has, where values usually have many."""
    kinds = {found["name"]: found for found in document["roles"]["attributes"]}
    head = (
        TableColumn("attribute"),
        TableColumn("values in one record only", "count"),
        TableColumn("of values", "count"),
    )
    rows = [
        [hint["attribute"], hint["values"], kinds.get(hint["attribute"], {}).get("values")]
        for hint in document["hints"]
        if hint["kind"] == LONE
    ]
    return ReportTable(head, rows)


def subsets(document: Document) -> ReportTable:
    """The riskiest combinations of each size."""
    found = (document["combinations"] or {}).get("subsets") or []
    inferred = list(dict.fromkeys(name for subset in found for name in subset["targets"]))
    head = (
        TableColumn("size", "count"),
        TableColumn("attributes"),
        TableColumn("groups", "count"),
        TableColumn("smallest group", "count"),
        TableColumn("unique records", "count"),
        TableColumn("share unique", "share"),
        TableColumn("discrimination rate: re-identification", "rate"),
        *(TableColumn(f"{name} (chance included)", "rate") for name in inferred),
    )
    rows = [
        [
            len(subset["keys"]),
            listing(subset["keys"], most=12),
            *(subset[field] for field in ("classes", "k", "unique", "uniqueness", "discrimination_rate")),
            *(subset["targets"].get(name, {}).get("discrimination_rate") for name in inferred),
        ]
        for subset in found
    ]
    return ReportTable(head, rows)


def riskiest(document: Document) -> ReportTable:
    """The riskiest combination of each size alone."""
    head, rows = subsets(document)
    return ReportTable(head, list({row[0]: row for row in reversed(rows)}.values())[::-1])


def contributions(document: Document) -> ReportTable:
    """What each attribute adds to the discrimination rate."""
    head = (
        TableColumn("attribute"),
        TableColumn("on average", "rate"),
        TableColumn("standard error", "rate"),
        TableColumn("added last", "rate"),
        TableColumn("records it makes unique, added last", "share"),
    )
    found = (document["combinations"] or {}).get("contributions") or []
    rows = [
        [
            *(part[field] for field in ("attribute", "average")),
            part.get("average_error") or None,  # without one where all orders were read
            *(part[field] for field in ("last", "uniqueness_last")),
        ]
        for part in found
    ]
    return without_gaps(ReportTable(head, rows))


def averaged_over(document: Document) -> str:
    """What contributions are averages over, in words."""
    found = (document["combinations"] or {}).get("contributions") or [{}]
    over = found[0].get("average_over", "all orders")
    return f"{over} in which attributes may become known" if over.endswith("orders") else over


def homogeneous(document: Document) -> ReportTable:
    """Groups in which everyone has the same sensitive value."""
    head = (
        TableColumn("sensitive attribute"),
        TableColumn("groups", "count"),
        TableColumn("records", "count"),
        TableColumn("share of records", "share"),
    )
    fields = ("target", "classes", "records", "share")
    return ReportTable(head, [[row[field] for field in fields] for row in document["homogeneous"]])


def smallest(document: Document) -> ReportTable:
    """The smallest groups with their values; none where the document shows no values."""
    shown = [found for found in document["classes"] if found["key"] is not None]
    names = list(dict.fromkeys(name for found in shown for name in found["key"]))
    head = (*map(TableColumn, names), TableColumn("people", "count"))
    rows = [[*(found["key"].get(name) for name in names), found["records"]] for found in shown]
    return ReportTable(head, rows)


def keys(target: Document) -> ReportTable:
    """What each attribute alone reveals about one target."""
    head = (
        TableColumn("attribute"),
        TableColumn("role"),
        TableColumn("groups", "count"),
        TableColumn("kind of identifier"),
        *(
            TableColumn(title, "rate")
            for measure in ("discrimination rate", "ITPR")
            for title in (measure, "by chance", "adjusted", "noise")
        ),
        TableColumn("discrimination rate in the population"),
    )
    rows = [
        [
            *(key[field] for field in ("key", "role", "classes", "identifier_class")),
            *(
                key[measure].get(field)
                for measure in ("discrimination_rate", "itpr")
                for field in ("value", "chance", "adjusted", "noise")
            ),
            in_population_text(key["discrimination_rate"].get("in_population")),
        ]
        for key in target["keys"]
    ]
    return without_gaps(ReportTable(head, rows))


def together(target: Document) -> ReportTable:
    """Every measure of all quasi-identifiers together."""
    head = (
        TableColumn("measure"),
        TableColumn("value", "number"),
        TableColumn("unit"),
        TableColumn("riskier"),
        TableColumn("by chance", "number"),
        TableColumn("adjusted", "number"),
        TableColumn("noise", "number"),
        TableColumn("p", "number"),
        TableColumn("in the population"),
        TableColumn("note"),
    )
    rows = [
        [
            named(_title(found["measure"]), found),
            found["value"],
            found["unit"],
            found["riskier"],
            found["chance"],
            found["adjusted"],
            found.get("noise"),
            _p_value(found.get("p_value")),
            in_population_text(found.get("in_population")),
            found.get("undefined") or _beside(found),
        ]
        for found in (target.get("together") or {}).get("readings") or []
    ]
    return without_gaps(ReportTable(head, rows))


def _p_value(found: float | None) -> float | str | None:
    """A p-value; how small a very small one is cannot be relied on."""
    return found if found is None or found >= 0.001 else "< 0.001"


def _title(measure: str) -> str:
    return MEASURES[measure].title if measure in MEASURES else measure


def _beside(found: Document) -> str:
    """The readings that this one is to be read with."""
    return ", ".join(
        f"with {_title(name)} {number(value)}" for name, value in found.get("beside", {}).items()
    )
