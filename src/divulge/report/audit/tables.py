"""The numbers behind each chart as a table: what a reader who cannot see the chart, or doubts it, reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from divulge.counting.counts import RECORD
from divulge.report.shared.tables import Document, ReportTable, TableColumn, target_title


def quasi_identifiers(document: Document) -> list[str]:
    """The quasi-identifiers, those first that tell most about the first target."""
    rates = {
        key["key"]: key["discrimination_rate"]["value"]
        for target in document["targets"][:1]
        for key in target["keys"]
        if key["role"] == "quasi-identifier"
    }
    return sorted(rates, key=lambda name: 1.0 if rates[name] is None else -rates[name])


TOGETHER = "all quasi-identifiers"


def attributes(document: Document) -> ReportTable:
    """What each attribute reveals on its own, most first; all quasi-identifiers together come last.

    About people it is the rate itself, about sensitive attributes the rate beyond chance; the head says so.
    """
    targets = document["targets"]
    by_target = [
        {key["key"]: _beyond_chance(target, key["discrimination_rate"]) for key in target["keys"]}
        for target in targets
    ]
    names = dict.fromkeys(key["key"] for target in targets for key in target["keys"])
    rows = [[name, *(rates.get(name) for rates in by_target)] for name in names]
    rows.sort(key=lambda row: -largest(row))
    rows += [[TOGETHER, *map(_together, targets)]] if names else []
    head = (TableColumn("attribute"), *(TableColumn(column_title(one["target"]), "share") for one in targets))
    return ReportTable(head, rows)


def largest(row: Sequence[Any]) -> float:
    """The most that an attribute reveals about anything."""
    return max((rate for rate in row[1:] if rate is not None), default=0.0)


def column_title(target: str) -> str:
    """What a rate is about, and of which kind it is."""
    return "re-identification" if target == RECORD else f"{target} beyond chance"


def _beyond_chance(target: Document, rate: Document) -> float | None:
    return rate.get("value") if target["target"] == RECORD else rate.get("adjusted")


def _together(target: Document) -> float | None:
    readings = (target.get("together") or {}).get("readings") or []
    rates = (reading for reading in readings if reading["measure"] == "discrimination_rate")
    return next((_beyond_chance(target, rate) for rate in rates), None)


def values(document: Document) -> ReportTable:
    head = (
        TableColumn("attribute"),
        TableColumn("target"),
        TableColumn("value"),
        TableColumn("records", "count"),
        TableColumn("discrimination rate", "rate"),
        TableColumn("ITPR", "rate"),
        TableColumn("largest share of one target value", "share"),
    )
    rows = [
        [
            block["attribute"],
            target_title(block["target"]),
            line["label"],
            line["records"],
            line["discrimination_rate"],
            line["itpr"],
            line["share_of_top"],
        ]
        for block in document["values"]
        for line in block["lines"]
    ]
    return ReportTable(head, rows)


def combinations(document: Document) -> ReportTable:
    spread = [
        TableColumn(f"{measure}, {which}", kind)
        for measure, kind in (("discrimination rate", "rate"), ("unique", "share"))
        for which in ("least", "median", "most")
    ]
    rows = [
        [row["size"], row["subsets"], *row["discrimination_rate"], *row["uniqueness"]]
        for row in (document["combinations"] or {"by_size": []})["by_size"]
    ]
    return ReportTable(
        (TableColumn("attributes known", "count"), TableColumn("combinations", "count"), *spread), rows
    )


def class_sizes(document: Document) -> ReportTable:
    head = (
        TableColumn("people in the group"),
        TableColumn("records", "count"),
        TableColumn("share of records", "share"),
        TableColumn("groups", "count"),
    )
    rows = [[row["label"], row["records"], row["share"], row["classes"]] for row in document["class_sizes"]]
    return ReportTable(head, rows)


def record_risk(document: Document) -> ReportTable:
    """Records by risk: how many have this risk, and how many this or a higher one."""
    head = (
        TableColumn("risk of a record"),
        TableColumn("records", "count"),
        TableColumn("share of records", "share"),
        TableColumn("with this risk or a higher one", "share"),
    )
    rows = [
        [risk_label(row), row["records"], row["share"], so_far]
        for row, so_far in cumulated(document["record_risk"])
    ]
    return ReportTable(head, rows)


def risk_label(row: Document) -> str:
    """A risk as a chance.

    >>> bins = (1, 1), (1, 1 / 4), (1 / 5, 1 / 9), (0.001, 0)
    >>> [risk_label({"high": high, "low": low}) for high, low in bins]
    ['certain (unique)', 'certain to 1 in 4', '1 in 5 to 9', '1 in 1,000 or less']
    """
    most = "certain" if row["high"] == 1 else f"1 in {round(1 / row['high']):,}"
    if row["low"] == row["high"]:
        return "certain (unique)" if row["high"] == 1 else most
    if not row["low"]:
        return f"{most} or less"
    return f"{most} to {'1 in ' if row['high'] == 1 else ''}{round(1 / row['low']):,}"


def cumulated(bins: Sequence[dict[str, Any]]) -> list[tuple[dict[str, Any], float]]:
    """Each bin with the share of records in it and all before it."""
    told = "records" if all(isinstance(row["records"], int) for row in bins) else "share"
    total = sum(row[told] for row in bins)
    so_far, found = 0, []
    for row in bins:
        so_far += row[told]
        found.append((row, so_far / total if total else 0.0))
    return found
