"""Who is singled out where records are not matched and some show little: those are no company for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from divulge._support.rounding import above
from divulge.assessment.checks.all_checks import AnyCheck
from divulge.assessment.checks.table_check import CheckAnswer, TableCheck
from divulge.attacks.changed_values.truth import Truth

WHY = "more records than are allowed fit too few of the original ones, whatever is suppressed beside them"


def by_originals(checks: Sequence[AnyCheck], truth: Truth) -> list[AnyCheck]:
    """The checks; who is singled out is not evaluated where released records fit too few originals.

    Suppressing a cell of a record adds originals that it fits, and removes none.
    """
    return [_held(one, truth) if isinstance(one, TableCheck) else one for one in checks]


def _held(check: TableCheck, truth: Truth) -> TableCheck:
    if check.measure_name != "singled_out" or check.outcome not in ("pass", "warn"):
        return check
    links = truth.links
    for level in check.singled_out:
        few = links.compared & links.matched & (links.crowd_of_all < level.k)
        if level.severity == "fail" and above(float(few.mean()), level.max):
            said = f"Not evaluated: {WHY}."
            answer = CheckAnswer("not evaluated", None, None, len(few), said, undefined=WHY)
            return replace(check, answer=answer, ask=partial(_said, answer))
    return check


def _said(answer: CheckAnswer, scope: object) -> CheckAnswer:
    """What was answered, whatever is asked of the release again."""
    return answer
