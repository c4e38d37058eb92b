"""Several changes together: the levels of least loss under which checks pass, and a few records left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from divulge._support.stages import Stage, silent
from divulge._support.wording import enumerated, many, percent
from divulge.assessment.checks.table_check import TableCheck
from divulge.assessment.checks.unmet import OpenNeed
from divulge.assessment.remedies.changes import Change, dropped, of_cells, of_records
from divulge.assessment.remedies.coarser_levels import MOST_GROUPED, grouped_data, plan_lattice
from divulge.assessment.remedies.condensed_release import CondensedRelease, condensed_release
from divulge.assessment.remedies.fewest_records import leaving_out
from divulge.assessment.remedies.single_changes import Tried, named_first
from divulge.assessment.remedies.trial import Remedy, Trial, losing, outcome
from divulge.assessment.scope import Scope
from divulge.errors import EmptySource

WORK = 120_000_000  # groups, in all combinations of levels that are looked at together
ROWS = 2_500_000  # rows, in all combinations whose release is checked
FEWEST_CHECKED = 6  # releases that are checked, however many rows there are
MANY = 100_000  # rows from which on attributes are left out in one step
STEPS = 30  # changes one after the other
ALONE = 12  # quasi-identifiers that are kept alone where no combination passes
REST = 0.05  # share of the records that may be left out in the end
TOO_MANY = "it would take long with this many records"
UNREAD = "records with missing or suppressed cells are not at hand one by one"
JUDGED = "Which combinations of levels to check was decided by a part of the records"
LEAST = 1e-9  # loss by which combinations differ

Changes = Mapping[str, Change]  # by attribute


@dataclass(frozen=True)
class Plan:
    """Several changes together, each with what it does after those before it."""

    steps: list[Remedy]
    kept: tuple[str, ...] = ()  # quasi-identifiers that are left
    unmet: tuple[str, ...] = ()  # what checks find that do not pass then either
    keys: int = 0  # quasi-identifiers before
    combinations: int = 0  # of levels, among which it was searched
    proved: bool = False  # whether none of them that passes loses less

    @property
    def loss(self) -> float:
        return self.steps[-1].loss

    @property
    def said_loss(self) -> float:
        """The loss as an output may say it."""
        return self.steps[-1].said_loss

    @property
    def failing(self) -> int:
        return self.steps[-1].failing

    @property
    def sentence(self) -> str:
        """The changes, what becomes of the checks, what is lost, and which checks still do not pass."""
        out = [name for step in self.steps for name in step.change.attributes]
        words = [step.change.words for step in self.steps if step.change.action != "suppress"]
        at = sum(step.change.action not in ("suppress", "records", "cells") for step in self.steps)
        words[at:at] = [f"leaving out {enumerated(out, most=STEPS)}"] if out else []
        does = ", and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
        last, several = self.steps[-1], len(words) > 1
        passed = outcome(last.failing, last.gaps, len(last.found), together=several, about=last.about_gaps)
        said = enumerated([passed, *losing(self.said_loss, together=several)])
        said = f"{does[0].upper()}{does[1:]}{' together' if several else ''} {said}."
        if self.keys and 2 * len(self.kept) <= self.keys:
            kept = enumerated(self.kept, most=STEPS)
            said += f" Only {kept} would be left of {self.keys} quasi-identifiers."
        if last.open_gaps:
            said += f" What still warns: {' '.join(last.open_gaps)}"
        if self.unmet:
            said += f" No combination that was tried changes this: {' '.join(self.unmet)}"
        elif self.proved:
            looked = f"none of the {many(self.combinations)} combinations of levels loses less"
            said += f" Proved best: with at most {percent(REST)} of the records left out, {looked}."
        return said

    def to_dict(self) -> dict[str, Any]:
        return {
            "sentence": self.sentence,
            "failing": self.steps[-1].left,
            "loss": self.said_loss,
            "combinations": self.combinations,
            "proved": self.proved,
            "steps": [step.to_dict() for step in self.steps],
        }


def plan(tried: Tried, order: Sequence[str], stage: Stage = silent) -> tuple[Plan | None, str | None]:
    """The changes that let most checks pass at the least loss, and what was not tried, in a sentence.

    There is no plan where one change does as well. Every quasi-identifier has levels: its values, wider and
    wider groups, left out. Combinations of levels are looked at in the order of their loss, with the records
    of groups beyond what checks ask left out, a few at most; the first whose release passes is the plan. How
    much is looked at is counted in groups and rows, so that the same data give the same plan.
    """
    scope = tried.trial.scope
    if not scope.keys:
        return None, None
    if grouped_data(scope) is None:
        why = TOO_MANY if scope.data.records > MOST_GROUPED else UNREAD
        said = f"No plan of several changes was searched for: {why}."
        return None, None if scope.data.level_search is None else said
    stage("Searching for a release")
    search = _Search(tried, order)
    search.by_loss()
    if search.best.failing:
        search.one_left()
    search.cells()
    try:
        return search.plan, search.not_tried
    except EmptySource:  # all that it leaves is suppressed
        return None, search.not_tried


@dataclass(frozen=True)
class _Found:
    """Changes, how they end, how many checks do not pass then, and what is lost.

    ``made`` is what the changes make of the data, and then what each change in the end does.
    """

    failing: int
    loss: float
    changes: Changes
    ending: tuple[Change, ...] = ()
    made: tuple[Scope, ...] = ()
    condensed: CondensedRelease | None = (
        None  # the rows that the changes in the end are about, if not records
    )


class _Search:
    """The best so far: fewest checks that do not pass, then the least loss."""

    def __init__(self, tried: Tried, order: Sequence[str]) -> None:
        self.trial, self.order = tried.trial, order
        self.information = tried.trial.information
        self._looks = tried.trial.looks + max(ROWS // max(tried.trial.scope.rows_at_hand, 1), FEWEST_CHECKED)
        self.free = {change.words: change for change in tried.free}
        single, before = tried.remedies[:1], self.trial.failing_before
        # Changes that let no further check pass are no plan, whatever they lose.
        better = [one for one in single if one.failing < before]
        self.best = _Found(better[0].failing, better[0].loss, {}) if better else _Found(before, 0.0, {})
        self.combinations, self.proved = 0, False
        self.ended_early = self.thinned = self.judged = False
        self._condensed: CondensedRelease | None = None  # of the changes that are looked at

    @property
    def spent(self) -> bool:
        """Whether as many releases were checked as may be."""
        return self.trial.looks >= self._looks

    @property
    def not_tried(self) -> str | None:
        """What was left open, and whether a part of the records decided what to check, in sentences."""
        said = []
        if self.ended_early:
            said.append(f"Not every combination of levels was checked: {TOO_MANY}.")
        elif self.thinned:
            said.append(f"Not every level of the quasi-identifiers was tried: {TOO_MANY}.")
        if self.judged:
            said.append(f"{JUDGED}; what is said of the plan was checked on all of them.")
        return " ".join(said) or None

    def by_loss(self) -> None:
        """Combinations of levels by loss, until one passes and none that is left could lose less."""
        places = plan_lattice(self.trial, REST, WORK)
        if places is None:
            self.ended_early = self.trial.scope.at_hand is not None
            return
        total = max(self.information.total, LEAST)
        self.combinations, self.thinned, self.judged = places.nodes, places.thinned, places.judged
        revealing = self._known_to_reveal() if places.judged else []
        passed_over = False
        for loss, share, levels in places.by_loss():
            if not self.best.failing and loss / total >= self.best.loss - LEAST:
                break
            changes = places.at(levels)
            if len(self._left_out(changes)) == len(self.trial.scope.keys):
                continue  # nothing would be left to release
            named = places.by_name(levels)
            if any(
                share + others > REST and all(named[name] <= at for name, at in one.items())
                for one, others in revealing
            ):
                passed_over = True
                continue
            if self.spent:
                self.ended_early = True
                break
            for keys, others in self._offer({**self.free, **changes}):
                revealing.append(({name: named[name] for name in keys}, others))
        self.ended_early |= places.judged and not places.looked_at_all
        self.proved = places.exact and not (passed_over or self.ended_early or self.thinned)

    def _known_to_reveal(self) -> list[tuple[dict[str, int], float]]:
        """Sets of attributes, as they are, that reveal something, and the share of people about whom."""
        scope = self.trial.scope
        unmet = [one for one in self.trial.checks if isinstance(one, TableCheck) and not one.holds(one.found)]
        sets = [(keys, few / max(one.counted, 1)) for one in unmet for keys, few in one.answer.by_key_set]
        able = [(keys, share) for keys, share in sets if len(keys) < len(scope.keys)]
        return [(dict.fromkeys(keys, 0), share) for keys, share in able if {*keys} <= {*scope.keys}]

    @staticmethod
    def _left_out(changes: Changes) -> list[str]:
        return [name for one in changes.values() for name in one.attributes]

    def one_left(self) -> None:
        """The last resort: all quasi-identifiers left out but one, for each of them."""
        ways = [self.trial.coarser(name)[-1:] for name in self.trial.scope.keys]
        out = {one.attribute: one for way in ways for one in way if one.attributes}
        for name in self.order[:ALONE]:
            self._offer({**self.free, **{other: out[other] for other in out if other and other != name}})

    def _offer(self, changes: Changes) -> list[tuple[tuple[str, ...], float]]:
        """Hold changes against the best, few records left out where need be.

        What comes are sets of attributes that reveal something by themselves, and the share of people about
        whom they do: about at least as many, if they are left as they are or made finer.
        """
        now = _applied(self.trial.scope, changes.values())
        self._condensed = condensed_release(now, self.trial.checks, REST)
        now = now if self._condensed is None else self._condensed.scope
        need = self.trial.need(now, REST, self.best.failing)
        self._hold(changes, (), need.failing, (now,))
        if need.failing and self._rest(changes, (), need, (now,), REST):
            sets = [pair for one in need.unmet for pair in one.by_key_set]
            return [(keys, share) for keys, share in sets if len(keys) < len(now.keys)]
        return []

    def _rest(
        self,
        changes: Changes,
        before: tuple[Change, ...],
        need: OpenNeed,
        made: tuple[Scope, ...],
        most: float,
    ) -> int:
        """Leave out the records that checks are still about; how many checks do not pass then."""
        rest = leaving_out(self.trial, made[-1], need, most) if need.failing else None
        if rest is None:
            return need.failing
        self._hold(changes, (*before, rest.change), rest.failing, (*made, rest.scope))
        return rest.failing

    def _hold(
        self, changes: Changes, ending: tuple[Change, ...], failing: int, made: tuple[Scope, ...]
    ) -> None:
        loss = self.information.loss(made[-1])
        if (failing, loss) < (self.best.failing, self.best.loss):
            self.best = _Found(failing, loss, changes, ending, made, self._condensed)

    def cells(self) -> None:
        """Suppress one attribute in the records that would be left out, so that half of them may stay."""
        best = self.best
        if not best.ending or best.ending[0].rows is None or self.spent:
            return
        now, self._condensed = best.made[0], best.condensed
        named = named_first(self.trial.need(now), self.order)
        half = now.share(best.ending[0].rows) / 2
        able = of_cells(now, best.ending[0].rows, named, self.trial.said)
        losses = {change.attribute: self.information.loss(change.apply(now)) for change in able}
        for change in sorted(able, key=lambda one: losses[one.attribute]):
            if not self.best.failing and losses[change.attribute] >= self.best.loss:
                break  # with what would have to be left out besides it loses no less than the best
            after = change.apply(now)
            need = self.trial.need(after, half, self.best.failing)
            self._hold(best.changes, (change,), need.failing, (now, after))
            self._rest(best.changes, (change,), need, (now, after), half)

    def _in_steps(self, changes: Iterable[Change]) -> list[Change]:
        """Changes to attributes; of many rows all that are left out are one, since each step is read anew."""
        every = list(changes)
        out = [name for one in every for name in one.attributes]
        if len(out) < 2 or self.trial.scope.rows_at_hand <= MANY:
            return every
        return [*(one for one in every if not one.attributes), dropped(*out)]

    @property
    def _of_records(self) -> Sequence[Change]:
        """What is done in the end, to records of the table and not to rows that stand for many."""
        held = self.best.condensed
        if held is None:
            return self.best.ending
        now, found = _applied(self.trial.scope, self.best.changes.values()), list[Change]()
        for one in self.best.ending:
            if one.rows is None:
                found.append(one)
            elif one.action == "records":
                found.append(of_records(now, held.rows(one.rows), self.trial.said))
            else:
                found += of_cells(now, held.rows(one.rows), [one.attribute or ""], self.trial.said)
        return found

    @property
    def plan(self) -> Plan | None:
        """The changes in a row, with what each does after those before it."""
        before = self._in_steps(self.best.changes.values())
        changes = [*before, *self._of_records]
        if len(self.best.changes) + len(self.best.ending) < 2:
            return None
        scopes = [self.trial.scope]
        for place, change in enumerate(changes, 1 - len(before)):
            scopes.append(self.best.made[place] if place >= 0 else change.apply(scopes[-1]))
        self.trial.count_ahead(scopes[1:])
        steps = [
            self.trial.remedy(change, *pair) for change, pair in zip(changes, pairwise(scopes), strict=True)
        ]
        now = scopes[-1]
        unmet = tuple(_unmet(self.trial, now, steps[-1]))
        keys = len(self.trial.scope.keys)
        return Plan(steps, now.keys, unmet, keys, self.combinations, self.proved)


def _unmet(trial: Trial, scope: Scope, last: Remedy) -> Iterable[str]:
    """What the checks find that do not pass after the last change."""
    for check, found in zip(trial.checks, last.found, strict=True):
        if not check.holds(found):
            said = f"{check.name}."
            if isinstance(check, TableCheck):
                said = (check.ask(scope) if trial.reaches(check, scope) else check.answer).sentence
            yield said


def _applied(scope: Scope, changes: Iterable[Change]) -> Scope:
    for change in changes:
        scope = change.apply(scope)
    return scope
