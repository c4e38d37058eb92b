"""Several changes together: attributes made coarser as far as checks need, then a few records left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any

from divulge.assessment.changes import NOTHING, Change, of_cells, of_records
from divulge.assessment.concerned import leaves_some, people_alike, share_of_records
from divulge.assessment.leaving_out import leaving_out
from divulge.assessment.remedies import Tried
from divulge.assessment.scope import Scope
from divulge.assessment.trial import Remedy, Trial, gain, losing, outcome
from divulge.stages import Stage, silent
from divulge.wording import enumerated

PLANNED = 100_000  # records up to which a plan is tried
STEPS = 30  # changes one after the other, several of them to one attribute
REST = 0.05  # share of the records that may be left out in the end
RELAXED = 12  # attributes that are made finer again, if the checks allow it

Changes = Mapping[str, Change]  # by attribute


@dataclass(frozen=True)
class Plan:
    """Several changes together, each with what it does after those before it."""

    steps: list[Remedy]

    @property
    def loss(self) -> float:
        return self.steps[-1].loss

    @property
    def failing(self) -> int:
        return self.steps[-1].failing

    @property
    def sentence(self) -> str:
        out = [name for step in self.steps for name in step.change.attributes]
        words = [step.change.words for step in self.steps if step.change.action != "suppress"]
        at = sum(step.change.action not in ("suppress", "records", "cells") for step in self.steps)
        words[at:at] = [f"leaving out {enumerated(out, most=STEPS)}"] if out else []
        does = ", and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
        last, several = self.steps[-1], len(words) > 1
        passed = outcome(last.failing, last.gaps, len(last.found), together=several)
        said = enumerated([passed, *losing(self.loss, together=several)])
        return f"{does[0].upper()}{does[1:]}{' together' if several else ''} {said}."

    def to_dict(self) -> dict[str, Any]:
        return {
            "sentence": self.sentence,
            "failing": self.steps[-1].left,
            "loss": self.loss,
            "steps": [step.to_dict() for step in self.steps],
        }


def plan(tried: Tried, order: Sequence[str], stage: Stage = silent) -> Plan | None:
    """The changes that let most checks pass at the least loss found; None where one change does as well.

    Each next change takes away most average risk for what it loses, or, where that leads nowhere, at all. As
    few of them are made as the checks need, those that turn out needless are taken back, and the few records
    that are still concerned are left out. Another sequence may lose less.
    """
    scope = tried.trial.scope
    if not len(scope.keys) > 1 or scope.data.records > PLANNED or scope.at_hand is None:
        return None
    stage("Trying several changes")
    best = _Best(tried, order)
    for by_loss in (True, False):
        if best.failing or by_loss:
            best.along(_path(tried.trial, order, tried.free, by_loss=by_loss))
    best.relax()
    best.star()
    return best.plan


def _path(trial: Trial, order: Sequence[str], free: Sequence[Change], *, by_loss: bool) -> list[Changes]:
    """Ever more changes: those that cost nothing, then what takes away most risk for its loss, or at all."""
    now, changes = trial.scope, {change.words: change for change in free}
    path: list[Changes] = [dict(changes)] if changes else []
    able = [change for name in order if name in now.keys for change in trial.coarser(name)]
    heap = [(*_least_first(gain(trial, now, one, by_loss=by_loss)), place) for place, one in enumerate(able)]
    heapify(heap)
    while heap and len(path) < STEPS:
        *_, place = heappop(heap)
        change = able[place]
        if change.attribute not in now.keys or set(now.keys) == set(change.attributes):
            continue
        # What a change gains falls as others are made, so only those that were best before are asked again.
        value = _least_first(gain(trial, now, change, by_loss=by_loss))
        if value[0] > 0 or (value[0] == 0 and by_loss):
            continue
        if heap and value > heap[0][:2]:
            heappush(heap, (*value, place))
            continue
        changes[change.attribute] = change
        now = change.apply(now)
        path.append(dict(changes))
    return path


def _least_first(value: tuple[float, float]) -> tuple[float, float]:
    return -value[0], -value[1]


class _Best:
    """The best plan so far: fewest checks that do not pass, then the least loss."""

    def __init__(self, tried: Tried, order: Sequence[str]) -> None:
        self.trial, self.order, self.concerned = tried.trial, order, tried.concerned
        single = tried.remedies[:1]
        self.failing = single[0].failing if single else self.trial.failing_before
        # Changes that let no further check pass are no plan, whatever they lose.
        self.loss = single[0].loss if single and self.failing < self.trial.failing_before else 0.0
        self.changes: Changes = {}
        self.ending: Change | None = None

    def along(self, path: Sequence[Changes]) -> None:
        """Find the first place on a path from which on as many checks pass as at its end."""
        if not path:
            return
        if self.concerned is None:  # of the table as it is, too many records are
            self.concerned, _ = leaving_out(self.trial, _applied(self.trial.scope, path[-1].values()))
        least = self.offer(path[-1])
        low, high = 0, len(path) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.offer(path[middle]) <= least else (middle + 1, high)

    def offer(self, changes: Changes) -> int:
        """Hold changes against the best, records left out where need be; how many checks do not pass."""
        now = _applied(self.trial.scope, changes.values())
        failing = self._offer(changes, None, now)
        if failing and (rest := self._rest(now)) is not None:
            failing = min(failing, self._offer(changes, rest, now))
        return failing

    def _offer(self, changes: Changes, ending: Change | None, now: Scope) -> int:
        remedy = self.trial.remedy(ending or NOTHING, now)
        if (remedy.failing, remedy.loss) < (self.failing, self.loss):
            self.failing, self.loss = remedy.failing, remedy.loss
            self.changes, self.ending = changes, ending
        return remedy.failing

    def _rest(self, now: Scope) -> Change | None:
        """The records that are still concerned left out, where they are few."""
        if self.concerned is None:
            return None
        company = people_alike(now)
        rows = self.concerned.rows(now, company)
        few = 0 < share_of_records(now, rows) <= REST and leaves_some(rows, company)
        return of_records(now, rows) if few else None

    def relax(self) -> None:
        """Make attributes finer again as far as that costs no check, those that lost most first."""
        coarser = [name for name in self.changes if name in self.trial.scope.keys]
        for name in sorted(coarser, key=self._left)[:RELAXED]:
            ways = self.trial.coarser(name)
            place = ways.index(self.changes[name])
            others = {key: change for key, change in self.changes.items() if key != name}
            before = self.loss
            self.offer(others)
            if self.loss == before and place:
                self.offer({**others, name: ways[place - 1]})

    def _left(self, name: str) -> float:
        """Minus the information that an attribute lost."""
        information, scope = self.trial.information, self.trial.scope
        now = self.changes[name].apply(scope)
        return (information.of(now, name) if name in now.keys else 0.0) - information.of(scope, name)

    def star(self) -> None:
        """Suppress one attribute in the records that would be left out, if that is enough."""
        now = _applied(self.trial.scope, self.changes.values())
        if self.ending is not None and self.ending.rows is not None:
            for change in of_cells(now, self.ending.rows, self.order):
                self._offer(self.changes, change, now)

    @property
    def plan(self) -> Plan | None:
        """The changes in a row, with what each does after those before it."""
        changes = [*self.changes.values(), *([self.ending] if self.ending else [])]
        if len(changes) < 2:
            return None
        steps, now = list[Remedy](), self.trial.scope
        for change in changes:
            steps.append(self.trial.remedy(change, now))
            now = change.apply(now)
        return Plan(steps)


def _applied(scope: Scope, changes: Iterable[Change]) -> Scope:
    for change in changes:
        scope = change.apply(scope)
    return scope
