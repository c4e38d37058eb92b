"""In what company people are: the smallest class, who is alone in theirs, and the average risk."""

from __future__ import annotations

from typing import Any

from divulge.assessment.checks.singled_out import risks
from divulge.assessment.people.copies import copies
from divulge.assessment.people.suppressed_fit import sized_sets
from divulge.assessment.scope import Scope
from divulge.counting.counts import Counts
from divulge.measures import get


def smallest_class(scope: Scope) -> int:
    """The fewest people alike on all quasi-identifiers, copies of a record counted once."""
    sizes = _without_copies(scope)
    return int(get("k_anonymity").compute(_counts(scope)) if sizes is None else sizes[0].min())


def unique(scope: Scope) -> tuple[int, int]:
    """How many are alone in their class, of how many that are counted, copies counted once."""
    sizes = _without_copies(scope)
    if sizes is not None:
        return int(sizes[1][sizes[0] == 1].sum()), int(sizes[1].sum())
    counts = _counts(scope)
    return round(get("uniqueness").compute(counts) * counts.records), counts.records


def average_risk(scope: Scope) -> float:
    """The mean of the risks of being picked out, by which people are held against the checks."""
    if scope.sample.partial or _without_copies(scope) is not None:
        risk, often, counted = risks(scope, scope.keys)
        return float((risk * often).sum() / counted)
    return float(get("reidentification_risk").compute(_counts(scope), {"kind": "average"}))


def _counts(scope: Scope) -> Counts:
    """Classes of all quasi-identifiers, with everyone who fits them where suppressed cells fit anything."""
    question = scope.question(scope.keys)
    fits = scope.stars_fit and question.rows_at_hand is not None
    return question.fitting if fits else question.counts


def copies_counted_once(scope: Scope) -> bool:
    """Whether records are copies of others, which the checks count once."""
    rows = scope.rows
    return rows is not None and rows.person is not None and copies(rows.data) is rows.person


def _without_copies(scope: Scope) -> tuple[Any, Any] | None:
    """How many people fit each class and are in it, where records are copies of others, or None."""
    rows = scope.rows
    if rows is None or not copies_counted_once(scope):
        return None
    kept = rows.kept(scope.keys, None)
    chosen: Any = slice(None) if kept is None else kept
    numbers, sizes = sized_sets(rows, scope.keys, chosen)
    own = rows.sizes(numbers, len(sizes), chosen)
    return (sizes[own > 0], own[own > 0]) if own.any() else None
