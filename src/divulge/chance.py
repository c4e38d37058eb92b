"""What chance alone would give: readings of unrelated data with the same classes and the same target values.

A key with many values splits any target, related or not. Beside a rate stands therefore what it is when
targets are dealt out at random: on average, and how far it reaches. For mutual information and the rates
made of it the mean is exact and the spread that of a gamma distribution; for others both come from seeded
shuffles.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from divulge.counts import Floats, JointCounts
from divulge.errors import Undefined
from divulge.measures.information import mutual_information
from divulge.measures.registry import MEASURES, Measure, Parameters
from divulge.null_mean import AFFORDABLE, distinct_sizes, expected_mutual_information, terms
from divulge.null_spread import SEED, Gamma, information_variance
from divulge.shuffling import dealt_by_margins, exchangeable, shuffles
from divulge.stages import Stage, Steps, silent

__all__ = [
    "AFFORDABLE",
    "LEVEL",
    "LINEAR",
    "SEED",
    "Association",
    "Chance",
    "Gamma",
    "Null",
    "association",
    "chance",
    "expected_mutual_information",
    "no_chance",
    "shuffles",
    "terms",
]

LEVEL = 0.01  # how often unrelated data go beyond what they are said to reach
PERMUTATIONS, USUAL = 199, 50  # shuffles at most, and where reading them all takes longer than shuffling
READING = 5e-8  # seconds a reading takes for each cell
FEWEST = 10  # shuffles below which a mean says too little to be printed unasked
BUDGET = 0.6  # seconds of shuffling nobody asked for
EXCHANGEABLE = 30  # records that share a class, or people who can be exchanged, below which nothing is said
OFF_TARGET = "it does not depend on how targets fall to classes"

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


@dataclass(frozen=True)
class Chance:
    """What chance alone gives for one reading, or why that cannot be said."""

    expected: float | None
    error: float | None = None  # standard error of the expectation; 0 where it is exact
    method: str | None = None
    reason: str | None = None
    null: Null | None = field(default=None, compare=False, repr=False)
    unsure: str | None = None  # why nothing is said of the spread

    def adjusted(self, value: float, ceiling: float | None) -> float | None:
        """(observed - expected) / (riskiest possible - expected): 0 at chance, 1 at the worst."""
        if self.expected is None or ceiling is None or math.isclose(ceiling, self.expected):
            return None
        share = (value - self.expected) / (ceiling - self.expected)
        return 0.0 if abs(share) < 1e-12 else share


@dataclass(frozen=True)
class Association:
    """Whether keys and target are related at all: how often unrelated data of this shape tell as much.

    ``information`` is I(X;Y) in bits, ``expected`` and ``spread`` its mean and standard deviation over
    unrelated data, and ``reach`` what one in a hundred of those exceeds. ``p_value`` is that of a gamma
    distribution; below 0.001 it is an extrapolation. It is None where ``unsure`` says why.
    """

    information: float
    expected: float
    spread: float | None
    reach: float | None
    p_value: float | None
    unsure: str | None = None


def no_chance(counts: JointCounts) -> str | None:
    """Why these counts have no chance level at all; None when they have one."""
    if counts.about_records:
        return "with @record every record is its own value: shuffling changes nothing"
    if counts.weighted:
        return "records are weighted, and shuffling weights has no fixed margins"
    if counts.overlapping:
        return "missing values match anything, so classes overlap"
    if counts.subjects is not None and counts.repeated is None:
        return "people have several records, and whose they are is not known here"
    return None


def chance(
    counts: JointCounts,
    readings: Sequence[tuple[Measure, Parameters]],
    *,
    permutations: int | None = None,
    seed: int = SEED,
    stage: Stage = silent,
) -> list[Chance]:
    """What chance gives for each of the measures, the shuffles shared by all that need them.

    ``permutations`` is the number of shuffles; unless given, 199 or as many as take about half a second.
    Where people have several records, people are shuffled among those with equally many.
    """
    reason = no_chance(counts)
    if reason is not None:
        return [Chance(None, reason=reason) for _ in readings]
    exact = counts.repeated is None and counts.entropy > 0 and terms(counts) <= AFFORDABLE
    unsure = _unsure(counts)
    found: list[Chance | None] = []
    information: Information | None = None
    for measure, _ in readings:
        if not measure.reads_target:
            found.append(Chance(None, reason=OFF_TARGET))
        elif measure.name in LINEAR and exact:
            information = information or Information(counts, _expected(counts), seed)
            expected = LINEAR[measure.name](counts.entropy, information.expected)
            null = None if unsure else Following(counts, measure, information)
            found.append(Chance(expected, 0.0, "exact", null=null, unsure=unsure))
        else:
            found.append(None)
    shuffled = [reading for reading, known in zip(readings, found, strict=True) if known is None]
    if not shuffled:
        return [known for known in found if known is not None]
    if exact and any(measure.name in FOLLOWING for measure, _ in shuffled):
        information = information or Information(counts, _expected(counts), seed)
    estimates = iter(_permuted(counts, shuffled, permutations, seed, stage, information, unsure))
    return [next(estimates) if known is None else known for known in found]


def association(counts: JointCounts, seed: int = SEED) -> Association | None:
    """The test of whether keys and target are related; None where there is no chance level."""
    if no_chance(counts) is not None or counts.entropy == 0 or counts.classes == 1:
        return None
    measure = MEASURES["mutual_information"]
    [found] = chance(counts, [(measure, {})], seed=seed)
    if found.expected is None:
        return None
    value, null = mutual_information(counts), found.null
    if null is None:
        return Association(value, found.expected, None, None, None, found.unsure)
    return Association(value, found.expected, null.spread, null.reach(LEVEL), null.p_value(value))


def _expected(counts: JointCounts) -> float:
    return counts.once("expected information", lambda: expected_mutual_information(counts))


def _unsure(counts: JointCounts) -> str | None:
    """Why the spread over unrelated data is not to be relied on; None where it is."""
    if exchangeable(counts) >= EXCHANGEABLE:
        return None
    if counts.repeated is None:
        return f"fewer than {EXCHANGEABLE} records share their key values with another"
    return f"fewer than {EXCHANGEABLE} people have as many records as someone else"


# -- how far unrelated data reach ----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Information:
    """I(X;Y) in bits over unrelated data: its mean, and a gamma distribution when first asked for."""

    counts: JointCounts
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

    counts: JointCounts
    measure: Measure
    information: Information

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


def certain_by_chance(counts: JointCounts) -> float:
    """How probable it is that unrelated data have a class with a single target value.

    The expected number of such classes is sum_y sum_x C(N_x, a) / C(n, a), a being the size of the class;
    they are rare and nearly independent, so that none occurs with probability exp(-expected).
    """
    from scipy.special import gammaln

    sizes, often = distinct_sizes(counts)
    frequent = counts.target_weight
    with np.errstate(invalid="ignore"):
        ways = [
            np.exp(
                gammaln(enough + 1)
                - gammaln(enough - size + 1)
                - gammaln(counts.records + 1)
                + gammaln(counts.records - size + 1)
            ).sum()
            for size in sizes.tolist()
            for enough in [frequent[frequent >= size]]
        ]
    return -math.expm1(-float(often @ np.asarray(ways)))


# -- by shuffling --------------------------------------------------------------------------------


def _permuted(
    counts: JointCounts,
    readings: Sequence[tuple[Measure, Parameters]],
    permutations: int | None,
    seed: int,
    stage: Stage,
    information: Information | None,
    unsure: str | None,
) -> list[Chance]:
    times = permutations
    if times is None:
        seconds = max(_seconds(counts), 1e-9)
        reading = READING * len(readings) * min(counts.records, counts.classes * len(counts.target_values))
        times = min(PERMUTATIONS, int(BUDGET / seconds), max(USUAL, int(BUDGET / (seconds + reading))))
        if times < FEWEST:
            reason = (
                f"{FEWEST} shuffles would take about {FEWEST * seconds:.0f} s; ask for them (--permutations)"
            )
            return [Chance(None, reason=reason) for _ in readings]
    if times < 1:
        return [Chance(None, reason="no shuffles were asked for") for _ in readings]
    following = [measure.name in FOLLOWING for measure, _ in readings]
    by_person = counts.repeated is not None and any(following)
    values = np.full((times, len(readings) + by_person), np.nan)
    stage("Shuffling")
    dealt = Steps(stage, times).each(shuffles(counts, times, seed))
    for row, shuffled in zip(values, dealt, strict=True):
        for column, (measure, parameters) in enumerate(readings):
            with suppress(Undefined):
                row[column] = measure.compute(shuffled, parameters)
        if by_person:
            row[-1] = mutual_information(shuffled)
    if by_person and times > 1:
        drawn = values[:, -1]
        information = Information(counts, float(drawn.mean()), seed, float(drawn.var(ddof=1)))
    return [
        _estimated(counts, reading, drawn, information, unsure)
        for reading, drawn in zip(readings, values.T, strict=False)
    ]


def _estimated(
    counts: JointCounts,
    reading: tuple[Measure, Parameters],
    drawn: Floats,
    information: Information | None,
    unsure: str | None,
) -> Chance:
    """What shuffles say of one reading."""
    measure, parameters = reading
    times = len(drawn)
    if np.isnan(drawn).any():
        return Chance(None, reason="the measure is undefined on these counts")
    if np.isinf(drawn).any():
        return Chance(math.inf, None, f"{times} shuffles")
    error = float(drawn.std(ddof=1) / math.sqrt(times)) if times > 1 else None
    null: Null | None = None
    if unsure is None and measure.name in FOLLOWING and information is not None:
        null = Following(counts, measure, information)
    elif unsure is None and times > 1:
        certain = counts.repeated is None and (measure.name in CERTAIN or parameters.get("kind") == "worst")
        ceiling = None if measure.ceiling is None else measure.ceiling(counts)
        null = Drawn(drawn, measure, certain_by_chance(counts) if certain else 0.0, ceiling)
    return Chance(float(drawn.mean()), error, f"{times} shuffles", null=null, unsure=unsure)


def _seconds(counts: JointCounts) -> float:
    """About how long one shuffle takes."""
    cells = counts.classes * len(counts.target_values)
    if counts.repeated is None and dealt_by_margins(counts):
        return 1e-3 + 1.5e-6 * cells
    return 1e-3 + 1e-7 * counts.records
