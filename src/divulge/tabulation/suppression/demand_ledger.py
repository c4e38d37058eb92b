"""Which demands are met so far, by moves of suppressed cells that fit what is published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from divulge.tabulation.layout.linked import Flags, Ints, Numbers
from divulge.tabulation.suppression.problem import Demand, Problem, slack


@dataclass(eq=False)
class DemandLedger:
    """Which demands moves were found for, and which contributors may still undo each."""

    cell: Ints
    direction: Ints
    level: Numbers
    enough: Numbers
    outside: Flags  # met to somebody who knows no cell
    owners: Ints  # those who have more than half of a suppressed cell
    column: dict[int, int]
    threat: Flags  # a row for each demand, a column for each of them
    problem: Problem

    @classmethod
    def of(
        cls, problem: Problem, pattern: Flags, demands: Sequence[Demand], *, insiders: bool = True
    ) -> DemandLedger:
        """No demand met so far, and everybody a threat to all cells but those that only they are in."""
        cell = np.asarray([one.cell for one in demands], np.int64)
        level = np.asarray([one.level for one in demands])
        owners = (
            np.unique(problem.owner[pattern & (problem.owner > 0)]) if insiders else np.zeros(0, np.int64)
        )
        return cls(
            cell,
            np.asarray([one.direction for one in demands], np.int64),
            level,
            level - slack(problem, level),
            np.zeros(len(demands), np.bool_),
            owners,
            {int(one): place for place, one in enumerate(owners)},
            problem.harmless(cell)[:, None] != owners[None, :],
            problem,
        )

    def enter(self, moved: Numbers) -> None:
        """Moves that fit what is published: they meet demands to everybody who can believe them."""
        met = self.direction * moved[self.cell] >= self.enough
        self.outside |= met
        unlike = (moved > self.problem.left_up) | (moved < -self.problem.left_down)
        self.threat[met] &= np.isin(self.owners, self.problem.owner[unlike])

    def threats(self, number: int) -> Ints:
        """The contributors against whom nothing was found yet."""
        return self.owners[self.threat[number]]
