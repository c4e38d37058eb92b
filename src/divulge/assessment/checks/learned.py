"""Is something new learned? Sensitive values that knowing keys makes certain or likely, beyond guessing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np

from divulge._support.rounding import above, below
from divulge._support.threads import ahead
from divulge._support.wording import capitalized, enumerated, percent
from divulge.assessment.checks.learned_sentences import Revealed, fix, in_bands, nothing, pooled, sentence
from divulge.assessment.checks.table_check import (
    CheckAnswer,
    TableCheck,
    answered_once,
    by_severity,
    said_to,
)
from divulge.assessment.checks.uncounted import Uncounted, uncounted
from divulge.assessment.inference.key_sets import key_sets
from divulge.assessment.inference.revealing_groups import Bar
from divulge.assessment.inference.revealing_keys import Inference
from divulge.assessment.inference.value_shares import value_shares
from divulge.assessment.scope import Scope
from divulge.errors import EmptySource, Undefined
from divulge.policy import Learning

NEARLY = 0.9  # the share of records from which on one value is everyone's who has any
WHY = (
    "Where people with the same {keys} nearly all have one value of {target}, knowing that someone is among "
    "them is enough to learn it. Nobody has to be singled out. A value that {common} or more of all people "
    "have does not count."
)


def learned(levels: Sequence[Learning], scope: Scope, *, apart: bool = False) -> list[TableCheck]:
    """One check for each sensitive attribute, or for what levels are about; ``apart`` one for each level."""
    about: dict[tuple[tuple[str, ...] | None, str, int], list[Learning]] = {}
    for place, level in enumerate(levels):
        for target in scope.sensitive if level.target is None else level.target:
            about.setdefault((level.keys, target, place if apart else 0), []).append(level)
    attributes = len({target for _, target, _ in about})

    def check(one: tuple[tuple[tuple[str, ...] | None, str, int], list[Learning]]) -> TableCheck:
        (keys, target, _), own = one
        found = _check(keys, target, own, scope, attributes)
        return said_to(found, own[0].severity) if apart else found

    _ = scope.rows  # which all of them look at
    return list(ahead(check, about.items()) if scope.threads_pay else map(check, about.items()))


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
    now = ask(scope)
    return TableCheck(
        "learned",
        f"What is learned about {target}{by}",
        tuple(known),
        (target,),
        by_severity(
            (
                level.severity,
                f"{'nobody' if level.max == 0 else f'at most {percent(level.max)} of people'} with "
                f"{percent(level.certain)} certainty{' beyond chance' if level.chance else ''}",
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
        now,
        {"certain": [level.certain for level in levels]}
        if len(levels) > 1
        else {"certain": levels[0].certain},
        mendable=not now.lasting,
        glance=glance,
    )


def answer(
    scope: Scope, keys: tuple[str, ...], target: str, levels: Sequence[Learning], attributes: int
) -> CheckAnswer:
    """What is told about one attribute, held against each level; the worst decides."""
    nothing_left = f"Nothing is left by which {target} could be learned."
    if target in scope.given_up:
        return CheckAnswer("pass", 0.0, 0, scope.people, nothing_left)
    if (alike := _one_value(scope, target, levels)) is not None:
        return alike
    if not keys:
        return CheckAnswer("pass", 0.0, 0, scope.people, nothing_left)
    try:
        return _answer(scope, keys, target, levels, attributes)
    except EmptySource as empty:
        if scope.question(keys).dropped_records:
            return CheckAnswer("not evaluated", None, None, 0, empty.message, undefined=empty.message)
        return CheckAnswer("pass", 0.0, 0, scope.people, f"{enumerated(keys)} are suppressed for everyone.")
    except Undefined as undefined:
        said = f"What could be learned about {target} was not measured: {undefined.message}."
        return CheckAnswer("not evaluated", None, None, 0, said, undefined=undefined.message)


def _one_value(scope: Scope, target: str, levels: Sequence[Learning]) -> CheckAnswer | None:
    """What is said of an attribute that has at most one value; None where groups can say more than that.

    No gain over guessing is left where everyone has the same value, and so groups reveal nothing. But who is
    known to be in the table is known to have it. Of an attribute without any value nothing was measured.
    """
    found, counted = value_shares(scope, target), max(scope.people, 1)
    if found is None:
        return None
    if not found.shares:
        if found.suppressed:
            return CheckAnswer("pass", 0.0, 0, counted, f"{target} is suppressed for everyone.")
        reason = f"no record has a value of {target}"
        said = f"What could be learned about {target} was not measured: {reason}."
        fix_ = f"Leave out {target}, or check how it was read."
        return CheckAnswer("not evaluated", None, None, 0, said, fix_, undefined=reason, lasting=True)
    share = found.shares[0]
    common = 1 - min(level.gain for level in levels)
    if len(found.shares) > 1 or below(share, max(NEARLY, common)):
        return None
    whom = "Everyone" if share == 1 else "Everyone with a value"
    return CheckAnswer(
        "warn",
        share,
        counted if share == 1 else round(share * counted),
        counted,
        f"{whom} has the same {target}: being in the table reveals it.",
        f"Leave out {target}, unless everyone may know it of the people in the table.",
        lasting=True,
    )


def _answer(
    scope: Scope, keys: tuple[str, ...], target: str, levels: Sequence[Learning], attributes: int
) -> CheckAnswer:
    if scope.sample.partial and any(level.certain == 1 for level in levels):
        raise Undefined("of a sample nothing is certain, so a certainty of 1 is never reached")
    sets, _ = key_sets(scope, keys)
    bars = tuple(dict.fromkeys(Bar(level.certain, level.gain) for level in levels))
    asked, unread = Inference(scope, target, sets, attributes, bars).readable()
    counted = max(scope.people, 1)
    revealed = list[Revealed]()
    for level in levels:
        bar, severity = Bar(level.certain, level.gain), _degree(level)
        everyone = not level.chance and not unread
        if (told := asked.of_every_size(bar) if everyone else asked.beyond_chance(bar)) is not None:
            revealed.append(Revealed(level.severity, told.people / counted, told, level, True))
        within = None if severity is None or unread or everyone else asked.within_chance(bar)
        if severity is not None and within is not None:
            revealed.append(Revealed(severity, within.people / counted, within, level, False))
    found = [one for one in revealed if above(one.share, one.level.max)]
    fails = any(one.outcome == "fail" for one in found)
    if unread and not fails:
        raise Undefined(unread)
    if scope.sample.partial and not fails:
        found, shown = _with_pooled(scope, target, asked, levels, found, counted)
        if shown is not None:
            return shown
    aside = None
    if scope.sample.partial or (asked.small_sets and all(level.chance for level in levels)):
        aside = uncounted(scope, keys, min(level.certain for level in levels))
    if not found:
        passed = _allowed(target, keys, levels, revealed, counted, asked)
        return _not_counting(passed, aside, target, scope, keys)
    worst = min(one.outcome for one in found)  # fail goes before warn
    # What is certain is said first; the most people are what the check finds.
    decide = sorted((one for one in found if one.outcome == worst), key=lambda one: -one.level.certain)
    most = max(decide, key=lambda one: one.told.people)
    rows = [one.told.rows for one in found if one.told.rows is not None]
    answer = CheckAnswer(
        worst,
        most.share,
        most.told.people,
        counted,
        " ".join(sentence(target, one, keys, counted, banded=in_bands(asked)) for one in decide),
        " ".join(dict.fromkeys(fix(target, one, asked) for one in decide)),
        by=most.told.keys,
        whom=partial(np.logical_or.reduce, rows) if rows else None,
        by_key_set=tuple(pair for one in found for pair in one.told.by_key_set),
        by_chance=not any(one.beyond for one in decide),
    )
    return _not_counting(answer, aside, target, scope, keys)


def _with_pooled(
    scope: Scope,
    target: str,
    asked: Inference,
    levels: Sequence[Learning],
    found: Sequence[Revealed],
    counted: int,
) -> tuple[list[Revealed], CheckAnswer | None]:
    """What is found in a sample with what all its groups show together, or the answer that this leaves.

    A group of few people says little about all people alike. So many groups that chance does not explain
    them say that something is revealed, though not about whom: what would fail has no verdict, and what
    would warn warns.
    """
    table = replace(asked, scope=replace(scope, as_everybody=True, _read=True))
    told = [(level, table.beyond_chance(Bar(level.certain, level.gain))) for level in levels]
    beyond = [
        Revealed(level.severity, one.people / counted, one, level, True)
        for level, one in told
        if one is not None and above(one.people / counted, level.max)
    ]
    failing = [one for one in beyond if one.outcome == "fail"]
    if not failing:
        held = {id(one.level) for one in found}
        return [*found, *(one for one in beyond if id(one.level) not in held)], None
    most = max(failing, key=lambda one: one.told.people)
    said = pooled(target, most, counted, banded=in_bands(asked))
    undefined = "groups of the sample reveal values, and each is too small to say so of all people alike"
    fixed = fix(target, most, asked)
    return list(found), CheckAnswer(
        "not evaluated", None, None, counted, said, fixed, by=most.told.keys, undefined=undefined
    )


def _not_counting(
    answer: CheckAnswer, aside: Uncounted | None, target: str, scope: Scope, keys: Sequence[str]
) -> CheckAnswer:
    """The answer with who was not counted; where these are most people, only a failure is a verdict."""
    if aside is None:
        return answer
    if not aside.most or answer.outcome == "fail":
        said = f"{answer.sentence} {aside.sentence(keys, every=len(keys) == len(scope.keys))}"
        return replace(answer, sentence=said, not_counted=aside.shown)
    why = (
        f"most people are {aside.where} on {enumerated(keys)}"
        if aside.left_out
        else f"{aside.some_of} are {aside.where} on {enumerated(keys)}"
    )
    said = (
        f"{capitalized(why)}, {aside.because(target)}. Only larger groups are counted here, so what is "
        "learned was not evaluated."
    )
    also = answer.sentence if answer.outcome == "warn" else ""
    return replace(
        answer,
        outcome="not evaluated",
        found=None,
        concerned=None,
        sentence=" ".join(filter(None, [said, also])),
        fix=answer.fix or "Make the groups larger.",
        undefined=f"{why}, which are not counted here",
        not_counted=aside.shown,
    )


def _beyond_a_bound(
    scope: Scope, keys: tuple[str, ...], target: str, levels: Sequence[Learning], attributes: int
) -> float | None:
    """A share of people that is more than a level allows, where one key set is enough to see that."""
    if target in scope.given_up or not keys or scope.sample.partial:
        return None
    if _one_value(scope, target, levels) is not None:
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


def _allowed(
    target: str,
    keys: Sequence[str],
    levels: Sequence[Learning],
    revealed: Sequence[Revealed],
    counted: int,
    asked: Inference,
) -> CheckAnswer:
    """What passes: nothing, or as many people as the strictest of the levels allows."""
    strictest = min(level.max for level in levels)
    able = [one for one in revealed if one.level.max == strictest]
    most = max(able or revealed, key=lambda one: one.share, default=None)
    if most is None:
        said, text = nothing(target, levels, asked, counted)
        return CheckAnswer("pass", 0.0, 0, counted, said, text=text)
    said = sentence(target, most, keys, counted, banded=in_bands(asked), also=", which is allowed")
    if not able:  # what another level allows is said, and not held against the strictest
        return CheckAnswer("pass", 0.0, 0, counted, said)
    by_chance = not most.beyond
    return CheckAnswer("pass", most.share, most.told.people, counted, said, by_chance=by_chance)


def _degree(level: Learning) -> Literal["fail", "warn"] | None:
    """How severe it is what chance explains: one degree less, unless the policy says otherwise."""
    if not level.chance:
        return level.severity
    return "warn" if level.severity == "fail" else None


def never_asked(scope: Scope) -> str | None:
    """Which key sets were not asked, in words."""
    return key_sets(scope, scope.keys)[1] if scope.keys and scope.sensitive else None
