"""Checks of people on changed values: read by who is linked to their own record, or not evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from divulge._support.rounding import above, below
from divulge._support.small_counts import hidden_part
from divulge._support.wording import capitalized, enumerated, many, number, percent, some_of
from divulge.assessment.checks.all_checks import AnyCheck
from divulge.assessment.checks.table_check import CheckAnswer, TableCheck
from divulge.assessment.scope import Scope
from divulge.attacks import Outcome
from divulge.attacks.changed_values.decoding import unread_keys
from divulge.attacks.changed_values.nearest import RightLinks
from divulge.attacks.changed_values.truth import Truth
from divulge.attacks.counted_outcomes import Judge
from divulge.comparison.learned_by_truth import learned_of_changed
from divulge.policy import Demands, Learning, SinglingOut

NOT_PEOPLE = "released values were changed, so groups of released records are not groups of people"
FITS_FEW = "more records than are allowed fit too few original ones, whatever is suppressed beside them"


def by_truth(checks: Sequence[AnyCheck], demands: Demands, judge: Judge) -> list[AnyCheck]:
    """The checks, those that would count groups of released records as people replaced."""
    return [_of_people(one, demands, judge) if isinstance(one, TableCheck) else one for one in checks]


def by_own_values(checks: Sequence[AnyCheck], demands: Demands, judge: Judge, scope: Scope) -> list[AnyCheck]:
    """The checks where keys are the people's own: what is learned of values that are not, by the truth."""
    noisy = judge.noisy_columns
    return [
        _answered(one, learned_of_changed(one, _levels(one, demands), judge, scope))
        if isinstance(one, TableCheck)
        and one.measure_name == "learned"
        and one.target[0] in noisy
        and _of_all_keys(one, judge)
        else one
        for one in checks
    ]


def _levels(check: TableCheck, demands: Demands) -> list[Learning]:
    return [one for one in demands.learned if _by(one, check) and _about(one, check)]


def _of_people(check: TableCheck, demands: Demands, judge: Judge) -> TableCheck:
    if check.measure_name not in ("singled_out", "learned"):
        return check
    if not judge.aligned or not _of_all_keys(check, judge):
        return _answered(check, _unknown(judge))
    if check.measure_name == "singled_out":
        found = _singled_out([one for one in demands.singled_out if _by(one, check)], judge)
        unread = unread_keys(judge.truth) if found.outcome in ("pass", "warn") else []
        return _answered(check, _not_read(unread, judge) if unread else found)
    return _answered(check, _learned(check.target[0], _levels(check, demands), judge))


def by_originals(checks: Sequence[AnyCheck], truth: Truth) -> list[AnyCheck]:
    """The checks; who is singled out is not evaluated where released records fit too few originals.

    Suppressing a cell of a record adds originals that it fits, and removes none.
    """
    return [_held_to_originals(one, truth) if isinstance(one, TableCheck) else one for one in checks]


def _held_to_originals(check: TableCheck, truth: Truth) -> TableCheck:
    if check.measure_name != "singled_out" or check.outcome not in ("pass", "warn"):
        return check
    links = truth.links
    for level in check.singled_out:
        few = links.compared & links.matched & (links.crowd_of_all < level.k)
        if level.severity == "fail" and above(float(few.mean()), level.max):
            said = f"Not evaluated: {FITS_FEW}."
            return _answered(
                check, CheckAnswer("not evaluated", None, None, len(few), said, undefined=FITS_FEW)
            )
    return check


def _answered(check: TableCheck, answer: CheckAnswer) -> TableCheck:
    return replace(check, answer=answer, ask=lambda scope: answer)


def _of_all_keys(check: TableCheck, judge: Judge) -> bool:
    """Whether a check is about all the keys by which people are linked."""
    return set(check.keys) == set(judge.truth.alignment.released.schema.quasi_identifiers)


def _by(level: SinglingOut | Learning, check: TableCheck) -> bool:
    return level.keys is None or set(level.keys) == set(check.keys)


def _about(level: Learning, check: TableCheck) -> bool:
    return level.target is None or check.target[0] in level.target


def _unknown(judge: Judge) -> CheckAnswer:
    said = f"Not evaluated: {NOT_PEOPLE}."
    return CheckAnswer(
        "not evaluated", None, None, judge.truth.alignment.released.records, said, undefined=NOT_PEOPLE
    )


def _not_read(names: Sequence[str], judge: Judge) -> CheckAnswer:
    """That nobody tried to link people by values whose meaning is not known here."""
    why = (
        f"released values of {enumerated(names)} are not those of the original, and what they mean is not "
        "known here, so that someone who knows it may link more people; give a hierarchy (--hierarchy), or "
        f"leave {'it' if len(names) == 1 else 'them'} out"
    )
    return CheckAnswer(
        "not evaluated", None, None, judge.links.people, f"Not evaluated: {why}.", undefined=why
    )


def beyond_other_links(
    checks: Sequence[AnyCheck], demands: Demands, judge: Judge, outcomes: Sequence[Outcome]
) -> list[AnyCheck]:
    """The checks; who is singled out does not pass where another attack links more people than is allowed.

    If the average risk is r, at least (r - 1/k) / (1 - 1/k) of the people have a risk above 1/k.
    """
    best = max(outcomes, key=lambda one: one.risk or 0.0, default=None)
    if best is None or best.risk is None or best.risk <= judge.links.rate:
        return list(checks)
    return [_held_to_links(one, demands, best) if isinstance(one, TableCheck) else one for one in checks]


def _held_to_links(check: TableCheck, demands: Demands, best: Outcome) -> TableCheck:
    if check.measure_name != "singled_out" or check.outcome not in ("pass", "warn"):
        return check
    assert best.risk is not None
    for level in demands.singled_out:
        if not _by(level, check) or level.severity != "fail":
            continue
        if above((best.risk - 1 / level.k) / max(1 - 1 / level.k, 1e-9), level.max):
            why = (
                f"{best.title} is right for {percent(best.risk)} of people, more than the nearest records are"
            )
            said = f"Not evaluated: {why}."
            return _answered(
                check, CheckAnswer("not evaluated", None, None, best.of or 0, said, undefined=why)
            )
    return check


def _singled_out(levels: Sequence[SinglingOut], judge: Judge) -> CheckAnswer:
    """The people who are linked to their own record with a risk above 1/k, held against each level."""
    links = judge.links
    found = [(level, links.share_above(1 / level.k)) for level in levels]
    unmet = [
        (level, share)
        for level, share in found
        if above(share, level.max) and not links.within_chance(1 / level.k)
    ]
    level, share = min(unmet, key=lambda one: one[0].severity, default=min(found, key=lambda one: one[0].max))
    most = links.at_most_above(1 / level.k)
    strict = [one for one in levels if one.severity == "fail"] or levels
    doubtful = [one for one in strict if not links.within_chance(1 / one.k)]
    if not unmet and any(above(links.at_most_above(1 / one.k), one.max) for one in doubtful):
        return _too_few_drawn(links, share, most)
    said = f"{_of(share, links)} linked to their own record with a risk above 1 in {level.k}"
    said += _drawn(links, most)
    if links.within_chance(1 / level.k):
        said += ", no more than by chance"
    allowed = "" if unmet or not above(share, 0.0) or above(share, level.max) else ", which is allowed"
    outcome = level.severity if unmet else "pass"
    return CheckAnswer(outcome, share, round(share * links.people), links.people, f"{said}{allowed}.")


def _too_few_drawn(links: RightLinks, share: float, most: float) -> CheckAnswer:
    """So few people were drawn that more than is allowed may be linked."""
    why = (
        f"{percent(share)} of {many(links.drawn)} people drawn at random are linked to their own record, so "
        f"with 95% confidence at most {percent(most)} of all are, which may be more than is allowed"
    )
    return CheckAnswer("not evaluated", None, None, links.people, f"Not evaluated: {why}.", undefined=why)


def _learned(target: str, levels: Sequence[Learning], judge: Judge) -> CheckAnswer:
    """The people whose value is read off their own record; what groups have in common is not evaluated."""
    links, (own, overall) = judge.links, _own_values(target, judge)
    found = []
    for level in levels:
        news = below(overall, 1 - level.gain)
        sure = ~below(links.probability, np.maximum(level.certain, overall + level.gain))
        found.append((level, float((own & news & sure).mean())))
    unmet = [
        (level, share)
        for level, share in found
        if above(share, level.max) and not links.within_chance(level.certain)
    ]
    if not unmet:
        return _unknown(judge)
    level, share = min(unmet, key=lambda one: one[0].severity)
    said = (
        f"{_of(share, links)} linked to their own record with {number(100 * level.certain)}% certainty or "
        f"more{_drawn(links)}, and it shows their {target}."
    )
    return CheckAnswer(level.severity, share, round(share * links.people), links.people, said)


def _own_values(target: str, judge: Judge) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
    """For each person drawn, whether the record reveals their own value, and its share in the original."""
    alignment, who = judge.truth.alignment, judge.links.who
    assert alignment.rows is not None
    name = next(here for here, there in alignment.columns.items() if there == target)
    codes = alignment.original.column(name).codes
    shares = np.bincount(codes) / len(codes)
    return judge.corresponding(target).right[who], shares[codes[alignment.rows[0][who]]]


def _of(share: float, links: RightLinks) -> str:
    count = round(share * links.people)
    if not count:
        return f"None of {many(links.people)} people are"
    said = f"{capitalized(some_of(count, links.people))} people"
    exact = isinstance(hidden_part(count, of=links.people), int)
    return f"{said} ({percent(share)}) are" if exact else f"{said} are"


def _drawn(links: RightLinks, at_most: float | None = None) -> str:
    if links.drawn == links.people:
        return ""
    most = "" if at_most is None else f"; with 95% confidence at most {percent(at_most)}"
    return f" (estimated from {many(links.drawn)} drawn at random{most})"
