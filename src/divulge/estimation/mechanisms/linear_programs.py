"""Linear programs over rules p(y|x), each solution with a bound that its multipliers certify."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.errors import DivulgeError
from divulge.estimation.channels.probabilities import FloatArray
from divulge.limits.libraries import scipy

optimize, sparse = scipy("optimize"), scipy("sparse")

NOISE = 1e-11  # what a solver leaves where it means zero
CORRECTION = 1e-6  # the most that taking away noise may change a probability
PRECISION = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True, eq=False)
class Program:
    """The rule p(y|x) of least cost: a distribution for each letter x, under further linear limits.

    Its variables are the rule, row by row, and auxiliary ones between -reach and reach: ``rows`` times the
    variables is at most ``limits``.
    """

    cost: FloatArray
    auxiliary: FloatArray
    reach: float
    rows: Any
    limits: FloatArray

    def solve(self) -> Solution:
        """Solve it with HiGHS, rows and cost scaled to one."""
        letters, outputs = self.cost.shape
        cost = np.concatenate([self.cost.ravel(), self.auxiliary])
        row_of = np.repeat(np.arange(self.rows.shape[0]), np.diff(self.rows.indptr))
        scale = np.full(self.rows.shape[0], 1e-300)
        np.maximum.at(scale, row_of, np.abs(self.rows.data))
        scaled = self.rows.copy()
        scaled.data /= scale[row_of]
        cost_scale = max(float(np.abs(cost).max()), 1e-300)
        cells = np.arange(self.cost.size)
        ones = (np.ones(len(cells)), (cells // outputs, cells))
        totals = sparse.csr_array(ones, shape=(letters, len(cost)))
        box = np.full((len(cost), 2), [0.0, np.inf])
        box[self.cost.size :] = -self.reach, self.reach
        for options in (PRECISION, {}):  # a few programs are solved to HiGHS's own precision only
            limits = {"A_ub": scaled, "b_ub": self.limits / scale, "A_eq": totals, "b_eq": np.ones(letters)}
            found = optimize.linprog(cost / cost_scale, **limits, bounds=box, options=options)
            if found.status == 0:
                break
        else:
            raise DivulgeError(f"The linear program of this mechanism was not solved: {found.message}")
        multipliers = np.maximum(0.0, -found.ineqlin.marginals) * cost_scale / scale
        rule = cleaned(found.x[: self.cost.size].reshape(self.cost.shape))
        return Solution(self, rule, multipliers)


@dataclass(frozen=True, eq=False)
class Solution:
    """A rule that solves a program, and what each of its limits costs."""

    program: Program
    rule: FloatArray
    multipliers: FloatArray

    @cached_property
    def bound(self) -> float:
        """What no rule within the limits can cost less than, by weak duality, whatever the solver's error."""
        program = self.program
        prices = self.multipliers @ program.rows
        reduced = program.cost + prices[: program.cost.size].reshape(program.cost.shape)
        spare = np.abs(program.auxiliary + prices[program.cost.size :]).sum()
        limited = float(self.multipliers @ program.limits)
        return float(reduced.min(axis=1).sum()) - program.reach * float(spare) - limited


def cleaned(rule: FloatArray) -> FloatArray:
    """The rule without the solver's noise: nothing negative or minute, rows that add up to one."""
    clean = np.where(rule < NOISE, 0.0, rule)
    clean /= clean.sum(axis=1, keepdims=True)
    correction = float(np.abs(clean - rule).max())
    if not correction < CORRECTION:
        raise DivulgeError(
            f"The solver's result is not a mechanism: it is off by {correction:.2g}, which is more than "
            "rounding.",
            hint="Distortions of very different size can be the reason; scale them, or leave out tiny ones.",
        )
    return clean


class ProgramRows:
    """Rows over the rule, letter by letter with outputs running fastest, and an auxiliary one for each y."""

    def __init__(self, letters: int, outputs: int) -> None:
        self.letters, self.outputs, self.height = letters, outputs, 0
        self._entries: list[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], FloatArray]] = []

    def for_each_output(self, coefficients: FloatArray, auxiliary: float = 0.0) -> None:
        """Each row of coefficients over the letters, once for every output, and so much of its auxiliary."""
        which, letter = np.nonzero(coefficients)
        y = np.arange(self.outputs)
        values = np.repeat(coefficients[which, letter], self.outputs)
        row, column = (place[:, None] * self.outputs + y for place in (which, letter))
        self._add(row.ravel(), column.ravel(), values)
        self._auxiliary(len(coefficients) * self.outputs, auxiliary)

    def for_output(self, coefficients: FloatArray, auxiliary: float) -> None:
        """One row for each output, with a column of coefficients over the letters of its own."""
        letter, y = np.nonzero(coefficients)
        self._add(y, letter * self.outputs + y, coefficients[letter, y])
        self._auxiliary(self.outputs, auxiliary)

    def for_each_cell(self, coefficient: float, auxiliary: float) -> None:
        """One row for each letter and output."""
        cells = np.arange(self.letters * self.outputs)
        self._add(cells, cells, np.full(len(cells), coefficient))
        self._auxiliary(len(cells), auxiliary)

    def over_all(self, coefficients: FloatArray) -> None:
        """One row over the whole rule."""
        cells = np.flatnonzero(coefficients)
        self._add(np.zeros_like(cells), cells, coefficients.ravel()[cells])
        self.height += 1

    def matrix(self) -> Any:
        """All rows so far."""
        row, column, value = (np.concatenate(part) for part in zip(*self._entries, strict=True))
        shape = (self.height, (self.letters + 1) * self.outputs)
        return sparse.csr_array((value, (row, column)), shape=shape)

    def _add(self, row: npt.NDArray[np.intp], column: npt.NDArray[np.intp], value: FloatArray) -> None:
        self._entries.append((row + self.height, column, value))

    def _auxiliary(self, rows: int, coefficient: float) -> None:
        """End a group of rows, outputs running fastest, each with the auxiliary variable of its output."""
        if coefficient:
            which = np.arange(rows)
            self._add(which, self.letters * self.outputs + which % self.outputs, np.full(rows, coefficient))
        self.height += rows
