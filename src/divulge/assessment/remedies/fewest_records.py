"""The fewest records that could be left out: those that checks are about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from divulge.assessment.checks.unmet import OpenNeed
from divulge.assessment.remedies.changes import Change, changes_records, of_records
from divulge.assessment.remedies.trial import Trial
from divulge.assessment.scope import Scope

ROUNDS = 5  # times that checks may turn to other records


@dataclass(frozen=True)
class LeftOut:
    """Records left out, how many checks do not pass then, and what was held to them."""

    change: Change
    failing: int
    scope: Scope


def leaving_out(trial: Trial, scope: Scope, need: OpenNeed, most: float) -> LeftOut | None:
    """The records that the checks are about left out, at most a share of all.

    Without these, checks may be about others, who are left out as well.
    """
    if need.rows is None or not changes_records(scope):
        return None
    rows, left = need.rows.copy(), need
    for _ in range(ROUNDS):
        if not 0 < scope.share(rows) <= most or not (rest := scope.leaving_out(rows)).records:
            return None
        left = trial.need(rest, most)
        if left.too_many:
            return None
        if left.rows is None or not left.rows.any():
            return LeftOut(of_records(scope, rows, trial.said), left.failing, rest)
        rows[np.flatnonzero(~rows)[left.rows]] = True
    return None
