"""The fewest records that could be left out, found by trying."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from divulge.assessment.changes import NOTHING, changes_records, of_records
from divulge.assessment.concerned import Concerned, Numbers, leaves_some, people_alike, share_of_records
from divulge.assessment.scope import Scope
from divulge.assessment.trial import Remedy, Trial

SIZES = (2, 3, 5, 10, 20, 50)  # people that classes should have, tried one after the other
MOST = 0.5  # share of the records up to which leaving them out is a change and not the end
LARGE = 100_000  # rows from which on more than that are not tried either


def leaving_out(trial: Trial, scope: Scope | None = None) -> tuple[Concerned | None, Remedy | None]:
    """Which records are risky by the checks, and what leaving out the fewest of them does, if not most.

    They are records of the data as they are, or as earlier changes left them.

    Ever larger classes are taken to be small until more checks pass, then those that give a sensitive value
    away are added if that helps, then still larger ones as long as a check does not pass.
    """
    scope = trial.scope if scope is None else scope
    search = _Search(trial, scope)
    if not search.failing or not changes_records(scope):
        return None, None
    first = next((one for one in map(Concerned, SIZES) if search.better(one)), None)
    if first is not None and first.smallest > SIZES[2]:
        first = search.smallest(first)
    start = first or Concerned(1)
    for one in (replace(start, told=True), replace(start, told=True, alike=True)):
        if scope.sensitive and search.failing and search.better(one):
            first = one
    if first is None:
        return None, None
    for size in SIZES:
        if size > first.smallest and search.failing:
            search.better(replace(first, smallest=size))
    few = search.best is not None and search.best.change.records <= MOST * scope.data.records
    return first, search.best if few else None


class _Search:
    """The best so far: fewest checks that do not pass, then the fewest records."""

    def __init__(self, trial: Trial, scope: Scope) -> None:
        self.trial, self.scope = trial, scope
        now = trial.scope is scope
        self.failing = trial.failing_before if now else trial.remedy(NOTHING, scope).failing
        self.best: Remedy | None = None

    def better(self, concerned: Concerned) -> bool:
        """Try what leaving these records out does; whether more checks pass than ever before."""
        remedy = self._tried(concerned)
        if remedy is None or remedy.failing >= self.failing:
            return False
        self.failing, self.best = remedy.failing, remedy
        return True

    def smallest(self, found: Concerned) -> Concerned:
        """The smallest classes that have to go, where those between two sizes that were tried may stay."""
        low, high = SIZES[SIZES.index(found.smallest) - 1], found.smallest
        while high - low > 1:
            middle = replace(found, smallest=(low + high) // 2)
            remedy = self._tried(middle)
            if remedy is None or remedy.failing > self.failing:
                low = middle.smallest
            else:
                high, self.failing, self.best = middle.smallest, remedy.failing, remedy
        return replace(found, smallest=high)

    @cached_property
    def _company(self) -> Numbers:
        return people_alike(self.scope)

    def _tried(self, concerned: Concerned) -> Remedy | None:
        # Those alone in their class give everything away, so they count before the others are looked for.
        most = MOST if len(self._company) > LARGE else 1.0
        small = self._company < max(concerned.smallest, 2 * concerned.told)
        if share_of_records(self.scope, small) > most:
            return None
        rows = concerned.rows(self.scope, self._company)
        share = share_of_records(self.scope, rows)
        if not 0 < share <= most or not leaves_some(rows, self._company):
            return None
        return self.trial.remedy(of_records(self.scope, rows), self.scope)
