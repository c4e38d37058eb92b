"""The rule that tells least, in bits of I(X;Y), within a loss budget: Shannon's rate-distortion problem."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from divulge.estimation.channels.probabilities import FloatArray
from divulge.estimation.information.entropy import LN2
from divulge.estimation.mechanisms.most_private import BestRule
from divulge.estimation.mechanisms.remote_source import ENOUGH, STEPS, least_information_of_remote, room
from divulge.limits.libraries import scipy

linalg, optimize = scipy("linalg"), scipy("optimize")

MANY = 150  # outputs from which on some are taken first
SOME = 48  # of them to begin with
ROUNDS = 20  # of taking others, before all are taken
ROUGHLY = 1e-4  # nats, until the outputs in use are known
UNUSED = 1e-7  # of the likeliest output: an output below it is left


def least_information(joint: FloatArray, distances: FloatArray, budget: float) -> BestRule:
    """The rule p(y'|x') of least I(X;Y) with an expected loss within the budget; value and price in bits.

    Where x determines x' the secret may as well be x', and the problem is Shannon's own.
    """
    weight = joint.sum(axis=0)
    expected = weight @ distances
    if budget >= expected.min():
        rule = np.zeros_like(distances)
        rule[:, expected.argmin()] = 1.0
        return BestRule(rule, 0.0, 0.0, 0.0)
    if (np.count_nonzero(joint, axis=1) > 1).any():
        return least_information_of_remote(joint, distances, budget)
    occurs = weight > 0
    found = _least_rate(weight[occurs], distances[occurs], budget)
    rule = np.tile(weight[occurs] @ found.rule, (len(weight), 1))  # an input that never occurs tells nothing
    rule[occurs] = found.rule
    return BestRule(rule, found.value, found.bound, found.price)


def information(weight: FloatArray, rule: FloatArray) -> float:
    """I(X;Y) in bits of a prior and a rule."""
    marginal = weight @ rule
    ratios = np.divide(rule, marginal, out=np.ones_like(rule), where=rule > 0)
    return max(0.0, float(weight @ (rule * np.log2(ratios)).sum(axis=1)))


def _least_rate(weight: FloatArray, distances: FloatArray, budget: float) -> BestRule:
    """Solve with distances and budget counted from the least loss of each letter, the largest as unit."""
    least = distances.min(axis=1)
    excess = distances - least[:, None]
    unit = float(excess.max())
    excess /= unit
    spare = max(0.0, (budget - float(weight @ least)) / unit)
    nothing_to_spare = spare <= 1e-12
    if nothing_to_spare:
        saddle = Saddle(weight, np.zeros_like(excess), 0.0, (excess <= 0).astype(np.float64))
    else:
        saddle = Saddle(weight, excess, spare, np.ones_like(excess))
    slope, marginal = saddle.optimum()
    rule = _within(saddle.rule(slope, marginal), weight, excess, spare)
    value = information(weight, rule)
    bound = min(value, saddle.bound(slope, marginal) / LN2)
    return BestRule(rule, value, bound, math.inf if nothing_to_spare else slope / unit / LN2)


def _within(rule: FloatArray, weight: FloatArray, excess: FloatArray, spare: float) -> FloatArray:
    """The rule with as much of the most faithful one mixed in as rounding has it over the budget."""
    over = float((weight[:, None] * rule * excess).sum())
    if over <= spare:
        return rule
    faithful = np.zeros_like(rule)
    faithful[np.arange(len(rule)), excess.argmin(axis=1)] = 1.0
    return rule + (1 - spare / over) * (faithful - rule)


@dataclass(frozen=True, eq=False)
class Saddle:
    """R(D) in nats: the largest over slopes, the least over p(y), of

        - sum over x of p(x) log(sum over y of p(y) exp(-slope d(x, y))) - slope D.

    At any point the rule p(y) exp(-slope d), each row made to add up to one, has a rate of at least R(D) if
    it keeps the budget, and ``bound`` is at most R(D). With no budget to spare, an output that is not allowed
    to a letter has a zero.
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
        """The slope and p(y) at the saddle.

        Of many outputs few are in use. So some are taken first; then those that would lower the rate, of
        neighbours the one that would most, until there is none.
        """
        outputs = self.excess.shape[1]
        places = np.arange(0, outputs, max(1, outputs // SOME))
        enough = ROUGHLY
        for _ in range(ROUNDS if outputs > MANY and self.spare > 0 else 0):
            some = Saddle(self.weight, self.excess[:, places], self.spare, self.allowed[:, places])
            if float(self.weight @ some.excess.min(axis=1)) > self.spare / 2:
                break  # these outputs alone may not keep the budget
            slope, found = some.interior(enough)
            marginal = np.zeros(outputs)
            marginal[places] = found
            kernel = self._kernel(slope)
            gradient = 1 - self.weight / (kernel @ marginal) @ kernel
            if -gradient.min() < enough:
                if enough == ENOUGH:
                    return slope, marginal
                enough = ENOUGH
            wider = np.concatenate([[np.inf], gradient, [np.inf]])
            dips = (gradient <= wider[:-2]) & (gradient <= wider[2:]) & (gradient < 0)
            places = np.union1d(places[found > UNUSED * found.max()], np.flatnonzero(dips))
        return self.interior(ENOUGH)

    def interior(self, enough: float) -> tuple[float, FloatArray]:
        """The slope and p(y) at the saddle to so many nats, by an interior method, after Mehrotra."""
        outputs = self.excess.shape[1]
        marginal, below = np.full(outputs, 1 / outputs), np.ones(outputs)
        slope = self._first_slope(marginal)
        for _ in range(STEPS):
            ratios = self._kernel(slope)
            ratios /= (ratios @ marginal)[:, None]
            distortion = (ratios * self.excess) @ marginal
            over = float(self.weight @ distortion) - self.spare
            gradient = 1 - self.weight @ ratios
            gap = float(marginal @ below)
            if gap + max(0.0, -float(gradient.min())) + abs(over) * slope < enough:
                break
            newton = self._newton(ratios, marginal, distortion, below / marginal, over)
            step, _ = newton(-gradient)
            below_step = -below - below / marginal * step
            length = min(room(marginal, step), room(below, below_step))
            left = float((marginal + length * step) @ (below + length * below_step)) / gap
            target = (left**3 * gap / outputs - step * below_step) / marginal
            step, slope_step = newton(target - gradient)
            below_step = target - below - below / marginal * step
            length = min(room(marginal, step), room(below, below_step), room(2 * slope, -4 * abs(slope_step)))
            marginal = marginal + length * step
            below = below + length * below_step
            slope += length * slope_step
        return slope, marginal / marginal.sum()

    def _newton(
        self,
        ratios: FloatArray,
        marginal: FloatArray,
        distortion: FloatArray,
        barrier: FloatArray,
        over: float,
    ) -> Callable[[FloatArray], tuple[FloatArray, float]]:
        """What gives the steps of p(y) and slope that solve the linearized conditions of the saddle."""
        weighted = ratios * self.weight[:, None]
        system = ratios.T @ weighted
        system[np.diag_indices_from(system)] += barrier
        apart = self.excess - distortion[:, None]
        weighted *= apart
        cross = weighted.sum(axis=0)
        spread = float(np.einsum("xy,xy->y", weighted, apart) @ marginal)
        factor, failed = linalg.lapack.dpotrf(system, overwrite_a=True)
        if failed:
            raise linalg.LinAlgError("the system of a step is not positive definite")
        across, _ = linalg.lapack.dpotrs(factor, cross)

        def solved(wanted: FloatArray) -> tuple[FloatArray, float]:
            along, _ = linalg.lapack.dpotrs(factor, wanted)
            slope_step = float(over + cross @ along) / (spread + float(cross @ across) + 1e-300)
            return along - slope_step * across, slope_step

        return solved

    def _kernel(self, slope: float) -> FloatArray:
        kernel = self.excess * -slope
        np.exp(kernel, out=kernel)
        return kernel if self.spare > 0 else kernel * self.allowed

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
        return math.exp(optimize.brentq(over, low, high, xtol=0.1))
