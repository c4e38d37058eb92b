"""The five tests of a released set by their definitions, from counts: plain, slow and independent.

A matrix of counts has a row for each value of X and a column for each target. Limits of small releases are
chance's to tell, so whoever asks hands them over; all other limits are worked out here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import chi2

Matrix = Sequence[Sequence[int]]
Bin = tuple[int, float]  # records observed, share expected

ENOUGH = 5  # records of a bin


@dataclass(frozen=True)
class Held:
    """What a set is held to. ``simulated(test, n)`` is the limit of n records, in bits per record."""

    shares: Sequence[float]  # P(X)
    targets: Sequence[float]  # P(Y)
    tests: Sequence[str]
    alpha: float
    degrees: str
    merging: str
    simulated: Callable[[str, int], float]
    ratio: Callable[[int, float], float]  # Dixon's limit for so many distances
    form: str = "each"
    known: Sequence[float] | None = None  # how often each value occurs in the table, where observers know
    small: int = 0  # the largest release whose limits are handed over
    fit: Callable[[int], float] = float  # the limit of Pearson's statistic where no values are merged

    @property
    def values_expected(self) -> int:
        return sum(share > 0 for share in self.shares)

    @property
    def targets_expected(self) -> int:
        return sum(share > 0 for share in self.targets)


@dataclass(frozen=True)
class Read:
    """What a test reads, for one target (a column) or all; neither number where it cannot be carried out."""

    test: str
    target: int | None
    value: float | None
    critical: float | None

    @property
    def safe(self) -> bool:
        if self.value is None or self.critical is None:
            return True
        return self.value < self.critical and not math.isclose(self.value, self.critical, rel_tol=1e-9)


def readings(counts: Matrix, held: Held) -> list[Read]:
    """Every test on what is outside."""
    there = [y for y, column in enumerate(_columns(counts)) if sum(column)]
    found = []
    for test in held.tests:
        if test in ("kld", "cst"):
            found += [_by_target(test, counts, y, held) for y in there]
        elif test == "seq" and held.form == "each":
            found += [_seq([_columns(counts)[y]], y, held) for y in there]
        elif there and test == "seq":
            found.append(_seq(_columns(counts), None, held))
        elif there:
            found.append(_mis(counts, held) if test == "mis" else _dqt(counts, held))
    return found


def is_safe(counts: Matrix, held: Held) -> bool:
    """Whether a set passes all tests."""
    return all(one.safe for one in readings(counts, held))


def with_one_more(counts: Matrix, x: int, y: int) -> list[list[int]]:
    more = [list(row) for row in counts]
    more[x][y] += 1
    return more


# -- information -------------------------------------------------------------------------------------


def distance(column: Sequence[int], shares: Sequence[float]) -> float:
    """Kullback and Leibler's, in bits, of a target's records from the baseline."""
    n = sum(column)
    terms = []
    for count, share in zip(column, shares, strict=True):
        if count and not share:
            return math.inf
        if count:
            terms.append(count / n * math.log2(count / n / share))
    return math.fsum(terms)


def mutual_information(counts: Matrix, shares: Sequence[float]) -> float:
    """The distances of the targets, each by its share of what is outside."""
    columns = [column for column in _columns(counts) if sum(column)]
    n = sum(map(sum, columns))
    return math.fsum(sum(column) / n * distance(column, shares) for column in columns)


def _mis(counts: Matrix, held: Held) -> Read:
    n = sum(map(sum, counts))
    if n <= held.small:
        limit = held.simulated("mis", n)
    elif held.degrees == "domain":
        limit = in_bits((held.values_expected - 1) * held.targets_expected, held.alpha, n)
    else:
        targets = sum(any(column) for column in _columns(counts))
        limit = in_bits((values_present(counts) - 1) * targets, held.alpha, n)
    return Read("mis", None, mutual_information(counts, held.shares), limit)


def _by_target(test: str, counts: Matrix, y: int, held: Held) -> Read:
    column = _columns(counts)[y]
    if test == "cst" and held.merging == "none":
        return Read(test, y, pearson([*zip(column, held.shares, strict=True)]), held.fit(sum(column)))
    if test == "cst":
        bins = merged(column, held.shares, held.merging)
        if len(bins) == 1:
            return Read(test, y, None, None)
        return Read(test, y, pearson(bins), quantile(len(bins) - 1, held.alpha))
    n = sum(column)
    values = held.values_expected if held.degrees == "domain" else values_present(counts)
    limit = held.simulated("kld", n) if n <= held.small else in_bits(values - 1, held.alpha, n)
    return Read(test, y, distance(column, held.shares), limit)


def quantile(degrees: int, alpha: float) -> float:
    """What a chi-square variable exceeds with probability alpha; without any freedom it is zero."""
    return float(chi2.ppf(1 - alpha, degrees)) if degrees else 0.0


def in_bits(degrees: int, alpha: float, records: int) -> float:
    return quantile(degrees, alpha) / (2 * records * math.log(2))


def values_present(counts: Matrix) -> int:
    return sum(any(row) for row in counts)


# -- chi-square --------------------------------------------------------------------------------------


def merged(column: Sequence[int], shares: Sequence[float], rule: str) -> list[Bin]:
    """Neighbouring values joined until every bin has records enough, or one bin is left."""
    bins = list(zip(column, shares, strict=True))
    if rule == "smallest":
        return _smallest_first(bins)
    return _from_the_left(bins) if rule == "left" else _from_the_left(bins[::-1])[::-1]


def _smallest_first(bins: list[Bin]) -> list[Bin]:
    """The first of the smallest bins joins its smaller neighbour, the left one if both are alike."""
    while len(bins) > 1 and min(n for n, _ in bins) < ENOUGH:
        at = min(range(len(bins)), key=lambda place: bins[place][0])
        sides = [side for side in (at - 1, at + 1) if 0 <= side < len(bins)]
        first, last = sorted((at, min(sides, key=lambda side: bins[side][0])))
        bins = [*bins[:first], _together(bins[first : last + 1]), *bins[last + 1 :]]
    return bins


def _from_the_left(bins: list[Bin]) -> list[Bin]:
    """Values are taken up until they are enough; what is left over joins the last bin."""
    groups: list[list[Bin]] = []
    taken: list[Bin] = []
    for one in bins:
        taken.append(one)
        if sum(n for n, _ in taken) >= ENOUGH:
            groups.append(taken)
            taken = []
    if groups:
        groups[-1] += taken
    return [_together(group) for group in groups or [taken]]


def _together(bins: Sequence[Bin]) -> Bin:
    return sum(n for n, _ in bins), math.fsum(share for _, share in bins)


def pearson(bins: Sequence[Bin]) -> float:
    """The squared differences of observed and expected records, in parts of the expected."""
    n = sum(count for count, _ in bins)
    if any(count and not share for count, share in bins):
        return math.inf
    return math.fsum((count - n * share) ** 2 / (n * share) for count, share in bins if share)


# -- Dixon -------------------------------------------------------------------------------------------


def dixon(distances: Sequence[float]) -> float:
    """The gap below the largest distance, in parts of the range."""
    ordered = sorted(distances)
    return (ordered[-1] - ordered[-2]) / (ordered[-1] - ordered[0])


def different(distances: Sequence[float]) -> int:
    """How many distances can be told apart."""
    kept: list[float] = []
    for one in sorted(distances):
        if not kept or one - kept[-1] > 1e-13 + 1e-9 * one:
            kept.append(one)
    return len(kept)


def _dqt(counts: Matrix, held: Held) -> Read:
    distances = [distance(column, held.shares) for column in _columns(counts) if sum(column)]
    if math.inf in distances:  # a target with a value that nobody expects stands out, whatever the others do
        return Read("dqt", None, math.inf, held.ratio(3, held.alpha))
    number = different(distances)
    if number < 3:
        return Read("dqt", None, None, None)
    return Read("dqt", None, dixon(distances), held.ratio(number, held.alpha))


# -- likelihood ratios -------------------------------------------------------------------------------


def likelihood(column: Sequence[int], shares: Sequence[float], c: float) -> float:
    """ln of how probable a target's records are if its shares are drawn around the baseline."""
    terms = [
        math.lgamma(c * p + k) - math.lgamma(c * p) for k, p in zip(column, shares, strict=True) if k and p
    ]
    return math.lgamma(c) - math.lgamma(c + sum(column)) + math.fsum(terms)


def expected(column: Sequence[int], held: Held) -> float:
    """ln of how probable records are by the baseline, drawn from known counts or from shares."""
    pools = held.shares if held.known is None else held.known
    if any(k > pool if held.known else k and not pool for k, pool in zip(column, pools, strict=True)):
        return -math.inf
    if held.known is None:
        return math.fsum(k * math.log(p) for k, p in zip(column, pools, strict=True) if k)
    drawn = [math.log(pool - i) for k, pool in zip(column, pools, strict=True) for i in range(k)]
    return math.fsum([*drawn, *(-math.log(sum(pools) - i) for i in range(sum(column)))])


def log_mean(terms: Sequence[float]) -> float:
    most = max(terms)
    return (
        most
        if most == math.inf
        else most + math.log(math.fsum(math.exp(t - most) for t in terms) / len(terms))
    )


def evidence(columns: Sequence[Sequence[int]], held: Held) -> float:
    """ln of the odds of targets against the baseline, those of several as the form has it."""
    if held.form == "mean":
        return log_mean([evidence([one], replace(held, form="each")) for one in columns])
    pools = [columns[0]] if len(columns) == 1 else [[sum(row) for row in zip(*columns, strict=True)]]
    base = sum(expected(pool, held) for pool in pools)
    ratios = [sum(likelihood(one, held.shares, 2.0**j) for one in columns) for j in range(15)]
    return math.inf if base == -math.inf else log_mean([one - base for one in ratios])


def _seq(columns: Sequence[Sequence[int]], y: int | None, held: Held) -> Read:
    odds = evidence(columns, held)
    return Read("seq", y, math.exp(odds) if odds < 700 else math.inf, 1 / held.alpha)


# -- chance ------------------------------------------------------------------------------------------


def by_chance(
    shares: Sequence[float], targets: Sequence[float], records: int, samples: int, seed: int
) -> np.ndarray:
    """The mutual information of releases whose values have nothing to do with their targets."""
    rng = np.random.default_rng(seed)
    cells = np.outer(shares, targets)
    drawn = rng.multinomial(records, cells.ravel() / cells.sum(), samples).reshape(samples, *cells.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        given = drawn / drawn.sum(axis=1, keepdims=True)  # p(x|y)
        terms = np.where(drawn > 0, drawn * np.log2(given / np.asarray(shares)[:, None]), 0.0)
    return terms.sum(axis=(1, 2)) / records


def _columns(counts: Matrix) -> list[tuple[int, ...]]:
    return list(zip(*counts, strict=True))
