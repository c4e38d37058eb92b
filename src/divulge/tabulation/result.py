"""What was found of tables, as the document says it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from divulge._support.small_counts import SMALL, exact_counts_asked
from divulge.tabulation.attackers.contributors import KINDS, ContributorAttack, contributor_attacks
from divulge.tabulation.layout.building import BuiltTables
from divulge.tabulation.layout.linked import Flags, Label, LinkedTables
from divulge.tabulation.protected import ProtectedTables
from divulge.tabulation.risk.groups import group_disclosures
from divulge.tabulation.risk.joint import joint_readings
from divulge.tabulation.risk.rules import CellRules
from divulge.tabulation.suppression.auditing import CellAudit
from divulge.tabulation.suppression.published import PublishedAudit
from divulge.tabulation.table_policy import Protection

CLOSE = 0.1  # of an amount: how near is close
MOST_LISTED = 500


def categories(label: Label) -> dict[str, str]:
    return dict(label)


def shapes(tables: LinkedTables) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "by": list(one.attributes), "cells": int(one.cells.size)} for one in tables.layouts
    ]


def linked_entry(
    found: ProtectedTables, name: str, *, recoding: Sequence[dict[str, Any]], show_values: bool
) -> dict[str, Any]:
    """Tables about one value: risk before, protection, and the audit after."""
    built, risk = found.built, found.risk
    tables, rules = built.tables, Counter(rule for one in risk.reasons for rule in one)
    listed = np.flatnonzero(risk.at_risk).tolist()[:MOST_LISTED]
    summary, attacked = _attacks(found, show_values=show_values)
    return {
        "name": name,
        "value": built.value,
        "statistic": built.statistic,
        "tables": shapes(tables),
        "cells": len(tables),
        "sums": tables.sums.number,
        "cells_by_rule": dict(sorted(rules.items())),
        "at_risk": [
            {"cell": categories(tables.labels[cell]), "rules": list(risk.reasons[cell])} for cell in listed
        ],
        "groups": _groups(found),
        "recoding": list(recoding),
        "joint": _joint(found),
        "attacks": summary,
        "attacked": attacked,
        "protection": _protection(found, show_values=show_values),
        "audit": _audit(found, show_values=show_values),
        "notes": [*built.notes, *found.notes],
    }


def _groups(found: ProtectedTables) -> list[dict[str, Any]]:
    built = found.built
    if not built.counts:
        return []
    counts = built.facts.value
    if found.protection.method in ("noise", "adjustment"):
        after = set()
    else:
        # An end that was not worked out counts as known: it may not hide that a group is in one category.
        lower = np.where(np.isnan(found.lower), counts, found.lower)
        upper = np.where(np.isnan(found.upper), counts, found.upper)
        after = {(one.group, one.cell) for one in group_disclosures(built.tables, lower, upper)}
    return [
        {
            "group": categories(one.group),
            "attribute": one.attribute,
            "after": (one.group, one.cell) in after,
        }
        for one in group_disclosures(built.tables, counts, counts)[:MOST_LISTED]
    ]


def _joint(found: ProtectedTables) -> list[dict[str, Any]]:
    if not found.built.counts:
        return []
    return [
        reading
        for layout in found.built.tables.layouts
        for reading in joint_readings(layout, found.built.facts.value)
    ]


def _attacks(
    found: ProtectedTables, *, show_values: bool
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The three attacks on every cell, before and after; and those on cells at risk one by one."""
    built = found.built
    if built.counts:
        return [], []
    facts, before, after = built.facts, [], []
    open_after = found.protection.method in ("noise", "adjustment")
    for cell in np.flatnonzero(facts.contributors > 0).tolist():
        exact = float(facts.value[cell])
        before += contributor_attacks(facts, cell, exact, exact)
        ends = (math.nan, math.nan) if open_after else (float(found.lower[cell]), float(found.upper[cell]))
        after += contributor_attacks(facts, cell, *ends)
    summary = []
    for kind, (who, about) in KINDS.items():
        ours = [(one, then) for one, then in zip(before, after, strict=True) if one.kind == kind]
        summary.append(
            {
                "attack": kind,
                "who": who,
                "about": about,
                "cells": len(ours),
                "exact": _number(one.exact for one, _ in ours),
                "exact_after": _number(then.exact for _, then in ours),
                "close": _number(one.within < CLOSE for one, _ in ours),
                "close_after": _number(then.within < CLOSE for _, then in ours),
            }
        )
    at_risk = found.risk.at_risk
    pairs = [(one, then) for one, then in zip(before, after, strict=True) if at_risk[one.cell]]
    return summary, [_attack(built, *pair, show_values=show_values) for pair in pairs[:MOST_LISTED]]


def _attack(
    built: BuiltTables, one: ContributorAttack, then: ContributorAttack, *, show_values: bool
) -> dict[str, Any]:
    who, about = KINDS[one.kind]
    return {
        "attack": one.kind,
        "cell": categories(built.tables.labels[one.cell]),
        "who": who,
        "about": about,
        "lower": finite(one.lower) if show_values else None,
        "upper": finite(one.upper) if show_values else None,
        "within": finite(one.within) if show_values else _roughly(one),
        "lower_after": finite(then.lower) if show_values else None,
        "upper_after": finite(then.upper) if show_values else None,
        "within_after": finite(then.within) if show_values else _roughly(then),
    }


def _roughly(one: ContributorAttack) -> float | None:
    """Whether an amount is found exactly or closely; how closely would give it away beside the interval."""
    return 0.0 if one.exact else CLOSE if one.within < CLOSE else None


def _number(flags: Iterable[bool]) -> int:
    return sum(map(int, flags))


def finite(number: float) -> float | None:
    """A number for a document; None where it is infinite or was not worked out."""
    return float(number) if math.isfinite(number) else None


def _protection(found: ProtectedTables, *, show_values: bool) -> dict[str, Any]:
    """How tables are protected; the cost by value is a sum of suppressed cells, which nobody is told."""
    pattern, hidden, at_risk = found.pattern, found.suppressed, found.risk.at_risk
    asked = found.protection
    told = pattern if asked.cost == "cells" or show_values else None
    return {
        "method": asked.method,
        "search": None if pattern is None else "exact" if pattern.optimal else "fast",
        "cost_by": None if pattern is None else asked.cost,
        "cells_at_risk": int(at_risk.sum()),
        "suppressed_cells": int(hidden.sum()),
        "secondary_cells": int((hidden & ~at_risk).sum()),
        "cost": None if told is None else told.cost,
        "bound": None if told is None else told.bound,
        "gap": None if pattern is None else pattern.gap,
        "optimal": None if pattern is None else pattern.optimal,
        "parameters": parameters(asked),
    }


def parameters(asked: Protection) -> dict[str, Any]:
    """What a method was given; seeds are not among it."""
    names = {
        "controlled rounding": ("base",),
        "random rounding": ("base",),
        "cell key": ("largest", "variance"),
        "noise": ("epsilon", "bounds"),
    }.get(asked.method, ())
    found = {name: getattr(asked, name) for name in names if getattr(asked, name) is not None}
    if asked.known_within is not None:
        found["known_within"] = asked.known_within
    return {name: list(one) if isinstance(one, tuple) else one for name, one in found.items()}


def _audit(found: ProtectedTables, *, show_values: bool) -> dict[str, Any]:
    tables, at_risk, hidden = found.built.tables, found.risk.at_risk, found.suppressed

    def status(cell: int) -> str:
        return "published" if not hidden[cell] else "primary" if at_risk[cell] else "secondary"

    def hides(one: CellAudit) -> bool:
        if found.built.counts:
            return one.exact and 0 < one.upper < SMALL and not exact_counts_asked()
        return one.exact and not show_values

    gaps = [*found.cautions, *found.not_audited]
    return audit_entry(tables, found.audited, status, found.outcome, gaps, hides=hides)


def audit_entry(
    tables: LinkedTables,
    cells: Sequence[CellAudit],
    status: Callable[[int], str],
    outcome: str,
    not_audited: Sequence[str],
    *,
    hides: Callable[[CellAudit], bool] = lambda _: False,
) -> dict[str, Any]:
    """The audit of tables, cell by cell; ``hides`` says of which the very number is not repeated."""
    return {
        "outcome": outcome,
        "failed": _number(one.outcome == "fail" for one in cells),
        "not_evaluated": _number(one.outcome == "not evaluated" for one in cells),
        "cells": [
            {
                "cell": categories(tables.labels[one.cell]),
                "status": status(one.cell),
                "lower": None if hides(one) else finite(one.lower),
                "upper": None if hides(one) else finite(one.upper),
                "exact": one.exact,
                "not_worked_out": math.isnan(one.lower) or math.isnan(one.upper),
                "outcome": one.outcome,
                "insiders": [categories(tables.labels[cell]) for cell in one.insiders],
            }
            for one in cells[:MOST_LISTED]
        ],
        "not_listed": max(0, len(cells) - MOST_LISTED),
        "not_audited": list(not_audited),
    }


def published_entry(
    tables: LinkedTables,
    found: PublishedAudit,
    suppressed: Flags,
    *,
    value: str | None,
    statistic: str,
    name: str,
) -> dict[str, Any]:
    """A published table, of which only what its own numbers say is known."""
    groups = group_disclosures(tables, np.nan_to_num(found.lower), np.nan_to_num(found.upper, nan=np.inf))
    entry: dict[str, Any] = {
        "name": name,
        "value": value,
        "statistic": statistic,
        "tables": shapes(tables),
        "cells": len(tables),
        "sums": tables.sums.number,
        "cells_by_rule": {},
        "at_risk": [],
        "groups": [
            {"group": categories(one.group), "attribute": one.attribute, "after": True}
            for one in groups[:MOST_LISTED]
        ]
        if statistic == "count"
        else [],
        "recoding": [],
        "joint": [],
        "attacks": [],
        "attacked": [],
        "protection": {
            "method": "as published",
            "search": None,
            "cost_by": None,
            "cells_at_risk": _number(not suppressed[one.cell] for one in found.cells),
            "suppressed_cells": int(suppressed.sum()),
            "secondary_cells": 0,
            "cost": None,
            "bound": None,
            "gap": None,
            "optimal": None,
            "parameters": {},
        },
        "notes": list(found.notes),
    }

    def status(cell: int) -> str:
        return "suppressed" if suppressed[cell] else "published"

    entry["audit"] = audit_entry(
        tables, found.cells, status, found.outcome, [*found.cautions, *found.not_audited]
    )
    return entry


def said_rules(rules: CellRules) -> dict[str, Any]:
    """The rules that were applied."""
    found = {
        "minimum_frequency": rules.minimum_frequency,
        "dominance": rules.dominance,
        "p_percent": rules.p_percent,
        "pq": rules.pq,
        "zeros": rules.zeros,
    }
    return {
        name: list(one) if isinstance(one, tuple) else one for name, one in found.items() if one is not None
    }
