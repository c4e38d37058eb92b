"""Several changes together: what the checks need most for what it loses, then a few records left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from divulge._support.stages import Stage, silent
from divulge._support.wording import enumerated
from divulge.assessment.checks.table_check import TableCheck
from divulge.assessment.checks.unmet import OpenNeed
from divulge.assessment.drivers.class_company import average_risk
from divulge.assessment.remedies.changes import Change, of_cells
from divulge.assessment.remedies.fewest_records import leaving_out
from divulge.assessment.remedies.single_changes import Tried, named_first
from divulge.assessment.remedies.trial import Remedy, Trial, losing, outcome
from divulge.assessment.scope import Scope

WORK = 5_000_000  # rows, in all combinations that are tried together
FEWEST_LOOKS = 40  # times that all checks are asked, which it takes to find something
STEPS = 30  # changes one after the other, several of them to one attribute
ASKED = 4  # changes that are looked at again after each step, of those that were best before
QUICK = 100_000  # records of all changes that are looked at, up to which there may be more
ALONE = 12  # quasi-identifiers that are kept alone to begin with
REST = 0.05  # share of the records that may be left out in the end
TOO_MANY = "it would take long with this many records"
LEAST = 1e-9  # loss below which a change costs nothing

Changes = Mapping[str, Change]  # by attribute


@dataclass(frozen=True)
class Plan:
    """Several changes together, each with what it does after those before it."""

    steps: list[Remedy]
    kept: tuple[str, ...] = ()  # quasi-identifiers that are left
    unmet: tuple[str, ...] = ()  # what checks find that do not pass then either
    keys: int = 0  # quasi-identifiers before

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
        passed = outcome(last.failing, last.gaps, len(last.found), together=several)
        said = enumerated([passed, *losing(self.said_loss, together=several)])
        said = f"{does[0].upper()}{does[1:]}{' together' if several else ''} {said}."
        if self.keys and 2 * len(self.kept) <= self.keys:
            kept = enumerated(self.kept, most=STEPS)
            said += f" Only {kept} would be left of {self.keys} quasi-identifiers."
        if self.unmet:
            said += f" No combination that was tried changes this: {' '.join(self.unmet)}"
        return said

    def to_dict(self) -> dict[str, Any]:
        return {
            "sentence": self.sentence,
            "failing": self.steps[-1].left,
            "loss": self.said_loss,
            "steps": [step.to_dict() for step in self.steps],
        }


def plan(tried: Tried, order: Sequence[str], stage: Stage = silent) -> tuple[Plan | None, str | None]:
    """The changes that let most checks pass at the least loss found, and what was not tried, in a sentence.

    There is no plan where one change does as well.

    The search begins where all quasi-identifiers but one are left out, whichever that is, and where changes
    were added, each of which helps most people in all checks that do not pass for what it loses. From there
    attributes become finer again as far as the checks allow. The few records that checks are still about
    are left out, or one of their cells is suppressed. Another sequence may lose less.
    """
    scope = tried.trial.scope
    if not len(scope.keys) > 1 or scope.at_hand is None:
        return None, None
    if scope.rows_at_hand * FEWEST_LOOKS > WORK:
        return None, f"Several changes together were not tried: {TOO_MANY}."
    stage("Trying several changes")
    search = _Search(tried, order)
    for changes in search.one_left():
        search.finer(changes)
    search.finer(search.added())
    search.cells()
    return search.plan, f"Not every combination of changes was tried: {TOO_MANY}." if search.spent else None


@dataclass(frozen=True)
class _Found:
    """Changes, how they end, how many checks do not pass then, and what is lost."""

    failing: int
    loss: float
    changes: Changes
    ending: tuple[Change, ...] = ()


class _Search:
    """The best so far: fewest checks that do not pass, then the least loss."""

    def __init__(self, tried: Tried, order: Sequence[str]) -> None:
        self.trial, self.order = tried.trial, order
        self.information = tried.trial.information
        self._offered = dict[frozenset[Change], int]()
        self._looks = tried.trial.looks + WORK // max(tried.trial.scope.rows_at_hand, 1)
        self.free = {change.words: change for change in tried.free}
        single, before = tried.remedies[:1], self.trial.failing_before
        # Changes that let no further check pass are no plan, whatever they lose.
        better = [one for one in single if one.failing < before]
        self.best = _Found(better[0].failing, better[0].loss, {}) if better else _Found(before, 0.0, {})

    @property
    def spent(self) -> bool:
        """Whether as much was tried as may be; counted in rows, so that the same data give the same plan."""
        return self.trial.looks >= self._looks

    def added(self) -> Changes:
        """Ever more changes until checks pass: first what costs nothing, then what helps most for a loss."""
        changes: Changes = self.free
        now = _applied(self.trial.scope, changes.values())
        worth = dict[Change, tuple[float, bool, float]]()
        for _ in range(STEPS):
            if not self.offer(changes, now) or self.spent or self._ahead(now):
                break
            if (step := self._next(now, worth)) is None:
                break
            change, now = step
            changes = {**changes, change.attribute or "": change}
        return changes

    def _ahead(self, now: Scope) -> bool:
        """Whether all checks pass at a loss that some changes have reached already."""
        return not self.best.failing and self.information.loss(now) >= self.best.loss

    def _next(
        self, now: Scope, worth: dict[Change, tuple[float, bool, float]]
    ) -> tuple[Change, Scope] | None:
        """The change that helps most people for what it loses; where none helps, the widest groups.

        What changes are worth alters as others are made: those that were best before are asked again.
        """
        keys = [name for name in self.order if name in now.keys]
        able = [change for name in keys for change in self._wider(now, name)]
        most = max(ASKED, QUICK // max(now.data.records, 1))
        if all(change in worth for change in able):
            able = sorted(able, key=lambda change: worth[change], reverse=True)[:most]
        before = self.trial.need(now).people + average_risk(now)
        after: tuple[Change, Scope] | None = None
        for change in able:
            changed = change.apply(now)
            lost = self.information.loss(changed) - self.information.loss(now)
            helped = before - self.trial.need(changed).people - average_risk(changed)
            worth[change] = max(helped, 0.0) / max(lost, LEAST), not change.attributes, lost
            if after is None or worth[change] > worth[after[0]]:
                after = change, changed
        return after

    def _wider(self, now: Scope, name: str) -> list[Change]:
        """The ways to make an attribute coarser than it is now, or to leave it out if it is not the last."""
        left = self.information.of(now, name)
        return [
            one
            for one in self.trial.coarser(name)
            if (len(now.keys) > 1 if one.attributes else self._left(one, name) < left)
        ]

    def _left(self, change: Change, name: str) -> float:
        """The information that an attribute has after a change to it."""
        after = change.apply(self.trial.scope)
        return self.information.of(after, name) if name in after.keys else 0.0

    def one_left(self) -> Iterator[Changes]:
        """The last resort: all quasi-identifiers left out but one, for each of them."""
        ways = [self.trial.coarser(name)[-1:] for name in self.trial.scope.keys]
        out = {one.attribute: one for way in ways for one in way if one.attributes}
        for name in self.order[:ALONE]:
            yield {**self.free, **{other: out[other] for other in out if other and other != name}}

    def finer(self, changes: Changes) -> None:
        """Make attributes finer again as far as that costs no check, those that lost most first."""
        scope, fewest = self.trial.scope, self.offer(changes)
        if fewest > self.best.failing:
            return
        lost = {
            name: self.information.of(scope, name) - self._left(one, name)
            for name, one in changes.items()
            if name in scope.keys
        }
        for name in sorted(lost, key=lambda name: -lost[name]):
            ways, others = self.trial.coarser(name), {**changes}
            now = others.pop(name)
            for way in ({}, *({name: one} for one in ways[: ways.index(now)])):
                if self.offer({**others, **way}) <= fewest:
                    changes = {**others, **way}
                    break

    def offer(self, changes: Changes, now: Scope | None = None) -> int:
        """Hold changes against the best, few records left out where need be; how many checks do not pass.

        ``now`` are the data after the changes. What is not tried any more counts as if no check passed.
        """
        asked = frozenset(changes.values())
        if asked not in self._offered:
            if self.spent:
                return len(self.trial.checks)
            now = _applied(self.trial.scope, changes.values()) if now is None else now
            need = self.trial.need(now, REST)
            self._hold(changes, (), need.failing, now)
            self._offered[asked] = min(need.failing, self._rest(changes, (), need, now, REST))
        return self._offered[asked]

    def _rest(
        self, changes: Changes, before: tuple[Change, ...], need: OpenNeed, now: Scope, most: float
    ) -> int:
        """Leave out the records that checks are still about; how many checks do not pass then."""
        rest = leaving_out(self.trial, now, need, most) if need.failing else None
        if rest is None:
            return need.failing
        self._hold(changes, (*before, rest.change), rest.failing, rest.change.apply(now))
        return rest.failing

    def _hold(self, changes: Changes, ending: tuple[Change, ...], failing: int, now: Scope) -> None:
        loss = self.information.loss(now)
        if (failing, loss) < (self.best.failing, self.best.loss):
            self.best = _Found(failing, loss, changes, ending)

    def cells(self) -> None:
        """Suppress one attribute in the records that would be left out, so that half of them may stay."""
        best = self.best
        if not best.ending or best.ending[0].rows is None:
            return
        now = _applied(self.trial.scope, best.changes.values())
        named = named_first(self.trial.need(now), self.order)
        half = now.share(best.ending[0].rows) / 2
        for change in of_cells(now, best.ending[0].rows, named, self.trial.said):
            after = change.apply(now)
            need = self.trial.need(after)
            self._hold(best.changes, (change,), need.failing, after)
            self._rest(best.changes, (change,), need, after, half)

    @property
    def plan(self) -> Plan | None:
        """The changes in a row, with what each does after those before it."""
        changes = [*self.best.changes.values(), *self.best.ending]
        if len(changes) < 2:
            return None
        steps, now = list[Remedy](), self.trial.scope
        for change in changes:
            steps.append(self.trial.remedy(change, now))
            now = change.apply(now)
        return Plan(steps, now.keys, tuple(_unmet(self.trial, now, steps[-1])), len(self.trial.scope.keys))


def _unmet(trial: Trial, scope: Scope, last: Remedy) -> Iterable[str]:
    """What the checks find that do not pass after the last change."""
    for check, found in zip(trial.checks, last.found, strict=True):
        if not check.holds(found):
            yield check.ask(scope).sentence if isinstance(check, TableCheck) else f"{check.name}."


def _applied(scope: Scope, changes: Iterable[Change]) -> Scope:
    for change in changes:
        scope = change.apply(scope)
    return scope
