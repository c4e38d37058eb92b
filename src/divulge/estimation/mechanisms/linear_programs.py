"""Linear programs over rules p(y|x), each solution with a bound that its multipliers certify."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

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
        totals = sparse.csr_array(
            (np.ones(len(cells)), (cells // outputs, cells)), shape=(letters, len(cost))
        )
        box = np.full((len(cost), 2), [0.0, np.inf])
        box[self.cost.size :] = -self.reach, self.reach
        for options in (PRECISION, {}):  # a few programs are solved to HiGHS's own precision only
            found = optimize.linprog(
                cost / cost_scale,
                A_ub=scaled,
                b_ub=self.limits / scale,
                A_eq=totals,
                b_eq=np.ones(letters),
                bounds=box,
                options=options,
            )
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
            f"The solver's mechanism misses being one by {correction:.2g}, which is more than rounding.",
            hint="Distortions of very different size can be the reason; scale them, or leave out tiny ones.",
        )
    return clean
