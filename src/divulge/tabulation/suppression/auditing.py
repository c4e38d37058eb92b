"""The auditor: for every suppressed cell the interval that an attacker finds, and whether it is too tight."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from divulge.tabulation.attackers.programs import Clock, Known, NotSolved
from divulge.tabulation.layout.linked import Flags
from divulge.tabulation.suppression.checking import PatternCheck
from divulge.tabulation.suppression.problem import Demand, Problem, slack
from divulge.tabulation.suppression.tight_sums import tight_sums

MOST_INTERVALS, FEW_INTERVALS = 400, 50  # cells whose intervals are worked out: so many, or few of more
Outcome = Literal["pass", "fail", "warn", "not evaluated"]


@dataclass(frozen=True)
class CellAudit:
    """What an attacker finds of a suppressed cell.

    ``lower`` and ``upper`` are what an outsider finds: infinite where nothing bounds it, not a number where
    it was not worked out. ``insiders`` are the cells whose largest contributor comes too close. The
    outcome is None for a cell that is not at risk itself.
    """

    cell: int
    lower: float
    upper: float
    outcome: Outcome | None
    insiders: tuple[int, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether an outsider finds the very number."""
        apart = self.upper - self.lower
        return math.isfinite(apart) and apart <= 1e-6 * max(abs(self.upper), 1.0)


def audit(
    problem: Problem,
    pattern: Flags,
    *,
    clock: Clock = Clock(),  # noqa: B008
    stage: Callable[[str], None] = lambda _: None,
) -> list[CellAudit]:
    """Every suppressed cell as attackers find it, those at risk first; what a solver left open is said so."""
    pattern = problem.with_unseen(pattern)
    bounds = problem.known(pattern)
    known = Known(
        problem.sums, bounds[:, 0], bounds[:, 1], problem.whole, problem.value, clock, problem.unseen
    )
    demanded = (problem.up > 0) | (problem.down > 0)
    cells = [
        *np.flatnonzero(pattern & demanded).tolist(),
        *np.flatnonzero((pattern & ~demanded)[: problem.shown]).tolist(),
    ]
    most = worked_out(pattern[: problem.shown])
    unmet = _unmet(problem, pattern, clock)
    exposed = {int(cell) for one in problem.exposed(pattern) for cell in one.cells}
    found = []
    for number, cell in enumerate(cells):
        if number % 50 == 0:
            stage(f"Auditing ({number} of {len(cells)})")
        ends = known.interval(cell) if number < most else (math.nan, math.nan)
        inside = () if unmet is None else tuple(one for one in unmet if one.cell == cell)
        outcome = _outcome(problem, cell, ends, None if unmet is None else inside) if demanded[cell] else None
        if demanded[cell] and cell in exposed:
            outcome = "fail"
        owned = {int(np.flatnonzero(problem.owner == one.attacker)[0]) for one in inside if one.attacker}
        found.append(CellAudit(cell, *ends, outcome, tuple(sorted(owned))))
    shown = demanded & ~pattern  # at risk, and published as it is
    found += [
        CellAudit(cell, float(problem.value[cell]), float(problem.value[cell]), "fail")
        for cell in np.flatnonzero(shown).tolist()
    ]
    return found


def worked_out(pattern: Flags) -> int:
    """For how many suppressed cells intervals are worked out to the end: all, or a few of very many."""
    hidden = int(pattern.sum())
    return hidden if hidden <= MOST_INTERVALS else FEW_INTERVALS


def _unmet(problem: Problem, pattern: Flags, clock: Clock) -> list[Demand] | None:
    """Demands that are not met; None where a solver gave no answer."""
    demands = [one for one in problem.demands() if pattern[one.cell]]
    try:
        check = PatternCheck(problem, pattern, clock, insiders=problem.tries_insiders)
        return [
            *check.unmet(demands),
            *([] if problem.tries_insiders else tight_sums(problem, pattern, demands)),
        ]
    except NotSolved:
        return None


def _outcome(
    problem: Problem, cell: int, ends: tuple[float, float], unmet: tuple[Demand, ...] | None
) -> Outcome:
    """Too tight where the interval says so or an insider gets closer; an end that is not known is no pass."""
    lower, upper = ends
    value, up, down = problem.value[cell], problem.up[cell], problem.down[cell]
    room = 2 * slack(problem, max(up, down))  # twice what the search allows itself
    if upper < value + up - room or lower > value - down + room:  # False where an end is not a number
        return "fail"
    if unmet is None:
        return "not evaluated"
    return "fail" if unmet else "pass"
