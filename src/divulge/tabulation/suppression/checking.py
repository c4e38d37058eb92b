"""Whether a pattern of suppressed cells keeps what is to be kept, and why not where it does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from divulge._support.threads import cached_property
from divulge.tabulation.attackers.programs import TIGHT, Clock, NotSolved, solver
from divulge.tabulation.layout.linked import Flags, Ints, Numbers
from divulge.tabulation.suppression.cuts import line_cut
from divulge.tabulation.suppression.demand_ledger import DemandLedger
from divulge.tabulation.suppression.inequality import Cut
from divulge.tabulation.suppression.problem import OUTSIDE, Demand, Problem, slack

FAINT = 1e-3  # the room that a published cell is given, so that a cut runs through few of them
MOST_FAINT = 3000  # cells up to which that is done
MANY = 100  # demands from which on many are tried at once
LOTS = 200  # times that this is done at most
PATIENCE, STALLED = 8, 0.95  # it ends where so many more times leave more than this share of the demands


@dataclass(eq=False)
class PatternCheck:
    """A pattern against demands; what one program shows of other cells is remembered."""

    problem: Problem
    pattern: Flags
    clock: Clock = field(default=Clock())
    found: list[Numbers] = field(default_factory=list)  # tables of moves that fit, from another pattern
    insiders: bool = True  # whether owners of cells are tried too

    def __post_init__(self) -> None:
        self.moves = [moved for moved in self.found if not moved[~self.pattern].any()]
        self._multipliers: dict[Demand, Numbers] = {}

    def unmet(self, demands: Sequence[Demand]) -> list[Demand]:
        """The demands that the pattern does not meet, against outsiders and all owners of cells."""
        ledger = DemandLedger.of(self.problem, self.pattern, demands, insiders=self.insiders)
        for moved in self.moves:
            ledger.enter(moved)
        if len(demands) >= MANY:
            self._move_many(ledger)
        return [failed for number, one in enumerate(demands) for failed in self._failing(one, number, ledger)]

    def _failing(self, demand: Demand, number: int, ledger: DemandLedger) -> Iterator[Demand]:
        """The attackers to whom a demand is not met."""
        if not ledger.outside[number] and not self._reaches(demand, OUTSIDE, ledger):
            yield demand
            return
        threats = ledger.threats(number)
        if len(others := threats[threats != self.problem.owner[demand.cell]]) > 1:  # perhaps not together
            self._reaches(demand, others, ledger)
        for attacker in ledger.threats(number).tolist():
            one = self.problem.demand(demand.cell, demand.direction, attacker)
            if ledger.threat[number, ledger.column[attacker]] and not self._reaches(one, attacker, ledger):
                yield one

    def _reaches(self, demand: Demand, attackers: Ints | int, ledger: DemandLedger) -> bool:
        reach, moved = self._reach(demand, attackers)
        if moved is not None:
            self.moves.append(moved)
            ledger.enter(moved)
        return reach >= demand.level - slack(self.problem, demand.level)

    def _move_many(self, ledger: DemandLedger) -> None:
        """Moves of many cells at once, up or down by lot: most demands are seen to be met in one of them.

        Owners of cells are dealt with by lot too: every table of moves is one that half of them can believe.
        """
        lots, cells = np.random.default_rng(len(ledger.cell)), len(self.problem)
        columns, block = self._block
        left = []
        for number in range(LOTS):
            wanted = ~ledger.outside | ledger.threat.any(axis=1)
            left.append(int((~ledger.outside).sum()) + int(ledger.threat[ledger.outside].sum()))
            if not left[-1] or (len(left) > PATIENCE and left[-1] > STALLED * left[-PATIENCE - 1]):
                break
            # Cells that are to move go no further than their level, and so are in the way of others.
            chosen = wanted & (lots.random(len(wanted)) < 1 / 3)
            level = np.zeros((cells, 2))
            level[ledger.cell[chosen], (1 - ledger.direction[chosen]) // 2] = ledger.level[chosen]
            both = level.all(axis=1)
            level[both, lots.integers(0, 2, cells)[both]] = 0.0
            fixed = lots.random(len(ledger.owners)) < (0.5 if number else 1)
            bounds = self._bounds(ledger.owners[fixed])
            capped = np.where(level > 0, level, np.inf)[columns]
            bounds[:, 1] = np.minimum(bounds[:, 1], capped[:, 0])
            bounds[:, 0] = np.maximum(bounds[:, 0], -capped[:, 1])
            share = np.divide(1.0, level, out=np.zeros_like(level), where=level > 0)  # each counts alike
            # Levels may be far from 1, which a solver's tolerances are made for.
            unit = 1.0 if self.problem.whole else float(np.median(ledger.level))
            found = self._solved((share[:, 1] - share[:, 0])[columns] * unit, block, bounds / unit)
            moved = self._kept(found.x, bounds / unit, unit)
            if moved is not None:
                self.moves.append(moved)
                ledger.enter(moved)

    def _kept(self, solution: Numbers, bounds: Numbers, unit: float) -> Numbers | None:
        """A solution as moves of all cells; None of counts that are not in whole numbers."""
        if (np.abs(solution - np.round(solution)) > TIGHT)[self._whole_ones].any():
            return None
        moved = np.zeros(len(self.problem))
        exact = np.where(self._whole_ones, np.round(solution), solution)
        exact = np.clip(np.where(np.abs(exact) < 1e-9, 0.0, exact), bounds[:, 0], bounds[:, 1])
        columns = self._block[0]
        far = self.problem.room_down[columns], self.problem.room_up[columns]
        moved[columns] = np.clip(exact * unit, -far[0], far[1])
        return moved

    @cached_property
    def _whole_ones(self) -> Flags:
        """Which suppressed cells move in whole numbers: counts that are in a table."""
        return self.problem.whole & (self._block[0] < self.problem.shown)

    @cached_property
    def _rows(self) -> Ints:
        """The sums that a suppressed cell is in."""
        return np.flatnonzero(np.diff(self.problem.matrix[:, np.flatnonzero(self.pattern)].tocsr().indptr))

    @cached_property
    def _block(self) -> tuple[Ints, Any]:
        """The suppressed cells, and the sums between them."""
        columns = np.flatnonzero(self.pattern)
        return columns, self.problem.matrix[:, columns].tocsr()[self._rows]

    def _bounds(self, attackers: Ints | int) -> Numbers:
        """How far each suppressed cell can move in the eyes of owners of some of them."""
        down, up = self.problem.room_to(attackers)
        return np.stack([-down, up], axis=1)[self._block[0]]

    def _reach(self, demand: Demand, attackers: Ints | int) -> tuple[float, Numbers | None]:
        """How far the cell can move, up to its level, in the eyes of owners of others; and such moves."""
        columns, block = self._block
        place = int(np.searchsorted(columns, demand.cell))
        unit = 1.0 if self.problem.whole else demand.level  # solvers' tolerances are made for about 1
        bounds = self._bounds(attackers) / unit
        side = (1 + demand.direction) // 2
        # Further than needed is of no use, and may be endless.
        bounds[place, side] = demand.direction * min(
            demand.direction * bounds[place, side], demand.level / unit
        )
        cost = np.zeros(len(columns))
        cost[place] = -demand.direction
        found = self._solved(cost, block, bounds)
        self._multipliers[demand] = found.eqlin.marginals
        moved = self._kept(found.x, bounds, unit)
        if moved is None:
            return self._whole_move(demand, block, bounds, cost, place), None
        return float(demand.direction * found.x[place]) * unit, moved

    def _solved(self, cost: Numbers, block: Any, bounds: Numbers) -> Any:
        if self.clock.over:
            raise NotSolved("out of time")
        found = solver("optimize").linprog(
            cost,
            A_eq=block,
            b_eq=np.zeros(block.shape[0]),
            bounds=bounds,
            method="highs",
            options=self.clock.options(),
        )
        if found.status != 0:
            raise NotSolved(found.message)
        return found

    def _whole_move(self, demand: Demand, block: Any, bounds: Numbers, cost: Numbers, place: int) -> float:
        """The same in whole numbers, for counts."""
        optimize = solver("optimize")
        nothing = np.zeros(block.shape[0])
        found = optimize.milp(
            cost,
            integrality=self._whole_ones.astype(np.int64),
            bounds=optimize.Bounds(bounds[:, 0], bounds[:, 1]),
            constraints=optimize.LinearConstraint(block, nothing, nothing),
            options={**self.clock.options(), "mip_rel_gap": 0.0},
        )
        if found.status != 0:
            raise NotSolved(found.message)
        return float(demand.direction * found.x[place])

    def cut(self, demand: Demand) -> Cut:
        """Why a demand is not met: an inequality that this pattern breaks and every good one satisfies.

        It follows from the multipliers of the sums: they bound the largest move by the room of cells, times
        whether each is suppressed. Published cells are given a faint room, so that multipliers are found
        that few of them count in.
        """
        problem = self.problem
        multipliers = np.zeros(problem.sums.number)
        if len(problem) > MOST_FAINT:
            multipliers[self._rows] = self._multipliers[demand]
            return line_cut(problem, demand, multipliers, self.pattern)
        columns = np.flatnonzero(problem.eligible)
        hidden, far = self.pattern[columns], 10.0
        down, up = (room[columns] / demand.level for room in problem.room_to(demand.attacker))
        bounds = np.stack(
            [
                -np.where(hidden, down, FAINT * np.minimum(down, far)),
                np.where(hidden, up, FAINT * np.minimum(up, far)),
            ],
            axis=1,
        )
        place = int(np.searchsorted(columns, demand.cell))
        side = (1 + demand.direction) // 2
        bounds[place, side] = demand.direction * min(demand.direction * bounds[place, side], 2.0)
        cost = np.zeros(len(columns))
        cost[place] = -demand.direction
        block = problem.matrix[:, columns].tocsr()
        rows = np.flatnonzero(np.diff(block.indptr))
        multipliers[rows] = self._solved(cost, block[rows], bounds).eqlin.marginals
        return line_cut(problem, demand, multipliers, self.pattern)
