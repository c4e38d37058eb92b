"""Secondary suppression: small tables to the optimum, large ones with hierarchies to within a gap.

Tables are made up: records fall on rows and columns with unequal chances, amounts are log-normal. The
baseline is the whole model of Fischetti and Salazar (2000) given to the same solver at once: a table of moves
for every cell at risk and direction. Only outsiders attack there, so that both solve the same problem;
tau-ARGUS and sdcTable are not on PyPI.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from bench.harness import Result, run, save
from divulge.tabulation.attackers.programs import Clock, solver
from divulge.tabulation.layout.building import BuiltTables
from divulge.tabulation.layout.contributions import Entries, facts
from divulge.tabulation.layout.dimensions import Dimension
from divulge.tabulation.layout.linked import LinkedTables
from divulge.tabulation.risk.rules import CellRules, cell_risk
from divulge.tabulation.suppression.auditing import audit
from divulge.tabulation.suppression.exact import least_cost
from divulge.tabulation.suppression.fast import good_pattern
from divulge.tabulation.suppression.problem import Problem
from divulge.tabulation.suppression.protecting import problem_of
from divulge.tabulation.table_policy import Protection

RULES = CellRules(3, p_percent=10.0)


def _dimension(name: str, categories: int, group: int) -> Dimension:
    labels = [f"{name}{place:03}" for place in range(categories)]
    if not group:
        return Dimension.flat(name, labels)
    return Dimension.of_chains(name, [(one, f"{name}g{place // group}") for place, one in enumerate(labels)])


def made_up(rows: int, columns: int, records: int, group: int, statistic: str, seed: int) -> BuiltTables:
    """A table of so many records, whose categories are in groups of a size (0: in none)."""
    lots = np.random.default_rng(seed)
    shape = {"row": rows, "column": columns}
    tables = LinkedTables.of({"t": [_dimension(name, size, group) for name, size in shape.items()]})
    codes = {
        name: lots.choice(size, records, p=lots.dirichlet(np.full(size, 3.0))) for name, size in shape.items()
    }
    amount = np.round(lots.lognormal(5, 1.5, records)) if statistic == "sum" else np.ones(records)
    ones = np.ones(records, np.int64)
    entries = Entries(codes, np.arange(records), amount, np.ones(records), ones, ones)
    return BuiltTables(tables, facts(tables, entries), None, statistic, (), entries)


def _problem(*size: Any, insiders: bool) -> Problem:
    *shape, statistic, seed = size
    built = made_up(*map(int, shape), statistic, int(seed))
    risk = cell_risk(built.facts, RULES, counts=built.counts)
    return problem_of(built, risk, Protection(insiders=insiders), RULES.zeros)


def _searched(search: Callable[..., Any], problem: Problem) -> dict[str, Any]:
    found = search(problem, Clock.of(600))
    outcomes = [one.outcome for one in audit(problem, found.suppressed)]
    return {
        "cells": len(problem),
        "at_risk": int(problem.primary.sum()),
        "suppressed": int(found.suppressed.sum()),
        "cost": found.cost,
        "gap": found.gap,
        "finished": found.finished,
        "failed": outcomes.count("fail"),
    }


def exact(*size: str) -> Callable[[], Any]:
    """The cheapest pattern, with contributors as attackers, and its audit."""
    problem = _problem(*size, insiders=True)
    return lambda: _searched(least_cost, problem)


def outsiders(*size: str) -> Callable[[], Any]:
    """The same against outsiders alone, as the baseline has it."""
    problem = _problem(*size, insiders=False)
    return lambda: _searched(least_cost, problem)


def fast(*size: str) -> Callable[[], Any]:
    """A good pattern and its gap, with its audit."""
    problem = _problem(*size, insiders=True)
    return lambda: _searched(good_pattern, problem)


def whole_model(*size: str) -> Callable[[], Any]:
    """Every demand with a table of moves of its own, in one mixed-integer program."""
    problem = _problem(*size, insiders=False)
    return lambda: _whole(problem)


def _whole(problem: Problem) -> dict[str, Any]:
    optimize, sparse = solver("optimize"), solver("sparse")
    cells, demands = len(problem), list(problem.demands())
    far = 2 * float(problem.value.max() + problem.up.max())
    up, down = np.minimum(problem.room_up, far), np.minimum(problem.room_down, far)
    some = np.zeros((len(demands), 1))
    each = sparse.identity(len(demands))
    moves = sparse.kron(each, sparse.identity(cells))
    sums = sparse.kron(each, problem.matrix)
    rows = sparse.vstack(
        [
            sparse.hstack([sparse.csr_matrix((sums.shape[0], cells)), sums]),
            sparse.hstack([sparse.kron(some + 1, -sparse.diags(up)), moves]),
            sparse.hstack([sparse.kron(some + 1, -sparse.diags(down)), -moves]),
        ]
    ).tocsr()
    least = np.full((len(demands), cells), -np.inf)
    most = np.full((len(demands), cells), np.inf)
    for number, one in enumerate(demands):
        (least if one.direction > 0 else most)[number, one.cell] = one.direction * one.level
    low = np.concatenate([np.zeros(sums.shape[0]), np.full(2 * len(demands) * cells, -np.inf)])
    found = optimize.milp(
        np.concatenate([problem.cost, np.zeros(len(demands) * cells)]),
        integrality=np.concatenate([np.ones(cells), np.zeros(len(demands) * cells)]),
        bounds=optimize.Bounds(
            np.concatenate([problem.primary, least.ravel()]), np.concatenate([problem.eligible, most.ravel()])
        ),
        constraints=optimize.LinearConstraint(rows, low, np.zeros(len(low))),
        options={"time_limit": 300, "mip_rel_gap": 0.0},
    )
    cost = None if found.x is None else float(problem.cost @ np.round(found.x[:cells]))
    return {"cost": cost, "finished": found.status == 0, "gap": found.mip_gap}


def main(whole: bool) -> None:
    results: list[Result] = []
    print(f"{'contender':<12} {'table':<34} {'s':>8} {'CPU s':>8} {'suppressed':>11} {'cost':>12} {'gap':>7}")
    small = [(16, 7, 700, 0, kind, seed) for kind in ("count", "sum") for seed in range(3 if whole else 1)]
    cases = [(name, size) for size in small for name in ("exact", "outsiders", "whole_model")]
    large = [(100, 100, 100_000, 10, kind, 5) for kind in ("count", "sum")]
    cases += [("fast", size) for size in ([(40, 40, 16_000, 8, "sum", 5)], large)[whole]]
    for name, size in cases:
        found = run("tables", name, *size, repeats=1)
        results.append(found)
        answer = found.answer
        rows, columns, _, group, kind, seed = size
        shape = f"{rows} x {columns}, {kind}{f', groups of {group}' if group else ''} ({seed})"
        cost = "-" if answer["cost"] is None else f"{answer['cost']:,.0f}"
        print(
            f"{name:<12} {shape:<34} {found.best:8.2f} {found.cpu:8.2f} {answer.get('suppressed', ''):>11} "
            f"{cost:>12} {answer['gap'] or 0:7.2%}",
            flush=True,
        )
    save("tables", [asdict(one) for one in results])


if __name__ == "__main__":
    main(whole=True)
