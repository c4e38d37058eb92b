"""The tables of a report that have no chart: roles, combinations, classes, what would help, readings."""

from __future__ import annotations

from typing import Any

from divulge._support.wording import number
from divulge.measures import MEASURES
from divulge.report.shared.formats import clipped, listing
from divulge.report.shared.tables import Document, ReportTable, TableColumn, named, without_gaps


def roles(document: Document) -> ReportTable:
    """Every attribute with its role, why it was suggested, and what kind of identifier it is alone."""
    head = (
        TableColumn("attribute"),
        TableColumn("role"),
        TableColumn("alone, for re-identification"),
        TableColumn("values", "count"),
        TableColumn("missing", "count"),
        TableColumn("values of one record", "count"),
        TableColumn("why this role"),
    )
    rows = [
        [
            found["name"],
            found["role"],
            found["identifier_class"],
            found["values"],
            found["missing"],
            found["lone"],
            "; ".join(found["reasons"]),
        ]
        for found in document["roles"]["attributes"]
    ]
    if not any(row[-1] for row in rows):
        return ReportTable(head[:-1], [row[:-1] for row in rows])
    return ReportTable(head, rows)


def subsets(document: Document) -> ReportTable:
    """The riskiest combinations of each size."""
    found = (document["combinations"] or {}).get("subsets") or []
    inferred = list(dict.fromkeys(name for subset in found for name in subset["targets"]))
    head = (
        TableColumn("size", "count"),
        TableColumn("attributes"),
        TableColumn("classes", "count"),
        TableColumn("k", "count"),
        TableColumn("stand alone", "count"),
        TableColumn("share", "share"),
        TableColumn("re-identification", "rate"),
        *(TableColumn(f"inference of {name}", "rate") for name in inferred),
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
        TableColumn("alone", "rate"),
        TableColumn("added last", "rate"),
        TableColumn("on average", "rate"),
        TableColumn("standard error", "rate"),
        TableColumn("records it makes stand alone, added last", "share"),
    )
    found = (document["combinations"] or {}).get("contributions") or []
    rows = [
        [
            *(part[field] for field in ("attribute", "alone", "last", "average")),
            part.get("average_error") or None,  # without one where all orders were read
            part["uniqueness_last"],
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
    """Classes in which everyone has the same sensitive value."""
    head = (
        TableColumn("sensitive attribute"),
        TableColumn("classes", "count"),
        TableColumn("records", "count"),
        TableColumn("share of records", "share"),
    )
    fields = ("target", "classes", "records", "share")
    return ReportTable(head, [[row[field] for field in fields] for row in document["homogeneous"]])


def smallest(document: Document) -> ReportTable:
    """The smallest classes, with their values only where the document shows values."""
    names = list(dict.fromkeys(name for found in document["classes"] for name in found["key"] or {}))
    head = (TableColumn("class"), *map(TableColumn, names), TableColumn("records", "count"))
    rows = [
        [found["label"], *((found["key"] or {}).get(name) for name in names), found["records"]]
        for found in document["classes"]
    ]
    return ReportTable(head, rows)


def helps(document: Document) -> ReportTable:
    """The readings as they are, and as they would be after one change."""
    found = document["helps"]
    inferred = list(dict.fromkeys(name for help in found for name in help["before"]["targets"]))
    head = (
        TableColumn("change"),
        TableColumn("k", "count"),
        TableColumn("stand alone", "share"),
        TableColumn("average risk", "rate"),
        TableColumn("re-identification", "rate"),
        *(TableColumn(f"inference of {name}", "rate") for name in inferred),
        TableColumn("checks not passed", "count"),
        TableColumn("information lost", "share"),
    )

    def row(title: str, state: Document, *more: Any) -> list[Any]:
        readings = (state[field] for field in ("k", "uniqueness", "average_risk", "discrimination_rate"))
        return [title, *readings, *(state["targets"].get(name) for name in inferred), *more]

    mendable = [check for check in document["checks"] if check["measure"] != "measured"]
    now = sum(check["outcome"] != "pass" for check in mendable)
    rows = [row("nothing, as the data are", found[0]["before"], now, 0.0)] if found else []
    rows += [row(clipped(help["change"], 80), help["after"], help["failing"], help["loss"]) for help in found]
    return ReportTable(head, rows)


def keys(target: Document) -> ReportTable:
    """What each attribute alone tells about one target."""
    head = (
        TableColumn("attribute"),
        TableColumn("role"),
        TableColumn("classes", "count"),
        TableColumn("identifier class"),
        *(
            TableColumn(title, "rate")
            for measure in ("discrimination rate", "ITPR")
            for title in (measure, "by chance", "adjusted", "noise")
        ),
    )
    rows = [
        [
            *(key[field] for field in ("key", "role", "classes", "identifier_class")),
            *(
                key[measure].get(field)
                for measure in ("discrimination_rate", "itpr")
                for field in ("value", "chance", "adjusted", "noise")
            ),
        ]
        for key in target["keys"]
    ]
    return without_gaps(ReportTable(head, rows))


def together(target: Document) -> ReportTable:
    """Every measure of all quasi-identifiers together."""
    head = (
        TableColumn("measure"),
        TableColumn("reads", "number"),
        TableColumn("unit"),
        TableColumn("riskier"),
        TableColumn("by chance", "number"),
        TableColumn("adjusted", "number"),
        TableColumn("noise", "number"),
        TableColumn("p", "number"),
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
