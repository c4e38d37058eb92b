"""What a single value of the keys would tell of a target by chance: so many records, drawn at random."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from divulge._support.special_functions import log_gamma
from divulge.counting.counts import Counts
from divulge.readings.chance import no_chance
from divulge.utility.numbering import Floats, Integers

WIDTH, MORE = 12, 30  # standard deviations, and records, from the mean beyond which nothing is probable


class ValueChance:
    """The utility that a value of so many records has if its records are drawn from the table at random.

    A value's utility is 1 - n H(X|y) / (N H(X)), so a rare value is near 1 whatever it tells. By chance, its
    n records leave E[n H] bits open; beyond that lies what the value itself tells.
    """

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._known = no_chance(counts) is None and counts.entropy > 0

    def of(self, records: int) -> float | None:
        """The expected utility; None where shuffling says nothing."""
        if not self._known:
            return None
        targets = tuple(self._counts.target_weight.astype(np.int64).tolist())
        return 1 - _open(records, targets) / (self._counts.records * self._counts.entropy)

    def beside(self, utility: float, records: int) -> tuple[float | None, float | None]:
        """Chance, and the utility beyond it: 0 at chance, 1 at most, below 0 where it tells less."""
        chance = self.of(records)
        if chance is None or math.isclose(chance, 1, abs_tol=1e-12):
            return chance, None  # a single record tells any target
        share = (utility - chance) / (1 - chance)
        return chance, 0.0 if abs(share) < 1e-9 else share


@lru_cache(maxsize=256)
def _open(drawn: int, targets: tuple[int, ...]) -> float:
    """E[n H(X)] in bits over all ways to draw n records: n log2 n - sum of E[k log2 k] over the values.

    >>> round(_open(2, (2, 2)), 6)  # of six ways to draw two of four, four have one of each: 2 bits
    1.333333
    """
    often, times = np.unique([count for count in targets if count], return_counts=True)
    expected = sum(
        many * _weighed(drawn, int(count), sum(targets))
        for count, many in zip(often.tolist(), times.tolist(), strict=True)
    )
    return max(drawn * math.log2(drawn) - expected, 0.0) if drawn else 0.0


def _weighed(drawn: int, count: int, records: int) -> float:
    """E[k log2 k], where k of the drawn records are among so many of all."""
    mean = drawn * count / records
    reach = WIDTH * math.sqrt(mean * (1 - count / records)) + MORE
    low = max(0, drawn + count - records, math.floor(mean - reach))
    high = min(drawn, count, math.ceil(mean + reach))
    k: Integers = np.arange(low, high + 1)
    ways = _choose(count, k) + _choose(records - count, drawn - k)
    chances = np.exp(ways - ways.max())
    return float(chances @ (k * np.log2(np.maximum(k, 1))) / chances.sum())


def _choose(of: int, taken: Integers) -> Floats:
    """The logarithm of the number of ways."""
    found: Floats = log_gamma(of + 1) - log_gamma(taken + 1) - log_gamma(of - taken + 1)
    return found
