"""Counts of people in small classes contain each other, so two of them may not leave a few."""

from __future__ import annotations

from collections.abc import Sequence

from divulge._support.small_counts import hidden_part, leaves_few
from divulge.assessment.checks.all_checks import AnyCheck
from divulge.assessment.drivers.class_company import unique
from divulge.assessment.scope import Scope
from divulge.counting.counts import RECORD


def said_by_checks(scope: Scope, checks: Sequence[AnyCheck]) -> list[int]:
    """How many people are in small classes of all keys, as checks say it; what they say comes first.

    Everyone is no such count, and neither is one that is hidden.
    """
    return [
        check.concerned
        for check in checks
        if {*check.keys} == {*scope.keys} and check.target in ((), (RECORD,))
        if check.concerned and check.concerned != check.counted and check.bound_said is None
        if isinstance(hidden_part(check.concerned, of=check.counted), int)
    ]


def unique_at_most(scope: Scope, said: Sequence[int]) -> int | None:
    """What is said instead of how many are unique, where that and a count already said would leave a few."""
    alone, _ = unique(scope)
    return min((one for one in said if one > alone and leaves_few(alone, [one])), default=None)
