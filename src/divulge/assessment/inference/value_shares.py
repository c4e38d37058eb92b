"""How many records have each value of a sensitive attribute that has few, and whether it has any."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from divulge.assessment.inference.asked.sensitive_questions import no_answer
from divulge.assessment.inference.telling_sets import frequencies
from divulge.assessment.scope import Scope
from divulge.engines.coded_table import code_of

FEW = 20  # different values, those that mean missing among them, from which on there is more than one


@dataclass(frozen=True)
class ValueShares:
    """The share of the records with each value that is one, and whether all of them are suppressed."""

    shares: tuple[float, ...]
    suppressed: bool = False


def value_shares(scope: Scope, target: str) -> ValueShares | None:
    """The shares of the values of an attribute, counted once; None where it has many."""
    if scope.data.summary(target).distinct > FEW:
        return None
    memo = scope.data.memo("@value shares")
    if target not in memo:
        memo[target] = _counted(scope, target)
    found: ValueShares = memo[target]
    return found


def _counted(scope: Scope, target: str) -> ValueShares:
    column, records = frequencies(scope, target)
    everyone, mark = int(records.sum()), scope.data.suppressed
    code = None if mark is None else code_of(column, mark)
    values = np.flatnonzero((records > 0) & ~no_answer(column, records, code))
    hidden = code is not None and int(records[code]) == everyone
    return ValueShares(tuple((records[values] / max(everyone, 1)).tolist()), hidden)
