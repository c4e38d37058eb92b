"""Can people be singled out? Those in small groups of people alike on what others may know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.rounding import above
from divulge._support.small_counts import hidden_part
from divulge._support.wording import capitalized, enumerated, people, percent, records, some_of
from divulge.assessment.checks.gaps.alike_outside import held_outside
from divulge.assessment.checks.gaps.counted_groups import named_keys
from divulge.assessment.checks.table_check import (
    CheckAnswer,
    TableCheck,
    answered_once,
    by_severity,
    said_to,
)
from divulge.assessment.people.candidate_sets import candidate_sets
from divulge.assessment.people.people import CodedRows, first_of_each
from divulge.assessment.people.people_there import PeopleThere
from divulge.assessment.people.suppressed_fit import fitting, overlap
from divulge.assessment.scope import Scope
from divulge.errors import EmptySource, Undefined
from divulge.policy import SinglingOut

WHY = (
    "An attacker who knows {keys} of a person can narrow the table down to the people with the same values. "
    "The smaller this group, the surer the match."
)
SAMPLED = (
    "If the table is a sample, give a table of the population, or its size for an estimate (--population)."
)
FIT = "Suppressed cells fit any value here."
KNOWN = "Counts the records that fit a person's original values; suppressed cells fit any value."
STARS = "Suppressed cells count as a value of their own here, which can only overstate the risk."
ESTIMATED = "No group on {keys} has an estimated risk above 1 in {k}."
AVERAGE = (
    " A model of the sample gives the average of people alike here, and assumes that people were drawn "
    "independently of each other; single people may have a higher risk."
)
LEAVE_OUT = 0.001  # the share of people up to which leaving their records out is the least loss


def singled_out(levels: Sequence[SinglingOut], scope: Scope, *, apart: bool = False) -> list[TableCheck]:
    """One check for each set of keys that levels are about; ``apart`` one for each level."""
    by_keys: dict[tuple[tuple[str, ...] | None, int], list[SinglingOut]] = {}
    for place, level in enumerate(levels):
        by_keys.setdefault((level.keys, place if apart else 0), []).append(level)
    found = [(_check(keys, own, scope), own) for (keys, _), own in by_keys.items()]
    return [said_to(check, own[0].severity) if apart else check for check, own in found]


def _check(keys: tuple[str, ...] | None, levels: Sequence[SinglingOut], scope: Scope) -> TableCheck:
    known = scope.keys if keys is None else keys

    @answered_once
    def ask(changed: Scope) -> CheckAnswer:
        asked = changed.keys if keys is None else keys
        return answer(changed, [key for key in asked if key not in changed.given_up], levels)

    by = "" if keys is None else f" by {enumerated(keys)}"
    return TableCheck(
        "singled_out",
        f"People who can be singled out{by}",
        tuple(known),
        (),
        by_severity(
            (level.severity, f"{_share(level.max)} in groups smaller than {level.k}") for level in levels
        ),
        min(level.max for level in levels),
        WHY.format(keys=enumerated(known)),
        ask,
        ask(scope),
        {"k": [level.k for level in levels]} if len(levels) > 1 else {"k": levels[0].k},
        singled_out=tuple(levels),
    )


def answer(scope: Scope, keys: Sequence[str], levels: Sequence[SinglingOut]) -> CheckAnswer:
    """The people whose risk is above 1/k, held against each level; the worst decides.

    In a sample that risk is an average, and what passes by it is held against how few people may be alike in
    the population.
    """
    if not keys:
        return CheckAnswer(
            "pass", 0.0, 0, scope.people, "No attribute is left by which people could be singled out."
        )
    try:
        risk, often, counted = risks(scope, keys)
    except EmptySource as empty:
        question = scope.question(keys)
        if question.dropped_records:
            return CheckAnswer("not evaluated", None, None, 0, empty.message, undefined=empty.message)
        return CheckAnswer("pass", 0.0, 0, scope.people, f"{enumerated(keys)} are suppressed for everyone.")
    except Undefined as undefined:
        as_values = replace(scope.data, suppressed=None)
        overstated = answer(replace(scope, data=as_values, stars_fit=False, _asked={}), keys, levels)
        if overstated.outcome == "pass":
            return overstated
        return CheckAnswer("not evaluated", None, None, 0, undefined.message, undefined=undefined.message)
    if not counted:
        return CheckAnswer("pass", 0.0, 0, scope.people, f"{enumerated(keys)} are suppressed for everyone.")
    found = [(level, int(often[above(risk, 1 / level.k)].sum())) for level in levels]
    unmet = [(level, few) for level, few in found if above(few / counted, level.max)]
    worst = min(unmet, key=lambda one: one[0].severity, default=None)  # fail goes before warn
    if worst is None:
        level, few = min(found, key=lambda one: one[0].max)
        said, text = _everyone(scope, keys, level.k), ""
        if scope.sample.partial:
            said = (
                f"Nobody has a risk above 1 in {level.k} of being re-identified by {named_keys(scope, keys)}."
            )
        if is_estimated(scope):
            said, text = (
                ESTIMATED.format(k=level.k, keys=named_keys(scope, keys)),
                "0% of people, by estimate",
            )
        if few:
            said, text = f"{_of(few, counted, scope)} {_alike(scope, level.k, keys)}, which is allowed.", ""
        many = _of(few, counted, scope)
        passed = CheckAnswer("pass", few / counted, few, counted, said + _caveat(scope), text=text, many=many)
        return held_outside(passed, scope, keys, levels, counted) if is_estimated(scope) else passed
    level, few = worst
    many = _of(few, counted, scope)
    said = f"{many} {_alike(scope, level.k, keys)}.{_caveat(scope)}"
    if level.severity == "fail" and not scope.sample.partial:
        larger = [one.k for one in levels if one.severity == "warn" and one.k > level.k]
        said += f" Groups smaller than {min(larger)} warn, smaller than {level.k} fail." if larger else ""
    declared = scope.population is not None or scope.data.sample_weights is not None
    least = few <= LEAVE_OUT * counted
    fix = f"Leaving out the records of these {people(few)} would be enough." if least else ""
    hints = [
        "" if declared or level.severity == "warn" else SAMPLED,
        _stars(scope, keys),
    ]
    hint = " ".join(filter(None, hints))
    failed = [one for one, _ in unmet]
    whom = None if scope.rows is None else cache(partial(_found_too_surely, scope, keys, failed))
    going = max(_going(scope, one, found_few, counted) for one, found_few in unmet)
    answered = CheckAnswer(
        level.severity, few / counted, few, counted, said, fix, hint, whom=whom, going=going, many=many
    )
    return held_outside(answered, scope, keys, levels, counted) if is_estimated(scope) else answered


def _going(scope: Scope, level: SinglingOut, few: int, counted: int) -> float:
    """The share of the records to be left out so that a level is met; 0 where people are not records."""
    rows = scope.rows
    if rows is None or rows.person is not None or rows.share is not None or scope.stands_for is not None:
        return 0.0
    return _to_go(level, few, counted) / max(scope.data.records, 1)


def _to_go(level: SinglingOut, few: int, everyone: int) -> float:
    """Who is left out is not counted any more, so that r of n with few - r <= max (n - r) have to go."""
    return (few - level.max * everyone) / (1 - level.max) if level.max < 1 else 0


def _found_too_surely(
    scope: Scope, keys: Sequence[str], levels: Sequence[SinglingOut]
) -> npt.NDArray[np.bool_]:
    """The rows of people whose risk is above 1/k; of those who may be, the ones with least risk stay."""
    assert scope.rows is not None
    if (flags := _in_small_sets(scope, scope.rows, keys, levels)) is not None:
        return flags
    risk, chosen, everyone, _ = risk_by_row(scope, scope.rows, keys)
    found = np.zeros(scope.rows.data.source.records, bool)
    times = np.ones(len(found), np.int64) if scope.rows.times is None else scope.rows.times
    rows = np.arange(len(found))[chosen]
    for level in levels:
        beyond = np.flatnonzero(above(risk, 1 / level.k))
        few = times[rows[beyond]].sum()
        need = _to_go(level, few, everyone)
        if need < few:
            beyond = beyond[np.argsort(-risk[beyond], kind="stable")]
            before = np.cumsum(times[rows[beyond]]) - times[rows[beyond]]
            beyond = beyond[before < need]
        found[rows[beyond]] = True
    return found


def _in_small_sets(
    scope: Scope, rows: CodedRows, keys: Sequence[str], levels: Sequence[SinglingOut]
) -> npt.NDArray[np.bool_] | None:
    """The same where a set decides for all its rows; None where it does not, or some people may stay."""
    k = max((level.k for level in levels if level.max == 0), default=0)
    apart = k < max(level.k for level in levels) or scope.stands_for is not None
    if apart or scope.everyone is not None or candidate_sets(rows, keys) is not None or overlap(rows, keys):
        return None
    numbers, bound = rows.sets(keys)
    kept = rows.kept(keys, None)
    sizes = rows.sizes(numbers, bound, slice(None) if kept is None else kept)
    used, risky = np.flatnonzero(sizes), np.zeros(bound, bool)
    risky[used] = above(scope.sample.risk(sizes[used]), 1 / k)
    if kept is None:
        return risky[numbers]
    found = np.zeros(len(numbers), bool)
    found[kept] = risky[numbers[kept]]
    return found


def _stars(scope: Scope, keys: Sequence[str]) -> str:
    """What suppressed cells count as, in words, where records that count have suppressed keys."""
    rows = scope.rows
    if rows is None:
        return STARS if any(scope.data.suppresses(key) for key in keys) else ""
    hidden, kept = list(rows.hidden(keys).values()), rows.kept(keys, None)
    if not any(bool((mask if kept is None else mask[kept]).any()) for mask in hidden):
        return ""
    return STARS if not rows.stars_fit else FIT if rows.originals is None else KNOWN


def _everyone(scope: Scope, keys: Sequence[str], k: int) -> str:
    """That everyone counted has company, and who was not counted though the file has them."""
    if known := _stars(scope, keys) == KNOWN:
        shares = f"could be one of at least {k} people by {named_keys(scope, keys)}"
    else:
        shares = f"has the same {named_keys(scope, keys)} as at least {_others(k - 1)}"
    question = scope.question(keys)
    left = question.dropped_records + (0 if known else question.suppressed_records)
    if not left:
        return f"Everyone {shares}."
    return f"Everyone counted {shares}; {records(left)} are in the file, but suppressed or incomplete."


def risks(scope: Scope, keys: Sequence[str]) -> tuple[npt.NDArray[Any], npt.NDArray[Any], int]:
    """Risks, how many people have each, and how many people there are; the worst of a person's records."""
    rows = scope.rows
    if scope.people_there is not None:
        return _risks_there(scope, scope.people_there, keys)
    weighed = scope.stands_for is not None or scope.everyone is not None
    if rows is None or (rows.person is None and not weighed and not overlap(rows, keys)):
        counts = scope.question(keys).counts
        times = 1 if counts.multiplicity is None else counts.multiplicity
        return scope.sample.risk(counts.people, None, times), counts.members * times, counts.records
    risk, chosen, everyone, often = risk_by_row(scope, rows, keys)
    if rows.person is None:
        return risk, often, everyone
    worst = np.zeros(int(rows.person.max()) + 1)
    np.maximum.at(worst, rows.person[chosen], risk)
    there = worst > 0
    return worst[there], np.ones(int(there.sum()), np.int64), everyone


def _risks_there(
    scope: Scope, there: PeopleThere, keys: Sequence[str]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], int]:
    """The same of people who are counted where their records are."""
    if there.weights is not None:
        sizes, weight, times = there.weighed_sizes(scope.partitions, keys)
        return scope.sample.risk(sizes, weight, times), sizes * times, int((sizes * times).sum())
    sizes, groups, people = there.worst_sizes(scope.partitions, keys)
    risk = scope.sample.risk(sizes, None, groups)
    if (np.diff(risk) > 0).any():
        raise Undefined("a person's riskiest group is not the smallest one")
    concerned = people > 0
    return risk[concerned], people[concerned], int(people.sum())


def risk_by_row(scope: Scope, rows: CodedRows, keys: Sequence[str]) -> tuple[npt.NDArray[Any], Any, int, Any]:
    """The risk of each row that counts, which rows these are, of how many people, and how often each is."""
    kept = rows.kept(keys, None)
    chosen: Any = slice(None) if kept is None else kept
    weights, stands_for, alike = scope.person_stands_for, None, None
    candidates = candidate_sets(rows, keys)
    overlapping = candidates is None and overlap(rows, keys)
    if candidates is not None:
        numbers, sizes, stands_for = candidates.company(weights)
        if scope.sample.partial:
            alike = rows.sizes(candidates.unsuppressed(keys), len(numbers), chosen)
    elif overlapping:
        numbers, sizes, stands_for = fitting(rows, keys, chosen, weights)
    else:
        numbers, bound = rows.sets(keys)
        sizes = rows.sizes(numbers, bound, chosen)
        if weights is not None:
            own, weight = numbers[chosen], weights[chosen]
            once: Any = slice(None) if rows.person is None else first_of_each(own, rows.person[chosen])
            stands_for = np.bincount(own[once], weights=weight[once], minlength=bound)
    everyone = _and_hidden(rows, keys, chosen) if overlapping else rows.distinct(chosen)
    used = np.flatnonzero(sizes)
    risk = np.zeros(len(sizes))
    if scope.everyone is not None and candidates is None and not overlapping:
        people = scope.everyone.alike(rows, keys, numbers, len(sizes))  # known, and nothing to estimate
        risk[used] = 1 / np.maximum(people, sizes)[used]
    else:
        outside = None if stands_for is None else stands_for[used]
        risk[used] = scope.sample.risk(sizes[used], outside, alike=alike)
    often = np.ones(len(numbers), np.int64) if rows.times is None else rows.times
    return risk[numbers[chosen]], chosen, everyone, often[chosen]


def _and_hidden(rows: CodedRows, keys: Sequence[str], chosen: Any) -> int:
    """How many people there are, those among them whose keys are all suppressed: nobody finds these."""
    counted = np.zeros(rows.data.source.records, bool)
    counted[chosen] = True
    hidden = rows.hidden(keys)
    if len(hidden) == len(keys):
        counted |= np.logical_and.reduce(list(hidden.values()))
    return rows.distinct(counted)


def _alike(scope: Scope, k: int, keys: Sequence[str]) -> str:
    known = named_keys(scope, keys)
    if scope.sample.partial:
        estimated = "an estimated" if is_estimated(scope) else "a"
        return f"have {estimated} risk above 1 in {k} of being re-identified by {known}"
    if k == 2:
        return f"are unique on {known}"
    return f"are in groups smaller than {k} on {known}"


def _caveat(scope: Scope) -> str:
    return AVERAGE if is_estimated(scope) else ""


def is_estimated(scope: Scope) -> bool:
    """Whether a model says how many people outside the table are alike, and no table of all of them."""
    return scope.sample.partial and scope.everyone is None


def _of(count: int, counted: int, scope: Scope) -> str:
    """How many of all people, or that they are fewer than may be counted out."""
    said = f"{capitalized(some_of(count, counted, of=scope.people))} people"
    exact = isinstance(hidden_part(count, of=counted), int)
    return f"{said} ({percent(count / counted)})" if exact else said


def _share(most: float) -> str:
    return "nobody" if most == 0 else f"at most {percent(most)} of people"


def _others(number: int) -> str:
    word = {1: "one", 2: "two", 3: "three", 4: "four"}.get(number, str(number))
    return f"{word} other{'' if number == 1 else 's'}"
