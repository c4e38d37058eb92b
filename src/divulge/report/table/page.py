"""Published tables as one HTML file, in the look of an audit."""

from __future__ import annotations

from divulge.report.shared.frame import drawings, fitted, framed, shown
from divulge.report.shared.tables import Document
from divulge.report.table import tables as tables
from divulge.report.table.charts import TABLE_CHARTS
from divulge.report.table.wording import PARTS, TABLE_WORDS, protection_sentence, rules_sentence


def page(document: Document) -> str:
    """The report on published tables, one self-contained file of less than a megabyte."""
    found = {
        "cells": tables.cells_at_risk(document),
        "audit": tables.audited(document),
        "attacks": tables.attacks(document),
        "groups": tables.groups(document),
        "recoding": tables.recoding(document),
        "joint": tables.joint(document),
    }
    drawn = drawings(TABLE_CHARTS, document)
    without = {name for name, one in found.items() if not one.rows}
    return fitted(
        lambda most: framed(
            "table.html.j2",
            document,
            charts=TABLE_CHARTS,
            drawn=drawn,
            most=most,
            measures={one["measure"] for entry in document["linked"] for one in entry["joint"]},
            parts={name: title for name, title in PARTS.items() if name not in without},
            words=TABLE_WORDS,
            rules=rules_sentence(document["rules"]),
            protection=[(entry, protection_sentence(entry)) for entry in document["linked"]],
            tables={name: shown(one, most) for name, one in found.items()},
            attacked=shown(tables.attacked(document), most),
            facts=_made_with(document),
        )
    )


def _made_with(document: Document) -> list[tuple[str, str]]:
    return [
        ("Policy", document["policy"]),
        ("Values of records", "shown" if document["shows_values"] else "not shown"),
        ("divulge", document["divulge"]),
        ("Version of the document", str(document["version"])),
    ]
