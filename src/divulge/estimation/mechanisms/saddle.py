"""Rate and slope of the rate-distortion problem found together, as the saddle of one function."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from divulge.estimation.channels.probabilities import FloatArray
from divulge.limits.libraries import scipy

linalg, optimize = scipy("linalg"), scipy("optimize")

STEPS = 100
ENOUGH = 1e-11  # nats


@dataclass(frozen=True, eq=False)
class Saddle:
    """R(D) in nats: the largest over slopes, the least over p(y), of

        - sum over x of p(x) log(sum over y of p(y) exp(-slope d(x, y))) - slope D.

    At any point the rule p(y) exp(-slope d), each row made to add up to one, has a rate of at least R(D) if
    it keeps the budget, and ``bound`` is at most R(D). An output that is not allowed to a letter has a zero.
    """

    weight: FloatArray
    excess: FloatArray
    spare: float
    allowed: FloatArray

    def rule(self, slope: float, marginal: FloatArray) -> FloatArray:
        """What a letter shows as, given how likely each output is overall."""
        rule = self._kernel(slope) * marginal
        return rule / rule.sum(axis=1, keepdims=True)

    def bound(self, slope: float, marginal: FloatArray) -> float:
        """A rate that no rule within the budget goes below."""
        kernel = self._kernel(slope)
        sums = kernel @ marginal
        most = (self.weight / sums @ kernel).max()
        return -float(self.weight @ np.log(sums) + np.log(most)) - slope * self.spare

    def optimum(self) -> tuple[float, FloatArray]:
        """The slope and p(y) at the saddle, by a primal-dual interior method."""
        outputs = self.excess.shape[1]
        marginal, below = np.full(outputs, 1 / outputs), np.ones(outputs)
        slope, shrink = self._first_slope(marginal), 0.1
        for _ in range(STEPS):
            ratios = self._kernel(slope)
            ratios /= (ratios @ marginal)[:, None]
            distortion = (ratios * self.excess) @ marginal
            over = float(self.weight @ distortion) - self.spare
            gradient = 1 - self.weight @ ratios
            gap = float(marginal @ below)
            if gap + max(0.0, -float(gradient.min())) + abs(over) * slope < ENOUGH:
                break
            target = shrink * gap / outputs
            step, slope_step = self._newton(
                ratios, marginal, distortion, target / marginal - gradient, below / marginal, over
            )
            below_step = target / marginal - below - below / marginal * step
            length = min(room(marginal, step), room(below, below_step), room(2 * slope, -4 * abs(slope_step)))
            shrink = 0.05 if length > 0.9 else 0.3 if length > 0.5 else 0.8
            marginal = marginal + length * step
            below = below + length * below_step
            slope += length * slope_step
        return slope, marginal / marginal.sum()

    def _newton(
        self,
        ratios: FloatArray,
        marginal: FloatArray,
        distortion: FloatArray,
        wanted: FloatArray,
        barrier: FloatArray,
        over: float,
    ) -> tuple[FloatArray, float]:
        """The steps of p(y) and slope that solve the linearized conditions of the saddle."""
        weighted = ratios * self.weight[:, None]
        system = ratios.T @ weighted
        system[np.diag_indices_from(system)] += barrier
        apart = self.excess - distortion[:, None]
        weighted *= apart
        cross = weighted.sum(axis=0)
        spread = float((weighted * apart).sum(axis=0) @ marginal)
        factor = linalg.cho_factor(system, overwrite_a=True, check_finite=False)
        along, across = linalg.cho_solve(factor, np.stack([wanted, cross], axis=1), check_finite=False).T
        slope_step = float(over + cross @ along) / (spread + float(cross @ across) + 1e-300)
        return along - slope_step * across, slope_step

    def _kernel(self, slope: float) -> FloatArray:
        return self.allowed * np.exp(-slope * self.excess)

    def _first_slope(self, marginal: FloatArray) -> float:
        """About the slope at which the rule of this p(y) just keeps the budget."""

        def over(exponent: float) -> float:
            rule = self.rule(math.exp(exponent), marginal)
            return float(self.weight @ (rule * self.excess).sum(axis=1)) - self.spare

        low, high = -8.0, 2.0
        if over(low) <= 0:
            return math.exp(low)
        while over(high) > 0 and high < 60:
            high += 2
        return math.exp(optimize.brentq(over, low, high, xtol=1e-2))


def room(state: FloatArray | float, step: FloatArray | float) -> float:
    """The longest step up to Newton's own that keeps the state above zero, a little short of it."""
    fall = float(np.max(-np.asarray(step) / state, initial=0.0))
    return min(1.0, 0.995 / fall) if fall > 0 else 1.0
