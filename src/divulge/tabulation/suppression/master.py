"""The pattern of least cost under the inequalities found so far, by mixed-integer programming (HiGHS)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from divulge.tabulation.attackers.programs import Clock, NotSolved, solver
from divulge.tabulation.layout.linked import Flags, Ints, Numbers
from divulge.tabulation.suppression.inequality import Cut
from divulge.tabulation.suppression.problem import OUTSIDE, Demand, Problem

MOST_LONELY = 200_000  # entries of the inequalities against cells that are alone in a sum


@dataclass(eq=False)
class Master:
    """Inequalities that every good pattern satisfies, and the cheapest pattern that satisfies them."""

    problem: Problem
    _columns: list[Ints] = field(default_factory=list)
    _weights: list[Numbers] = field(default_factory=list)
    _least: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        problem = self.problem
        self._place = np.full(len(problem), -1, np.int64)
        self.cells = np.flatnonzero(problem.eligible)
        self._place[self.cells] = np.arange(len(self.cells))
        costs = problem.cost[self.cells[self.cells < problem.shown]]
        scale = np.median(costs) if len(costs) else 1.0
        self._cost = problem.cost[self.cells] / (scale or 1.0)
        self._scale = float(scale or 1.0)
        self._add_lines()
        self._add_lonely()

    def add(self, cuts: Iterable[Cut]) -> None:
        """Further inequalities."""
        for cut in cuts:
            used = np.flatnonzero(cut.weight)
            self._enter(self._place[used], cut.weight[used], cut.least)

    def _enter(self, columns: Ints, weights: Numbers, least: float) -> None:
        scale = least if least > 0 else 1.0
        self._columns.append(columns)
        self._weights.append(weights / scale)
        self._least.append(least / scale)

    def _add_lines(self) -> None:
        """In each sum of a cell at risk, the other suppressed cells have room enough for its level."""
        problem = self.problem
        sums = problem.sums
        rows_of: dict[int, list[int]] = {}
        for number, row in enumerate(sums.by_row):
            for cell in row.tolist():
                rows_of.setdefault(cell, []).append(number)
        for demand in problem.demands():
            for number in rows_of.get(demand.cell, ()):
                owners = set(problem.owner[sums.by_row[number]].tolist()) - {
                    OUTSIDE,
                    int(problem.harmless(demand.cell)),
                }
                for attacker in (OUTSIDE, *sorted(owners)):
                    self._line(problem.demand(demand.cell, demand.direction, attacker), number)

    def _line(self, demand: Demand, number: int) -> None:
        problem, attacker = self.problem, demand.attacker
        row, sign = problem.sums.by_row[number], problem.sums.signs_by_row[number]
        own = sign[int(np.flatnonzero(row == demand.cell)[0])]
        towards = -sign / own * demand.direction  # in which direction each cell has to move
        mine = (problem.owner[row] == attacker) & (attacker != OUTSIDE)
        room = np.where(
            towards > 0,
            np.where(mine, problem.left_up[row], problem.room_up[row]),
            np.where(mine, problem.left_down[row], problem.room_down[row]),
        )
        used = problem.eligible[row] & (row != demand.cell) & (room > 0)
        self._enter(self._place[row[used]], np.minimum(room[used], demand.level), demand.level)

    def _add_lonely(self) -> None:
        """A suppressed cell has another in each of its sums: alone it hides nothing, and need not cost."""
        problem = self.problem
        rows = [row for row in problem.sums.by_row if row.max() < problem.shown]
        if sum(int(problem.eligible[row].sum()) ** 2 for row in rows) > MOST_LONELY:
            return
        for row in rows:
            used = self._place[row[problem.eligible[row]]]
            for one in used.tolist():
                self._enter(used, np.where(used == one, -1.0, 1.0), 0.0)

    def solve(self, clock: Clock, *, nodes: int | None = None, gap: float = 0.0) -> tuple[Flags, float]:
        """The cheapest pattern, and what no pattern can cost less than."""
        optimize, sparse = solver("optimize"), solver("sparse")
        sizes = [len(one) for one in self._columns]
        rows = np.repeat(np.arange(len(sizes)), sizes)
        shape = len(sizes), len(self.cells)
        columns = np.concatenate([*self._columns, np.zeros(0, np.int64)]).astype(np.int64)
        matrix = sparse.csr_matrix(
            (np.concatenate([*self._weights, np.zeros(0)]), (rows, columns)), shape=shape
        )
        forced = self.problem.primary[self.cells]
        options: dict[str, float] = {**clock.options(), "mip_rel_gap": gap}
        if nodes is not None:
            options["node_limit"] = nodes
        found = optimize.milp(
            self._cost,
            integrality=np.ones(len(self.cells)),
            bounds=optimize.Bounds(forced.astype(np.float64), np.ones(len(self.cells))),
            constraints=optimize.LinearConstraint(matrix, np.asarray(self._least) * (1 - 1e-9), np.inf)
            if sizes
            else (),
            options=options,
        )
        if found.x is None:
            raise NotSolved(found.message)
        pattern = np.zeros(len(self.problem), np.bool_)
        pattern[self.cells] = found.x > 0.5
        bound = float(self._cost @ found.x) if found.status == 0 and gap == 0 else found.mip_dual_bound
        return pattern, float(bound) * self._scale
