"""Secondary suppression of least cost, by cuts that the attacker's linear programs give.

Fischetti and Salazar (2000): choose the cheapest pattern that satisfies all inequalities found so far, let
the attacker try it, and add an inequality for each cell that is found too closely. The first pattern that
withstands is the cheapest of all, since what was added holds for every pattern that does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from divulge.tabulation.attackers.programs import Clock, NotSolved
from divulge.tabulation.layout.linked import Flags
from divulge.tabulation.suppression.checking import PatternCheck
from divulge.tabulation.suppression.master import Master
from divulge.tabulation.suppression.problem import Demand, Problem
from divulge.tabulation.suppression.tight_sums import tight_sums

MOST_ROUNDS = 500


@dataclass(frozen=True, eq=False)
class SuppressionPattern:
    """Which cells are suppressed, what that costs, and what no pattern can cost less than.

    ``optimal`` says that nothing cheaper withstands the attackers. ``finished`` is false where a clock or a
    solver stopped the search: then nothing was shown of the pattern.
    """

    suppressed: Flags
    cost: float
    bound: float
    rounds: int
    finished: bool = True

    @property
    def optimal(self) -> bool:
        return self.finished and self.cost <= self.bound * (1 + 1e-9) + 1e-9

    @property
    def gap(self) -> float:
        """By how much of its cost the pattern may be dearer than the cheapest."""
        return max(0.0, 1 - self.bound / self.cost) if self.cost > 0 else 0.0


def cannot_be_met(problem: Problem, clock: Clock = Clock()) -> list[Demand]:  # noqa: B008
    """Demands that fail even if every cell that may be suppressed is."""
    demands = list(problem.demands())
    check = PatternCheck(problem, problem.eligible, clock, insiders=problem.tries_insiders)
    by_one_sum = [] if problem.tries_insiders else tight_sums(problem, problem.eligible, demands)
    return [*check.unmet(demands), *by_one_sum]


def least_cost(
    problem: Problem,
    clock: Clock,
    said: Callable[[str], None] = lambda _: None,
    *,
    rounds: int = MOST_ROUNDS,
) -> SuppressionPattern:
    """The pattern of least cost that withstands all attackers; unfinished where clock or rounds stop it."""
    master, demands = Master(problem), list(problem.demands())
    pattern, bound = problem.primary, problem.suppressed_cost(problem.primary)
    check = PatternCheck(problem, pattern, clock)
    for number in range(1, rounds + 1):
        try:
            pattern, bound = master.solve(clock)
            check = PatternCheck(problem, pattern, clock, check.moves, problem.tries_insiders)
            unmet, exposed = check.unmet(demands), problem.exposed(pattern)
            if not unmet and not exposed:
                cost = problem.suppressed_cost(pattern)
                return SuppressionPattern(pattern, cost, cost, number)
            master.add(check.cut(one) for one in unmet)
            master.add(one.cut for one in exposed)
        except NotSolved:
            break
        said(f"Suppressing (round {number})")
        if clock.over:
            break
    return SuppressionPattern(
        np.asarray(pattern), problem.suppressed_cost(pattern), bound, number, finished=False
    )
