"""Insiders of very large tables, tried with one sum at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge.tabulation.layout.linked import Flags
from divulge.tabulation.suppression.problem import OUTSIDE, Demand, Problem, slack


def tight_sums(problem: Problem, pattern: Flags, demands: Sequence[Demand]) -> list[Demand]:
    """Insiders who come too close by a single sum: the other suppressed cells of it have too little room."""
    rows: dict[int, list[int]] = {}
    for number, row in enumerate(problem.sums.by_row):
        for cell in row[pattern[row]].tolist():
            rows.setdefault(cell, []).append(number)
    found = []
    for one in demands:
        for number in rows.get(one.cell, ()):
            row = problem.sums.by_row[number]
            sign = problem.sums.signs_by_row[number]
            towards = -sign * sign[row == one.cell][0] * one.direction
            open_ones = pattern[row] & (row != one.cell)
            room = np.where(open_ones, np.where(towards > 0, problem.room_up[row], problem.room_down[row]), 0)
            left = np.where(open_ones, np.where(towards > 0, problem.left_up[row], problem.left_down[row]), 0)
            owners = problem.owner[row]
            for owner in set(owners[pattern[row]].tolist()) - {OUTSIDE, int(problem.harmless(one.cell))}:
                asked = problem.demand(one.cell, one.direction, owner)
                if np.where(owners == owner, left, room).sum() < asked.level - slack(problem, asked.level):
                    found.append(asked)
    return found
