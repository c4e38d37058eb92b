"""What a sample says about the population it was drawn from: an interval, a bracket, or nothing.

What a table tells is exact for that table. In the population it is usually less, because the few records
of a small class look more alike than those they were drawn from. A bracket holds it on both sides: below, by
how well each record is predicted from the others; above, by what the table itself shows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

from divulge.counting.counts import JointCounts
from divulge.errors import ParameterError
from divulge.readings.null_mean import expected_mutual_information
from divulge.readings.sample_cells import Numbers, SampleCells, rare_cells

LEVEL = 0.95
LEAST_LEVEL, MOST_LEVEL = 0.8, 0.999
RECORDS, CHANCE = 200, 0.02  # least records, most that unrelated columns may tell
WEIGHTED_RECORDS = 400  # the same where units differ: least effective records
APART, FROM_NONE = 0.5, 3  # standard errors at most between two corrections, at least between 0 and them
NEARLY_ALL = 0.05  # share of exceptions below which the number of exceptions decides
EFFECTIVE, UNEQUAL = (
    30,
    2,
)  # of weights or people: least effective records, and most units to each for an interval
WIDE = 0.5  # from which width two ends say nothing
STRENGTHS = np.geomspace(0.01, 1e6, 48)  # how strongly a rule leans on the whole table

JACKKNIFE = "jackknife, wider for cells of few records"
PREDICTION = "left-out prediction and plug-in rate"
INFORMATION = "left-out prediction and plug-in information"
TOO_FEW = "too few records per class for an estimate"
TOO_UNEQUAL = "weights or numbers of records differ too much for an estimate"
TOO_SMALL = "the sample is too small"
TOO_LITTLE = "too little to be distinguished from none"
RISKIER = "a sample looks riskier than its population"


@dataclass(frozen=True)
class PopulationInterval:
    """Between what a reading lies in the population; ``estimate`` only if it is an interval.

    An interval holds the truth in about as large a share of samples as ``level`` says, a bracket in at least
    about that.
    """

    kind: Literal["interval", "bracket", "at most", "cannot tell"]
    low: float | None = None
    high: float | None = None
    estimate: float | None = None
    level: float = LEVEL
    method: str | None = None
    reason: str | None = None


def deviations(level: float) -> float:
    """How many standard errors to each side hold a normal variable with a probability; refuses odd levels.

    >>> round(deviations(0.95), 6)
    1.959964
    """
    if not LEAST_LEVEL <= level <= MOST_LEVEL:
        raise ParameterError(
            f"The level of an interval is {level:g}.",
            hint=f"Give one from {LEAST_LEVEL:g} to {MOST_LEVEL:g}, such as {LEVEL:g}.",
        )
    return NormalDist().inv_cdf((1 + level) / 2)


def population_rate(table: npt.ArrayLike, level: float = LEVEL) -> PopulationInterval:
    """The discrimination rate in the population of which a table of counts is a sample, a row for each x.

    An interval is given if there are at least 200 records, unrelated columns would tell less than 0.02, the
    jackknife and the Miller-Madow correction differ by less than half a standard error, and 0 is further
    away than three of them. It allows for cells of which few records were drawn, or none.
    """
    return rate_in_population(SampleCells.of(table), expected_information(table), level)


def rate_in_population(
    sample: SampleCells, by_chance: float | None = None, level: float = LEVEL
) -> PopulationInterval:
    """The same from cells, and what unrelated columns tell, in bits; unless given, as many degrees of freedom
    as an independence test has, over twice the effective number of records."""
    z = deviations(level)
    refused = _refused(sample, level)
    if refused is not None:
        return refused
    if by_chance is None:
        freedom = (len(sample.values.total) - 1) * (len(sample.classes.total) - 1)
        by_chance = freedom / (2 * sample.effective * math.log(2))
    reason = TOO_FEW
    if sample.units >= UNEQUAL * sample.effective:
        reason = TOO_UNEQUAL
    elif (
        sample.effective >= (RECORDS if sample.alike else WEIGHTED_RECORDS)
        and by_chance * math.log(2) / sample.entropy < CHANCE
    ):
        estimate, error = jackknife(sample)
        agree = abs(estimate - miller_madow_rate(sample)) < APART * error
        if agree and estimate > FROM_NONE * error:
            low, high = _ends(sample, estimate, z * error, z)
            if high - low > WIDE:
                return PopulationInterval("cannot tell", low, high, None, level, JACKKNIFE, TOO_SMALL)
            return PopulationInterval("interval", low, high, _cut(estimate), level, JACKKNIFE)
        reason = TOO_LITTLE if agree else TOO_FEW
    low, high = bracket(sample, z)
    if high - low > WIDE:
        return PopulationInterval("cannot tell", low, high, None, level, PREDICTION, TOO_SMALL)
    return PopulationInterval("bracket", low, high, None, level, PREDICTION, reason)


def _ends(sample: SampleCells, estimate: float, off: float, z: float) -> tuple[float, float]:
    """An interval around an estimate, wider for cells of few records, and with the table's own rate inside.

    Where the correction is larger than the error, that rate would otherwise be outside, beside which the
    interval is printed.
    """
    rare, rate = rare_cells(sample, z), sample.information / sample.entropy
    low, high = (
        estimate - math.hypot(off, math.sqrt(rare.down)),
        estimate + math.hypot(off, math.sqrt(rare.up)),
    )
    return _cut(min(low, rate)), _cut(max(high, rate))


def information_in_population(sample: SampleCells, level: float = LEVEL) -> PopulationInterval:
    """Between what the mutual information lies in the population, in bits."""
    z = deviations(level)
    refused = _refused(sample, level)
    if refused is not None:
        return refused
    low, _ = bracket(sample, z)
    missed = sample.missed(sample.values)
    top = sample.information + missed + z * sample.error(_told(sample))
    least = min(low * (sample.entropy + missed), sample.information)
    top = max(min(top, math.log(len(sample.values.total))), sample.information)
    ends = least / math.log(2), top / math.log(2)
    return PopulationInterval("bracket", *ends, None, level, INFORMATION)


def _refused(sample: SampleCells, level: float) -> PopulationInterval | None:
    """The refusal where there is nothing to learn, nothing to learn it from, or too few were drawn."""
    reason = None
    if not sample.alike and sample.effective < EFFECTIVE:
        reason = f"with these weights, or people, the sample is worth fewer than {EFFECTIVE} records"
    if min(len(sample.values.total), len(sample.classes.total)) < 2:
        what = "the target" if len(sample.values.total) < 2 else "what is observed"
        reason = f"{what} has one value only in this sample"
    return None if reason is None else PopulationInterval("cannot tell", level=level, reason=reason)


def bracket(sample: SampleCells, z: float = deviations(LEVEL)) -> tuple[float, float]:
    """The least and the most that the discrimination rate may be in the population.

    Least: each record's value is predicted from the records of others, by the shares in its class leaning on
    those of the whole table; on average no rule predicts better than the truth allows. Most: small classes
    look more alike inside than they are, so the table's own rate and its standard error are enough; where
    hardly anything is told that error is too small, and what unrelated columns leave open counts instead.
    """
    values = len(sample.values.total)
    others = sample.records - sample.unit_mass[sample.unit]
    whole = (sample.values.others + 0.5) / (others + values / 2)  # the unit itself left out
    alike, observed = sample.cells.others, sample.classes.others
    gains = (np.log((alike + strength * whole) / (observed + strength) / whole) for strength in STRENGTHS)
    gain = max(gains, key=sample.mean)
    low = sample.mean(gain) - z * sample.error(gain)
    rate = sample.information / sample.entropy
    off = sample.error(_told(sample) + rate * np.log(sample.values.here / sample.records))
    high = max(rate + z * off / sample.entropy, _nearly_none(sample, z) / sample.entropy)
    least = min(low / (sample.entropy + sample.missed(sample.values)), _nearly_all(sample, z))
    return _cut(least), _cut(high)


def _told(sample: SampleCells) -> Numbers:
    """ln of how much more often value and class come together than if they were unrelated."""
    together = sample.cells.here * sample.records
    return np.asarray(np.log(together / (sample.classes.here * sample.values.here)))


def _nearly_all(sample: SampleCells, z: float) -> float:
    """The least rate where hardly any record is an exception to its class, by how many there may be.

    A sample without exceptions does not say that there are none: of n records up to three in n may be. By
    Fano's inequality so many wrong guesses leave at most h(e) + e log(R - 1) unknown.
    """
    likely = np.zeros(int(sample.owner.max()) + 1)
    np.maximum.at(likely, sample.owner, sample.cells.here)
    wrong = 1 - float(likely.sum()) / sample.records
    if wrong > NEARLY_ALL:
        return 1.0
    wrong *= sample.effective
    share = min((wrong + z**2 / 2 + z * math.sqrt(wrong + z**2 / 4)) / sample.effective, 0.5)
    unknown = -share * math.log(share) - (1 - share) * math.log(1 - share)
    return 1 - (unknown + share * math.log(max(len(sample.values.total) - 1, 1))) / sample.entropy


def _nearly_none(sample: SampleCells, z: float) -> float:
    """The most that I(X;Y) may be in the population, in nats, by the law it has where little is told.

    2 n I is then nearly noncentral chi-square with 2 n I of the population as its noncentrality, of which two
    upper limits are known: (sqrt(2 n I) + z)^2, and by mean and variance for many degrees of freedom. Of
    units that are not alike n is the effective number, and what chance adds is not taken to be larger for it.
    """
    twice = 2 * sample.effective
    observed = twice * max(sample.information, 0.0)
    half = (len(sample.values.total) - 1) * (len(sample.classes.total) - 1) / 2
    half *= sample.effective / sample.records
    many = (z + math.sqrt(max(z**2 + observed - half, 0.0))) ** 2 - half
    return min((math.sqrt(observed) + z) ** 2, max(many, 0.0)) / twice


def jackknife(sample: SampleCells) -> tuple[float, float]:
    """The discrimination rate with its bias taken out, and its standard error: each unit left out in turn."""

    def rate(of_value: Numbers, of_class: Numbers, of_cell: Numbers) -> Numbers:
        with np.errstate(invalid="ignore", divide="ignore"):  # without its one unit of another value
            return np.asarray((of_value + of_class - of_cell) / of_value)

    mean, error = sample.left_out(rate, sample.values, sample.classes, sample.cells)
    return sample.units * sample.information / sample.entropy - (sample.units - 1) * mean, error


def miller_madow_rate(sample: SampleCells) -> float:
    """The discrimination rate with each entropy corrected by what it misses on average."""
    values, classes, cells = map(sample.missed, (sample.values, sample.classes, sample.cells))
    return (sample.information + values + classes - cells) / (sample.entropy + values)


def share_in_population(
    share: float, records: float, error: float = 0.0, level: float = LEVEL
) -> PopulationInterval:
    """A share of people that a sample can only overstate: at most what it shows, and its error."""
    z = deviations(level)
    top = share + z * max(math.sqrt(share * (1 - share) / records), error)
    top = max(top, z**2 / (records + z**2) if share == 0 else top)  # nobody here is not nobody there
    method = "plug-in share and its standard error"
    return PopulationInterval("at most", 0.0, min(top, 1.0), None, level, method, RISKIER)


def expected_information(table: npt.ArrayLike) -> float:
    """The mean of the plug-in I(X;Y) in bits over all tables with the same margins; 0 if one is constant."""
    counts = np.asarray(table)
    rows, columns = counts.sum(axis=1) > 0, counts.sum(axis=0) > 0
    if min(np.count_nonzero(rows), np.count_nonzero(columns)) < 2:
        return 0.0
    return expected_mutual_information(JointCounts.of_table(counts[rows][:, columns].T))


def _cut(rate: float) -> float:
    return float(min(max(rate, 0.0), 1.0))
