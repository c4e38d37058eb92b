"""How far mutual information spreads over unrelated data with the same classes and target frequencies.

Its distribution is close to a gamma distribution with the exact mean and the right variance. The variance
comes from class sizes alone: classes are drawn independently, and what the fixed frequencies of target
values explain is taken out by regression. So the cost depends on the different sizes, not on the records.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from divulge._support.seeds import SEED
from divulge._support.special_functions import gamma_above, gamma_exceeded
from divulge.counting.counts import Counts, Floats, Integers
from divulge.readings.null_mean import distinct_sizes

EACH = 12  # sizes up to which each is drawn; of larger ones two between a size and its double
FEWEST, MOST, WORK = 300, 12_000, 30_000  # classes drawn of each size, and the cells they may take
HELD = 256  # sizes of which it is remembered what was drawn


@dataclass(frozen=True)
class Gamma:
    """A gamma distribution by its mean and variance; a point where there is no variance."""

    mean: float
    variance: float

    def above(self, value: float) -> float:
        """How probable it is to find at least this value."""
        if self._point:
            return 1.0 if value <= self.mean * (1 + 1e-9) + 1e-15 else 0.0
        return float(gamma_above(self.mean**2 / self.variance, max(value, 0.0) * self.mean / self.variance))

    def exceeded(self, probability: float) -> float:
        """The value that is exceeded with this probability."""
        if self._point:
            return self.mean
        shape = self.mean**2 / self.variance
        return float(gamma_exceeded(shape, probability)) * self.variance / self.mean

    @property
    def _point(self) -> bool:
        return self.mean <= 0 or self.variance <= (1e-9 * self.mean) ** 2


def information_variance(counts: Counts, seed: int = SEED) -> float:
    """The variance of I(X;Y), in bits squared, over all ways to deal the targets to the classes.

    n I is the sum over classes of g = sum_x N ln(N / (s p(x))), s being the size of the class. Classes that
    are drawn independently have too much variance, since target values keep their frequencies: a class leaves
    g - b N, with b from the regression of the sum of g on all frequencies. A share 1 - s/n of that is left
    to a class of s records, because the last class follows from the others.
    """
    sizes, often = distinct_sizes(counts)
    frequencies = np.sort(counts.target_weight.astype(np.int64))
    frequencies = frequencies[frequencies > 0]
    records = int(frequencies.sum())
    if len(frequencies) < 2 or counts.classes < 2 or sizes[-1] < 2:
        return 0.0
    steps = _steps(sizes)
    drawn = list(_drawn(steps, frequencies, seed))
    slopes = np.stack([g @ values / (len(g) - 1) for g, values in drawn]) / steps[:, None]
    tied = np.array([often @ (sizes * _between(sizes, steps, slope)) for slope in slopes.T])
    shares = np.add.reduceat(frequencies, _first_of_each(frequencies)) / records
    centred = (tied - tied.mean()) / (records * shares)
    b = centred - centred.mean()  # the pseudoinverse of n (diag(p) - p p'), times what is tied
    left = np.array([(g - values @ b).var(ddof=1) for g, values in drawn])
    of_sizes = _between(sizes, steps, left) * (1 - sizes / records)
    return float(often @ of_sizes) / (records * np.log(2)) ** 2


def _steps(sizes: Integers) -> Integers:
    """The sizes that are drawn: small ones all, of larger ones those around them that all questions share."""
    large = sizes[sizes > EACH]
    if not len(large):
        return sizes
    first = math.floor(2 * math.log2(int(large[0]) / EACH) + 1e-9)
    last = math.ceil(2 * math.log2(int(large[-1]) / EACH) - 1e-9)
    shared = np.ceil(EACH * 2.0 ** (np.arange(first, last + 1) / 2) - 1e-9).astype(np.int64)
    return np.unique(np.concatenate([sizes[sizes <= EACH], shared]))


def _between(sizes: Integers, steps: Integers, values: Floats) -> Floats:
    """Values at all sizes from those at some."""
    return np.interp(np.log(sizes), np.log(steps), values)


def _first_of_each(frequencies: Integers) -> Integers:
    """Where each frequency begins; values equally frequent can stand for one another."""
    return np.flatnonzero(np.diff(frequencies, prepend=-1))


def _drawn(steps: Integers, frequencies: Integers, seed: int) -> Iterator[tuple[Floats, Floats]]:
    """For each size g of classes drawn at random, and records by frequency of their value, less the means."""
    shape = frequencies.tobytes()
    return (_drawn_of(size, shape, seed) for size in steps.tolist())


@lru_cache(maxsize=HELD)
def _drawn_of(size: int, shape: bytes, seed: int) -> tuple[Floats, Floats]:
    """The same for one size; all questions about one target share what was drawn."""
    frequencies = np.frombuffer(shape, np.int64)
    first, shares = _first_of_each(frequencies), frequencies / frequencies.sum()
    rng = np.random.default_rng([seed, size])
    times = min(max(WORK // min(size, len(shares)), FEWEST), MOST)
    if size < len(shares):
        g, values = _few_records(size, times, shares, first, rng)
    else:
        table = rng.multinomial(size, shares, times)
        ratio = table / (size * shares)
        g = (table * np.log(np.where(table, ratio, 1.0))).sum(axis=1)
        values = np.add.reduceat(table, first, axis=1)
    return g - g.mean(), values - values.mean(axis=0)


def _few_records(
    size: int, times: int, shares: Floats, first: Integers, rng: np.random.Generator
) -> tuple[Floats, Integers]:
    """The same for fewer records than there are values: record by record."""
    values, places = len(shares), len(first)
    value = np.searchsorted(np.cumsum(shares)[:-1], rng.random((times, size)), side="right")
    word, number = np.unique((value + np.arange(times)[:, None] * values).ravel(), return_counts=True)
    nats = number * np.log(number / (size * shares[word % values]))
    g = np.bincount(word // values, weights=nats, minlength=times)
    place = np.searchsorted(first, value, side="right") - 1 + np.arange(times)[:, None] * places
    return g, np.bincount(place.ravel(), minlength=times * places).reshape(times, places)
