"""How near what is outside is to the limit of every test, for all targets together or for each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.safe_release import kernels
from divulge.safe_release.critical import Critical
from divulge.safe_release.kernels import Outside, TestLimits
from divulge.safe_release.rules import CST, DQT, KLD, MIS, SEQ, UNITS

FloatArray = npt.NDArray[np.float64]
MOST_ODDS = 700.0  # ln of odds that can still be written as a number
NEAR = 1e-9  # what is so near to the worst, in parts of it, is looked at exactly


@dataclass(frozen=True)
class Exposure:
    """The value of one test on a released set, for all targets or for one, with its critical value.

    Where a test cannot be carried out yet there is neither, and nothing stands against a release: too few
    records of a target for a chi-square test, fewer than three different distances for Dixon's. An
    exposure beyond every limit has a critical value and no value.
    """

    test: str
    target: object  # the name of a target, or None for all together
    value: float | None
    critical: float | None
    safe: bool

    @property
    def used(self) -> float | None:
        """How much of what is allowed is used up: 1 is the limit, and infinite is beyond every limit."""
        if self.critical is None:
            return None
        return self.value / self.critical if self.critical and self.value is not None else math.inf

    def to_dict(self) -> dict[str, Any]:
        return {
            "test": self.test,
            "target": self.target,
            "value": self.value,
            "critical": self.critical,
            "unit": UNITS[self.test],
            "safe": self.safe,
        }


def worst_of(every: Sequence[Exposure], test: str) -> Exposure:
    """The exposure that is nearest to its limit, the first of several; one that says nothing if none is."""
    found = (one for one in every if one.test == test)
    default = Exposure(test, None, None, None, True)
    return max(found, key=lambda one: -1.0 if one.used is None else one.used, default=default)


@dataclass(frozen=True, eq=False)
class ExposedSet:
    """What is outside, and the limits that it is held to."""

    outside: Outside
    limits: TestLimits
    records: int = field(repr=False)
    critical: Critical

    def every(self) -> tuple[Exposure, ...]:
        """What every test reads."""
        return tuple(
            self._exposure(test, target)
            for test in self.critical.rules.tests
            for target in self._targets(test)
        )

    def worst(self) -> tuple[Exposure, ...]:
        """For each test the exposure that is nearest to its limit."""
        by_target = self.critical.rules.by_target
        return tuple(
            worst_of([self._exposure(test, target) for target in self._nearest(test)], test)
            if test in by_target
            else self._exposure(test, None)
            for test in self.critical.rules.tests
        )

    def _targets(self, test: str) -> Sequence[int | None]:
        """The targets that a test looks at one by one; None is all together."""
        if test not in self.critical.rules.by_target:
            return [None]
        return np.flatnonzero(self.outside.totals).tolist()

    def _nearest(self, test: str) -> Sequence[int | None]:
        """Those of them among which the one that is nearest to its limit is, found for all at once."""
        there = np.flatnonzero(self.outside.totals)
        if len(there) < 2:
            return self._targets(test)
        used = self._used(test, there)
        most = float(used.max())
        near = there if not math.isfinite(most) else there[used >= most - NEAR * max(abs(most), 1.0)]
        return near.tolist()

    def _used(self, test: str, there: npt.NDArray[np.int64]) -> FloatArray:
        """How much of its limit each target uses, but for rounding; or what grows with that."""
        outside = self.outside
        if test == SEQ:
            return np.minimum(outside.evidence[there], MOST_ODDS)
        if test == KLD:
            values, allowed = outside.surprise[there], self._distance_limits(outside.totals[there])
        else:
            values, allowed = outside.fit[there], self._fit_limits(there)
        with np.errstate(divide="ignore", invalid="ignore"):
            used: FloatArray = np.where(allowed > 0, values / allowed, np.inf)
        return np.where(outside.bins[there] > 1, used, -1.0) if test == CST else used

    def _distance_limits(self, records: npt.NDArray[np.int64]) -> FloatArray:
        """As ``kernels.distance_limit``, for all targets."""
        limits = self.limits
        last = len(limits.distance) - 1
        by_size = np.where(records <= last, limits.distance[np.minimum(records, last)], 0.0)
        beyond = kernels.distance_limit(self.outside, limits, limits.small + 1)
        return np.where(records <= limits.small, by_size, beyond)

    def _fit_limits(self, there: npt.NDArray[np.int64]) -> FloatArray:
        """As ``kernels.fit_limit``, for all targets."""
        if self.limits.unmerged:
            return np.array([kernels.fit_limit(self.outside, self.limits, y) for y in there.tolist()])
        found: FloatArray = self.limits.by_degrees[np.maximum(self.outside.bins[there] - 1, 0)]
        return found

    def _exposure(self, test: str, y: int | None) -> Exposure:
        value, critical = self._value(test, y)
        if critical is None:
            value = None
        safe = critical is None or (value is not None and value < critical * (1 - kernels.TIE))
        target = None if y is None else self.critical.baseline.domain.targets[y]
        return Exposure(test, target, value, critical, safe)

    def _value(self, test: str, y: int | None) -> tuple[float | None, float | None]:
        outside, limits = self.outside, self.limits
        if test == MIS and self.records:
            limit = kernels.mutual_limit(outside, limits, self.records)
            return _finite(np.add.reduce(outside.surprise) / self.records), limit / self.records
        if test == KLD and y is not None:
            records = int(outside.totals[y])
            limit = kernels.distance_limit(outside, limits, records)
            return _finite(outside.surprise[y] / records), limit / records
        if test == CST and y is not None and outside.bins[y] > 1:
            return _finite(outside.fit[y]), kernels.fit_limit(outside, limits, y)
        if test == SEQ and self.records:
            evidence = kernels.evidence_of(outside, limits, y or 0)
            odds = math.exp(evidence) if evidence < MOST_ODDS else math.inf
            return _finite(odds), self.critical.odds
        if test == DQT:
            ratio, different = kernels.dixon(outside)
            if different >= 3:
                return _finite(ratio), float(limits.ratios[different])
        return None, None


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
