"""Which of those waiting may leave, and what leaves of many requests, under one dependency or several.

Records that are in the same cell of every dependency are of one kind. A record may leave if no dependency
stands against it. Compiled loops decide where they were built; what is said here in Python decides the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled import release as loops
from divulge._compiled.release import NEVER, DependencyArrays
from divulge.safe_release import kernels
from divulge.safe_release.kernels import FAR, Outside, TestLimits, weight

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
_NONE = np.zeros((0, 0), np.bool_)  # no blocked cells are known


@dataclass(eq=False)
class GuardedSet:
    """What is outside under one dependency, and the cell of each kind of record in it."""

    outside: Outside
    limits: TestLimits
    cells: IntArray | None = None  # by kind; None where kinds are cells
    blocked: BoolArray = field(default_factory=lambda: _NONE)  # cells whose own target stands against them

    def __post_init__(self) -> None:
        if self.blocked is _NONE:
            self.blocked = np.zeros(self.outside.shape, np.bool_)

    @property
    def arrays(self) -> DependencyArrays:
        """As compiled loops take it."""
        return DependencyArrays(
            self.outside.memory, self.outside.shape, self.limits.tables, self.cells, self.blocked
        )

    def place(self, kind: int) -> tuple[int, int]:
        """The cell of a kind of records."""
        return divmod(kind if self.cells is None else int(self.cells[kind]), self.outside.shape[1])

    def verdict(self, kind: int) -> int:
        """Whether it stands against one more record of a kind: 0 where it does not."""
        exposed = kernels.count_exposed(self.outside, self.limits)
        return kernels.may_leave(self.outside, self.limits, *self.place(kind), exposed)

    def bound(self) -> float:
        """What n times the mutual information stays below with one more record, and a little more."""
        if not self.limits.tests & kernels.MIS or self.limits.present:
            return math.inf
        records = int(self.outside.totals.sum()) + 1
        return kernels.mutual_limit(self.outside, self.limits, records) * (1 + FAR)

    def far_beyond(self, kind: int, bound: float, total: float) -> bool:
        """Whether a record would clearly exceed the bound of the mutual information."""
        if bound == math.inf:
            return False
        x, y = self.place(kind)
        here, there = int(self.outside.counts[x, y]), int(self.outside.totals[y])
        gain = weight(here + 1) - weight(here) - weight(there + 1) + weight(there)
        return bool(total + gain + self.limits.bits[x] > bound)

    def let_out(self, kind: int) -> None:
        """A record of a kind is out; cells of its target may be blocked no longer."""
        x, y = self.place(kind)
        kernels.put(self.outside, self.limits, x, y, 1)
        self.blocked[:, y] = False


def first_to_leave(sets: Sequence[GuardedSet], heads: IntArray) -> int:
    """Among kinds whose first arrival is given, the one that came first and may leave; -1 for none.

    What is learnt about blocked cells is remembered.
    """
    if library.built():
        return loops.first_to_leave([one.arrays for one in sets], heads)
    best, found = NEVER, -1
    bounds = [(one, one.bound(), kernels.all_surprise(one.outside)) for one in sets]
    for kind in np.flatnonzero(heads.ravel() < NEVER).tolist():
        if heads.flat[kind] < best and _may_leave_now(bounds, kind):
            best, found = int(heads.flat[kind]), kind
    return found


def _may_leave_now(bounds: Sequence[tuple[GuardedSet, float, float]], kind: int) -> bool:
    for one, _, _ in bounds:
        if one.blocked[one.place(kind)]:
            return False
    for one, bound, total in bounds:
        if one.far_beyond(kind, bound, total):
            return False
        verdict = one.verdict(kind)
        if verdict == 1 and not one.limits.present:
            one.blocked[one.place(kind)] = True
        if verdict != 0:
            return False
    return True


def run(sets: Sequence[GuardedSet], asked: IntArray, kinds: int) -> IntArray:
    """Requests one after the other, each let out or made to wait; the numbers of those let out, in order.

    After every release those waiting are looked through from the first, until none may leave.
    """
    if library.built():
        return loops.run([one.arrays for one in sets], asked, kinds)
    heads = np.full(kinds, NEVER)
    lines: dict[int, list[int]] = {}
    out: list[int] = []
    for request, kind in enumerate(asked.tolist()):
        line = lines.setdefault(kind, [])
        if line or any(one.verdict(kind) for one in sets):
            line.append(request)
            heads[kind] = line[0]
            continue
        leaving = request
        while True:
            for one in sets:
                one.let_out(kind)
            out.append(leaving)
            kind = first_to_leave(sets, heads)
            if kind < 0:
                break
            leaving = lines[kind].pop(0)
            heads[kind] = lines[kind][0] if lines[kind] else NEVER
    return np.array(out, np.int64)


def run_cells(outside: Outside, limits: TestLimits, xs: IntArray, ys: IntArray) -> IntArray:
    """The same under one dependency, for records of some cells."""
    values, targets = outside.shape
    return run([GuardedSet(outside, limits)], xs * targets + ys, values * targets)
