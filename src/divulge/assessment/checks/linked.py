"""Can people be linked to their record in the original? Only a comparison with the original can say."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from divulge._support.wording import percent
from divulge.assessment.checks.table_check import CheckAnswer, TableCheck, by_severity
from divulge.policy.linking import LINKED, Linking

WHY = (
    "An attacker with the original, or a table like it, links each released record to the original one that "
    "fits it best. A right link tells whose record it is."
)
NO_ORIGINAL = "it takes the original beside the release"
COMPARE = "Hold the release against this policy beside its original: divulge compare ORIGINAL RELEASED."


def linked(
    levels: Sequence[Linking], keys: Sequence[str], answer: Callable[[str, Sequence[Linking]], CheckAnswer]
) -> list[TableCheck]:
    """One check for each attack that levels are about."""
    by_attack = {name: [one for one in levels if one.attack == name] for name in LINKED}
    return [_check(name, own, keys, answer(name, own)) for name, own in by_attack.items() if own]


def _check(name: str, levels: Sequence[Linking], keys: Sequence[str], answer: CheckAnswer) -> TableCheck:
    return TableCheck(
        name,
        LINKED[name],
        tuple(keys),
        (),
        by_severity((level.severity, _share(level.max)) for level in levels),
        min(level.max for level in levels),
        WHY,
        lambda scope: answer,
        answer,
        fix=answer.fix,
    )


def not_evaluated(name: str, reason: str, people: int, fix: str = "") -> CheckAnswer:
    """That there is no answer, and why."""
    said = f"{LINKED[name]}: not evaluated, since {reason}."
    return CheckAnswer("not evaluated", None, None, people, said, fix, undefined=reason)


def without_original(levels: Sequence[Linking], keys: Sequence[str], people: int) -> list[TableCheck]:
    """The checks of a table whose original is not at hand: none can pass."""
    return linked(levels, keys, lambda name, own: not_evaluated(name, NO_ORIGINAL, people, COMPARE))


def _share(most: float) -> str:
    return "nobody" if most == 0 else f"at most {percent(most)} of people"
