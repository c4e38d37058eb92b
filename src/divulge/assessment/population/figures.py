"""The figures of a population that thresholds are held against, each by its most cautious estimate."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from divulge._support.small_counts import exact_counts, hidden, hidden_part
from divulge._support.wording import in_words, many, number, percent
from divulge.assessment.population.beyond_table import NOT_SEARCHED, BeyondTable
from divulge.assessment.population.few_alike import HOUSEHOLDS
from divulge.measures.population_figures import MODEL_TITLES
from divulge.uniques.account import FEW, Uniqueness
from divulge.uniques.population_models import MODELS, ModelEstimate
from divulge.uniques.special_summary import not_scored

NOT_DECLARED = "nothing says what the table is a sample of"
NO_TABLE = "a table of the population is needed"
ESTIMATED = "estimated with 95% confidence"
NO_LOGLINEAR = "log-linear models need each record, and the records are not at hand one by one"
KNOWN = "known from a table of the population"
HUNDREDTH = 0.01  # to which the largest DIS score is rounded up; to coarser steps it only decides


@dataclass(frozen=True)
class FigureReading:
    """A figure, or why there is none; ``few`` where the number would tell how few people it is about.

    With both, the figure is a bound that the truth is not riskier than: it can show that a threshold is
    kept to. That it is not, ``at_least`` can show, which the truth is not less risky than; otherwise the
    figure cannot be told.
    """

    value: float | None
    undefined: str | None = None
    remark: str = ""
    few: bool = False
    at_least: float | None = None


def figure_reading(name: str, beyond: BeyondTable, at_once: float | None = None) -> FigureReading:
    """A figure of the population. Models that take long are left out if another is above ``at_once``."""
    if beyond.found is None:
        return FigureReading(None, beyond.undefined)
    if beyond.declared is None:
        return FigureReading(None, NOT_DECLARED)
    read = _population_unique(beyond.found, at_once) if name == "population_unique" else None
    read = read or _READ[name](beyond.found)
    return _of_households(read) if beyond.clustered else read


def _of_households(read: FigureReading) -> FigureReading:
    """A figure that models give, where people were drawn with their households: none shows that it passes."""
    if read.value in (None, 0.0):  # nobody is unique even here
        return read
    least = read.value if read.undefined is None else read.at_least
    return replace(read, value=None, undefined=HOUSEHOLDS, at_least=least)


def _population_unique(found: Uniqueness, at_once: float | None) -> FigureReading:
    """The largest of what models say, as a share; with a table of everyone the share itself."""
    if found.known is not None:
        alone, people = found.known.unique_here, found.sample.people
        return FigureReading(alone / people, remark=KNOWN, few=_few(alone, people))
    people, lone = found.sample.units, found.counts.of_size(1)
    if not lone:
        return FigureReading(0.0, remark="nobody is unique in the table")
    few = found.unsaid == FEW
    with exact_counts(few):
        judged = replace(found) if few else found
        estimates = _estimates(judged, at_once)
    said = [one for one in estimates if one.uniques is not None]
    if not said or found.population is None:
        reason = found.unsaid or "no model has a solution"
        remark = "not even in the table are more people unique"
        return FigureReading(lone / people, reason, remark, few=_few(lone, people))
    largest = max(said, key=lambda one: one.uniques or 0.0)
    if found.sample.times is not None:  # a model that was not asked might say more
        share = (largest.uniques or 0.0) / found.counts.population
        few = few or _few(lone, people)
        return FigureReading(lone / people, NO_LOGLINEAR, _models(said), few=few, at_least=share)
    return FigureReading((largest.uniques or 0.0) / found.counts.population, remark=_models(said), few=few)


def _estimates(found: Uniqueness, at_once: float | None) -> list[ModelEstimate]:
    """What models say; log-linear ones take long and are not asked where another says too much already."""
    if at_once is not None and found.population is not None:
        soon = replace(found, chosen=tuple(MODELS)).models
        if max((one.uniques or 0.0 for one in soon), default=0.0) / found.counts.population > at_once:
            return soon
    return found.models


def _models(said: list[ModelEstimate]) -> str:
    """Which model was taken, and how far others are from it."""
    by_size = sorted(said, key=lambda one: one.uniques or 0.0)
    if len(by_size) == 1:
        return f"the only model with a solution is {MODEL_TITLES[by_size[0].model]}"
    least, largest = (many(round(one.uniques or 0.0)) for one in (by_size[0], by_size[-1]))
    return (
        f"{len(by_size)} models say {least} to {largest} people; the largest counts "
        f"({MODEL_TITLES[max(said, key=lambda one: one.uniques or 0.0).model]})"
    )


def _match_chance(found: Uniqueness) -> FigureReading:
    people, lone = found.sample.units, found.counts.of_size(1)
    if not lone:
        return FigureReading(0.0, remark="nobody is unique in the table")
    few = _few(lone, people) or (found.known is None and found.unsaid == FEW)
    with exact_counts(few):
        match = found.match
    if match is None or match.value is None:
        return FigureReading(None, found.unsaid or "there is no estimate")
    if match.low == match.high:
        return FigureReading(match.high, remark=KNOWN, few=few)
    ends = f"{percent(match.low)} to {percent(match.high)}"
    return FigureReading(match.high, remark=f"estimated {percent(match.value)} ({ends})", few=few)


def _expected(found: Uniqueness) -> FigureReading:
    sample = found.sample
    of = f"of {in_words(hidden_part(sample.people, of=sample.whole))} people in the table"
    if found.known is not None:
        return FigureReading(float(found.risk.sum()), remark=of)
    with exact_counts():
        named = found.expected
    most = float(found.counts.occupied)
    if named is None:
        return FigureReading(most, found.unsaid or "there is no estimate", of)
    reason = f"they are between {_rounded(named.low)} and {_rounded(most)}, and this sample does not tell"
    return FigureReading(most, reason, of, at_least=named.low)


def _rounded(expected: float) -> str:
    return many(round(expected)) if expected >= 10 else number(round(expected, 1))


def _k_map(found: Uniqueness) -> FigureReading:
    if found.known is not None:
        return FigureReading(float(found.known.alike.min()), remark=KNOWN)
    if found.presence is None:
        return FigureReading(float(found.counts.sizes.min()), NO_TABLE, "groups of the table are as large")
    ends = found.presence.k_map
    between = f"{many(round(ends.low))} and {many(round(ends.high))}"
    return _between(ends.low, ends.high, between)


def _delta_presence(found: Uniqueness) -> FigureReading:
    if found.known is not None:
        return FigureReading(float((found.sample.class_sizes / found.known.alike).max()), remark=KNOWN)
    if found.presence is None:
        return FigureReading(None, NO_TABLE)
    ends = found.presence.delta_presence
    return _between(ends.high, ends.low, f"{percent(ends.low)} and {percent(ends.high)}")


def _between(cautious: float, kind: float, said: str) -> FigureReading:
    """A figure of which two ends are known: it passes by the cautious one, and fails by the other."""
    if cautious == kind:
        return FigureReading(cautious, remark=ESTIMATED)
    reason = f"it is estimated between {said}, and to decide {NO_TABLE}"
    return FigureReading(cautious, reason, ESTIMATED, at_least=kind)


def _dis(found: Uniqueness) -> FigureReading:
    special = found.special
    if special is None:
        return FigureReading(None, NOT_SEARCHED)
    if special.unscored.any():  # their scores are not 0, but not known
        return FigureReading(None, not_scored(special.minimal.largest))
    if not special.scores.records:
        return FigureReading(0.0, remark="no record is unique")
    step = special.step
    few = _few(special.scores.records, found.sample.units) or step not in (0, HUNDREDTH)
    searched = f"sets of up to {number(special.minimal.largest)} attributes"
    largest = float(special.scores.dis.max())
    return FigureReading(_up(largest) if step == HUNDREDTH else largest, remark=searched, few=few)


def _up(share: float) -> float:
    """The next hundredth."""
    return math.ceil(100 * share) / 100


def _few(people: int, of: int) -> bool:
    return isinstance(hidden(people, of=of), str)


_READ: dict[str, Callable[[Uniqueness], FigureReading]] = {
    "match_chance": _match_chance,
    "expected_reidentifications": _expected,
    "k_map": _k_map,
    "delta_presence": _delta_presence,
    "dis_suda": _dis,
}
