"""How much exposure chance alone would show: the values that a safe release stays below."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from divulge._support.special_functions import chi_square_exceeded, gamma_below
from divulge._support.threads import cached_property
from divulge.errors import SchemaError
from divulge.safe_release.baseline import Baseline
from divulge.safe_release.cost import check_samples
from divulge.safe_release.kernels import LONGEST
from divulge.safe_release.rules import CST, DQT, KLD, MIS, MOMENTS, SEQ, UNMERGED, Rules
from divulge.safe_release.statistics.dixon import FEWEST, critical_ratio
from divulge.safe_release.statistics.likelihood_ratios import PriorTables
from divulge.safe_release.statistics.limit_tables import (
    FIRST,
    by_moments,
    fit_limits,
    simulated,
    simulated_sizes,
)
from divulge.safe_release.statistics.sampling import surprises

FloatArray = npt.NDArray[np.float64]
BEYOND = 20  # samples that lie beyond a critical value at least, where the level is shared by many targets
AT_FIRST = 128  # sizes of releases to begin with; twice as many each time more are needed
FARTHEST = 1 << 62  # records that may be simulated


@dataclass(frozen=True, eq=False)
class Critical:
    """The limits of every test on a baseline under given rules.

    Information is held to limits for n records together: n times bits. They fit the mean and the variance
    that chance gives, or they are simulated up to ``small`` records and beyond follow chi-square.
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
        self.check_cost(AT_FIRST)

    def check_cost(self, records: int) -> None:
        """Refuse rules whose limits for so many records would take too much memory or time."""
        if MIS in self.rules.tests or KLD in self.rules.tests:
            sizes = simulated_sizes(min(records, self.simulated_up_to))
            check_samples(self.samples, len(sizes), int(sizes[-1]))

    @property
    def small(self) -> int:
        """Releases up to this size have limits by size; those of larger ones follow chi-square."""
        return LONGEST if self.rules.limits == MOMENTS else self.simulated_up_to

    @property
    def simulated_up_to(self) -> int:
        """The largest release that is simulated."""
        values, targets = self.baseline.expected
        if self.rules.limits == MOMENTS:
            return FIRST * (targets if MIS in self.rules.tests else 1)
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
            return float(self.by_size(test, records)[records]) / records
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

    def by_size(self, test: str, records: int) -> FloatArray:
        """Limits of a test for n records, at least as far as asked and needed: n times bits, or Pearson's."""
        if test not in (MIS, KLD) and not (test == CST and self.rules.merging == UNMERGED):
            raise ValueError(f"the limits of {test} do not go by the number of records")
        most = LONGEST if test == CST else self.small
        wanted = min(records, most)
        table = self._tables.get(test)
        if table is None or len(table) <= wanted:
            size = min(most, max(AT_FIRST, 1 << (wanted - 1).bit_length()))
            table = self._tables[test] = self._by_size(test, size)
        return table

    def _by_size(self, test: str, size: int) -> FloatArray:
        shares = self.baseline.shares.tobytes()
        if test == CST:
            return fit_limits(shares, self.level, size)
        self.check_cost(size)
        targets = self.baseline.target_shares if test == MIS else np.ones(1)
        found = by_moments if self.rules.limits == MOMENTS else simulated
        return found(shares, targets.tobytes(), self.level, self.samples, self.rules.seed, size)

    def covering(self, records: int) -> dict[str, FloatArray]:
        """Limits by size of all tests that have them, for those that are asked for."""
        return {
            name: self.by_size(test, records) if test in self._sized else np.zeros(1)
            for test, name in ((MIS, "mutual"), (KLD, "distance"), (CST, "fits"))
        }

    @property
    def _sized(self) -> set[str]:
        """The tests that are asked for and whose limits go by the number of records."""
        unmerged = {CST} if self.rules.merging == UNMERGED else set()
        return ({MIS, KLD} | unmerged) & {*self.rules.tests}


def _chi_square(most: int, alpha: float) -> FloatArray:
    """Quantiles for 0 to ``most`` - 1 degrees of freedom; with none, nothing can be below."""
    limits = np.zeros(most)
    limits[1:] = chi_square_exceeded(np.arange(1, most), alpha)
    return limits
