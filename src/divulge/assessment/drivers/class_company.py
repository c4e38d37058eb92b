"""In what company people are: the smallest class, who is alone in theirs, and the average risk."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.assessment.checks.singled_out import risk_by_row, risks
from divulge.assessment.people.copies import copies
from divulge.assessment.scope import Scope
from divulge.measures import get


def smallest_class(scope: Scope) -> int:
    """The fewest people alike on all quasi-identifiers, copies of a record counted once."""
    sizes = _without_copies(scope)
    counts = scope.question(scope.keys).counts
    return int(get("k_anonymity").compute(counts) if sizes is None else sizes.min())


def unique(scope: Scope) -> tuple[int, int]:
    """How many are alone in their class, of how many that are counted, copies counted once."""
    sizes = _without_copies(scope)
    if sizes is not None:
        return int((sizes == 1).sum()), int(sizes.sum())
    counts = scope.question(scope.keys).counts
    return round(get("uniqueness").compute(counts) * counts.records), counts.records


def average_risk(scope: Scope) -> float:
    """The mean over records of the risk that their group has; copies of a record are counted once.

    Someone with several records counts once for each of them, in a sample too, as in all averages.
    """
    if _without_copies(scope) is not None:
        risk, often, counted = risks(scope, scope.keys)
        return float((risk * often).sum() / counted)
    if scope.sample.partial:
        return _over_records(scope)
    counts = scope.question(scope.keys).counts
    return float(get("reidentification_risk").compute(counts, {"kind": "average"}))


def _over_records(scope: Scope) -> float:
    """The mean risk of records of a sample, whose groups count people."""
    rows, there = scope.rows, scope.people_there
    if rows is not None and rows.person is not None:
        risk, chosen, _, _ = risk_by_row(scope, rows, scope.keys)
        often = None if rows.data.times is None else rows.data.times[chosen]  # a row may stand for several
        return float(np.average(risk, weights=often))
    if there is not None and there.weights is None:
        counts = scope.question(scope.keys).counts
        times = 1 if counts.multiplicity is None else counts.multiplicity
        risk = scope.sample.risk(counts.people, None, times)
        return float((risk * counts.members * times).sum() / counts.records)
    risk, often, counted = risks(scope, scope.keys)
    return float((risk * often).sum() / counted)


def copies_counted_once(scope: Scope) -> bool:
    """Whether records are copies of others, which the checks count once."""
    rows = scope.rows
    return rows is not None and rows.person is not None and copies(rows.data) is rows.person


def _without_copies(scope: Scope) -> npt.NDArray[Any] | None:
    """How many people are in each class, where records are copies of others and are not counted; or None."""
    rows = scope.rows
    if rows is None or not copies_counted_once(scope):
        return None
    kept = rows.kept(scope.keys, None)
    numbers, bound = rows.sets(scope.keys)
    sizes = rows.sizes(numbers, bound, slice(None) if kept is None else kept)
    return sizes[sizes > 0] if sizes.any() else None
