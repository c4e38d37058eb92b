"""How much exposure chance alone would show: the values that a safe release stays below."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support import threads
from divulge._support.special_functions import chi_square_exceeded, gamma_below
from divulge.errors import SchemaError
from divulge.safe_release.baseline import Baseline
from divulge.safe_release.cost import check_samples
from divulge.safe_release.rules import DQT, KLD, MIS, SEQ, Rules
from divulge.safe_release.sampling import surprises
from divulge.safe_release.statistics.dixon import FEWEST, critical_ratio
from divulge.safe_release.statistics.likelihood_ratios import PriorTables

FloatArray = npt.NDArray[np.float64]
EVERY = 256  # sizes up to here are simulated one by one, further ones in steps of GROWTH
GROWTH = 1.02
BEYOND = 20  # samples that lie beyond a critical value at least, where the level is shared by many targets
ORDINARY = 1e-6  # by how much, in parts of itself, what is most ordinary stays below its limit
FIRST = 128  # sizes simulated to begin with; twice as many each time more are needed
FARTHEST = 1 << 62  # records, where simulation has no end


@dataclass(frozen=True, eq=False)
class Critical:
    """The limits of every test on a baseline under given rules.

    Information is held to limits for n records together: n times bits. Up to ``small`` records they are
    simulated, beyond they follow the chi-square distribution.
    """

    baseline: Baseline
    rules: Rules
    _tables: dict[str, FloatArray] = field(default_factory=dict, repr=False)

    def check(self) -> None:
        """Refuse a baseline on which a test would let everything pass, or nothing."""
        values, targets = self.baseline.expected
        if values < 2:
            raise SchemaError(
                "X has a single value in the baseline, so its distribution cannot reveal a target "
                "and no test is possible.",
                hint="Choose other attributes for X, or finer ranges.",
            )
        if DQT in self.rules.tests and targets < FEWEST:
            raise SchemaError(
                f"Dixon's test looks for one target among at least {FEWEST}, and the baseline has {targets}: "
                "everything would pass.",
                hint="Use mis, kld or cst.",
            )
        if SEQ in self.rules.tests and self.rules.known_counts and self.baseline.counts is None:
            raise SchemaError(
                "Known counts are those of the table itself, and this baseline has shares only.",
                hint="Use the table as the baseline, or leave known counts out.",
            )
        self.check_cost(FIRST)

    def check_cost(self, records: int) -> None:
        """Refuse rules whose limits for so many records would take too much memory or time."""
        if MIS in self.rules.tests or KLD in self.rules.tests:
            sizes = _sizes(min(records, self.small))
            check_samples(self.samples, len(sizes), int(sizes[-1]))

    @property
    def small(self) -> int:
        """Releases up to this size have simulated limits."""
        values, targets = self.baseline.expected
        return min(self.rules.reach * values * targets, FARTHEST)

    @cached_property
    def level(self) -> float:
        """The significance level of each comparison."""
        return self.rules.level(self.baseline.expected[1])

    @property
    def samples(self) -> int:
        """How many samples are behind a limit; a level for the whole set may need more than asked for."""
        if not self.rules.familywise:
            return self.rules.samples
        return max(self.rules.samples, math.ceil(BEYOND / self.level))

    def limit(self, test: str, records: int) -> float:
        """The limit of mutual information or distance for so many records, in bits per record.

        Degrees of freedom are those of the domain.
        """
        if test not in (MIS, KLD) or records < 1:
            raise ValueError("limits by number of records are those of mis and kld, from one record on")
        if records <= self.small:
            return float(self.simulated(test, records)[records]) / records
        return float(chi_square_exceeded(self.degrees(test), self.level)) / (2 * records * math.log(2))

    def distribution(self, test: str, records: int, samples: int, bins: int) -> list[dict[str, float]]:
        """How the statistic of an information test varies by chance: simulated, and as chi-square says.

        The statistic is 2 n ln 2 times the bits of n records. The simulated shares of its bins add up to 1.
        """
        expected = self.baseline.target_shares if test == MIS else np.ones(1)
        found = np.empty((samples, 1))
        possible, targets = self.baseline.shares[self.baseline.shares > 0], expected[expected > 0]
        surprises(possible, targets, np.array([records]), 0, self.rules.seed, found)
        statistic, degrees = 2 * math.log(2) * found[:, 0], self.degrees(test)
        low, high = chi_square_exceeded(degrees, [0.999, 0.001]).tolist()
        span = min(float(statistic.min()), low), max(float(statistic.max()), high)
        counts, edges = np.histogram(statistic, bins=bins, range=span)
        below = gamma_below(degrees / 2, edges / 2)
        return [
            {"low": low, "high": high, "simulated": count / samples, "chi_square": share}
            for low, high, count, share in zip(
                edges.tolist(), edges[1:].tolist(), counts.tolist(), np.diff(below).tolist(), strict=False
            )
        ]

    def degrees(self, test: str) -> int:
        """The degrees of freedom of an information test, those of the domain."""
        return self.joint_degrees if test == MIS else self.baseline.expected[0] - 1

    @property
    def joint_degrees(self) -> int:
        values, targets = self.baseline.expected
        return (values - 1) * targets

    @cached_property
    def by_degrees(self) -> FloatArray:
        """Chi-square limits by degrees of freedom, as many as the values of the domain can have."""
        return _chi_square(len(self.baseline.domain.values), self.level)

    @cached_property
    def joint(self) -> FloatArray:
        """Chi-square limits of the mutual information: a single one, or by degrees of freedom."""
        if self.rules.degrees == "present":
            values, targets = self.baseline.domain.shape
            return _chi_square((values - 1) * targets + 1, self.level)
        return np.array([float(chi_square_exceeded(self.joint_degrees, self.level))])

    @cached_property
    def ratios(self) -> FloatArray:
        """Dixon's limits by number of different distances."""
        if DQT not in self.rules.tests:
            return np.zeros(1)
        targets = len(self.baseline.domain.targets)
        few = [math.inf] * FEWEST
        alpha = self.level
        return np.array([*few, *(critical_ratio(n, alpha) for n in range(FEWEST, targets + 1))])

    @cached_property
    def odds(self) -> float:
        """What likelihood ratios have to stay below."""
        return 1 / self.level

    @cached_property
    def priors(self) -> PriorTables:
        """What likelihood ratios on the baseline need."""
        return PriorTables(self.baseline.shares, self.baseline.counts if self.rules.known_counts else None)

    def simulated(self, test: str, records: int) -> FloatArray:
        """Limits of an information test for n records, n times bits, at least as far as asked and needed."""
        if test not in (MIS, KLD):
            raise ValueError(f"the limits of {test} are not simulated")
        wanted = min(records, self.small)
        table = self._tables.get(test)
        if table is None or len(table) <= wanted:
            size = min(self.small, max(FIRST, 1 << (wanted - 1).bit_length()))
            self.check_cost(size)
            targets = self.baseline.target_shares if test == MIS else np.ones(1)
            table = _simulated(
                self.baseline.shares.tobytes(),
                targets.tobytes(),
                self.level,
                self.samples,
                self.rules.seed,
                size,
            )
            self._tables[test] = table
        return table

    def covering(self, records: int) -> tuple[FloatArray, FloatArray]:
        """Simulated limits of both information tests, for those that are asked for."""
        none = np.zeros(1)
        return (
            self.simulated(MIS, records) if MIS in self.rules.tests else none,
            self.simulated(KLD, records) if KLD in self.rules.tests else none,
        )


def _chi_square(most: int, alpha: float) -> FloatArray:
    """Quantiles for 0 to ``most`` - 1 degrees of freedom; with none, nothing can be below."""
    limits = np.zeros(most)
    limits[1:] = chi_square_exceeded(np.arange(1, most), alpha)
    return limits


@lru_cache(maxsize=64)
def _simulated(
    shares: bytes, target_shares: bytes, alpha: float, samples: int, seed: int, size: int
) -> FloatArray:
    """Limits for 0 to ``size`` records: quantiles of what is seen without any dependency."""
    p, q = np.frombuffer(shares), np.frombuffer(target_shares)
    possible = p[p > 0]
    # The last size may lie beyond, so that limits do not depend on how far they are asked for.
    sizes = _sizes(size)
    found = np.empty((samples, len(sizes)))
    parts = threads.shares(samples, min(threads.cores(), samples))
    threads.run(lambda part: surprises(possible, q[q > 0], sizes, part.start, seed, found[part]), parts)
    place = max(math.ceil((1 - alpha) * samples - 1e-9), 1) - 1
    limits = _above(np.partition(found, place, axis=0)[place], found.min(axis=0))
    table = np.interp(np.arange(size + 1), sizes, limits)
    table[0] = 0.0
    table[1] = _alone(possible, alpha)
    table.flags.writeable = False
    return table


def _sizes(largest: int) -> npt.NDArray[np.int64]:
    """All sizes while they are small, then always a fiftieth further, up to the first beyond."""
    sizes = list(range(1, min(EVERY, largest) + 1))
    while sizes[-1] < largest:
        sizes.append(math.floor(sizes[-1] * GROWTH))
    return np.asarray(sizes)


def _alone(shares: FloatArray, alpha: float) -> float:
    """The limit of a single record, which needs no simulation: the quantile of -log2 p(x)."""
    ordered = np.sort(shares)[::-1]
    place = int(np.searchsorted(np.cumsum(ordered), 1 - alpha - 1e-12))
    bits = -np.log2(ordered)
    return float(_above(bits[min(place, len(ordered) - 1)], bits[0]))


def _above(limit: Any, least: Any) -> Any:
    """A limit that what chance shows at the least stays below: the most ordinary release is never peculiar.

    With few values the quantile can be that least itself, and strictly below it nothing could ever leave.
    """
    return np.maximum(limit, least + ORDINARY * np.maximum(least, 1.0))
