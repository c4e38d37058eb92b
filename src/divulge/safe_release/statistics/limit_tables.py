"""Limits of releases of n records, for all n up to some: simulated where n is small, then by moments.

Chance's own quantile falls, from where simulation ends, onto that of chi-square: a release that has used its
limit up before would stop there. Quantiles that fit the mean and the variance of every size have no such
step, and they stay above the least that a release of the size can show, so that some record may always leave.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from divulge._support import threads
from divulge.safe_release.statistics.moments import (
    DistanceMoments,
    FitMoments,
    MutualMoments,
    fitted_quantile,
    knots,
)
from divulge.safe_release.statistics.sampling import surprises

FloatArray = npt.NDArray[np.float64]
EVERY = 256  # sizes up to here are simulated one by one, further ones in steps of GROWTH
GROWTH = 1.02
ORDINARY = 1e-6  # by how much, in parts of itself, what is most ordinary stays below its limit
FIRST = 4  # records of a target that limits are simulated for, where they go by moments


class Moments(Protocol):
    """Mean, variance and least value of a statistic by records; and the most of that from so many on."""

    def moments(self, records: float) -> tuple[float, float]: ...

    def floor(self, records: FloatArray) -> FloatArray: ...

    def most_floor(self, records: FloatArray) -> FloatArray: ...


@lru_cache(maxsize=64)
def simulated(
    shares: bytes, target_shares: bytes, alpha: float, samples: int, seed: int, size: int
) -> FloatArray:
    """Limits for 0 to ``size`` records: quantiles of what is seen without any dependency."""
    p, q = np.frombuffer(shares), np.frombuffer(target_shares)
    possible = p[p > 0]
    # The last size may lie beyond, so that limits do not depend on how far they are asked for.
    sizes = simulated_sizes(size)
    found = np.empty((samples, len(sizes)))
    parts = threads.shares(samples, min(threads.cores(), samples))
    threads.run(lambda part: surprises(possible, q[q > 0], sizes, part.start, seed, found[part]), parts)
    place = max(math.ceil((1 - alpha) * samples - 1e-9), 1) - 1
    limits = _above(np.partition(found, place, axis=0)[place], found.min(axis=0))
    table = np.interp(np.arange(size + 1), sizes, limits)
    table[0] = 0.0
    table[1] = alone(-np.log2(possible), possible, alpha)
    table.flags.writeable = False
    return table


def simulated_sizes(largest: int) -> npt.NDArray[np.int64]:
    """All sizes while they are small, then always a fiftieth further, up to the first beyond."""
    sizes = list(range(1, min(EVERY, largest) + 1))
    while sizes[-1] < largest:
        sizes.append(math.floor(sizes[-1] * GROWTH))
    return np.asarray(sizes)


def alone(found: FloatArray, shares: FloatArray, alpha: float) -> float:
    """The limit of a single record, which needs no simulation: the quantile of what each value shows."""
    order = np.argsort(-shares, kind="stable")
    place = int(np.searchsorted(np.cumsum(shares[order]), 1 - alpha - 1e-12))
    shown = found[order]
    return float(_above(shown[min(place, len(shown) - 1)], shown[0]))


def _above(limit: Any, least: Any) -> Any:
    """A limit that what chance shows at the least stays below: the most ordinary release is never peculiar.

    With few values the quantile can be that least itself, and strictly below it nothing could ever leave.
    """
    return np.maximum(limit, least + ORDINARY * np.maximum(least, 1.0))


@lru_cache(maxsize=64)
def by_moments(
    shares: bytes, target_shares: bytes, alpha: float, samples: int, seed: int, size: int
) -> FloatArray:
    """The same without a step: simulated for few records, and by moments from twice as many on."""
    q = np.frombuffer(target_shares)
    expected = q[q > 0]
    last = FIRST * len(expected)
    few = simulated(shares, target_shares, alpha, samples, seed, last)
    sizes = knots(max(size, 2 * last))
    target, of_target = _of_target(shares, float(sizes[-1]))
    every: Moments = target
    found = of_target
    if len(expected) > 1:
        every = MutualMoments(target, expected, sizes, of_target)
        found = _moments(every, sizes)
    limits = fitted_quantile(found[:, 0], found[:, 1], alpha) / (2 * math.log(2))
    n = np.arange(1, max(size, 2 * last) + 1, dtype=np.float64)
    by_size = np.interp(np.log(n), np.log(sizes), limits)
    begun = np.log(n[: 2 * last] / last) / math.log(2)  # 0 at the last simulated size, 1 at twice as many
    by_size[: 2 * last] = (1 - begun) * few[last] + begun * by_size[2 * last - 1]
    _stay_above(by_size, every, n, sizes)
    return _table(np.concatenate([few, by_size[last:]])[: size + 1])


@lru_cache(maxsize=64)
def fit_limits(shares: bytes, alpha: float, size: int) -> FloatArray:
    """Limits of Pearson's statistic on values that are not merged, for 0 to ``size`` records."""
    p = np.frombuffer(shares)
    possible = p[p > 0]
    every, n = FitMoments(possible), np.arange(2, size + 1, dtype=np.float64)
    sizes = knots(size)[1:]
    found = _moments(every, sizes)
    limits = fitted_quantile(found[:, 0], found[:, 1], alpha)
    by_size = np.interp(np.log(n), np.log(sizes), limits)
    _stay_above(by_size, every, n, sizes)
    return _table(np.concatenate([[0.0, alone(1 / possible - 1, possible, alpha)], by_size]))


def _stay_above(limits: FloatArray, every: Moments, n: FloatArray, sizes: FloatArray) -> None:
    """Raise limits to what n records show at the least, which is looked at only while it can reach them."""
    lowest = np.append(np.minimum.accumulate(limits[::-1])[::-1], np.inf)[np.searchsorted(n, sizes)]
    reaches = np.flatnonzero(every.most_floor(sizes) * (1 + ORDINARY) + ORDINARY > lowest)
    beyond = sizes[min(reaches[-1] + 1, len(sizes) - 1)] if len(reaches) else 0
    end = int(np.searchsorted(n, beyond, side="right"))
    limits[:end] = np.maximum(limits[:end], every.floor(n[:end]) * (1 + ORDINARY) + ORDINARY)


@lru_cache(maxsize=64)
def _of_target(shares: bytes, largest: float) -> tuple[DistanceMoments, FloatArray]:
    """The moments of one target, which those of all targets together are made from."""
    p = np.frombuffer(shares)
    target = DistanceMoments(p[p > 0])
    return target, _table(_moments(target, knots(largest)))


def _moments(every: Moments, sizes: FloatArray) -> FloatArray:
    return np.array([every.moments(size) for size in sizes.tolist()])


def _table(limits: FloatArray) -> FloatArray:
    limits.flags.writeable = False
    return limits
