"""The words of a report on published tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge._support.wording import amount, many, number, percent
from divulge.errors import counted
from divulge.report.shared.tables import Document

PARTS = {
    "result": "Result",
    "cells": "Cells at risk",
    "audit": "What an attacker finds",
    "attacks": "Attacks on contributors",
    "groups": "Group disclosure",
    "recoding": "Coarser levels",
    "joint": "What attributes say of each other",
    "glossary": "Glossary",
    "made": "How this was made",
}
TABLE_WORDS = (
    ("cell", "A number of a table: a combination of categories, or a total over some of them."),
    ("at risk", "A cell that breaks a rule: its number would tell too much about a contributor."),
    ("primary suppression", "A cell that is left out because it is at risk."),
    ("secondary suppression", "A cell that is left out so that those at risk cannot be worked out."),
    ("contributor", "A record, or everything that belongs to one firm or person."),
    ("minimum frequency", "A cell needs at least so many contributors."),
    ("dominance (n, k)", "The n largest contributors may not make up more than k % of a cell."),
    ("p % rule", "The second largest contributor may not know the largest to within p %."),
    ("pq rule", "The same for somebody who knows all others to within q % beforehand."),
    ("protection interval", "How far from its value an attacker must believe a cell at risk can be."),
    ("insider", "A contributor who has more than half of a suppressed cell, and so knows much of it."),
    ("linked tables", "Tables that share cells. An attacker uses all of them together."),
    ("gap", "By how much of its cost a pattern may be dearer than the cheapest one."),
)


def cell_name(cell: Mapping[str, str]) -> str:
    """A cell by its categories.

    >>> cell_name({"region": "North"}), cell_name({})
    ('region North', 'the total')
    """
    return ", ".join(f"{attribute} {category}" for attribute, category in cell.items()) or "the total"


def said_outcome(entries: Sequence[Document], group_severity: str) -> tuple[str, str]:
    """The outcome of all tables together, and a sentence; what was not audited never counts as passed."""
    audits = [one["audit"] for one in entries]
    failed = sum(one["failed"] for one in audits)
    missed = sum(one["not_evaluated"] for one in audits)
    groups = (
        0 if group_severity == "off" else sum(one["after"] for entry in entries for one in entry["groups"])
    )
    said = [_audit_sentence(entries, failed, missed)]
    if groups:
        said.append(
            f"{counted(groups, 'group')} of people {'is' if groups == 1 else 'are'} all in one category, and "
            "the tables still say so. Suppressing single cells does not hide that; coarser categories do."
        )
    partly = any(one["outcome"] == "warn" for one in audits)
    if partly:
        said.append("Not everything that may reveal cells was audited: what was not is listed.")
    outcome = "pass"
    if failed or (groups and group_severity == "fail"):
        outcome = "fail"
    elif missed or any(one["outcome"] == "not evaluated" for one in audits):
        outcome = "not evaluated"
    elif groups or partly or _unbounded(entries) or any(map(_untied, entries)):
        outcome = "warn"
    return outcome, " ".join(said)


def _failure(failed: int, risky: int, hidden: int, *, published: bool) -> str:
    """What fails; of a table without its records, counts that it shows fail beside marked cells."""
    if not published:
        return f"An attacker comes too close to {many(failed)} of {counted(risky, 'cell')} at risk."
    said = []
    if risky:
        said.append(f"{counted(risky, 'published count')} {'is' if risky == 1 else 'are'} below the minimum.")
    if failed > risky:
        said.append(
            f"An attacker comes too close to {many(failed - risky)} of {counted(hidden, 'marked cell')}."
        )
    return " ".join(said)


def _audit_sentence(entries: Sequence[Document], failed: int, missed: int) -> str:
    risky = sum(one["protection"]["cells_at_risk"] for one in entries)
    hidden = sum(one["protection"]["suppressed_cells"] for one in entries)
    published = any(one["protection"]["method"] == "as published" and not one["at_risk"] for one in entries)
    if failed:
        return _failure(failed, risky, hidden, published=published)
    if missed:
        return f"{counted(missed, 'cell')} at risk could not be audited, so nothing is known of them."
    if published:
        if any(one["audit"]["outcome"] == "not evaluated" for one in entries):
            return "The table alone does not allow an audit of its marked cells."
        if not hidden:
            return "No cell of the table has a mark, and no count is below the minimum."
        return f"The table's own numbers give away none of its {counted(hidden, 'marked cell')}."
    if risky and _unbounded(entries):
        how = " and ".join(dict.fromkeys(one["protection"]["method"] for one in entries))
        return f"{counted(risky, 'cell')} at risk, protected by {how}. No interval says what attackers find."
    if not risky:
        return "No cell is at risk by these rules."
    protected = (
        "is protected: nobody can compute it" if risky == 1 else "are protected: nobody can compute them"
    )
    return (
        f"{counted(risky, 'cell')} at risk {protected}, or come too close, from all of these tables together."
    )


def _unbounded(entries: Sequence[Document]) -> bool:
    """Whether a method was used whose published numbers bound no true one."""
    return any(one["protection"]["method"] in ("adjustment", "noise") for one in entries)


def _untied(entry: Document) -> bool:
    """Whether cells are suppressed in tables without margins, which totals from elsewhere may give away."""
    return not entry["sums"] and entry["protection"]["suppressed_cells"] > 0


def protection_sentence(entry: Document) -> str:
    """How tables are protected, in words."""
    found = entry["protection"]
    if found["method"] == "as published":
        return f"As published: {counted(found['suppressed_cells'], 'cell')} not published."
    if found["method"] == "none":
        return "No protection was asked for."
    if found["method"] != "suppression":
        values = ", ".join(f"{name} {_value(one)}" for name, one in found["parameters"].items())
        return f"Protected by {found['method']}{f' ({values})' if values else ''}."
    if not found["suppressed_cells"]:
        return "Nothing is suppressed."
    by = {"value": "value", "count": "contributors", "cells": "cells"}[found["cost_by"]]
    cost = "" if found["cost"] is None else f" It costs {amount(found['cost'])}."
    how = (
        f"Nothing cheaper by {by} protects the cells.{cost}"
        if found["optimal"]
        else f"The cheapest by {by} may cost up to {percent(found['gap'])} less (gap).{cost}"
    )
    return (
        f"{counted(found['suppressed_cells'], 'cell')} suppressed, {many(found['secondary_cells'])} of them "
        f"to protect the others. {how}"
    )


def _value(one: Any) -> str:
    return (
        " to ".join(map(number, one))
        if isinstance(one, list)
        else str(one)
        if isinstance(one, str)
        else number(one)
    )


def rules_sentence(rules: Mapping[str, Any]) -> str:
    """The rules in one line.

    >>> rules_sentence({"minimum_frequency": 3, "p_percent": 10.0, "zeros": "published"})
    'at least 3 contributors; p % rule with p = 10; empty cells are published'
    """
    said = []
    if "minimum_frequency" in rules:
        said.append(f"at least {rules['minimum_frequency']} contributors")
    if "dominance" in rules:
        n, k = rules["dominance"]
        said.append(f"the {number(n)} largest at most {number(k)} %")
    if "p_percent" in rules:
        said.append(f"p % rule with p = {number(rules['p_percent'])}")
    if "pq" in rules:
        said.append(f"pq rule with p = {number(rules['pq'][0])}, q = {number(rules['pq'][1])}")
    zeros = {"published": "are published", "suppressible": "may be suppressed", "at risk": "are at risk"}
    said.append(f"empty cells {zeros[rules['zeros']]}")
    return "; ".join(said)


def interval(one: Document, *, counts: bool = True) -> str:
    """What an attacker finds of a cell.

    >>> ends = {"lower": 0.0, "not_worked_out": False, "exact": False}
    >>> interval({**ends, "upper": 4.0}), interval({**ends, "upper": None})
    ('0 to 4', '0 or more')
    """
    if one["not_worked_out"]:
        return "not worked out"
    low, high = one["lower"], one["upper"]
    if one["exact"]:
        hidden = "exactly, fewer than 5" if counts else "exactly"
        return hidden if low is None else f"exactly, {amount(low)}"
    if low is None and high is None:
        return "anything"
    if high is None:
        return f"{amount(low)} or more"
    if low is None:
        return f"{amount(high)} or less"
    return f"{amount(low)} to {amount(high)}"


def within(share: float | None) -> str:
    """How close somebody comes to an amount."""
    return "not within 10 %" if share is None else "exactly" if share == 0 else f"within {percent(share)}"
