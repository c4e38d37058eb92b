"""Is something new learned? Sensitive values that knowing keys makes certain or likely, beyond guessing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np

from divulge._support.rounding import above
from divulge._support.small_counts import SMALL
from divulge._support.wording import capitalized, enumerated, many, number, people, percent, share_of
from divulge.assessment.checks.table_check import (
    CheckAnswer,
    Outcome,
    TableCheck,
    answered_once,
    by_severity,
    said_to,
)
from divulge.assessment.inference.key_set_findings import Told
from divulge.assessment.inference.key_sets import key_sets
from divulge.assessment.inference.revealing_groups import Bar
from divulge.assessment.inference.revealing_keys import Inference
from divulge.assessment.scope import Scope
from divulge.errors import EmptySource, Undefined
from divulge.policy import Learning

WHY = (
    "Where people with the same {keys} nearly all have one value of {target}, knowing that someone is among "
    "them is enough to learn it. Nobody has to be singled out. A value that {common} or more of all people "
    "have does not count."
)
CERTAIN = 0.9


def learned(levels: Sequence[Learning], scope: Scope, *, apart: bool = False) -> list[TableCheck]:
    """One check for each sensitive attribute, or for what levels are about; ``apart`` one for each level."""
    about: dict[tuple[tuple[str, ...] | None, str, int], list[Learning]] = {}
    for place, level in enumerate(levels):
        for target in scope.sensitive if level.target is None else level.target:
            about.setdefault((level.keys, target, place if apart else 0), []).append(level)
    attributes = len({target for _, target, _ in about})
    found = [(_check(*one[:2], own, scope, attributes), own) for one, own in about.items()]
    return [said_to(check, own[0].severity) if apart else check for check, own in found]


def _check(
    keys: tuple[str, ...] | None, target: str, levels: Sequence[Learning], scope: Scope, attributes: int
) -> TableCheck:
    known = scope.keys if keys is None else keys

    def left(changed: Scope) -> tuple[str, ...]:
        asked = changed.keys if keys is None else keys
        return tuple(key for key in asked if key not in changed.given_up and key != target)

    @answered_once
    def ask(changed: Scope) -> CheckAnswer:
        return answer(changed, left(changed), target, levels, attributes)

    def glance(changed: Scope) -> float | None:
        return _beyond_a_bound(changed, left(changed), target, levels, attributes)

    by = "" if keys is None else f" by {enumerated(keys)}"
    return TableCheck(
        "learned",
        f"What is learned about {target}{by}",
        tuple(known),
        (target,),
        by_severity(
            (
                level.severity,
                f"{'nobody' if level.max == 0 else f'at most {percent(level.max)} of people'} with "
                f"{percent(level.certain)} certainty",
            )
            for level in levels
        ),
        min(level.max for level in levels),
        WHY.format(
            keys=enumerated(known),
            target=target,
            common=percent(1 - min(level.gain for level in levels)),
        ),
        ask,
        ask(scope),
        {"certain": [level.certain for level in levels]}
        if len(levels) > 1
        else {"certain": levels[0].certain},
        glance=glance,
    )


def answer(
    scope: Scope, keys: tuple[str, ...], target: str, levels: Sequence[Learning], attributes: int
) -> CheckAnswer:
    """What is told about one attribute, held against each level; the worst decides."""
    if target in scope.given_up or not keys:
        return CheckAnswer(
            "pass", 0.0, 0, scope.people, f"Nothing is left by which {target} could be learned."
        )
    try:
        return _answer(scope, keys, target, levels, attributes)
    except EmptySource as empty:
        if scope.question(keys).dropped_records:
            return CheckAnswer("not evaluated", None, None, 0, empty.message, undefined=empty.message)
        return CheckAnswer("pass", 0.0, 0, scope.people, f"{enumerated(keys)} are suppressed for everyone.")
    except Undefined as undefined:
        said = f"What could be learned about {target} was not measured: {undefined.message}."
        return CheckAnswer("not evaluated", None, None, 0, said, undefined=undefined.message)


def _answer(
    scope: Scope, keys: tuple[str, ...], target: str, levels: Sequence[Learning], attributes: int
) -> CheckAnswer:
    if scope.sample.partial and any(level.certain == 1 for level in levels):
        raise Undefined("of a sample nothing is certain, so a certainty of 1 is never reached")
    sets, _ = key_sets(scope, keys)
    bars = tuple(dict.fromkeys(Bar(level.certain, level.gain) for level in levels))
    asked, unread = Inference(scope, target, sets, attributes, bars).readable()
    counted = max(scope.people, 1)
    if _constant(scope, target):
        said = f"Everyone has the same {target}: being in the table reveals it."
        return CheckAnswer("pass", 0.0, 0, counted, said)
    revealed = list[tuple[Outcome, float, Told, Learning, bool]]()
    for level in levels:
        bar, severity = Bar(level.certain, level.gain), _degree(level)
        everyone = not level.chance and not unread
        if (told := asked.of_every_size(bar) if everyone else asked.beyond_chance(bar)) is not None:
            revealed.append((level.severity, told.people / counted, told, level, True))
        within = None if severity is None or unread or everyone else asked.within_chance(bar)
        if severity is not None and within is not None:
            revealed.append((severity, within.people / counted, within, level, False))
    found = [one for one in revealed if above(one[1], one[3].max)]
    if unread and not any(one[0] == "fail" for one in found):
        raise Undefined(unread)
    if not found:
        return _allowed(target, keys, levels, revealed, counted, asked)
    outcome, share, told, level, beyond = min(found, key=lambda one: (one[0], -one[2].people))
    plainly = beyond or not level.chance
    sentence = _beyond(target, told, level, counted) if plainly else _within(target, told, keys, counted)
    fix = _fix(target, told, beyond, asked)
    rows = [one[2].rows for one in found if one[2].rows is not None]
    whom = partial(np.logical_or.reduce, rows) if rows else None
    each = tuple(pair for one in found for pair in one[2].by_key_set)
    return CheckAnswer(
        outcome, share, told.people, counted, sentence, fix, by=told.keys, whom=whom, by_key_set=each
    )


def _beyond_a_bound(
    scope: Scope, keys: tuple[str, ...], target: str, levels: Sequence[Learning], attributes: int
) -> float | None:
    """A share of people that is more than a level allows, where one key set is enough to see that."""
    if target in scope.given_up or not keys or scope.sample.partial or _constant(scope, target):
        return None
    bars = tuple(dict.fromkeys(Bar(level.certain, level.gain) for level in levels))
    asked = Inference(scope, target, key_sets(scope, keys)[0], attributes, bars)
    if not asked.quick:
        return None
    try:
        for level in levels:
            within, any_size = _degree(level) is not None, not level.chance
            for least in asked.at_least(Bar(level.certain, level.gain), within=within, any_size=any_size):
                if above(least / scope.people, level.max):
                    return least / scope.people
    except (EmptySource, Undefined):
        return None
    return None


def _nothing(target: str, asked: Inference) -> str:
    """That no value becomes likely, said of those only who are not found anyway."""
    apart = " Groups smaller than 3 are not counted here." if asked.small_sets else ""
    return f"No value of {target} becomes likely that is not already common.{apart}"


def _allowed(
    target: str,
    keys: Sequence[str],
    levels: Sequence[Learning],
    revealed: Sequence[tuple[Outcome, float, Told, Learning, bool]],
    counted: int,
    asked: Inference,
) -> CheckAnswer:
    """What passes: nothing, or as many people as the strictest of the levels allows."""
    strictest = min(level.max for level in levels)
    able = [one for one in revealed if one[3].max == strictest]
    if not able:
        return CheckAnswer("pass", 0.0, 0, counted, _nothing(target, asked))
    _, share, told, level, beyond = max(able, key=lambda one: one[1])
    also = ", which is allowed"
    said = (
        _beyond(target, told, level, counted, also) if beyond else _within(target, told, keys, counted, also)
    )
    return CheckAnswer("pass", share, told.people, counted, said)


def _degree(level: Learning) -> Literal["fail", "warn"] | None:
    """How severe it is what chance explains: one degree less, unless the policy says otherwise."""
    if not level.chance:
        return level.severity
    return "warn" if level.severity == "fail" else None


def _constant(scope: Scope, target: str) -> bool:
    summary = scope.data.summary(target)
    return summary.distinct + (summary.present < scope.data.records) <= 1


def _beyond(target: str, told: Told, level: Learning, counted: int, also: str = "") -> str:
    whom = people(told.people, of=counted)
    having = (
        f"{_having(told.having, counted)} of all people have {'such a' if told.several else 'this'} value"
    )
    having = f"{'On average ' if told.several else ''}{having}{', both by weight' if told.by_weight else ''}."
    if above(CERTAIN, level.certain):
        return f"{target} becomes likely for {whom}, from {enumerated(told.keys)}{also}. {having}"
    sure = f"{number(100 * level.certain)}% certainty{'' if level.certain == 1 else ' or more'}"
    if not told.alone:
        return (
            f"{target} of {whom} is revealed with {sure}, for some by {enumerated(told.keys)} alone{also}. "
            f"{having}"
        )
    verb = "reveals" if len(told.keys) == 1 else "reveal"
    return f"{enumerated(told.keys)} {verb} {target} of {whom} with {sure}{also}. {having}"


def _having(share: float, counted: int) -> str:
    """The share of people who have a value; of very few, not how many these are."""
    having = share * counted
    return share_of(max(round(having), 1), counted) if 0 < having < SMALL else percent(share)


def _within(target: str, told: Told, keys: Sequence[str], counted: int, also: str = "") -> str:
    sets = (
        "a small group"
        if told.sets == 1
        else f"{many(told.sets)} small groups"
        if told.sets >= 5
        else "a few small groups"
    )
    whom = people(told.people, of=counted)
    return (
        f"{capitalized(whom)} are in {sets} on {enumerated(keys)} where nearly everyone has the same "
        f"{target}{also}. Chance alone explains this, but the value is revealed all the same."
    )


def _fix(target: str, told: Told, beyond: bool, asked: Inference) -> str:
    banded = any(one.bands > 1 for one in asked.asked)
    if not beyond:
        return f"Make the groups larger{f', or release {target} in wider bands' if banded else ''}."
    bands = f"; or release {target} in wider bands" if banded else ""
    if len(told.keys) == 1:
        return f"Leave out {told.keys[0]}, or release it more coarsely{bands}."
    which = " or ".join(told.keys) if len(told.keys) == 2 else "some of the quasi-identifiers"
    return f"Leave out {which}, or release them more coarsely{bands}."


def never_asked(scope: Scope) -> str | None:
    """Which key sets were not asked, in words."""
    return key_sets(scope, scope.keys)[1] if scope.keys and scope.sensitive else None
