"""The tables of a report on published tables, from its document."""

from __future__ import annotations

from divulge.report.shared.tables import Document, ReportTable, table
from divulge.report.shared.wording import OUTCOMES
from divulge.report.table.wording import cell_name, interval, within


def cells_at_risk(document: Document) -> ReportTable:
    """Cells that break a rule."""
    return table(
        {"tables": "text", "cell": "text", "rules": "text"},
        (
            [entry["name"], cell_name(one["cell"]), ", ".join(one["rules"])]
            for entry in document["linked"]
            for one in entry["at_risk"]
        ),
    )


def audited(document: Document) -> ReportTable:
    """Every cell that was audited, those first that fail."""
    order = list(OUTCOMES)
    rows = [
        [
            entry["name"],
            cell_name(one["cell"]),
            one["status"],
            interval(one, counts=entry["statistic"] == "count"),
            "" if one["outcome"] is None else OUTCOMES[one["outcome"]].word,
            "; ".join(f"the largest contributor of {cell_name(cell)}" for cell in one["insiders"]),
        ]
        for entry in document["linked"]
        for one in sorted(
            entry["audit"]["cells"],
            key=lambda one: order.index(one["outcome"]) if one["outcome"] else len(order),
        )
    ]
    head = {
        "tables": "text",
        "cell": "text",
        "status": "text",
        "an outsider finds": "text",
        "result": "text",
        "too close": "text",
    }
    return table(head, rows)


def attacks(document: Document) -> ReportTable:
    """The three attacks, before and after protection."""
    head = {
        "attack": "text",
        "by": "text",
        "about": "text",
        "cells": "count",
        "exact": "count",
        "exact after": "count",
        "within 10 %": "count",
        "within 10 % after": "count",
    }
    return table(
        head,
        (
            [
                one["attack"],
                one["who"],
                one["about"],
                one["cells"],
                one["exact"],
                one["exact_after"],
                one["close"],
                one["close_after"],
            ]
            for entry in document["linked"]
            for one in entry["attacks"]
        ),
    )


def attacked(document: Document) -> ReportTable:
    """What is learned of contributors of each cell at risk."""
    return table(
        {"cell": "text", "attack": "text", "by": "text", "about": "text", "before": "text", "after": "text"},
        (
            [
                cell_name(one["cell"]),
                one["attack"],
                one["who"],
                one["about"],
                within(one["within"]),
                within(one["within_after"]),
            ]
            for entry in document["linked"]
            for one in entry["attacked"]
        ),
    )


def groups(document: Document) -> ReportTable:
    """Groups all of whose people are in one category."""
    return table(
        {"group": "text", "learned": "text", "after protection": "text"},
        (
            [cell_name(one["group"]), one["attribute"], "still so" if one["after"] else "no longer certain"]
            for entry in document["linked"]
            for one in entry["groups"]
        ),
    )


def recoding(document: Document) -> ReportTable:
    """What coarser levels would do."""
    return table(
        {
            "values": "text",
            "tables": "text",
            "attribute": "text",
            "level": "count",
            "categories": "count",
            "cells": "count",
            "at risk": "count",
        },
        (
            [
                entry["name"],
                ", ".join(one["tables"]),
                *(one["attribute"], one["level"], one["categories"], one["cells"], one["cells_at_risk"]),
            ]
            for entry in document["linked"]
            for one in entry["recoding"]
        ),
    )


def joint(document: Document) -> ReportTable:
    """What one attribute says of the other."""
    return table(
        {"measure": "text", "known": "text", "learned": "text", "value": "number"},
        (
            [
                one["title"],
                one["key"],
                one["target"],
                one["undefined"] if one["value"] is None else one["value"],
            ]
            for entry in document["linked"]
            for one in entry["joint"]
        ),
    )
