"""What was lost on the way from the original to each release."""

from __future__ import annotations

from typing import Any

from divulge.report.formats import NOTHING, cell, listing
from divulge.report.side_by_side import Cell, Row, Side, matched, missing, named, names
from divulge.report.tables import Column, Document, Table
from divulge.wording import percent

FURTHEST = 10  # tables of attributes to show unfolded


def continuous(document: Document) -> Table:
    """How far numbers, and what statisticians make of them, have moved."""
    errors = ("mean squared error", "mean absolute error", "mean variation")
    head = (Column("of"), Column("release"), *(Column(title, "number") for title in errors))
    fields = ("mean_squared_error", "mean_absolute_error", "mean_variation")
    measures = [found.get("measures") or [] for found in _parts(document, "continuous")]
    rows = [
        [one["title"], name, *(measure[field] for field in fields)]
        for one, found in matched(measures, lambda measure: measure["name"])
        for name, measure in zip(names(document), found, strict=True)
        if measure is not None
    ]
    return Table(head, rows)


def numbers(document: Document) -> list[str]:
    """The attributes that are compared as numbers."""
    found = (part.get("attributes") or [] for part in _parts(document, "continuous"))
    return list(dict.fromkeys(name for names in found for name in names))


def not_measured(document: Document) -> list[tuple[str, str]]:
    """Why a loss could not be measured, each reason once for each release."""
    found: dict[tuple[str, str], None] = {}
    for name, release in named(document):
        loss = release["loss"] or {}
        parts = [loss, loss.get("continuous") or {}]
        parts += [*(parts[1].get("measures") or []), *(loss.get("categorical") or [])]
        parts += loss.get("distributions") or []
        found |= {(name, part["undefined"]): None for part in parts if part.get("undefined")}
    return list(found)


def categorical(document: Document) -> Side:
    """How many values were changed, and how much of what they told is gone."""
    rows = [
        Row(one["attribute"], [_category(part) for part in parts], one["kind"])
        for one, parts in matched(_parts(document, "categorical"), lambda part: part["attribute"])
    ]
    return Side("attribute", names(document), rows)


def _category(one: Document | None) -> Cell:
    if one is None or (one["changed"] is None and one["entropy_loss"] is None):
        return missing(None)
    of = "" if one["share_of_entropy"] is None else f", {percent(one['share_of_entropy'])}"
    bits = "" if one["entropy_loss"] is None else f"{cell(one['entropy_loss'], 'bits')} bits lost{of}"
    return Cell(cell(one["changed"], "share"), note=bits)


def contingency(document: Document) -> Side:
    """How far shares of records have moved in tables of attributes, for those that moved furthest."""
    found = matched(_parts(document, "contingency"), _attributes)
    found.sort(key=lambda match: max(one["distance"] for one in match[1] if one), reverse=True)
    rows = [
        Row(listing(one["attributes"]), [_distance(part) for part in parts])
        for one, parts in found[:FURTHEST]
    ]
    return Side("attributes", names(document), rows)


def _distance(part: Document | None) -> Cell:
    return Cell(NOTHING, word="not comparable") if part is None else Cell(cell(part["distance"], "rate"))


def contingencies(document: Document) -> Table:
    """The distances of all tables of attributes."""
    head = (Column("attributes"), Column("release"), Column("order", "count"), Column("distance", "rate"))
    rows = [
        [listing(one["attributes"]), name, part["order"], part["distance"]]
        for one, parts in matched(_parts(document, "contingency"), _attributes)
        for name, part in zip(names(document), parts, strict=True)
        if part is not None
    ]
    return Table(head, rows)


def distributions(document: Document) -> Side:
    """How far the distribution of each attribute alone has moved."""
    rows = [
        Row(one["attributes"][0], [Cell(cell(part and part["total_variation"], "rate")) for part in parts])
        for one, parts in matched(_parts(document, "distributions"), _attributes)
        if len(one["attributes"]) == 1
    ]
    return Side("attribute", names(document), rows)


def recoding(document: Document) -> Side:
    """What grouping alone lost of each attribute, whatever became of its distribution."""
    rows = [
        Row(one["attributes"][0], [_recoded(part) for part in parts])
        for one, parts in matched(_parts(document, "distributions"), _attributes)
        if any(part and part.get("recoding_loss") is not None for part in parts)
    ]
    return Side("attribute", names(document), rows)


def _recoded(part: Document | None) -> Cell:
    if part is None or part.get("recoding_loss") is None:
        return Cell(NOTHING, word="not grouped")
    share = part["recoding_share"]
    return Cell(
        NOTHING if share is None else percent(share), note=f"{cell(part['recoding_loss'], 'bits')} bits"
    )


def distances(document: Document) -> Table:
    """The distributions of attributes and of pairs, held against each other in four ways."""
    head = (
        *(Column("attributes"), Column("release"), Column("total variation", "rate")),
        *(Column("Jensen-Shannon divergence, bits", "rate"), Column("Hellinger distance", "rate")),
        Column("earth mover's distance", "rate"),
    )
    fields = ("total_variation", "jensen_shannon", "hellinger", "earth_mover")
    rows = [
        [listing(one["attributes"]), name, *(part[field] for field in fields)]
        for one, found in matched(_parts(document, "distributions"), _attributes)
        for name, part in zip(names(document), found, strict=True)
        if part is not None
    ]
    return Table(head, rows)


def _parts(document: Document, part: str) -> list[Any]:
    """One part of the loss of every release, empty where it is lacking."""
    return [(release["loss"] or {}).get(part) or {} for release in document["releases"]]


def _attributes(part: Document) -> tuple[str, ...]:
    return tuple(part["attributes"])
