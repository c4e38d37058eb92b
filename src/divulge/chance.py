"""What chance alone would give: readings on the same classes with the same target values, shuffled.

A key with many values splits any target, related or not. Beside a rate stands therefore its expectation
when targets are dealt out at random: exact for mutual information and the rates made of it, otherwise
the mean over seeded shuffles, with its standard error.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.counts import Integers, JointCounts
from divulge.engines.local import Classes, tabulate
from divulge.errors import Undefined
from divulge.measures.registry import Measure, Parameters
from divulge.stages import Stage, Steps, silent

AFFORDABLE = 30_000_000  # terms of the exact sum: about a second
COMPILED_PAYS = 1 << 22  # of which so many repay loading a compiled loop
COMPILED_HELPS = 1 << 14  # and so many once it can be loaded quickly
PERMUTATIONS = 50
FEWEST = 10  # shuffles below which a mean says too little to be printed unasked
BUDGET = 0.6  # seconds of shuffling nobody asked for
SEED = 20170
RECORDS_PER_CELL = 5  # the usual least average for a likelihood-ratio test
OFF_TARGET = "it does not depend on how targets fall to classes"

#: Readings that are a straight line in I(X;Y) for a given H(X), so that they keep its expectation.
LINEAR: dict[str, Callable[[float, float], float]] = {
    "mutual_information": lambda entropy, information: information,
    "conditional_entropy": lambda entropy, information: entropy - information,
    "normalized_conditional_entropy": lambda entropy, information: 1 - information / entropy,
    "discrimination_rate": lambda entropy, information: information / entropy,
}


@dataclass(frozen=True)
class Chance:
    """What chance alone gives for one reading, or why that cannot be said."""

    expected: float | None
    error: float | None = None  # standard error of the expectation; 0 where it is exact
    method: str | None = None
    reason: str | None = None

    def adjusted(self, value: float, ceiling: float | None) -> float | None:
        """(observed - expected) / (riskiest possible - expected): 0 at chance, 1 at the worst."""
        if self.expected is None or ceiling is None or math.isclose(ceiling, self.expected):
            return None
        share = (value - self.expected) / (ceiling - self.expected)
        return 0.0 if abs(share) < 1e-12 else share


@dataclass(frozen=True)
class Association:
    """The likelihood-ratio test of whether keys and target are related at all.

    Its p-value is asymptotic: with few records per cell it is far too small or too large, and not
    ``reliable``.
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float
    records_per_cell: float

    @property
    def reliable(self) -> bool:
        return self.records_per_cell >= RECORDS_PER_CELL


def no_chance(counts: JointCounts) -> str | None:
    """Why these counts have no chance level at all; None when they have one."""
    if counts.about_records:
        return "with @record every record is its own value: shuffling changes nothing"
    if counts.weighted:
        return "records are weighted, and shuffling weights has no fixed margins"
    if counts.overlapping:
        return "missing values match anything, so classes overlap"
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

    ``permutations`` is the number of shuffles; unless given, 50 or as many as take about half a second.
    """
    reason = no_chance(counts)
    if reason is not None:
        return [Chance(None, reason=reason) for _ in readings]
    found: list[Chance | None] = []
    expected: float | None = None
    for measure, _ in readings:
        if not measure.reads_target:
            found.append(Chance(None, reason=OFF_TARGET))
        elif measure.name in LINEAR and counts.entropy > 0 and terms(counts) <= AFFORDABLE:
            expected = expected_mutual_information(counts) if expected is None else expected
            found.append(Chance(LINEAR[measure.name](counts.entropy, expected), 0.0, "exact"))
        else:
            found.append(None)
    shuffled = [reading for reading, known in zip(readings, found, strict=True) if known is None]
    estimates = iter(_permuted(counts, shuffled, permutations, seed, stage) if shuffled else [])
    return [next(estimates) if known is None else known for known in found]


def association(counts: JointCounts) -> Association | None:
    """The likelihood-ratio test on these counts; None where there is no chance level."""
    if no_chance(counts) is not None:
        return None
    from scipy.special import gammaincc

    from divulge.measures.information import mutual_information

    freedom = (counts.classes - 1) * (len(counts.target_values) - 1)
    statistic = 2 * counts.records * math.log(2) * mutual_information(counts)
    p_value = float(gammaincc(freedom / 2, statistic / 2)) if freedom else 1.0
    per_cell = counts.records / (counts.classes * len(counts.target_values))
    return Association(statistic, freedom, p_value, per_cell)


# -- exact ---------------------------------------------------------------------------------------


def expected_mutual_information(counts: JointCounts) -> float:
    """E[I(X;Y)] in bits over all ways to deal the targets to classes of the same sizes.

    A cell of a class of a records and a target value of b records holds n of the N with hypergeometric
    probability, and adds (n / N) log2(n N / (a b)); classes of one size share the sum.
    """
    total, records = 0.0, counts.records
    sizes, often = _distinct_sizes(counts)
    targets, common = np.unique(counts.target_weight.astype(np.int64), return_counts=True)
    if terms(counts) >= (COMPILED_HELPS if "numba" in sys.modules else COMPILED_PAYS):
        from divulge.engines import chance_kernels

        bits = chance_kernels.expected_information(sizes, often, targets, common, records)
        return max(float(bits) / records, 0.0)
    for a, times in zip(sizes.tolist(), often.tolist(), strict=True):
        for part in np.array_split(
            np.arange(len(targets)), max(1, len(targets) * _width(a, targets[-1], records) >> 22)
        ):
            n, probability = _hypergeometric(a, targets[part], records)
            information = n / records * np.log2(np.maximum(n, 1) * (records / a) / targets[part, None])
            total += times * float((probability * information).sum(axis=1) @ common[part])
    return max(total, 0.0)


def terms(counts: JointCounts) -> int:
    """How many terms the exact expectation adds up."""
    sizes, _ = _distinct_sizes(counts)
    targets = np.unique(counts.target_weight.astype(np.int64))
    return int(sum(_width(int(a), int(targets[-1]), counts.records) for a in sizes[: 1 << 16]) * len(targets))


def _distinct_sizes(counts: JointCounts) -> tuple[Integers, Integers]:
    if counts.size.max() <= 4 * len(counts.size):  # a table costs less than sorting
        often = np.bincount(counts.size, weights=counts.multiplicity).astype(np.int64)
        return np.flatnonzero(often), often[often > 0]
    sizes, place = np.unique(counts.size, return_inverse=True)
    return sizes, np.bincount(place, weights=counts.multiplicity).astype(np.int64)


def _spread(a: int, b: int, records: int) -> int:
    """How far from its mean a cell's count can be before its probability is nothing: 9 deviations and 25."""
    mean = a * b / records
    return (
        int(9 * math.sqrt(mean * (1 - a / records) * (1 - b / records) * records / max(records - 1, 1))) + 25
    )


def _width(a: int, b: int, records: int) -> int:
    return min(2 * _spread(a, b, records) + 1, min(a, b) + 1)


def _hypergeometric(a: int, b: Integers, records: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Counts and their probabilities, one row for each b, by ratios of neighbours outward from the mean.

    Ratios keep full precision where differences of log-factorials of 10^8 would lose half of it.
    """
    low = np.maximum(0, a + b - records)
    high = np.minimum(a, b)
    middle = np.clip(np.rint(a * (b / records)).astype(np.int64), low, high)
    reach = max(_spread(a, int(value), records) for value in b)
    reach = min(reach, int((high - low).max()))
    n = middle[:, None] + np.arange(-reach, reach + 1)
    inside = (n >= low[:, None]) & (n <= high[:, None])
    n = np.clip(n, low[:, None], high[:, None]).astype(np.float64)
    wide = b[:, None].astype(np.float64)
    # log P(n + 1) / P(n) = log (a - n)(b - n) / ((n + 1)(N - a - b + n + 1)), summed from the middle
    m = n[:, :-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        step = np.log((a - m) * (wide - m) / ((m + 1) * (records - a - wide + m + 1)))
    step = np.where(inside[:, :-1] & inside[:, 1:], step, 0.0)
    log_p = np.concatenate([np.zeros((len(b), 1)), np.cumsum(step, axis=1)], axis=1)
    log_p -= log_p.max(axis=1, keepdims=True)
    probability = np.where(inside, np.exp(log_p), 0.0)
    return n, probability / probability.sum(axis=1, keepdims=True)


# -- by shuffling --------------------------------------------------------------------------------


def _permuted(
    counts: JointCounts,
    readings: Sequence[tuple[Measure, Parameters]],
    permutations: int | None,
    seed: int,
    stage: Stage,
) -> list[Chance]:
    times = permutations
    if times is None:
        seconds = max(_seconds(counts), 1e-9)
        times = min(PERMUTATIONS, int(BUDGET / seconds))
        if times < FEWEST:
            reason = (
                f"{FEWEST} shuffles would take about {FEWEST * seconds:.0f} s; ask for them (--permutations)"
            )
            return [Chance(None, reason=reason) for _ in readings]
    if times < 1:
        return [Chance(None, reason="no shuffles were asked for") for _ in readings]
    values = np.full((times, len(readings)), np.nan)
    stage("Shuffling")
    dealt = Steps(stage, times).each(shuffles(counts, times, seed))
    for row, shuffled in zip(values, dealt, strict=True):
        for column, (measure, parameters) in enumerate(readings):
            with suppress(Undefined):
                row[column] = measure.compute(shuffled, parameters)
    chances = []
    for drawn in values.T:
        if np.isnan(drawn).any():
            chances.append(Chance(None, reason="the measure is undefined on these counts"))
        elif np.isinf(drawn).any():
            chances.append(Chance(math.inf, None, f"{times} shuffles"))
        else:
            error = float(drawn.std(ddof=1) / math.sqrt(times)) if times > 1 else None
            chances.append(Chance(float(drawn.mean()), error, f"{times} shuffles"))
    return chances


def shuffles(counts: JointCounts, times: int, seed: int) -> Iterator[JointCounts]:
    """Counts with the same classes and targets, dealt out anew ``times`` times."""
    rng = np.random.default_rng(seed)
    size = counts.size if counts.multiplicity is None else np.repeat(counts.size, counts.multiplicity)
    # Dealt in an order of their own, so that the same seed deals the same whatever the order of records.
    classes = np.argsort(size, kind="stable").astype(np.uint32)
    places = np.asarray(sorted(range(len(counts.target_values)), key=lambda i: str(counts.target_values[i])))
    targets = counts.target_weight.astype(np.int64)[places]
    if _dealt_by_margins(counts):
        for _ in range(times):
            left, table = targets.copy(), np.empty((len(size), len(targets)), np.int64)
            for y in classes:
                dealt = rng.multivariate_hypergeometric(left, size[y], method="marginals")
                table[y, places] = dealt
                left -= dealt
            yield _alike(JointCounts.of_table(table, counts.target_values), counts)
    else:
        owner = Classes(np.repeat(classes, size[classes]), len(size))
        dealt = np.repeat(places.astype(np.uint32), targets)
        for _ in range(times):
            rng.shuffle(dealt)
            yield _alike(tabulate(owner, dealt, list(counts.target_values)), counts)


def _alike(shuffled: JointCounts, counts: JointCounts) -> JointCounts:
    return replace(shuffled, ground=counts.ground, target=counts.target, compared=counts.compared)


def _dealt_by_margins(counts: JointCounts) -> bool:
    """Whether drawing cell by cell is cheaper than shuffling records."""
    return counts.records > 20 * counts.classes * len(counts.target_values)


def _seconds(counts: JointCounts) -> float:
    """About how long one shuffle with its readings takes."""
    cells = counts.classes * len(counts.target_values)
    if _dealt_by_margins(counts):
        return 1e-3 + 1.5e-6 * cells
    return 1e-3 + 1e-7 * counts.records
