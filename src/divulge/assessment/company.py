"""In what company people are: the smallest class, who is alone in theirs, and the average risk."""

from __future__ import annotations

from typing import Any

import numpy as np

from divulge.assessment.copies import copies
from divulge.assessment.scope import Scope
from divulge.assessment.singled_out import risks
from divulge.measures import get


def smallest_class(scope: Scope) -> int:
    """The fewest people alike on all quasi-identifiers, copies of a record counted once."""
    sizes = _without_copies(scope)
    counts = scope.question(scope.keys).counts
    return int(get("k_anonymity").compute(counts)) if sizes is None else int(sizes.min())


def unique(scope: Scope) -> tuple[int, int]:
    """How many are alone in their class, of how many that are counted, copies counted once."""
    sizes = _without_copies(scope)
    if sizes is not None:
        return int(np.count_nonzero(sizes == 1)), int(sizes.sum())
    counts = scope.question(scope.keys).counts
    return round(get("uniqueness").compute(counts) * counts.records), counts.records


def average_risk(scope: Scope) -> float:
    """The mean of the risks of being picked out, by which people are held against the checks."""
    if scope.sample.partial or _without_copies(scope) is not None:
        risk, often, counted = risks(scope, scope.keys)
        return float((risk * often).sum() / counted)
    counts = scope.question(scope.keys).counts
    return float(get("reidentification_risk").compute(counts, {"kind": "average"}))


def copies_counted_once(scope: Scope) -> bool:
    """Whether records are copies of others, which the checks count once."""
    rows = scope.rows
    return rows is not None and rows.person is not None and copies(rows.data) is rows.person


def _without_copies(scope: Scope) -> Any:
    """How many people each class has, where records are copies of others; None where there are no copies."""
    rows = scope.rows
    if rows is None or not copies_counted_once(scope):
        return None
    kept = rows.kept(scope.keys, None)
    chosen: Any = slice(None) if kept is None else kept
    numbers, bound = rows.sets(scope.keys)
    sizes = rows.sizes(numbers, bound, chosen)
    return sizes[sizes > 0] if sizes.any() else None
