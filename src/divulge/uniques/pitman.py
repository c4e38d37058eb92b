"""Pitman's model of a population: how many people are unique in it, from the sizes of classes in a sample.

The next person falls into a new class with a chance that grows with the number of classes so far (Pitman
1995, Hoshino 2001). The two parameters are those of highest likelihood, alpha from 0 to 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from divulge._support.special_functions import log_gamma
from divulge.errors import Undefined
from divulge.uniques.roots import crossing
from divulge.uniques.size_counts import Floats, SizeCounts

DIRECT = 100_000  # terms of a sum that are added one by one; the rest is an integral, to all digits
NONE = 1e-9  # alpha that is taken for 0


@dataclass(frozen=True)
class PitmanFit:
    """The parameters of highest likelihood."""

    theta: float
    alpha: float

    def uniques(self, population: float) -> float:
        """How many people of a population are expected to be unique."""
        ratio = float(log_gamma(self.theta + 1) - log_gamma(self.theta + self.alpha))
        return math.exp(ratio + self.alpha * math.log(population))


def pitman_fit(counts: SizeCounts) -> PitmanFit:
    """The model that makes the sizes of the sample's classes most likely; Undefined where none does."""
    if counts.occupied == counts.records:
        raise Undefined("every record is unique, and the likelihood grows without end")
    if counts.occupied == 1:
        raise Undefined("all records are alike, and the likelihood has no maximum")
    if _slope_by_alpha(NONE, counts) <= 0:
        return PitmanFit(_theta(0.0, counts), 0.0)
    alpha = crossing(lambda alpha: _slope_by_alpha(alpha, counts), NONE, 1 - NONE)
    return PitmanFit(_theta(alpha, counts), alpha)


def _slope_by_alpha(alpha: float, counts: SizeCounts) -> float:
    """How the log-likelihood changes with alpha, theta being the best for it."""
    most = int(counts.sizes.max())
    classes = np.bincount(counts.sizes, weights=counts.classes, minlength=most + 1)
    larger = counts.occupied - np.cumsum(classes)[1:most]  # classes of more than i records, i from 1 on
    within = float((larger / (np.arange(1, most) - alpha)).sum())
    return _sum_weighted(_theta(alpha, counts), alpha, counts.occupied - 1) - within


def _theta(alpha: float, counts: SizeCounts) -> float:
    """The best theta for an alpha."""

    def slope(logarithm: float) -> float:
        theta = math.exp(logarithm) - alpha
        new = sum_reciprocals(theta, alpha, counts.occupied - 1)
        return new - sum_reciprocals(theta, 1.0, counts.records - 1)

    low, high = math.log(1e-9), math.log(counts.records)
    while slope(high) > 0:
        high += math.log(100)
        if high > 60:
            raise Undefined("the likelihood grows without end")
    return math.exp(crossing(slope, low, high)) - alpha


def sum_reciprocals(theta: float, alpha: float, terms: int) -> float:
    """The sum of 1 / (theta + i alpha) for i from 1 to the number of terms.

    >>> round(sum_reciprocals(0, 1, 4), 4)
    2.0833
    """
    total = float((1 / (theta + alpha * _first(terms))).sum())
    if terms <= DIRECT:
        return total
    if alpha == 0:
        return terms / theta
    low, high = theta + alpha * (DIRECT + 0.5), theta + alpha * (terms + 0.5)
    return total + math.log(high / low) / alpha + alpha / 24 * (1 / high**2 - 1 / low**2)


def _sum_weighted(theta: float, alpha: float, terms: int) -> float:
    """The sum of i / (theta + i alpha)."""
    first = _first(terms)
    total = float((first / (theta + alpha * first)).sum())
    if terms <= DIRECT:
        return total
    rest = sum_reciprocals(theta, alpha, terms) - sum_reciprocals(theta, alpha, DIRECT)
    return total + (terms - DIRECT - theta * rest) / alpha


def _first(terms: int) -> Floats:
    return np.arange(1, min(terms, DIRECT) + 1, dtype=np.float64)
