"""How many people stay unique in a population, by a Bayesian nonparametric model: the Pitman-Yor process.

People come one by one. The next one joins a class of c people with a chance in proportion to c - s, or begins
a class of their own in proportion to t + s k, where k classes are there already; s is the *discount*, t the
*strength*. What is known of s and t is their posterior given the sizes of the sample's classes, s even from
0 to 1 and t + s even on a logarithmic scale beforehand. Given both, the number of people who are unique after
N people has a mean and a variance in closed form, and so no draws are needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from divulge._support.special_functions import log_gamma, normal_below
from divulge._support.threads import cached_property
from divulge.errors import Undefined
from divulge.uniques.size_counts import Floats, SizeCounts

DISCOUNTS, STRENGTHS = 65, 41  # points of the grid: discounts, and strengths for each of them
WIDEST = 14.0  # the logit of the discount runs to both sides of 0 as far as this at most
DEEP = 18.0  # how far the logarithm of the posterior falls until points no longer count
REACH = 7.0  # standard deviations of strengths to both sides
LARGE = 1000.0  # from which ratios of gamma functions go by Stirling's series
SEEN = 1e-8  # of the highest weight: points below do not count
BLOCK = 200_000  # numbers worked out at once
CREDIBLE = (0.025, 0.975)
MISFIT = 2.5  # standard deviations of a count from which classes of one or two do not fit


@dataclass(frozen=True, eq=False)
class PitmanYorPosterior:
    """Points of discount and strength with how probable each is, and the sample that they are given."""

    discount: Floats
    strength: Floats
    weight: Floats
    counts: SizeCounts

    def mean(self, of_points: Floats) -> float:
        return float(self.weight @ of_points)

    @property
    def unique_in_both(self) -> tuple[Floats, Floats]:
        """By point, mean and variance of how many who are unique in the sample are so in the population."""
        lone = self.counts.of_size(1)
        once, twice = self._left_alone(1), self._left_alone(2)
        return _moments(lone * once, lone * (lone - 1) * twice)

    @property
    def uniques(self) -> tuple[Floats, Floats]:
        """By point, mean and variance of how many people are unique in the population."""
        s, t, counts = self.discount, self.strength, self.counts
        sampled, lone, classes = counts.records, counts.of_size(1), counts.occupied
        more, alone = counts.population - sampled, self._left_alone(1)
        new = (t + s * classes) / (t + sampled + s - 1)
        mean = alone * (lone + more * new)
        # Someone who stays unique can be set aside: the others are a process of strength t + s.
        other = (t + s * classes) / (t + sampled + 2 * s - 2)
        pairs = lone * (lone - 1) + 2 * lone * more * other
        after = (t + s * classes) * (t + s * (classes + 1))
        new_pairs = after / ((t + sampled + 2 * s - 1) * (t + sampled + 2 * s - 2))
        return _moments(mean, self._left_alone(2) * (pairs + more * (more - 1) * new_pairs))

    def _left_alone(self, people: int) -> Floats:
        """How probable it is that nobody who comes after the sample joins some people who are unique."""
        joined = people * (1 - self.discount)
        sampled = log_ratio(self.strength + self.counts.records - joined, joined)
        return np.exp(sampled - log_ratio(self.strength + self.counts.population - joined, joined))

    def expected_classes(self, size: int) -> Floats:
        """How many classes of a size a sample of as many people has on average, by point."""
        s, t, sampled = self.discount, self.strength, self.counts.records
        ways = math.lgamma(sampled + 1) - math.lgamma(size + 1) - math.lgamma(sampled - size + 1)
        within = log_gamma(size - s) - log_gamma(1 - s)
        others = log_gamma(t + s + sampled - size) - log_gamma(t + s)
        return np.exp(ways + within + others - log_gamma(t + sampled) + log_gamma(t + 1))

    def below(self, people: int, size: int) -> Floats:
        """The chance that a class of some size in the sample has fewer people in the population, by point.

        How many of those who come join it is beta-binomial with size - s and t + n - (size - s).
        """
        joins, s, t, counts = people - size, self.discount, self.strength, self.counts
        more, own = counts.population - counts.records, size - s
        others = t + counts.records - own
        if joins <= 0 or more <= 0:
            return np.full(len(s), float(joins > 0))
        chance = np.exp(log_ratio(others, more) - log_ratio(t + counts.records, more))
        found = chance.copy()
        for joined in range(joins - 1):
            chance = chance * (more - joined) * (own + joined) / ((joined + 1) * (others + more - joined - 1))
            found += chance
        return np.minimum(found, 1.0)

    @cached_property
    def expected_small(self) -> dict[int, float]:
        """How many classes of one and of two people samples as large have on average."""
        return {size: self.mean(self.expected_classes(size)) for size in (1, 2)}

    @property
    def fits(self) -> bool:
        """Whether classes of one and of two are about as many as the model expects."""
        expected = self.expected_small.items()
        return max(abs(self.counts.of_size(size) - mean) / mean**0.5 for size, mean in expected) <= MISFIT

    def credible(self, moments: tuple[Floats, Floats], least: float, most: float) -> tuple[float, float]:
        """The ends of the 95 % credible interval of a number of people with these moments by point."""
        mean, variance = moments
        spread = np.sqrt(variance + 1e-12)

        def end(probability: float) -> float:
            low, high = least - 0.5, most + 0.5
            while high - low > 1e-6 * most + 1e-3:
                middle = (low + high) / 2
                below = self.mean(normal_below((middle - mean) / spread)) < probability
                low, high = (middle, high) if below else (low, middle)
            return min(max(high, least), most)

        low, high = map(end, CREDIBLE)
        return low, high


@lru_cache(maxsize=4)  # by which counts they are, not by what they say
def pitman_yor_posterior(counts: SizeCounts) -> PitmanYorPosterior:
    """What the sizes of the sample's classes say of discount and strength; Undefined at the edges."""
    if not counts.of_size(1):
        raise Undefined("no record is unique in the table")
    if counts.occupied == counts.records:
        raise Undefined("every record is unique, and the model cannot tell how many others are like them")
    low, high = -WIDEST, WIDEST
    while True:
        u = np.linspace(low, high, DISCOUNTS)
        ridge = _ridge(u, counts)
        height = _within(u, counts) + _begun(u, ridge, counts)
        high_up = np.flatnonzero(height > height.max() - DEEP)
        step = u[1] - u[0]
        narrow = u[high_up[0]] - step, u[high_up[-1]] + step
        if narrow[1] - narrow[0] > 0.6 * (high - low):
            break
        low, high = max(narrow[0], low), min(narrow[1], high)
    v = ridge + _spread(u, ridge, counts) * np.linspace(-REACH, REACH, STRENGTHS)[:, None]
    found = _within(u, counts) + _begun(u, v, counts) + np.log(v[1] - v[0])
    weight = np.exp(found - found.max())
    seen = weight > SEEN
    discount = np.broadcast_to(expit(u), v.shape)[seen]
    return PitmanYorPosterior(discount, np.exp(v[seen]) - discount, weight[seen] / weight[seen].sum(), counts)


def _within(u: Floats, counts: SizeCounts) -> Floats:
    """What joining classes says of the logit of the discount, with how probable it is beforehand."""
    s = expit(u)
    at_once = max(1, BLOCK // len(counts.sizes))
    joined = [
        log_gamma(counts.sizes - some[:, None]) @ counts.classes
        for some in np.array_split(s, range(at_once, len(s), at_once))
    ]
    return np.concatenate(joined) - counts.occupied * log_gamma(1 - s) + np.log(s) + np.log1p(-s)


def _begun(u: Floats, v: Floats, counts: SizeCounts) -> Floats:
    """What beginning classes says of it and of v, the logarithm of strength and discount together."""
    s, both, classes = expit(u), np.exp(v), counts.occupied
    begun = (classes - 1) * np.log(s) + log_ratio(both / s, classes - 1)
    return begun - log_ratio(both - s + 1, counts.records - 1)


def _ridge(u: Floats, counts: SizeCounts) -> Floats:
    """The most probable v for each discount: there is one top, found by golden sections."""
    golden = (math.sqrt(5) - 1) / 2
    low, high = np.full(len(u), -30.0), np.full(len(u), math.log(counts.records) + 25.0)
    for _ in range(45):
        first, second = high - golden * (high - low), low + golden * (high - low)
        rising = _begun(u, first, counts) < _begun(u, second, counts)
        low, high = np.where(rising, first, low), np.where(rising, high, second)
    return (low + high) / 2


def _spread(u: Floats, ridge: Floats, counts: SizeCounts) -> Floats:
    """The standard deviation of v for each discount, by how the posterior curves at its top."""
    step = 1e-3
    sides = _begun(u, ridge + step, counts) + _begun(u, ridge - step, counts)
    curve = (2 * _begun(u, ridge, counts) - sides) / step**2
    return 1 / np.sqrt(np.maximum(curve, 0.05))


def log_ratio(x: Any, more: Any) -> Floats:
    """ln of gamma(x + more) / gamma(x), to all digits also where both are huge.

    >>> round(log_ratio(3.0, 2).item(), 12) == round(math.log(12), 12)
    True
    """
    x, more = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(more, np.float64))
    large = np.where((x > LARGE) & (x + more > LARGE), x, LARGE + np.abs(more))
    ends = large + more, large
    rest = [1 / (12 * end) - 1 / (360 * end**3) for end in ends]
    series = (large - 0.5) * np.log1p(more / large) + more * (np.log(ends[0]) - 1) + rest[0] - rest[1]
    small = np.where(large == x, 1.0, x)
    exact = log_gamma(small + np.where(large == x, 0.0, more)) - log_gamma(small)
    return np.where(large == x, series, exact)


def _moments(mean: Floats, pairs: Floats) -> tuple[Floats, Floats]:
    """Mean and variance from the mean and that of n (n - 1)."""
    return mean, np.maximum(pairs + mean - mean * mean, 0.0)


def expit(u: Floats) -> Floats:
    """The share whose logit is u."""
    return 1 / (1 + np.exp(-u))
