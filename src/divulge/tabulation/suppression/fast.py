"""Secondary suppression for large tables: a good pattern, and how far from the cheapest it can be.

The same inequalities as in the exact search, few of them and solved to within a small gap, give a first
pattern and a bound on the cost. What the attacker still comes close to is then covered by the cheapest moves,
cell by cell. No step depends on the time of the day, so that the pattern is the same on every run.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from divulge.tabulation.attackers.programs import Clock, NotSolved, solver
from divulge.tabulation.layout.linked import Flags
from divulge.tabulation.suppression.checking import PatternCheck
from divulge.tabulation.suppression.exact import SuppressionPattern
from divulge.tabulation.suppression.master import Master
from divulge.tabulation.suppression.problem import Demand, Problem

ROUNDS = 10  # of inequalities that the attacker gives
NODES = 20  # of the search in each round
GAP = 0.01  # to which each round is solved
MOST_CUTS = 2000  # of each round


def good_pattern(
    problem: Problem, clock: Clock, said: Callable[[str], None] = lambda _: None
) -> SuppressionPattern:
    """A pattern that withstands all attackers; unfinished where the clock or a solver stops it."""
    demands, inside = list(problem.demands()), problem.tries_insiders
    pattern, bound, rounds = problem.primary.copy(), problem.suppressed_cost(problem.primary), 0
    check = PatternCheck(problem, pattern, clock, insiders=inside)
    try:
        master = Master(problem)
        for rounds in range(1, ROUNDS + 1):
            pattern, least = master.solve(clock, nodes=NODES, gap=GAP)
            bound = max(bound, least)
            check = PatternCheck(problem, pattern, clock, check.moves, inside)
            said(f"Suppressing (round {rounds})")
            unmet, exposed = check.unmet(demands), problem.exposed(pattern)
            if not (unmet or exposed) or rounds == ROUNDS:
                break
            master.add(check.cut(one) for one in unmet[:MOST_CUTS])
            master.add(one.cut for one in exposed[:MOST_CUTS])
        while unmet or exposed:
            before = pattern
            pattern = _covered(problem, _apart(problem, pattern), unmet, clock)
            check = PatternCheck(problem, pattern, clock, check.moves, inside)
            unmet, exposed = check.unmet(demands), problem.exposed(pattern)
            if (pattern == before).all():
                break
        if unmet or exposed:
            return SuppressionPattern(
                pattern, problem.suppressed_cost(pattern), bound, rounds, finished=False
            )
    except NotSolved:
        return SuppressionPattern(pattern, problem.suppressed_cost(pattern), bound, rounds, finished=False)
    return SuppressionPattern(pattern, problem.suppressed_cost(pattern), bound, rounds)


def _apart(problem: Problem, pattern: Flags) -> Flags:
    """The pattern with the cheapest further cells of each sum that gives some of it away."""
    found = pattern.copy()
    for one in problem.exposed(pattern):
        found[one.cut.cheapest(found, problem.cost)] = True
    return found


def _covered(problem: Problem, pattern: Flags, unmet: list[Demand], clock: Clock) -> Flags:
    """The pattern with further cells, for each demand those of the cheapest moves that meet it."""
    found, inside = pattern.copy(), problem.tries_insiders
    check = PatternCheck(problem, found, clock, insiders=inside)
    for demand in unmet:
        if not check.unmet([problem.demand(demand.cell, demand.direction)]):
            continue
        found |= _cheapest_moves(problem, found, demand, clock)
        check = PatternCheck(problem, found, clock, check.moves, inside)
    return found


def _cheapest_moves(problem: Problem, pattern: Flags, demand: Demand, clock: Clock) -> Flags:
    """The cells that move where the cell of a demand does, at the least cost of cells not yet suppressed."""
    columns = np.flatnonzero(problem.eligible)
    cost = np.where(pattern[columns], 0.0, problem.cost[columns])
    down, up = (room[columns] / demand.level for room in problem.room_to(demand.attacker))
    place = int(np.searchsorted(columns, demand.cell))
    least_up, least_down = np.zeros(len(columns)), np.zeros(len(columns))
    if demand.direction > 0:
        least_up[place] = up[place] = 1.0
        down[place] = 0.0
    else:
        least_down[place] = down[place] = 1.0
        up[place] = 0.0
    block = problem.matrix[:, columns].tocsr()
    block = block[np.flatnonzero(np.diff(block.indptr))]
    # A cell with little room is a dear way: the cost is by the share of its room that is used.
    room, other = np.clip(up, 1e-9, 1.0), np.clip(down, 1e-9, 1.0)
    found = solver("optimize").linprog(
        np.concatenate([cost / room, cost / other]),
        A_eq=solver("sparse").hstack([block, -block]),
        b_eq=np.zeros(block.shape[0]),
        bounds=np.stack([np.concatenate([least_up, least_down]), np.concatenate([up, down])], axis=1),
        method="highs",
        options=clock.options(),
    )
    if found.status != 0:
        raise NotSolved(found.message)
    moved = np.abs(found.x[: len(columns)] - found.x[len(columns) :]) > 1e-9
    added = np.zeros(len(problem), np.bool_)
    added[columns[moved]] = True
    return added
