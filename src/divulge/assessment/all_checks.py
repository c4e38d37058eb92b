"""Every check of a table: who is named or picked out, what is learned, what measures read."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from divulge.assessment.asked_check import AskedCheck
from divulge.assessment.checks import Check, evaluate
from divulge.assessment.identifiers import identifiers
from divulge.assessment.learned import learned
from divulge.assessment.measured import measured
from divulge.assessment.scope import Scope
from divulge.assessment.singled_out import singled_out
from divulge.policy import USUAL, Demands, Policy, Threshold

AnyCheck = Check | AskedCheck


def every_check(
    scope: Scope, policy: Policy | None, *, proposed: bool = False, called: Collection[str] = ()
) -> list[AnyCheck]:
    """The checks in the order in which they are said; ``called`` are attributes whose role someone chose."""
    demands = USUAL if policy is None else policy.demands
    thresholds = () if policy is None else policy.thresholds
    given = called if policy is None else policy.attributes
    return [
        identifiers(demands, scope, given),
        *of_people(demands, scope),
        *evaluate(thresholds, scope),
        measured(demands, scope, proposed=proposed),
    ]


def of_people(demands: Demands, scope: Scope) -> list[AskedCheck]:
    """Who is picked out, and what is learned about whom."""
    return [*singled_out(demands.singled_out, scope), *learned(demands.learned, scope)]


def held_to(demands: Demands, thresholds: Sequence[Threshold], scope: Scope) -> list[AnyCheck]:
    """The checks of a release beside its original."""
    return [
        identifiers(demands, scope, ()),
        *of_people(demands, scope),
        *evaluate(thresholds, scope),
    ]
