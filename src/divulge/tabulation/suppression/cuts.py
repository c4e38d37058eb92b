"""Inequalities that every good pattern of suppressed cells satisfies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from divulge.tabulation.layout.linked import Flags, Numbers
from divulge.tabulation.suppression.problem import Demand, Problem, slack
from divulge.tabulation.suppression.unions import Exposed


@dataclass(frozen=True, eq=False)
class Cut:
    """What every pattern has to satisfy: the sum of ``weight`` over its cells is at least ``least``."""

    weight: Numbers
    least: float


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


def union_cut(problem: Problem, pattern: Flags, exposed: Exposed) -> Cut:
    """Of a sum another cell is suppressed, or one of those that are given away together is not."""
    weight = np.zeros(len(problem))
    weight[exposed.row[~pattern[exposed.row] & problem.eligible[exposed.row]]] = 1.0
    weight[exposed.cells] = -1.0
    return Cut(weight, 1.0 - len(exposed.cells))
