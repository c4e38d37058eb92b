"""What an attacker knows of cells, as a linear program: bounds on each, and the sums between them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np

from divulge._support.threads import cached_property
from divulge.limits.libraries import scipy
from divulge.tabulation.layout.linked import Flags, Ints, Numbers, Sums

TIGHT = 1e-6  # of a whole number: what a solver leaves where it means one
NEAR = 1e-9  # of a program's unit: what a solver leaves where it means a bound
SMALL, FINER = 1e-3, 4  # beside the unit of a program, a cell for which it is solved again; times at most
UNKNOWN = math.nan  # the end of an interval that could not be worked out


class NotSolved(Exception):
    """A linear program ended without an answer; nothing may be concluded."""


def solver(part: str) -> Any:
    """A part of SciPy, or a sentence that says how to get it."""
    return scipy(part, "what a table reveals", "tables")


def sparse_sums(sums: Sums, cells: int) -> Any:
    """The sums as a sparse matrix, a row for each."""
    coordinates = sums.signs, (sums.rows, sums.columns)
    return solver("sparse").csc_matrix(coordinates, shape=(sums.number, cells))


@dataclass(frozen=True)
class Clock:
    """When to stop; None: never. What is left undone is said."""

    until: float | None = None

    @classmethod
    def of(cls, seconds: float | None) -> Clock:
        return cls(None if seconds is None else monotonic() + seconds)

    @property
    def left(self) -> float | None:
        return None if self.until is None else max(self.until - monotonic(), 0.0)

    @property
    def over(self) -> bool:
        return self.until is not None and monotonic() >= self.until

    def options(self) -> dict[str, float]:
        """The same for a solver."""
        return {} if self.left is None else {"time_limit": max(self.left, 0.01)}


@dataclass(frozen=True, eq=False)
class Known:
    """What an attacker knows: each cell lies between ``lower`` and ``upper``, and the sums hold.

    ``whole`` says that cells are counts. Where ``about`` is given it is a table that fits, and the program is
    about deviations from it; without one, sums may be off by rounding.
    """

    sums: Sums
    lower: Numbers
    upper: Numbers
    whole: bool = False
    about: Numbers | None = None
    clock: Clock = field(default=Clock())
    unseen: int = 0  # of the cells, so many at the end are in no table: they need not be whole

    @cached_property
    def open_cells(self) -> Ints:
        """The cells that are not known as they are."""
        return np.flatnonzero(self.upper > self.lower)

    @cached_property
    def _parts(self) -> list[_Part]:
        """Open cells that sums tie to each other, apart from those that they do not."""
        matrix = sparse_sums(self.sums, len(self.lower))
        open_ones = self.open_cells
        fixed = np.where(self.upper > self.lower, 0.0, self.lower)
        about = self.about
        right = np.zeros(self.sums.number) if about is not None else -(matrix @ fixed)
        tied = matrix[:, open_ones]
        near = abs(tied).T @ abs(tied)  # signs could cancel out
        number, part = solver("sparse.csgraph").connected_components(near, directed=False)
        found = []
        for one in range(number):
            columns = np.flatnonzero(part == one)
            cells = open_ones[columns]
            block = tied[:, columns].tocsr()
            rows = np.flatnonzero(np.diff(block.indptr))
            shift = np.zeros(len(cells)) if about is None else about[cells]
            bounds = np.stack([self.lower[cells] - shift, self.upper[cells] - shift], axis=1)
            whole = (cells < len(self.lower) - self.unseen) & self.whole
            found.append(_Part(cells, block[rows], right[rows], bounds, shift, self.whole, whole))
        return found

    @cached_property
    def _part_of(self) -> dict[int, _Part]:
        return {int(cell): part for part in self._parts for cell in part.cells}

    def interval(self, cell: int) -> tuple[float, float]:
        """The least and the largest that a cell can be; not a number where that was not worked out."""
        part = self._part_of.get(int(cell))
        if part is None:
            return float(self.lower[cell]), float(self.upper[cell])
        return part.interval(cell, self.clock)


@dataclass(frozen=True, eq=False)
class _Part:
    """Open cells that are tied to each other."""

    cells: Ints
    rows: Any
    right: Numbers
    bounds: Numbers
    shift: Numbers
    whole: bool
    whole_ones: Flags

    @cached_property
    def unit(self) -> float:
        """About as large as the cells are: solvers' tolerances are made for numbers about 1."""
        sizes = np.abs([*self.shift, *self.right, *self.bounds.ravel()])
        sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
        return 1.0 if self.whole or not len(sizes) else float(np.median(sizes))

    def interval(self, cell: int, clock: Clock) -> tuple[float, float]:
        """The least and the largest that a cell can be, worked out anew where it is small beside others."""
        place = int(np.searchsorted(self.cells, cell))
        shift, about, unit = float(self.shift[place]), np.zeros(len(self.cells)), self.unit
        for _ in range(FINER):
            low, high, solution = self._ends(place, about, unit, clock)
            size = max(abs(low), abs(high))
            if self.whole or solution is None or not size < SMALL * unit:  # infinite, or not a number
                break
            # A solver's tolerance is no longer small here: the same about a table that nearly fits.
            unit = 2.0 ** math.floor(math.log2(max(size, SMALL**2 * unit)))
            about = np.round(solution / unit) * unit
        return _added(low, shift), _added(high, shift)

    def _ends(
        self, place: int, about: Numbers, unit: float, clock: Clock
    ) -> tuple[float, float, Numbers | None]:
        """Both ends of a cell, in a program about a table that nearly fits; and the last solution."""
        ends, solution = [], None
        for direction in (-1, 1):
            end, solution = self._end(place, direction, about, unit, clock)
            ends.append(end)
        return ends[0], ends[1], solution

    def _end(
        self, place: int, direction: int, about: Numbers, unit: float, clock: Clock
    ) -> tuple[float, Numbers | None]:
        """The largest (1) or the least (-1) that a cell can be; infinite where nothing bounds it."""
        if clock.over:
            return UNKNOWN, None
        cost = np.zeros(len(self.cells))
        cost[place] = -direction
        bounds = (self.bounds - about[:, None]) / unit
        found = solver("optimize").linprog(
            cost,
            A_eq=self.rows,
            b_eq=(self.right - self.rows @ about) / unit,
            bounds=bounds,
            method="highs",
            options=clock.options(),
        )
        if found.status == 3:
            return direction * math.inf, None
        if found.status != 0:
            return UNKNOWN, None
        if self.whole and (np.abs(found.x - np.round(found.x)) > TIGHT)[self.whole_ones].any():
            return float(np.round(self._whole_end(cost, place, clock))), None
        bound = bounds[place, (1 + direction) // 2]
        end = bound if abs(found.x[place] - bound) < NEAR else found.x[place]
        end = end * unit + about[place]
        return float(np.round(end) if self.whole else end), found.x * unit + about

    def _whole_end(self, cost: Numbers, place: int, clock: Clock) -> float:
        """The same over whole numbers, where cells are counts and the end above was of no such table."""
        optimize = solver("optimize")
        found = optimize.milp(
            cost,
            integrality=self.whole_ones.astype(np.int64),
            bounds=optimize.Bounds(self.bounds[:, 0], self.bounds[:, 1]),
            constraints=optimize.LinearConstraint(self.rows, self.right, self.right),
            options={**clock.options(), "mip_rel_gap": 0.0},
        )
        return float(found.x[place]) if found.status == 0 else UNKNOWN


def _added(number: float, shift: float) -> float:
    """A sum of two numbers that is 0 where only rounding is left of them."""
    found = number + shift
    return 0.0 if abs(found) <= 1e-12 * abs(shift) else found


def open_bounds(
    value: Numbers, suppressed: Flags, *, least: Numbers, known_within: float | None = None
) -> Numbers:
    """What an attacker knows of each cell before adding up: published ones, and the range of the others.

    ``least`` is what each cell is known to be at least; ``known_within`` is the share of its value that an
    attacker knows a cell to, where one is assumed.
    """
    most = np.full(len(value), math.inf)
    if known_within is not None:
        least = np.maximum(least, value - known_within * np.abs(value))
        most = value + known_within * np.abs(value)
    return np.where(suppressed[:, None], np.stack([least, most], axis=1), value[:, None])
