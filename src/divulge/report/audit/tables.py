"""The numbers behind each chart as a table: what a reader who cannot see the chart, or doubts it, reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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


def attributes(document: Document) -> ReportTable:
    targets = document["targets"]
    by_target = [{key["key"]: key["discrimination_rate"] for key in target["keys"]} for target in targets]
    head, rows = [TableColumn("attribute")], [[name] for name in quasi_identifiers(document)]
    for target, rates in zip(targets, by_target, strict=True):
        found = [rates.get(str(row[0]), {}) for row in rows]
        head.append(TableColumn(target["title"], "rate"))
        for row, rate in zip(rows, found, strict=True):
            row.append(rate.get("value"))
        if any(rate.get("chance") is not None for rate in found):
            head.append(TableColumn(f"{target['title']}, by chance", "rate"))
            for row, rate in zip(rows, found, strict=True):
                row.append(rate.get("chance"))
    return ReportTable(tuple(head), rows)


def targets(document: Document) -> ReportTable:
    """Attributes against targets, the adjusted rate where chance has a say; all keys together come last."""
    found = document["targets"]
    by_target = {
        target["target"]: {
            key["key"]: _beyond_chance(target, key["discrimination_rate"]) for key in target["keys"]
        }
        for target in found
    }
    names = dict.fromkeys(key["key"] for target in found for key in target["keys"])
    rows = [[name, *(rates.get(name) for rates in by_target.values())] for name in names]
    rows.append([TOGETHER, *(_together(target) for target in found)])
    head = (TableColumn("attribute"), *(TableColumn(target["title"], "rate") for target in found))
    return ReportTable(head, rows if names else [])


TOGETHER = "all quasi-identifiers"


def _beyond_chance(target: Document, rate: Document) -> float | None:
    return rate.get("value") if target["target"] == "@record" else rate.get("adjusted")


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
        for measure, kind in (("discrimination rate", "rate"), ("stand alone", "share"))
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
        TableColumn("records in the class"),
        TableColumn("classes", "count"),
        TableColumn("records", "count"),
        TableColumn("share of records", "share"),
    )
    rows = [[row["label"], row["classes"], row["records"], row["share"]] for row in document["class_sizes"]]
    return ReportTable(head, rows)


def record_risk(document: Document) -> ReportTable:
    head = (
        TableColumn("risk of a record"),
        TableColumn("records", "count"),
        TableColumn("share of records", "share"),
        TableColumn("with at least this risk", "share"),
    )
    rows = [
        [row["label"], row["records"], row["share"], so_far]
        for row, so_far in cumulated(document["record_risk"])
    ]
    return ReportTable(head, rows)


def cumulated(bins: Sequence[dict[str, Any]]) -> list[tuple[dict[str, Any], float]]:
    """Each bin with the share of records in it and all before it."""
    told = "records" if all(isinstance(row["records"], int) for row in bins) else "share"
    total = sum(row[told] for row in bins)
    so_far, found = 0, []
    for row in bins:
        so_far += row[told]
        found.append((row, so_far / total if total else 0.0))
    return found
