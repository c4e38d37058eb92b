"""How n times a distance varies by chance: its mean and variance, worked out, and a quantile that fits both.

Of n records without any dependency the counts are multinomial. The statistic S = 2 n ln 2 times the distance
is a sum over values, f_x(k) = 2 (k ln(k / n p_x) - k + n p_x), so its mean needs binomial sums only. Its
variance also needs how two counts vary together: they do by r = -sqrt(p p' / ((1-p)(1-p'))), and a function's
part of order o in the orthonormal polynomials of its count by r^o. A gamma distribution with this mean and
variance has the quantile; for many records it is chi-square.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.special_functions import chi_square_exceeded, log_gamma
from divulge._support.threads import cached_property

FloatArray = npt.NDArray[np.float64]
WIDE, FINE = 9.0, 8.0  # standard deviations that sums go over, and points in one
ORDERS = 3  # of orthonormal polynomials
SHORT = 1e-12  # the square of a polynomial's length, where its count has too few values for it
CERTAIN = 1e-9  # a variance so small, in parts of the squared mean, is none but for rounding
FLOOR_RECORDS = 1 << 16  # up to which the least statistic is worked out; it falls with more records
EVERY, GROWTH = 64, 1.1  # sizes that moments are worked out for: one by one, then a tenth further


def knots(largest: float) -> FloatArray:
    """The sizes that moments are worked out for, up to the first beyond the largest."""
    sizes = [float(size) for size in range(1, EVERY + 1)]
    while sizes[-1] < largest:
        sizes.append(math.ceil(sizes[-1] * GROWTH))
    return np.array(sizes)


@dataclass(frozen=True, eq=False)
class BinomialCounts:
    """The counts that binomial variables have, one in each row, thinned where there are many; and weights."""

    shares: FloatArray
    counts: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, records: float, shares: FloatArray) -> BinomialCounts:
        p = np.minimum(shares, 1.0)[:, None]
        deviation = np.sqrt(records * p * (1 - p))
        stride = np.maximum(1.0, np.floor(deviation / FINE))
        low = np.maximum(0.0, np.floor(records * p - WIDE * deviation - stride))
        high = np.minimum(math.floor(records), np.ceil(records * p + WIDE * deviation + stride))
        k = low + stride * np.arange(int(((high - low) // stride).max()) + 1)
        there = k <= high
        k = np.where(there, k, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = -log_gamma(k + 1) - log_gamma(records - k + 1) + k * np.log(p)
            logs = logs + np.where(k == records, 0.0, (records - k) * np.log1p(-p))
        logs = np.where(there, logs, -np.inf)
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        return cls(shares, k, weights / weights.sum(axis=1, keepdims=True))

    def mean(self, function: FloatArray) -> FloatArray:
        found: FloatArray = (self.weights * function).sum(axis=1)
        return found

    def coefficients(self, function: FloatArray) -> list[FloatArray]:
        """The parts of a function in the orthonormal polynomials of a count, from the first order on."""
        centred = self.counts - self.mean(self.counts)[:, None]
        spread = np.sqrt(self.mean(centred**2))[:, None]
        z = centred / np.where(spread > 0, spread, 1.0)
        basis, found, power = [np.ones(z.shape)], [], np.ones(z.shape)
        for _ in range(ORDERS):
            one = power = power * z
            for other in basis:
                one = one - self.mean(one * other)[:, None] * other
            length = self.mean(one**2)[:, None]
            one = np.where(length > SHORT, one / np.sqrt(np.maximum(length, SHORT)), 0.0)
            basis.append(one)
            found.append(self.mean(function * one))
        return found

    def summed(self, often: FloatArray, function: FloatArray) -> tuple[float, float]:
        """The mean and the variance of a sum over multinomial counts, in which each row occurs so often."""
        centre = self.mean(function)
        variance = float(often @ self.mean((function - centre[:, None]) ** 2))
        below = np.minimum(self.shares, 1 - 1e-15)
        root = np.where(self.shares < 1, np.sqrt(below / (1 - below)), 0.0)
        for order, coefficient in enumerate(self.coefficients(function), 1):
            term = root**order * coefficient
            variance += (-1.0) ** order * float((often @ term) ** 2 - often @ term**2)
        return float(often @ centre), variance


@dataclass(frozen=True, eq=False)
class DistanceMoments:
    """What chance shows of n records of one target on a baseline."""

    shares: FloatArray  # all above 0

    @cached_property
    def _groups(self) -> tuple[FloatArray, FloatArray]:
        """Values that are expected alike: their share, and how many there are."""
        shares, often = np.unique(self.shares, return_counts=True)
        return shares, often.astype(np.float64)

    def moments(self, records: float) -> tuple[float, float]:
        """The mean and the variance of S.

        >>> mean, variance = DistanceMoments(np.full(10, 0.1)).moments(1000)
        >>> round(mean, 6), round(variance, 6)
        (9.016653, 18.067234)
        """
        shares, often = self._groups
        found = BinomialCounts.of(records, shares)
        k, expected = found.counts, records * shares[:, None]
        return found.summed(often, 2 * (k * np.log(np.maximum(k, 1.0) / expected) - k + expected))

    def floor(self, records: FloatArray) -> FloatArray:
        """The least n times bits that n records can show; beyond what was worked out, its last."""
        return _at(self._floors, records)

    def most_floor(self, records: FloatArray) -> FloatArray:
        """The most of it for so many records or more."""
        return _from(self._floors, records)

    @cached_property
    def _floors(self) -> FloatArray:
        return least(
            self.shares,
            lambda k, p: (k + 1) * math.log2(k + 1) - (k * math.log2(k) if k else 0.0) - math.log2(p),
            lambda total, n: total - n * math.log2(n),
        )


@dataclass(frozen=True, eq=False)
class MutualMoments:
    """What chance shows of n records of all targets together, from the moments of one at some sizes."""

    target: DistanceMoments
    target_shares: FloatArray  # all above 0
    sizes: FloatArray
    known: FloatArray  # mean and variance by size

    def moments(self, records: float) -> tuple[float, float]:
        """The mean and the variance of S."""
        shares, often = np.unique(self.target_shares, return_counts=True)
        found = BinomialCounts.of(records, shares)
        place, there = np.log(np.maximum(found.counts, 1.0)), found.counts > 0
        means, variances = (
            np.interp(place, np.log(self.sizes), self.known[:, part]) * there for part in (0, 1)
        )
        mean, variance = found.summed(often.astype(np.float64), means)
        return mean, variance + float(often @ found.mean(variances))

    def floor(self, records: FloatArray) -> FloatArray:
        """The least n times bits that n records can show, where each target has its share of them."""
        return np.asarray(sum(self.target.floor(records * share) for share in self.target_shares.tolist()))

    def most_floor(self, records: FloatArray) -> FloatArray:
        """A bound of it for so many records or more."""
        return np.asarray(
            sum(self.target.most_floor(records * share) for share in self.target_shares.tolist())
        )


@dataclass(frozen=True, eq=False)
class FitMoments:
    """What chance shows of Pearson's statistic of n records, on values that are not merged."""

    shares: FloatArray  # all above 0

    def moments(self, records: float) -> tuple[float, float]:
        """The mean and the variance, which are known."""
        values = len(self.shares)
        more = float((1 / self.shares).sum()) - values * values - 2 * values + 2
        return values - 1.0, 2 * (values - 1) + more / records

    def floor(self, records: FloatArray) -> FloatArray:
        """The least that n records can show."""
        return _at(self._floors, records)

    def most_floor(self, records: FloatArray) -> FloatArray:
        """The most of it for so many records or more."""
        return _from(self._floors, records)

    @cached_property
    def _floors(self) -> FloatArray:
        return least(self.shares, lambda k, p: (2 * k + 1) / p, lambda total, n: total / n - n)


def _at(floors: FloatArray, records: FloatArray) -> FloatArray:
    return np.interp(records, np.arange(len(floors)), floors)


def _from(floors: FloatArray, records: FloatArray) -> FloatArray:
    most = np.maximum.accumulate(floors[::-1])[::-1]
    found: FloatArray = most[np.minimum(records.astype(np.int64), len(floors) - 1)]
    return found


def least(
    shares: FloatArray, added: Callable[[int, float], float], read: Callable[[float, int], float]
) -> FloatArray:
    """The least statistic of n records, by n: the next record is always the one that adds least.

    That is exact, since what one more record of a value adds grows with its records.
    """
    size = min(FLOOR_RECORDS, math.ceil(4 / float(shares.min())) + 2)
    ready = [(added(0, p), 0, p) for p in shares.tolist()]
    heapq.heapify(ready)
    found, total = np.zeros(size), 0.0
    for n in range(1, size):
        more, k, p = ready[0]
        total += more
        found[n] = read(total, n)
        heapq.heapreplace(ready, (added(k + 1, p), k + 1, p))
    return np.maximum(found, 0.0)


def fitted_quantile(mean: Any, variance: Any, alpha: float) -> FloatArray:
    """What a gamma variable with this mean and variance exceeds with a probability."""
    mean = np.asarray(mean, np.float64)
    variance = np.maximum(variance, CERTAIN * mean * mean)
    return variance / (2 * mean) * chi_square_exceeded(2 * mean * mean / variance, alpha)
