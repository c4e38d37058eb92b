"""Linked tables protected by suppression: the problem that they pose, and the search that fits its size."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from divulge.errors import CannotProtect, counted
from divulge.tabulation.attackers.programs import Clock, NotSolved, open_bounds
from divulge.tabulation.layout.building import BuiltTables
from divulge.tabulation.layout.held_amounts import HeldAmounts
from divulge.tabulation.layout.joint_cells import JointCells
from divulge.tabulation.layout.linked import Ints, Numbers
from divulge.tabulation.risk.rules import CellRisk, CellRules
from divulge.tabulation.suppression.exact import SuppressionPattern, cannot_be_met, least_cost
from divulge.tabulation.suppression.fast import good_pattern
from divulge.tabulation.suppression.minor_shares import MinorShares
from divulge.tabulation.suppression.problem import Problem
from divulge.tabulation.suppression.unions import Unions
from divulge.tabulation.table_policy import Protection

MOST_EXACT = 2000  # cells up to which the cheapest pattern is looked for unless said otherwise
AUTO_ROUNDS = 20  # after which a good pattern is taken instead


def problem_of(
    built: BuiltTables,
    risk: CellRisk,
    protection: Protection,
    zeros: str,
    rules: CellRules | None = None,
) -> Problem:
    """What suppression has to keep; empty cells are published unless the rules say otherwise.

    With ``rules`` suppressed cells of a sum are held to them together too.
    """
    facts, value = built.facts, built.additive
    everything = np.ones(len(value), np.bool_)
    bounds = open_bounds(value, everything, least=built.least(zeros), known_within=protection.known_within)
    free = everything if zeros != "published" else facts.contributors > 0
    room_up, room_down = bounds[:, 1] - value, value - bounds[:, 0]
    owner, left_up, left_down = np.zeros(len(value), np.int64), room_up, room_down
    if protection.insiders and not built.counts:
        owner = _numbered(facts.main)
        left_up = np.where(facts.alone >= 0, 0.0, room_up)
        own = np.where(facts.alone >= 0, value, facts.main_amount)
        left_down = np.where(owner > 0, np.clip(value - own, 0.0, room_down), room_down)
    up, down = risk.up, np.minimum(risk.down, value - bounds[:, 0])
    found = Problem(
        built.tables.sums,
        value,
        room_up,
        room_down,
        costs(built, protection.cost),
        up,
        np.maximum(down, 0.0),
        free,
        built.whole,
        owner,
        left_up,
        left_down,
        risk.at_risk,
    )
    if rules is not None and built.entries is not None:
        held = HeldAmounts(built.tables, built.entries)
        shares = None
        if protection.insiders and not built.counts:
            shares = MinorShares(built.tables.sums.sides, held, facts.largest[:, 0], facts.mixed)
        found = replace(found, unions=Unions.of(built, rules, held), shares=shares)
    return found if (joint := built.joint(zeros)) is None else _with_joint(built, found, joint)


def _with_joint(built: BuiltTables, problem: Problem, joint: JointCells) -> Problem:
    """The problem with cells that no table shows, of which is known that they are not below 0."""
    assert built.entries is not None
    made, number = joint.facts(built.ring, built.entries), len(joint)
    down = np.full(number, math.inf) if built.facts.negative else made.value
    mains = {one: int(problem.owner[cell]) for cell, one in enumerate(built.facts.main.tolist()) if one >= 0}
    owner = np.asarray([mains.get(one, 0) for one in made.main.tolist()], np.int64)
    left = np.where(owner > 0, np.maximum(made.value - made.main_amount, 0.0), down)
    none, endless, flags = np.zeros(number), np.full(number, math.inf), np.zeros(number, np.bool_)
    return Problem(
        joint.added(problem.sums, len(problem)),
        np.append(problem.value, made.value),
        np.append(problem.room_up, endless),
        np.append(problem.room_down, down),
        np.append(problem.cost, none),
        np.append(problem.up, none),
        np.append(problem.down, none),
        np.append(problem.free, flags),
        problem.whole,
        np.append(problem.owner, owner),
        np.append(problem.left_up, endless),
        np.append(problem.left_down, left),
        np.append(problem.primary, ~flags),
        number,
        problem.unions,
        problem.shares,
    )


def _numbered(who: Ints) -> Ints:
    """Contributors from 1 on as cells come, so that the order of records does not show; 0 for nobody."""
    numbers: dict[int, int] = {-1: 0}
    return np.asarray([numbers.setdefault(one, len(numbers)) for one in who.tolist()], np.int64)


def costs(built: BuiltTables, by: str) -> Numbers:
    """What it costs to suppress each cell: its gross value, its contributors, or one."""
    if by == "cells":
        return np.ones(len(built.tables))
    found = built.facts.gross if by == "value" else built.facts.contributors.astype(np.float64)
    least = found[found > 0].min() if (found > 0).any() else 1.0
    return np.maximum(found, least)  # an empty cell is not free


def suppressed(
    built: BuiltTables, problem: Problem, protection: Protection, stage: Callable[[str], None]
) -> SuppressionPattern:
    """The pattern; an error that names the cells where no pattern protects them."""
    clock = Clock.of(protection.time)
    if not problem.primary[: problem.shown].any():
        return SuppressionPattern(problem.primary[: problem.shown], 0.0, 0.0, 0)
    if protection.search == "exact":
        found = least_cost(problem, clock, stage)
    elif protection.search == "fast" or len(problem) > MOST_EXACT:
        found = good_pattern(problem, clock, stage)
    else:
        found = least_cost(problem, clock, stage, rounds=AUTO_ROUNDS)
        if not found.finished and not clock.over:
            found = good_pattern(problem, clock, stage)
    found = replace(found, suppressed=found.suppressed[: problem.shown])
    if not found.finished and not clock.over:
        refuse_impossible(built, problem, clock)
    return found


def refuse_impossible(built: BuiltTables, problem: Problem, clock: Clock) -> None:
    """Count the cells that cannot be protected even if every other one were suppressed."""
    try:
        unmet = cannot_be_met(problem, clock)
    except NotSolved:
        return
    cells = sorted({one.cell for one in unmet})
    if cells:
        of = Counter(" x ".join(name for name, _ in built.tables.labels[cell]) for cell in cells)
        listed = ", ".join(f"{n:,} of {by}" if by else "the total" for by, n in of.items())
        raise CannotProtect(
            f"{counted(len(cells), 'cell')} cannot be protected by suppressing others: {listed}.",
            hint="Recode a dimension to a coarser level, let empty cells be suppressed (zeros = "
            '"suppressible"), or use another method.',
            cells=[built.tables.said(cell) for cell in cells],
        )
