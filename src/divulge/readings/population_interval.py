"""What a sample says about the population it was drawn from: an interval, a bracket, or nothing.

What a table tells is exact for that table. In the population it is usually less, because the few records
of a small class look more alike than those they were drawn from. A bracket holds it on both sides: below, by
how well each record is predicted from the others; above, by what the table itself shows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from divulge.counting.counts import JointCounts
from divulge.errors import Undefined
from divulge.questions.question import Question
from divulge.readings.null_mean import expected_mutual_information

LEVEL, Z = 0.95, 1.959964
RECORDS, CHANCE = 200, 0.02  # least records, most that unrelated columns may tell
APART, FROM_NONE = 0.5, 3  # standard errors at most between two corrections, at least between 0 and them
NEARLY_ALL = 0.05  # share of exceptions below which the number of exceptions decides
WIDE = 0.5  # from which width a bracket says nothing
SHARES = {"uniqueness", "reidentification_risk average"}  # of people, which a sample can only overstate
STRENGTHS = np.geomspace(0.01, 1e6, 48)  # how strongly a rule leans on the whole table

TOO_FEW = "too few records per class for an estimate"
NO_METHOD = "no interval is known to hold for it"
TOO_LITTLE = "too little to be distinguished from none"

Numbers = npt.NDArray[Any]


@dataclass(frozen=True)
class PopulationInterval:
    """Between what the discrimination rate lies in the population; ``estimate`` only if it is an interval.

    An interval holds the truth in about 95 % of samples, a bracket in at least about as many.
    """

    kind: Literal["interval", "bracket", "at most", "cannot tell"]
    low: float | None = None
    high: float | None = None
    estimate: float | None = None
    level: float = LEVEL
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class SampleCells:
    """The cells of a table with records in them: how many, and how many of the same value and class."""

    cell: Numbers
    owner: Numbers  # the class of each
    value: Numbers
    observed: Numbers
    values: Numbers
    classes: Numbers

    @classmethod
    def of(cls, table: npt.ArrayLike) -> SampleCells:
        """From a table of counts, a row for each value of the target."""
        counts = np.asarray(table, dtype=np.float64)
        values, classes = counts.sum(axis=1), counts.sum(axis=0)
        x, y = np.nonzero(counts)
        return cls(counts[x, y], y, values[x], classes[y], values[values > 0], classes[classes > 0])

    @classmethod
    def of_counts(cls, counts: JointCounts) -> SampleCells:
        """From joint counts; classes that are held once stand for as many as there are."""
        if counts.cells is None:
            raise Undefined("every record is its own target")
        owner, target, cell, size = counts.cells.owner, counts.cells.target, counts.cells.count, counts.size
        observed = size[owner]
        if counts.multiplicity is not None:
            times = counts.multiplicity[owner]
            first = np.cumsum(counts.multiplicity) - counts.multiplicity  # a class of its own for each
            copy = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
            owner = np.repeat(first[owner], times) + copy
            target, cell, observed = (np.repeat(one, times) for one in (target, cell, observed))
            size = np.repeat(size, counts.multiplicity)
        values = np.bincount(target, weights=cell)
        told = (one.astype(np.float64) for one in (values[target], observed, values[values > 0], size))
        return cls(cell.astype(np.float64), owner, *told)

    @property
    def records(self) -> float:
        return float(self.cell.sum())

    def mean(self, of_cells: Numbers) -> float:
        """The mean over records."""
        return float(self.cell @ of_cells) / self.records

    def deviation(self, of_cells: Numbers) -> float:
        return math.sqrt(self.mean((of_cells - self.mean(of_cells)) ** 2))

    @property
    def entropy(self) -> float:
        """H(X) in nats."""
        return _entropy(self.values)

    @property
    def information(self) -> float:
        """I(X;Y) in nats."""
        return self.entropy + _entropy(self.classes) - _entropy(self.cell)

    @property
    def rate(self) -> float | None:
        """The discrimination rate I(X;Y) / H(X) of this very table; None where there is nothing to tell."""
        return _cut(self.information / self.entropy) if len(self.values) > 1 else None


def in_population(name: str, value: float | None, question: Question) -> PopulationInterval:
    """What a sample says of a reading in its population: an interval, a bracket, at most, or nothing.

    One record can decide a worst case, so that of a smallest class or a highest risk nothing can be said.
    """
    if value is None:
        return PopulationInterval("cannot tell", reason="the reading itself is undefined")
    counts = question.counts
    if question.data.weights is not None:
        return PopulationInterval("cannot tell", reason="records are weighted")
    if name in SHARES:
        return share_in_population(value, counts.records)
    if name not in ("discrimination_rate", "mutual_information") or question.about_records:
        return PopulationInterval("cannot tell", reason=NO_METHOD)
    if question.subject is not None:
        return PopulationInterval("cannot tell", reason="people have several records")
    try:
        held = counts.in_cells()
        sample = SampleCells.of_counts(held)
    except Undefined as reason:
        return PopulationInterval("cannot tell", reason=reason.message)
    if name == "mutual_information":
        return information_in_population(sample)
    if len(sample.values) < 2:
        return PopulationInterval("cannot tell", reason="the target has one value only in this sample")
    return rate_in_population(sample, expected_mutual_information(held) if len(sample.classes) > 1 else 0.0)


def population_rate(table: npt.ArrayLike) -> PopulationInterval:
    """The discrimination rate in the population of which a table of counts is a sample, a row for each x.

    An interval is given if there are at least 200 records, unrelated columns would tell less than 0.02, the
    jackknife and the Miller-Madow correction differ by less than half a standard error, and 0 is further
    away than three of them.
    """
    return rate_in_population(SampleCells.of(table), expected_information(table))


def rate_in_population(sample: SampleCells, by_chance: float) -> PopulationInterval:
    """The same from cells, and what unrelated columns tell, in bits."""
    if min(len(sample.values), len(sample.classes)) < 2:
        what = "the target" if len(sample.values) < 2 else "what is observed"
        return PopulationInterval("cannot tell", reason=f"{what} has one value only in this sample")
    reason = TOO_FEW
    if sample.records >= RECORDS and by_chance * math.log(2) / sample.entropy < CHANCE:
        estimate, error = jackknife(sample)
        agree = abs(estimate - miller_madow_rate(sample)) < APART * error
        if agree and estimate > FROM_NONE * error:
            low, middle, high = (_cut(estimate + z * error) for z in (-Z, 0, Z))
            return PopulationInterval("interval", low, high, middle)
        reason = TOO_LITTLE if agree else TOO_FEW
    low, high = bracket(sample)
    if high - low > WIDE:
        return PopulationInterval("cannot tell", low, high, reason="the sample is too small")
    return PopulationInterval("bracket", low, high, reason=reason)


def bracket(sample: SampleCells) -> tuple[float, float]:
    """The least and the most that the discrimination rate may be in the population.

    Least: each record's value is predicted from the other records, by the shares in its class leaning on
    those of the whole table; on average no rule predicts better than the truth allows. Most: small classes
    look more alike inside than they are, so the table's own rate and its standard error are enough; where
    hardly anything is told that error is too small, and what unrelated columns leave open counts instead.
    """
    records, values = sample.records, len(sample.values)
    whole = (sample.value - 0.5) / (records - 1 + values / 2)  # the record itself left out
    gains = (
        np.log((sample.cell - 1 + strength * whole) / (sample.observed - 1 + strength) / whole)
        for strength in STRENGTHS
    )
    gain = max(gains, key=sample.mean)
    low = sample.mean(gain) - Z * sample.deviation(gain) / math.sqrt(records)
    rate = sample.information / sample.entropy
    told = np.log(sample.cell * records / (sample.observed * sample.value))
    off = sample.deviation(told + rate * np.log(sample.value / records))
    high = max(rate + Z * off / (sample.entropy * math.sqrt(records)), _nearly_none(sample) / sample.entropy)
    least = min(low / (sample.entropy + (values - 1) / (2 * records)), _nearly_all(sample))
    return _cut(least), _cut(high)


def _nearly_all(sample: SampleCells) -> float:
    """The least rate where hardly any record is an exception to its class, by how many there may be.

    A sample without exceptions does not say that there are none: of n records up to three in n may be. By
    Fano's inequality so many wrong guesses leave at most h(e) + e log(R - 1) unknown.
    """
    likely = np.zeros(int(sample.owner.max()) + 1)
    np.maximum.at(likely, sample.owner, sample.cell)
    wrong = sample.records - float(likely.sum())
    if wrong > NEARLY_ALL * sample.records:
        return 1.0
    share = min((wrong + Z**2 / 2 + Z * math.sqrt(wrong + Z**2 / 4)) / sample.records, 0.5)
    unknown = -share * math.log(share) - (1 - share) * math.log(1 - share)
    return 1 - (unknown + share * math.log(max(len(sample.values) - 1, 1))) / sample.entropy


def _nearly_none(sample: SampleCells) -> float:
    """The most that I(X;Y) may be in the population, in nats, by the law it has where little is told.

    2 n I is then nearly noncentral chi-square with 2 n I of the population as its noncentrality, of which two
    upper limits are known: (sqrt(2 n I) + z)^2, and by mean and variance for many degrees of freedom.
    """
    twice = 2 * sample.records
    observed = twice * max(sample.information, 0.0)
    half = (len(sample.values) - 1) * (len(sample.classes) - 1) / 2
    many = (Z + math.sqrt(max(Z**2 + observed - half, 0.0))) ** 2 - half
    return min((math.sqrt(observed) + Z) ** 2, max(many, 0.0)) / twice


def jackknife(sample: SampleCells) -> tuple[float, float]:
    """The discrimination rate with its bias taken out, and its standard error: each record left out in turn.

    What is left then depends on the record's cell only.
    """
    records = sample.records
    left = math.log(records - 1)

    def without(part: Numbers, whole: Numbers) -> Numbers:
        """The entropy of a part with one record less in each of its cells in turn."""
        return left - (_xlogx(whole).sum() + _xlogx(part - 1) - _xlogx(part)) / (records - 1)

    of_value = without(sample.value, sample.values)
    information = of_value + without(sample.observed, sample.classes) - without(sample.cell, sample.cell)
    with np.errstate(invalid="ignore"):  # without its one record of another value the target is constant
        rates = information / of_value
    estimate = records * sample.information / sample.entropy - (records - 1) * sample.mean(rates)
    return estimate, math.sqrt(records - 1) * sample.deviation(rates)


def miller_madow_rate(sample: SampleCells) -> float:
    """The discrimination rate with each entropy corrected by its number of values less one, over 2 n."""
    values, classes, cells = len(sample.values), len(sample.classes), len(sample.cell)
    information = sample.information + (values + classes - cells - 1) / (2 * sample.records)
    return information / (sample.entropy + (values - 1) / (2 * sample.records))


def information_in_population(sample: SampleCells) -> PopulationInterval:
    """Between what the mutual information lies in the population, in bits."""
    if min(len(sample.values), len(sample.classes)) < 2:
        return PopulationInterval("cannot tell", reason="the target or the keys have one value only")
    records, values = sample.records, len(sample.values)
    low, _ = bracket(sample)
    told = np.log(sample.cell * records / (sample.observed * sample.value))
    top = sample.information + (values - 1) / (2 * records) + Z * sample.deviation(told) / math.sqrt(records)
    least = min(low * (sample.entropy + (values - 1) / (2 * records)), sample.information)
    top = max(min(top, math.log(values)), sample.information)
    return PopulationInterval("bracket", least / math.log(2), top / math.log(2))


def share_in_population(share: float, records: int) -> PopulationInterval:
    """A share of people that a sample can only overstate: at most what it shows, and its error."""
    top = share + Z * math.sqrt(share * (1 - share) / records)
    top = max(top, Z**2 / (records + Z**2) if share == 0 else top)  # nobody here is not nobody there
    return PopulationInterval(
        "at most", 0.0, min(top, 1.0), reason="a sample looks riskier than its population"
    )


def expected_information(table: npt.ArrayLike) -> float:
    """The mean of the plug-in I(X;Y) in bits over all tables with the same margins; 0 if one is constant."""
    counts = np.asarray(table)
    rows, columns = counts.sum(axis=1) > 0, counts.sum(axis=0) > 0
    if min(np.count_nonzero(rows), np.count_nonzero(columns)) < 2:
        return 0.0
    return expected_mutual_information(JointCounts.of_table(counts[rows][:, columns].T))


def _cut(rate: float) -> float:
    return float(min(max(rate, 0.0), 1.0))


def _entropy(counts: Numbers) -> float:
    """In nats."""
    records = counts.sum()
    return math.log(records) - float(_xlogx(counts).sum()) / records


def _xlogx(counts: Numbers) -> Numbers:
    return counts * np.log(np.maximum(counts, 1))
