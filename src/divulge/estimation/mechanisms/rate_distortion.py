"""The rule that tells least, in bits of I(X;Y), within a loss budget: Shannon's rate-distortion problem."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from divulge.estimation.channels.probabilities import FloatArray
from divulge.estimation.information.entropy import LN2
from divulge.estimation.mechanisms.most_private import BestRule
from divulge.estimation.mechanisms.remote_source import ENOUGH, STEPS, least_information_of_remote
from divulge.limits.libraries import scipy

linalg, optimize = scipy("linalg"), scipy("optimize")

MANY = 150  # outputs from which on some are taken first
SOME = 48  # of them to begin with
ROUNDS = 20  # of taking others, before all are taken
ROUGHLY = 1e-4  # nats, until the outputs in use are known
THIN = 1e-4  # an output this much thinner than it is far from lowering the rate is left
FEWER = 0.8  # of the outputs, from which on it pays to leave the others
STEEP = 400.0  # a slope from which on an output may be all that is near a letter
FEW_STEPS = 30  # in which the saddle is found but for a few cases
FIRST_STEPS = 16  # of Blahut and Arimoto
LEAST = 1e-6  # of the average probability: no output begins below it
APART = 0.01  # nats that any output is from lowering the rate to begin with, at least
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
            slope, found, _ = some.interior(enough, STEPS)
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
        return self._surely()

    def _surely(self) -> tuple[float, FloatArray]:
        """The saddle by few steps, or where they do not arrive or miss an output that was left, by many."""
        slope, marginal, arrived = self.interior(ENOUGH, FEW_STEPS, THIN if self.spare > 0 else 0.0)
        kernel = self._kernel(slope)
        if arrived and (self.weight / (kernel @ marginal) @ kernel).max() <= 1 + ENOUGH:
            return slope, marginal
        slope, marginal, _ = self.interior(ENOUGH, STEPS)
        return slope, marginal

    def interior(self, enough: float, steps: int, thin: float = 0.0) -> tuple[float, FloatArray, bool]:
        """The slope and p(y) at the saddle to so many nats, and whether so many steps have led there.

        By an interior method, after Mehrotra. An output as thin as that, for how far it is from lowering the
        rate, is left on the way.
        """
        outputs = self.excess.shape[1]
        places = np.arange(outputs)
        slope, marginal, below = self._start(FIRST_STEPS if steps <= FEW_STEPS else 0)
        arrived = False
        root = np.sqrt(self.weight)
        some = self
        for _ in range(steps):
            kernel = some._kernel(slope)
            kernel *= (root / (kernel @ marginal))[:, None]
            distortion = (kernel * some.excess) @ marginal / root
            over = float(self.weight @ distortion) - self.spare
            gradient = 1 - root @ kernel
            gap = float(marginal @ below)
            missing = gap + max(0.0, -float(gradient.min())) + abs(over) * slope
            arrived = missing < enough and over <= enough * self.spare + 1e-17
            if arrived or (len(places) < outputs and slope > STEEP):  # or one that was left is missed
                break
            barrier = below / marginal
            apart = some.excess - distortion[:, None]
            moved = kernel * apart
            cross = root @ moved
            apart *= moved
            newton = _newton(kernel, barrier, cross, float(root @ (apart @ marginal)), over)
            step, _ = newton(-gradient)
            below_step = -below - barrier * step
            length = _room(step / marginal, below_step / below)
            left = float((marginal + length * step) @ (below + length * below_step)) / gap
            target = (left**3 * gap / len(places) - step * below_step) / marginal
            step, slope_step = newton(target - gradient)
            below_step = target - below - barrier * step
            length = _room(step / marginal, below_step / below, -2 * abs(slope_step) / slope)
            marginal = marginal + length * step
            below = below + length * below_step
            slope += length * slope_step
            thick = marginal > thin * below
            if slope < STEEP and np.count_nonzero(thick) < FEWER * len(places):
                places, marginal, below = places[thick], marginal[thick], below[thick]
                some = Saddle(self.weight, self.excess[:, places], self.spare, self.allowed[:, places])
        found = np.zeros(outputs)
        found[places] = marginal / marginal.sum()
        return slope, found, arrived

    def _kernel(self, slope: float) -> FloatArray:
        kernel = self.excess * -slope
        np.exp(kernel, out=kernel)
        return kernel if self.spare > 0 else kernel * self.allowed

    def _start(self, steps: int) -> tuple[float, FloatArray, FloatArray]:
        """A slope, p(y), and how far each output is from lowering the rate, that steps may begin at.

        From outputs that are all as likely, a few steps of Blahut and Arimoto spare as many of Newton's as
        take several times as long.
        """
        outputs = self.excess.shape[1]
        marginal = np.full(outputs, 1 / outputs)
        slope = self._first_slope(marginal)
        kernel = self._kernel(slope)
        for _ in range(steps):
            marginal = marginal * (self.weight / (kernel @ marginal) @ kernel)
        if not steps:
            return slope, marginal, np.ones(outputs)
        gradient = 1 - self.weight / (kernel @ marginal) @ kernel
        return slope, np.maximum(marginal, LEAST / outputs), np.maximum(gradient, 0.0) + APART

    def _first_slope(self, marginal: FloatArray) -> float:
        """About the slope at which the rule of this p(y) just keeps the budget."""

        @cache
        def over(exponent: float) -> float:
            kernel = self._kernel(math.exp(exponent))
            share = self.weight / (kernel @ marginal)
            kernel *= self.excess
            return float(share @ (kernel @ marginal)) - self.spare

        low, high = -8.0, 2.0
        if over(low) <= 0:
            return math.exp(low)
        while over(high) > 0 and high < 60:
            high += 2
        return math.exp(optimize.brentq(over, low, high, xtol=0.1))


def _newton(
    kernel: FloatArray, barrier: FloatArray, cross: FloatArray, spread: float, over: float
) -> Callable[[FloatArray], tuple[FloatArray, float]]:
    """What gives the steps of p(y) and slope that solve the linearized conditions of the saddle."""
    for more in (0.0, 1e-13, 1e-10):  # of the largest entry, where rounding leaves nothing positive
        system = kernel.T @ kernel
        diagonal = system.ravel()[:: len(system) + 1]
        diagonal += barrier
        if more:
            diagonal += more * diagonal.max()
        factor, failed = linalg.lapack.dpotrf(system.T, overwrite_a=True)
        if not failed:
            break
    else:
        raise linalg.LinAlgError("the system of a step is not positive definite")
    across, _ = linalg.lapack.dpotrs(factor, cross)

    def solved(wanted: FloatArray) -> tuple[FloatArray, float]:
        along, _ = linalg.lapack.dpotrs(factor, wanted)
        slope_step = float(over + cross @ along) / (spread + float(cross @ across) + 1e-300)
        return along - slope_step * across, slope_step

    return solved


def _room(steps: FloatArray, others: FloatArray, last: float = 0.0) -> float:
    """The longest step up to Newton's own that nothing falls to zero by, a little short of it.

    Steps are given as shares of what they are taken from.
    """
    fall = -min(float(steps.min()), float(others.min()), last)
    return min(1.0, 0.995 / fall) if fall > 0 else 1.0
