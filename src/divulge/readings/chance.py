"""What chance alone would give: readings of unrelated data with the same classes and the same target values.

A key with many values splits any target, related or not. Beside a rate stands therefore what it is when
targets are assigned at random: on average, and how far it reaches. For mutual information and the rates
made of it the mean is exact and the spread that of a gamma distribution; a worst case is certain where
someone is alone; for others both come from seeded shuffles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from divulge._support.seeds import SEED
from divulge._support.stages import Stage, Steps, silent
from divulge.counting.counts import Counts, Floats
from divulge.counting.statistics import UNCERTAINTY
from divulge.engines.base import Dealing
from divulge.errors import Undefined
from divulge.measures.information import mutual_information
from divulge.measures.registry import MEASURES, Measure, Parameters
from divulge.readings.null_mean import AFFORDABLE, expected_mutual_information, terms
from divulge.readings.null_readings import (
    CERTAIN,
    FOLLOWING,
    LEVEL,
    LINEAR,
    PERMUTATIONS,
    Always,
    Drawn,
    Following,
    Null,
    NullInformation,
    certain_by_chance,
)
from divulge.readings.null_spread import Gamma
from divulge.readings.shuffling import dealt_by, dealt_by_margins, exchangeable, shuffles

__all__ = [
    "AFFORDABLE",
    "FOLLOWING",
    "LEVEL",
    "LINEAR",
    "PERMUTATIONS",
    "SEED",
    "Association",
    "Chance",
    "Gamma",
    "Null",
    "association",
    "certain_by_chance",
    "chance",
    "expected_mutual_information",
    "no_chance",
    "shuffles",
    "terms",
]

USUAL = 50  # shuffles where reading them all takes longer than shuffling
READING = 5e-8  # seconds a reading takes for each cell
FEWEST = 10  # shuffles below which a mean says too little to be printed unasked
BUDGET = 0.6  # seconds of shuffling nobody asked for
EXCHANGEABLE = 30  # records that share a class, or people who can be exchanged, below which nothing is said
OFF_TARGET = "it does not depend on which target values are in which group"


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


def no_chance(counts: Counts) -> str | None:
    """Why these counts have no chance level at all; None when they have one."""
    if counts.about_records:
        return "with @record every record is its own value: shuffling changes nothing"
    if counts.weighted:
        return "records are weighted, and shuffling does not keep the sum of weights"
    if counts.overlapping:
        return "missing values match anything, so groups overlap"
    if counts.subjects is not None and counts.repeated is None:
        return "people have several records, and which ones is not known here"
    return None


def chance(
    counts: Counts,
    readings: Sequence[tuple[Measure, Parameters]],
    *,
    permutations: int | None = None,
    seed: int = SEED,
    stage: Stage = silent,
    own: Dealing | None = None,
    most: int = PERMUTATIONS,
) -> list[Chance]:
    """What chance gives for each of the measures, the shuffles shared by all that need them.

    ``permutations`` is the number of shuffles; unless given, ``most`` or as many as take about half a second.
    Where people have several records, people are shuffled among those with equally many. ``own`` is an
    engine's own way to shuffle.
    """
    reason = no_chance(counts)
    if reason is not None:
        return [Chance(None, reason=reason) for _ in readings]
    exact = counts.repeated is None and counts.entropy > 0 and terms(counts) <= AFFORDABLE
    unsure = _unsure(counts)
    found: list[Chance | None] = []
    information: NullInformation | None = None
    for measure, _ in readings:
        if not measure.reads_target:
            found.append(Chance(None, reason=OFF_TARGET))
        elif measure.name in LINEAR and exact:
            information = information or NullInformation(counts, _expected(counts), seed)
            expected = LINEAR[measure.name](counts.entropy, information.expected)
            null: Null | None = None if unsure else Following(counts, measure, information)
            found.append(Chance(expected, 0.0, "exact", null=null, unsure=unsure))
        elif measure.name in CERTAIN and measure.ceiling is not None and _some_alone(counts):
            riskiest = measure.ceiling(counts)
            null = None if unsure else Always(riskiest)
            found.append(Chance(riskiest, 0.0, "exact", null=null, unsure=unsure))
        else:
            found.append(None)
    shuffled = [reading for reading, known in zip(readings, found, strict=True) if known is None]
    if not shuffled:
        return [known for known in found if known is not None]
    if exact and any(measure.name in FOLLOWING for measure, _ in shuffled):
        information = information or NullInformation(counts, _expected(counts), seed)
    estimates = iter(_permuted(counts, shuffled, permutations, most, seed, stage, information, unsure, own))
    return [next(estimates) if known is None else known for known in found]


def association(counts: Counts, seed: int = SEED) -> Association | None:
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


def _expected(counts: Counts) -> float:
    return counts.once("expected information", lambda: expected_mutual_information(counts))


def _some_alone(counts: Counts) -> bool:
    """Whether a class has one record, and with it one target value, however targets are assigned."""
    return counts.repeated is None and counts.entropy > 0 and int(counts.size.min()) == 1


def _unsure(counts: Counts) -> str | None:
    """Why the spread over unrelated data is not to be relied on; None where it is."""
    if exchangeable(counts) >= EXCHANGEABLE:
        return None
    if counts.repeated is None:
        return f"fewer than {EXCHANGEABLE} records share their key values with another"
    return f"fewer than {EXCHANGEABLE} people have as many records as someone else"


# -- by shuffling --------------------------------------------------------------------------------


def _permuted(
    counts: Counts,
    readings: Sequence[tuple[Measure, Parameters]],
    permutations: int | None,
    most: int,
    seed: int,
    stage: Stage,
    information: NullInformation | None,
    unsure: str | None,
    own: Dealing | None,
) -> list[Chance]:
    times = permutations
    if times is None:
        seconds = max(_seconds(counts, own), 1e-9)
        reading = READING * len(readings) * min(counts.records, counts.classes * len(counts.target_values))
        times = min(most, int(BUDGET / seconds), max(USUAL, int(BUDGET / (seconds + reading))))
        if times < FEWEST:
            reason = (
                f"{FEWEST} shuffles would take about {FEWEST * seconds:.0f} s; request them with "
                "--permutations"
            )
            return [Chance(None, reason=reason) for _ in readings]
    if times < 1:
        return [Chance(None, reason="no shuffles were requested") for _ in readings]
    following = [measure.name in FOLLOWING for measure, _ in readings]
    by_person = counts.repeated is not None and any(following)
    values = np.full((times, len(readings) + by_person), np.nan)
    stage("Shuffling")
    least_left = not by_person and all(reads_least_left(measure) for measure, _ in readings)
    dealt = Steps(stage, times).each(shuffles(counts, times, seed, own, least_left=least_left))
    for row, shuffled in zip(values, dealt, strict=True):
        for column, (measure, parameters) in enumerate(readings):
            with suppress(Undefined):
                row[column] = measure.compute(shuffled, parameters)
        if by_person:
            row[-1] = mutual_information(shuffled)
    if by_person and times > 1:
        drawn = values[:, -1]
        information = NullInformation(counts, float(drawn.mean()), seed, float(drawn.var(ddof=1)))
    return [
        _estimated(counts, reading, drawn, information, unsure)
        for reading, drawn in zip(readings, values.T, strict=False)
    ]


def reads_least_left(measure: Measure) -> bool:
    """Whether a measure follows from the class that leaves least unknown, and from the whole table."""
    return measure.case == "worst" and measure.by_class is UNCERTAINTY


def _estimated(
    counts: Counts,
    reading: tuple[Measure, Parameters],
    drawn: Floats,
    information: NullInformation | None,
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


def _seconds(counts: Counts, own: Dealing | None) -> float:
    """About how long one shuffle takes."""
    if own is not None and dealt_by(own, counts):
        return 1e-3 + own.seconds * counts.records
    cells = counts.classes * len(counts.target_values)
    if counts.repeated is None and dealt_by_margins(counts):
        return 1e-3 + 1.5e-6 * cells
    return 1e-3 + 1e-7 * counts.records
