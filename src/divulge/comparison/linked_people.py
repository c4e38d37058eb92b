"""Who is linked to the original: bounds of a policy held against attacks, and figures as they may be said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from divulge._support.rounding import above
from divulge._support.small_counts import said_share
from divulge._support.wording import many, percent
from divulge.alignment.tables import Alignment
from divulge.assessment.checks.linked import linked, not_evaluated
from divulge.assessment.checks.table_check import CheckAnswer, TableCheck
from divulge.attacks import Outcome
from divulge.attacks.counted_outcomes import Judge
from divulge.policy.linking import LINKED, Linking


def not_linked(alignment: Alignment, judge: Judge | None) -> str | None:
    """Why nobody can be said to be truly linked: the release is not about the original's people, in words."""
    if alignment.rows is not None:
        return alignment.few_matched
    return alignment.nobody_matched or (None if judge is None else judge.apart)


def linked_checks(
    levels: Sequence[Linking], outcomes: Sequence[Outcome], keys: Sequence[str]
) -> list[TableCheck]:
    """The bounds on linkage, each held against what its attack found."""
    found = {one.attack: one for one in outcomes}
    return linked(levels, keys, lambda name, own: _answer(found[name], own))


def _answer(outcome: Outcome, levels: Sequence[Linking]) -> CheckAnswer:
    share, people = outcome.risk, outcome.of or 0
    if share is None:
        return not_evaluated(outcome.attack, outcome.undefined or "it was not tried", people)
    unmet = [level for level in levels if above(share, level.max)]
    most = outcome.details.get("right_links_at_most", share)
    strict = min((one.max for one in levels if one.severity == "fail"), default=levels[0].max)
    if not unmet and above(most, strict):
        drawn = many(outcome.details["people_drawn"])
        return not_evaluated(
            outcome.attack,
            f"{percent(share)} of {drawn} people drawn at random are linked to their own record, so with 95% "
            f"confidence at most {percent(most)} of all are, which may be more than is allowed",
            people,
        )
    outcome_of_check = min(unmet, key=lambda one: one.severity).severity if unmet else "pass"
    return CheckAnswer(outcome_of_check, share, round(share * people), people, outcome.sentence)


def as_said(outcome: Outcome) -> Outcome:
    """An outcome with a bound for its risk where that is the share of few people, or of all but a few."""
    if outcome.attack not in LINKED or outcome.risk is None or not outcome.of:
        return outcome
    share = said_share(outcome.risk, outcome.of)
    if not isinstance(share, str):
        return outcome
    side = "below" if share.startswith("<") else "above"
    return replace(outcome, risk=float(share[1:]), details={"risk_is": side, **outcome.details})
