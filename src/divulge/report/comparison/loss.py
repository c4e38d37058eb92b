"""What was lost on the way from the original to each release."""

from __future__ import annotations

from typing import Any

from divulge._support.wording import percent
from divulge.report.comparison.side_by_side import (
    ShownCell,
    ShownRow,
    SideBySide,
    matched,
    missing,
    named,
    names,
)
from divulge.report.shared.formats import NOTHING, bound, cell, listing
from divulge.report.shared.tables import Document, ReportTable, TableColumn

FURTHEST = 10  # tables of attributes to show unfolded


def continuous(document: Document) -> ReportTable:
    """How far numbers, and what statisticians make of them, have moved."""
    errors = ("mean squared error", "mean absolute error", "mean variation")
    head = (TableColumn("of"), TableColumn("release"), *(TableColumn(title, "number") for title in errors))
    fields = ("mean_squared_error", "mean_absolute_error", "mean_variation")
    measures = [found.get("measures") or [] for found in _parts(document, "continuous")]
    rows = [
        [one["title"], name, *(measure[field] for field in fields)]
        for one, found in matched(measures, lambda measure: measure["name"])
        for name, measure in zip(names(document), found, strict=True)
        if measure is not None
    ]
    return ReportTable(head, rows)


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


def categorical(document: Document) -> SideBySide:
    """How many values were changed, and how much of what they told is gone."""
    rows = [
        ShownRow(one["attribute"], [_category(part) for part in parts], one["kind"])
        for one, parts in matched(_parts(document, "categorical"), lambda part: part["attribute"])
    ]
    return SideBySide("attribute", names(document), rows)


def _category(one: Document | None) -> ShownCell:
    if one is None or (one["changed"] is None and one["entropy_loss"] is None):
        return missing(None)
    of = "" if one["share_of_entropy"] is None else f", {percent(one['share_of_entropy'])}"
    beyond = one.get("share_beyond_chance")
    if of and beyond is not None and percent(beyond) != percent(one["share_of_entropy"]):
        of += f" ({percent(beyond)} beyond chance)"
    elif of and beyond is None and "share_beyond_chance" in one:
        of += " (as much is kept by chance)"
    bits = "" if one["entropy_loss"] is None else f"{cell(one['entropy_loss'], 'bits')} bits lost{of}"
    return ShownCell(cell(one["changed"], "share"), note=bits)


def contingency(document: Document) -> SideBySide:
    """How far shares of records have moved in tables of attributes, for those that moved furthest."""
    found = matched(_parts(document, "contingency"), _attributes)
    found.sort(key=lambda match: max(bound(one["distance"]) for one in match[1] if one), reverse=True)
    rows = [
        ShownRow(listing(one["attributes"]), [_distance(part) for part in parts])
        for one, parts in found[:FURTHEST]
    ]
    return SideBySide("attributes", names(document), rows)


def _distance(part: Document | None) -> ShownCell:
    return (
        ShownCell(NOTHING, word="not comparable")
        if part is None
        else ShownCell(cell(part["distance"], "rate"))
    )


def contingencies(document: Document) -> ReportTable:
    """The distances of all tables of attributes."""
    head = (
        TableColumn("attributes"),
        TableColumn("release"),
        TableColumn("order", "count"),
        TableColumn("distance", "rate"),
    )
    rows = [
        [listing(one["attributes"]), name, part["order"], part["distance"]]
        for one, parts in matched(_parts(document, "contingency"), _attributes)
        for name, part in zip(names(document), parts, strict=True)
        if part is not None
    ]
    return ReportTable(head, rows)


def distributions(document: Document) -> SideBySide:
    """How far the distribution of each attribute alone has moved."""
    rows = [
        ShownRow(
            one["attributes"][0],
            [ShownCell(cell(part and part["total_variation"], "rate")) for part in parts],
        )
        for one, parts in matched(_parts(document, "distributions"), _attributes)
        if len(one["attributes"]) == 1
    ]
    return SideBySide("attribute", names(document), rows)


def recoding(document: Document) -> SideBySide:
    """What grouping alone lost of each attribute, whatever became of its distribution."""
    rows = [
        ShownRow(one["attributes"][0], [_recoded(part) for part in parts])
        for one, parts in matched(_parts(document, "distributions"), _attributes)
        if any(part and part.get("recoding_loss") is not None for part in parts)
    ]
    return SideBySide("attribute", names(document), rows)


def _recoded(part: Document | None) -> ShownCell:
    if part is None or part.get("recoding_loss") is None:
        return ShownCell(NOTHING, word="not grouped")
    share = part["recoding_share"]
    return ShownCell(
        NOTHING if share is None else percent(share), note=f"{cell(part['recoding_loss'], 'bits')} bits"
    )


def distances(document: Document) -> ReportTable:
    """The distributions of attributes and of pairs, held against each other in four ways."""
    head = (
        *(TableColumn("attributes"), TableColumn("release"), TableColumn("total variation", "rate")),
        *(TableColumn("Jensen-Shannon divergence, bits", "rate"), TableColumn("Hellinger distance", "rate")),
        TableColumn("earth mover's distance", "rate"),
    )
    fields = ("total_variation", "jensen_shannon", "hellinger", "earth_mover")
    rows = [
        [listing(one["attributes"]), name, *(part[field] for field in fields)]
        for one, found in matched(_parts(document, "distributions"), _attributes)
        for name, part in zip(names(document), found, strict=True)
        if part is not None
    ]
    return ReportTable(head, rows)


def _parts(document: Document, part: str) -> list[Any]:
    """One part of the loss of every release, empty where it is lacking."""
    return [(release["loss"] or {}).get(part) or {} for release in document["releases"]]


def _attributes(part: Document) -> tuple[str, ...]:
    return tuple(part["attributes"])
