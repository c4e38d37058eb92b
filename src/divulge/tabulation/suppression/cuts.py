"""Inequalities that every good pattern of suppressed cells satisfies."""

from __future__ import annotations

import numpy as np

from divulge.tabulation.layout.linked import Flags, Numbers
from divulge.tabulation.suppression.inequality import Cut
from divulge.tabulation.suppression.problem import Demand, Problem, slack


def line_cut(problem: Problem, demand: Demand, multipliers: Numbers, pattern: Flags | None = None) -> Cut:
    """The inequality that multipliers of the sums give; with one of them, that of a single sum.

    A weight above the level counts as the level: the pattern is of whole cells.
    """
    reduced = -(problem.matrix.T @ multipliers)
    reduced[demand.cell] -= demand.direction
    reduced[np.abs(reduced) < 1e-9] = 0.0
    up, down = np.maximum(-reduced, 0), np.maximum(reduced, 0)
    room_down, room_up = problem.room_to(demand.attacker)
    with np.errstate(invalid="ignore"):
        weight = np.where(up > 0, up * room_up, 0.0) + np.where(down > 0, down * room_down, 0.0)
    weight = np.minimum(weight, demand.level)
    weight[~problem.eligible] = 0.0
    own = float(weight[demand.cell])
    weight[demand.cell] = 0.0
    cut = Cut(weight, demand.level - own)
    if pattern is not None and float(cut.weight[pattern].sum()) >= cut.least - slack(problem, demand.level):
        return another_cell(problem, pattern)  # rounding hid it, or whole numbers are the reason
    return cut


def another_cell(problem: Problem, pattern: Flags) -> Cut:
    """At least one more cell than a pattern that fails: fewer cells never hide more."""
    return Cut((problem.eligible & ~pattern).astype(np.float64), 1.0)
