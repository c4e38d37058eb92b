"""What would help: changes ranked by the checks that then pass, and by what they lose."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from divulge._support.stages import Stage, Steps, silent
from divulge._support.threads import ahead
from divulge._support.wording import enumerated
from divulge.assessment.checks.all_checks import AnyCheck
from divulge.assessment.checks.table_check import TableCheck
from divulge.assessment.checks.unmet import OpenNeed
from divulge.assessment.remedies.changes import Change, changes_records, dropped, of_cells
from divulge.assessment.remedies.fewest_records import leaving_out
from divulge.assessment.remedies.trial import Remedy, Trial, gain, losing
from divulge.assessment.scope import Scope
from divulge.readings.beyond_chance import CANNOT_TELL

WORK = 8_000_000  # rows, in all changes to attributes that are tried with all checks together
FEWEST_TRIED, MOST_TRIED = 4, 24
ELSEWHERE = 12  # changes that are tried where records are counted elsewhere
SAMPLE = 50_000  # records on which it is seen which changes are promising
SHOWN = 20
FEW = 0.05  # share of the records up to which changing these alone comes first
MOST = 0.5  # share of the records up to which leaving them out is a change and not the end


@dataclass(frozen=True)
class Tried:
    """Changes one by one, the best first; what was not tried, in sentences.

    What is ``free`` costs no information in the quasi-identifiers.
    """

    trial: Trial
    remedies: list[Remedy]
    not_tried: list[str]
    free: list[Change]


def remedies(scope: Scope, checks: Sequence[AnyCheck], order: Sequence[str], stage: Stage = silent) -> Tried:
    """Single changes, the best first: the more checks pass the better, and then the less is lost.

    ``order`` has the quasi-identifiers that add most first. Of many changes to attributes, or on many
    records, only those are tried with all checks that take away most risk for what they lose.
    """
    trial = Trial(scope, checks)
    effort = min(max(WORK // max(scope.rows_at_hand, 1), FEWEST_TRIED), MOST_TRIED)
    effort = effort if scope.at_hand else min(effort, ELSEWHERE)
    others = _others(checks, order)
    able = [change for name in order for change in trial.coarser(name)]
    chosen = [*others, *_promising(trial, able, effort)]
    found = list(Steps(stage, len(chosen)).each(_one_by_one(trial, chosen)))
    found += _of_few(trial, order)
    missed = _not_tried(trial, len(chosen), len(others) + len(able))
    return Tried(trial, sorted(found, key=partial(_rank, scope.data.records))[:SHOWN], missed, others)


def _one_by_one(trial: Trial, changes: Sequence[Change]) -> Iterable[Remedy]:
    """What each change does, in their order; of many rows by several threads."""
    _ = trial.before  # which all of them ask for
    return ahead(trial.remedy, changes) if trial.scope.threads_pay else map(trial.remedy, changes)


def _of_few(trial: Trial, order: Sequence[str]) -> list[Remedy]:
    """The records that checks are about left out, or an attribute suppressed in them if that does as well."""
    need = trial.need(trial.scope, MOST)
    few = leaving_out(trial, trial.scope, need, MOST)
    if few is None or few.change.rows is None or few.failing >= need.failing:
        return []
    able = of_cells(trial.scope, few.change.rows, named_first(need, order), trial.said)
    cells = _one_by_one(trial, able)
    return [trial.remedy(few.change), *(one for one in cells if one.failing <= few.failing)]


def named_first(need: OpenNeed, order: Sequence[str]) -> list[str]:
    """Quasi-identifiers, those first that a check names because they reveal something."""
    return list(dict.fromkeys([*(name for name in need.by if name in order), *order]))


def _others(checks: Sequence[AnyCheck], order: Sequence[str]) -> list[Change]:
    """For each check that does not pass, its attributes that are no quasi-identifiers left out at once."""
    asked = [[key for key in check.keys if key not in order] for check in checks if check.outcome != "pass"]
    return [dropped(*names) for names in dict.fromkeys(map(tuple, asked)) if names]


def _promising(trial: Trial, changes: Sequence[Change], most: int) -> list[Change]:
    """The changes that lower the average risk most for what they lose, of many records on some of them.

    Where records are counted elsewhere, each attribute is left out, then put in its widest groups, and so on.
    """
    if len(changes) <= most:
        return list(changes)
    if trial.scope.at_hand is None:
        widest = {change: -trial.coarser(change.attribute or "").index(change) for change in changes}
        return sorted(changes, key=lambda change: (change.action != "suppress", widest[change]))[:most]
    some = _some(trial.scope)
    tried = trial if some is trial.scope else Trial(some, trial.checks)
    return sorted(changes, key=lambda change: gain(tried, change), reverse=True)[:most]


def _some(scope: Scope) -> Scope:
    """Some of the records, spread evenly."""
    rows = scope.rows_at_hand
    if scope.at_hand is None or rows <= SAMPLE:
        return scope
    left_out = np.ones(rows, bool)
    left_out[np.linspace(0, rows - 1, SAMPLE).astype(np.int64)] = False
    return scope.leaving_out(left_out)


def _rank(records: int, one: Remedy) -> tuple[Any, ...]:
    """The more checks pass the better; then what costs least, or takes most risk away if no more pass."""
    if one.failing < one.failing_before:
        return one.failing, *_cost(records, one)
    won = one.before["average_risk"] - one.after["average_risk"]
    return one.failing, -won / one.loss if one.loss else 0.0, one.change.words


def _cost(records: int, one: Remedy) -> tuple[Any, ...]:
    """First what costs nothing, then the fewest cells of a few records, then what loses least."""
    few = 0 < one.change.records <= FEW * records
    place = 0 if not one.loss else 1 if few else 2
    return place, one.change.cells if few else 0, one.loss, one.change.words


def _not_tried(trial: Trial, tried: int, possible: int) -> list[str]:
    said = []
    if tried < possible:
        said.append(f"Of {possible} changes to attributes, {tried} were tried with all checks.")
    if trial.failing_before and not changes_records(trial.scope):
        why = "missing values match anything" if trial.scope.at_hand else "records are counted where they are"
        said.append(f"Leaving out records and suppressing cells were not tried: {why}.")
    return said


def with_fixes(checks: Sequence[AnyCheck], tried: Sequence[Remedy]) -> list[AnyCheck]:
    """The checks that do not pass, each with the change that makes it pass and loses least."""
    return [
        replace(check, fix=_fix(place, check, tried)) if _open(check) else check
        for place, check in enumerate(checks)
    ]


def _open(check: AnyCheck) -> bool:
    """Whether a check does not pass, by what it found, and does not say itself what to do."""
    return check.outcome != "pass" and not check.fix and not check.holds(check.found)


def _fix(place: int, check: AnyCheck, tried: Sequence[Remedy]) -> str:
    if check.undefined is not None and check.undefined.startswith(CANNOT_TELL):
        said = check.undefined.removeprefix(f"{CANNOT_TELL}: ")
        return f"Not enough data to decide: {said}. Use more records, or attributes with fewer values."
    able_to_count = isinstance(check, TableCheck) and check.answer.fix  # of larger groups, say
    if check.found is None and not able_to_count:
        return (
            f"The check has no value here: {check.undefined}. Leave the check out, or change what it is "
            "about."
        )
    if isinstance(check, TableCheck) and check.measure_name == "identifiers" and check.answer.fix:
        return check.answer.fix  # what to do about an attribute is more than to leave it out
    able = [one for one in tried if check.holds(one.found[place])]
    if not able:
        return "No single change that was tried makes it pass."
    best = min(able, key=partial(_cost, check.counted))
    if isinstance(check, TableCheck) and check.answer.fix and not best.loss:
        return check.answer.fix
    return f"{best.does} {enumerated(['makes it pass', *losing(best.said_loss)])}."
