"""Records with a missing value, held to the checks that leave them out or let them fit anyone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.wording import capitalized, records
from divulge.assessment.checks.table_check import CheckAnswer, Outcome, TableCheck, answered_once
from divulge.assessment.checks.threshold_check import Check
from divulge.assessment.scope import Scope
from divulge.errors import DivulgeError
from divulge.questions.question import MOST_PAIRS
from divulge.report.audit.headline import ORDER
from divulge.source.options import Missing
from divulge.table.codes import MISSING

NAME = "incomplete"
TITLES = {
    "drop": "Records left out for missing values",
    "wildcard": "Records that fit many for missing values",
}
HOW_COUNTED = {
    "drop": "the other checks leave them out",
    "wildcard": "the other checks count each of them in every group that it fits",
}
FITTING = (
    "A record without a value counts in every group that it fits, though it is about one person. So a few "
    "can hide that many others are unique."
)
WHY = (
    "These records are in the file, and the other checks do not count them. The values that they do have can "
    "single out a person, or reveal something."
)
FIX = "Leave these records out of the file, or count a missing value as a value (--missing value)."
COUNT_AS_VALUE = "Count a missing value as a value (--missing value)."
MOST_SAID = 3
AnyCheck = Check | TableCheck
AskAll = Callable[[Scope], Sequence[AnyCheck]]


def incomplete_records(ask_all: AskAll, scope: Scope, counted: Sequence[AnyCheck]) -> list[TableCheck]:
    """The check of incomplete records, where some are left out; ``counted`` are the checks without them."""
    if not counted or not _left_out(scope):
        return []

    @answered_once
    def ask(changed: Scope) -> CheckAnswer:
        return _answer(ask_all, changed, counted if changed is scope else None)

    missing = scope.data.missing
    why = FITTING if missing == "wildcard" else WHY
    return [TableCheck(NAME, TITLES[missing], scope.keys, (), "as other records", 0.0, why, ask, ask(scope))]


def _left_out(scope: Scope) -> int:
    """How many records the checks leave out, or let fit anyone, for missing values, at most."""
    if scope.data.missing == "value" or not scope.keys:
        return 0
    if scope.data.missing == "wildcard":
        return _counting(scope, "drop").question(scope.keys).dropped_records
    asked = [scope.question(scope.keys), *(scope.question(scope.keys, name) for name in scope.sensitive)]
    return max(one.dropped_records for one in asked)


def _answer(ask_all: AskAll, scope: Scope, counted: Sequence[AnyCheck] | None) -> CheckAnswer:
    left, everyone, missing = _left_out(scope), max(scope.data.records, 1), scope.data.missing
    if not left:
        return CheckAnswer(
            "pass", 0.0, 0, everyone, "No record is left out for a missing value.", text="none"
        )
    before = {one.name: one.outcome for one in (ask_all(scope) if counted is None else counted)}
    whole = _counting(scope, "value")
    worse = [one for one in ask_all(whole) if _is_worse(one, before)]
    said = f"{capitalized(records(left, of=everyone))} lack a value, and {HOW_COUNTED[missing]}."
    if not worse:
        said += " With a missing value as a value of its own, the checks have the same outcome with them."
        return CheckAnswer("pass", 0.0, 0, everyone, said, text="as other records")
    certain = (
        _hidden(ask_all, scope, worse, left) if missing == "wildcard" else _surely(ask_all, scope, worse)
    )
    surely = [one for one in certain if one.outcome == "fail" and _is_worse(one, before)]
    if surely and missing == "wildcard":
        how = "Each is about one person, and can be in one group only. The complete records do not pass"
    elif surely:
        how = "Where a missing value fits any value, they do not pass"
    else:
        how = "With a missing value as a value of its own, which can overstate the risk, they do not pass"
    found = surely or worse
    outcome: Outcome = "fail" if surely else "warn"
    if not surely and any(one.outcome != "warn" for one in worse):
        outcome = "not evaluated"
    fix = COUNT_AS_VALUE if missing == "wildcard" else FIX
    text = f"{said} {how}: {' '.join(map(_said, found[:MOST_SAID]))}"
    if outcome == "not evaluated":
        why = "whether records with a missing value pass is not known"
        return CheckAnswer(outcome, None, None, everyone, text, fix, undefined=why)
    whom = None if scope.at_hand is None or missing == "wildcard" else partial(_rows, scope)
    return CheckAnswer(outcome, left / everyone, left, everyone, text, fix, text="not passed", whom=whom)


def _counting(scope: Scope, missing: Missing) -> Scope:
    """The same table, with incomplete records counted."""
    return replace(scope, data=replace(scope.data, missing=missing), _asked={}, _read=True)


def _is_worse(check: AnyCheck, before: dict[str, Outcome]) -> bool:
    known = before.get(check.name, "pass")
    return ORDER.index(check.outcome) < ORDER.index(known)


def _surely(ask_all: AskAll, scope: Scope, worse: Sequence[AnyCheck]) -> list[AnyCheck]:
    """What checks of the size of groups find where a missing value fits any, so that groups are largest."""
    of_size = {one.name for one in worse if _of_size(one)}
    if not of_size:
        return []
    try:
        groups = _counting(scope, "value").question(scope.keys).counts.classes
        if min(_left_out(scope), groups) * groups > MOST_PAIRS:
            return []
        return [one for one in ask_all(_counting(scope, "wildcard")) if one.name in of_size]
    except DivulgeError:  # not every table can be counted so
        return []


def _hidden(ask_all: AskAll, scope: Scope, worse: Sequence[AnyCheck], left: int) -> list[AnyCheck]:
    """Checks of the size of groups that complete records fail, whichever group the ``left`` others are in.

    Each of those can make one group large enough, and so hide fewer than k people.
    """
    of_size = {one.name for one in worse if _of_size(one)}
    complete = ask_all(_counting(scope, "drop")) if of_size else []
    return [one for one in complete if one.name in of_size and _fails_without(one, left)]


def _fails_without(check: AnyCheck, left: int) -> bool:
    """Whether people are too many in small groups even if so many records made a group of these large."""
    if not isinstance(check, TableCheck):
        k = check.threshold.min if check.measure.name == "k_anonymity" else None
        return k is not None and (check.concerned or 0) > left * (k - 1)
    failing = [one for one in check.singled_out if one.severity == "fail"]
    return any((check.concerned or 0) - left * (one.k - 1) > one.max * check.counted for one in failing)


def _said(check: AnyCheck) -> str:
    return check.answer.sentence if isinstance(check, TableCheck) else check.sentence


def _of_size(check: AnyCheck) -> bool:
    if isinstance(check, TableCheck):
        return check.measure_name == "singled_out"
    return check.measure.family == "class_size"


def _rows(scope: Scope) -> npt.NDArray[np.bool_]:
    """The rows at hand that lack a value."""
    assert scope.at_hand is not None
    names: Any = (*scope.keys, *scope.sensitive)
    gaps = [scope.at_hand.column(name).codes == MISSING for name in names]
    found: npt.NDArray[np.bool_] = np.logical_or.reduce(gaps)
    return found
