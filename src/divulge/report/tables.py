"""The numbers behind each chart as a table: what a reader who cannot see the chart, or doubts it, reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Document = Mapping[str, Any]


class Column(NamedTuple):
    """A column's title and how its numbers are written: rate, share, count, bits, number, or text."""

    title: str
    kind: str = "text"


class Table(NamedTuple):
    """A head and rows of plain values; None where there is no number."""

    head: tuple[Column, ...]
    rows: list[list[Any]]


def quasi_identifiers(document: Document) -> list[str]:
    """The quasi-identifiers, those first that tell most about the first target."""
    rates = {
        key["key"]: key["discrimination_rate"]["value"]
        for target in document["targets"][:1]
        for key in target["keys"]
        if key["role"] == "quasi-identifier"
    }
    return sorted(rates, key=lambda name: 1.0 if rates[name] is None else -rates[name])


def attributes(document: Document) -> Table:
    targets = document["targets"]
    by_target = [{key["key"]: key["discrimination_rate"] for key in target["keys"]} for target in targets]
    head, rows = [Column("attribute")], [[name] for name in quasi_identifiers(document)]
    for target, rates in zip(targets, by_target, strict=True):
        found = [rates.get(str(row[0]), {}) for row in rows]
        head.append(Column(target["title"], "rate"))
        for row, rate in zip(rows, found, strict=True):
            row.append(rate.get("value"))
        if any(rate.get("chance") is not None for rate in found):
            head.append(Column(f"{target['title']}, by chance", "rate"))
            for row, rate in zip(rows, found, strict=True):
                row.append(rate.get("chance"))
    return Table(tuple(head), rows)


def targets(document: Document) -> Table:
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
    head = (Column("attribute"), *(Column(target["title"], "rate") for target in found))
    return Table(head, rows if names else [])


TOGETHER = "all quasi-identifiers"


def _beyond_chance(target: Document, rate: Document) -> float | None:
    return rate.get("value") if target["target"] == "@record" else rate.get("adjusted")


def _together(target: Document) -> float | None:
    readings = (target.get("together") or {}).get("readings") or []
    rates = (reading for reading in readings if reading["measure"] == "discrimination_rate")
    return next((_beyond_chance(target, rate) for rate in rates), None)


def values(document: Document) -> Table:
    head = (
        Column("attribute"),
        Column("target"),
        Column("value"),
        Column("records", "count"),
        Column("discrimination rate", "rate"),
        Column("ITPR", "rate"),
        Column("largest share of one target value", "share"),
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
    return Table(head, rows)


def combinations(document: Document) -> Table:
    spread = [
        Column(f"{measure}, {which}", kind)
        for measure, kind in (("discrimination rate", "rate"), ("stand alone", "share"))
        for which in ("least", "median", "most")
    ]
    rows = [
        [row["size"], row["subsets"], *row["discrimination_rate"], *row["uniqueness"]]
        for row in (document["combinations"] or {"by_size": []})["by_size"]
    ]
    return Table((Column("attributes known", "count"), Column("combinations", "count"), *spread), rows)


def class_sizes(document: Document) -> Table:
    head = (
        Column("records in the class"),
        Column("classes", "count"),
        Column("records", "count"),
        Column("share of records", "share"),
    )
    rows = [[row["label"], row["classes"], row["records"], row["share"]] for row in document["class_sizes"]]
    return Table(head, rows)


def record_risk(document: Document) -> Table:
    head = (
        Column("risk of a record"),
        Column("records", "count"),
        Column("share of records", "share"),
        Column("with at least this risk", "share"),
    )
    rows = [
        [row["label"], row["records"], row["share"], so_far]
        for row, so_far in cumulated(document["record_risk"])
    ]
    return Table(head, rows)


def cumulated(bins: Sequence[dict[str, Any]]) -> list[tuple[dict[str, Any], float]]:
    """Each bin with the share of records in it and all before it."""
    told = "records" if all(isinstance(row["records"], int) for row in bins) else "share"
    total = sum(row[told] for row in bins)
    so_far, found = 0, []
    for row in bins:
        so_far += row[told]
        found.append((row, so_far / total if total else 0.0))
    return found


def target_title(target: str) -> str:
    """A target in words: re-identification, or the inference of an attribute."""
    return "re-identification" if target == "@record" else f"inference of {target}"


def target_name(target: str) -> str:
    """A target in a word or two."""
    return "re-identification" if target == "@record" else target


def without_gaps(table: Table) -> Table:
    """The table without columns in which nothing stands."""
    kept = [
        place for place in range(len(table.head)) if any(row[place] not in (None, "") for row in table.rows)
    ]
    rows = [[row[place] for place in kept] for row in table.rows]
    return Table(tuple(table.head[place] for place in kept), rows)
