"""How readings spread over unrelated data: as mutual information does, or as shuffles show."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from divulge._support.special_functions import log_gamma
from divulge._support.threads import cached_property
from divulge.counting.counts import Counts, Floats, Integers
from divulge.measures.information import mutual_information
from divulge.measures.registry import Measure
from divulge.readings.null_mean import distinct_sizes
from divulge.readings.null_spread import Gamma, information_variance

LEVEL = 0.01  # how often unrelated data go beyond what they are said to reach
PERMUTATIONS = 199  # shuffles, unless they take long
AT_ONCE = 1 << 16  # sizes times target values that are looked at together

#: Readings that are a straight line in I(X;Y) for a given H(X), so that they keep its expectation.
LINEAR: dict[str, Callable[[float, float], float]] = {
    "mutual_information": lambda entropy, information: information,
    "conditional_entropy": lambda entropy, information: entropy - information,
    "normalized_conditional_entropy": lambda entropy, information: 1 - information / entropy,
    "discrimination_rate": lambda entropy, information: information / entropy,
}
#: Readings that follow from I(X;Y) and H(X), so that they keep its quantiles.
FOLLOWING: dict[str, Callable[[float, float], float]] = {
    **LINEAR,
    "conditional_privacy": lambda entropy, information: -math.expm1(-information * math.log(2)),
}
#: Readings that are the riskiest possible as soon as one class has a single target value.
CERTAIN = frozenset({"itpr", "worst_posterior", "entropy_l_diversity_risk", "alpha_k_anonymity"})


class Null(Protocol):
    """How one reading spreads over unrelated data."""

    @property
    def spread(self) -> float:
        """Its standard deviation."""

    def reach(self, probability: float) -> float:
        """The reading that unrelated data go beyond, towards risk, with at most this probability."""

    def p_value(self, value: float) -> float:
        """How probable a reading as risky as this one is in unrelated data."""

    def level(self, compared: int) -> float:
        """The p-value from which a reading is beyond chance, when so many are compared."""


@dataclass(frozen=True, eq=False)
class NullInformation:
    """I(X;Y) in bits over unrelated data: its mean, and a gamma distribution when first asked for."""

    counts: Counts
    expected: float
    seed: int
    variance: float | None = None  # worked out from class sizes unless known

    @cached_property
    def gamma(self) -> Gamma:
        if self.variance is not None:
            return Gamma(self.expected, self.variance)
        asked = ("variance of information", self.seed)
        found = self.counts.once(asked, lambda: information_variance(self.counts, self.seed))
        return Gamma(self.expected, found)


@dataclass(frozen=True, eq=False)
class Following:
    """The spread of a reading that follows from mutual information."""

    counts: Counts
    measure: Measure
    information: NullInformation

    @cached_property
    def spread(self) -> float:
        deviation = math.sqrt(self.information.gamma.variance)
        mean = self.information.expected
        return abs(self._reading(mean + deviation) - self._reading(max(mean - deviation, 0.0))) / 2

    def reach(self, probability: float) -> float:
        return self._reading(self.information.gamma.exceeded(probability))

    def p_value(self, value: float) -> float:
        return self.information.gamma.above(mutual_information(self.counts))

    def level(self, compared: int) -> float:
        return LEVEL / compared

    def _reading(self, information: float) -> float:
        entropy = self.counts.entropy
        return FOLLOWING[self.measure.name](entropy, min(information, entropy))


@dataclass(frozen=True)
class Always:
    """A reading that is the same in all unrelated data, and the riskiest possible."""

    value: float
    spread: float = 0.0

    def reach(self, probability: float) -> float:
        return self.value

    def p_value(self, value: float) -> float:
        return 1.0

    def level(self, compared: int) -> float:
        return LEVEL / compared


@dataclass(frozen=True, eq=False)
class Drawn:
    """The spread of a reading over shuffles; of a maximum, the maximum of each shuffle."""

    values: Floats
    measure: Measure
    certain: float = 0.0  # how probable it is that some class has a single target value
    ceiling: float | None = None

    @property
    def spread(self) -> float:
        return float(self.values.std(ddof=1)) if len(self.values) > 1 else math.nan

    def reach(self, probability: float) -> float:
        if self.ceiling is not None and self.certain > probability:
            return self.ceiling
        risk = np.sort(self.values if self.measure.riskier == "higher" else -self.values)
        found = float(risk[max(math.ceil((1 - probability) * len(risk)) - 1, 0)])
        return found if self.measure.riskier == "higher" else -found

    def p_value(self, value: float) -> float:
        near = 1e-9 * max(abs(value), 1e-6)
        as_risky = (
            self.values >= value - near if self.measure.riskier == "higher" else self.values <= value + near
        )
        return (1 + int(np.count_nonzero(as_risky))) / (1 + len(self.values))

    def level(self, compared: int) -> float:
        return max(LEVEL / compared, 1 / (1 + PERMUTATIONS))  # a p-value of shuffles cannot be any smaller


def certain_by_chance(counts: Counts) -> float:
    """How probable it is that unrelated data have a class with a single target value.

    The expected number of such classes is sum_y sum_x C(N_x, a) / C(n, a), a being the size of the class;
    they are rare and nearly independent, so that none occurs with probability exp(-expected).
    """
    sizes, often = distinct_sizes(counts)
    at_once = max(AT_ONCE // max(len(counts.target_values), 1), 1)
    parts = [sizes[first : first + at_once] for first in range(0, len(sizes), at_once)]
    ways = [way for part in parts for way in _single_valued(part, counts.target_weight, counts.records)]
    return -math.expm1(-float(often @ np.asarray(ways)))


def _single_valued(sizes: Integers, frequent: Floats, records: int) -> list[Any]:
    """sum_x C(N_x, a) / C(n, a) for some sizes a, smallest first: how probable it is to have one value."""
    frequent = frequent[frequent >= sizes[0]]
    size, enough = sizes[:, None], frequent >= sizes[:, None]
    shares = np.exp(
        log_gamma(frequent + 1)
        - log_gamma(np.where(enough, frequent - size, 0) + 1)
        - log_gamma(records + 1)
        + log_gamma(records - size + 1)
    )
    return [own[able].sum() for own, able in zip(shares, enough, strict=True)]
