"""How closely answers bound anyone's value, by linear programs over groups of records.

Values are scaled so that bounds are 0 and 1. ``free`` looks at memberships alone: how far a value can move,
as a share of what the others may move by, while no answer changes. ``bounded`` looks at the answers: the
least and the most that a value can be. Each solution of a program is a table that an attacker cannot rule
out, so it is held against every group at once, and few groups need a program of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from divulge.limits.libraries import scipy
from divulge.queries.span import QuerySpan

TIGHT = 1e-6  # what a solver leaves, on a scale of 1
ROUNDS = 6  # programs over all groups together, before each has one of its own
SECONDS = 30.0  # that one program may take
_WHOLE = 4_000  # groups up to which a program is about all of them
_MOST = 50_000_000  # query sets times groups, beyond which no program is made

Numbers = np.ndarray[Any, np.dtype[np.float64]]
Whole = np.ndarray[Any, np.dtype[np.int64]]


class NoSolution(Exception):
    """A program ended without an answer; nothing may be concluded."""


def free(span: QuerySpan, margin: float) -> bool:
    """Whether each person that is alone in a group can move by a share ``margin`` of what others may.

    Where a group has records of several people, one can rise by what another falls, all the way.
    """
    if not span.rows:
        return True
    _refuse_size(span)
    alone = np.flatnonzero(span.groups.owners(span.persons) >= 0)
    matrix, size = span.matrix(), span.groups.size.astype(np.float64)
    needed = min(margin + TIGHT, 1 - TIGHT)
    if len(size) > _WHOLE:  # what holds among some groups holds among all
        largest = np.argpartition(-size, _WHOLE // 2)[: _WHOLE // 2]
        left = []
        for start in range(0, len(alone), _WHOLE // 2):
            targets = alone[start : start + _WHOLE // 2]
            some = np.union1d(largest, targets)
            program = _Program(matrix[:, some], size[some], -1.0, np.zeros(len(matrix)))
            left.append(targets[_unmoved(program, np.searchsorted(some, targets), needed)])
        alone = np.concatenate(left) if left else alone
    program = _Program(matrix, size, -1.0, np.zeros(len(matrix)))
    return not _unmoved(program, alone, needed, first=True).any()


def _refuse_size(span: QuerySpan) -> None:
    if len(span.rows) * len(span.groups.size) > _MOST:
        raise NoSolution


def _unmoved(program: _Program, targets: Whole, needed: float, *, first: bool = False) -> Any:
    """Which of some groups cannot move as far as needed; with ``first`` not all of them may be looked for."""
    moved = np.zeros(len(targets), np.bool_)
    for solution in program.solutions(targets, moved):
        moved |= np.abs(solution[targets]) >= needed
    for place, target in enumerate(targets):
        if moved[place]:
            continue
        goal = np.zeros(program.groups)
        goal[target] = 1.0
        solution = program.most(goal)
        moved |= np.abs(solution[targets]) >= needed
        if first and not moved[place]:
            break
    return ~moved


def bounded(span: QuerySpan, totals: Sequence[float], margin: float) -> bool:
    """Whether the answers bound the value of any record within less than a margin.

    ``totals`` are the answers to the span's rows, of values scaled to lie between 0 and 1.
    """
    _refuse_size(span)
    size = span.groups.size.astype(np.float64)
    program = _Program(span.matrix(), size, 0.0, np.asarray(totals, np.float64))
    needed = min(margin + TIGHT, 1 - TIGHT)
    least, most = np.full(len(size), np.inf), np.full(len(size), -np.inf)

    def wide() -> Any:
        high = np.minimum(1.0, most * size)
        low = np.maximum(0.0, least * size - (size - 1))
        return high - low >= needed

    every = np.arange(len(size))
    done = np.zeros(len(size), np.bool_)
    for solution in program.solutions(every, done):
        least, most = np.minimum(least, solution), np.maximum(most, solution)
        done |= wide()
    while not done.all():
        group = int(np.flatnonzero(~done)[0])
        goal = np.zeros(len(size))
        for sign in (1.0, -1.0):
            goal[group] = sign
            solution = program.most(goal)
            least, most = np.minimum(least, solution), np.maximum(most, solution)
        done |= wide()
        if not done[group]:
            return True
    return False


def require_solver() -> tuple[Any, Any]:
    """SciPy's sparse matrices and solvers, loaded; it takes a moment."""
    sparse, optimize = (scipy(part, "what answers reveal", "tables") for part in ("sparse", "optimize"))
    return sparse, optimize


class _Program:
    """Group averages between ``low`` and 1 whose sums over query sets are given."""

    def __init__(self, matrix: Any, size: Numbers, low: float, totals: Numbers) -> None:
        sums = matrix.astype(np.float64) * size[None, :]
        scale = np.maximum(sums.sum(axis=1), 1.0)
        sparse, self._solver = require_solver()
        self._sums = sparse.csr_matrix(sums / scale[:, None])
        self._totals, self._low, self.groups = totals / scale, low, len(size)

    def most(self, goal: Numbers) -> Numbers:
        """Averages for which a goal is as large as can be."""
        found = self._solver.linprog(
            -goal,
            A_eq=self._sums,
            b_eq=self._totals,
            bounds=(self._low, 1.0),
            method="highs",
            options={"time_limit": SECONDS},
        )
        if found.status != 0:
            raise NoSolution
        return np.asarray(found.x)

    def solutions(self, targets: Whole, done: Any) -> Iterator[Numbers]:
        """Averages for goals about all targets that are not done yet, by lot."""
        rng = np.random.default_rng(len(targets))
        for _ in range(ROUNDS):
            left = targets[~done]
            if not len(left):
                return
            goal = np.zeros(self.groups)
            goal[left] = rng.choice([-1.0, 1.0], len(left))
            yield self.most(goal)
            yield self.most(-goal)
