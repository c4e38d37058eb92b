"""A sensitive attribute with one value, or with none: being in the table says what there is to learn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge._support.rounding import below
from divulge.assessment.checks.table_check import CheckAnswer
from divulge.assessment.inference.revealing_keys import frequencies
from divulge.assessment.inference.sensitive_questions import no_answer
from divulge.assessment.scope import Scope
from divulge.engines.coded_table import code_of
from divulge.policy import Learning

FEW = 20  # different values, those that mean missing among them, from which on there is more than one
NEARLY = 0.9  # the share of records from which on one value is everyone's who has any


def one_value(scope: Scope, target: str, levels: Sequence[Learning]) -> CheckAnswer | None:
    """What is said of an attribute that has at most one value; None where groups can say more than that.

    No gain over guessing is left where everyone has the same value, and so groups reveal nothing. But who is
    known to be in the table is known to have it. Of an attribute without any value nothing was measured.
    """
    if scope.data.summary(target).distinct > FEW:
        return None
    memo = scope.data.memo("@one value")
    if target not in memo:
        memo[target] = _shares(scope, target)
    shares, suppressed = memo[target]
    counted = max(scope.people, 1)
    if not shares:
        if suppressed:
            return CheckAnswer("pass", 0.0, 0, counted, f"{target} is suppressed for everyone.")
        reason = f"no record has a value of {target}"
        said = f"What could be learned about {target} was not measured: {reason}."
        fix = f"Leave out {target}, or check how it was read."
        return CheckAnswer("not evaluated", None, None, 0, said, fix, undefined=reason, lasting=True)
    gain = min(level.gain for level in levels)
    if len(shares) > 1 or below(shares[0], max(NEARLY, 1 - gain)):
        return None
    everyone = shares[0] == 1
    whom = "Everyone" if everyone else "Everyone with a value"
    return CheckAnswer(
        "warn",
        shares[0],
        counted if everyone else round(shares[0] * counted),
        counted,
        f"{whom} has the same {target}: being in the table reveals it.",
        f"Leave out {target}, unless everyone may know it of the people in the table.",
        lasting=True,
    )


def _shares(scope: Scope, target: str) -> tuple[list[float], bool]:
    """The share of the records with each value that is one, and whether all of them are suppressed."""
    column, records = frequencies(scope, target)
    everyone, mark = int(records.sum()), scope.data.suppressed
    code = None if mark is None else code_of(column, mark)
    values = np.flatnonzero((records > 0) & ~no_answer(column, records, code))
    return (records[values] / max(everyone, 1)).tolist(), code is not None and int(records[code]) == everyone
