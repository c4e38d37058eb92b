"""Log-linear models of how many people share each combination of values (Skinner and Shlomo 2008).

The sample's count in a combination is Poisson with mean m = n times the model's share, the population's with
m / pi for a sampled share pi. A model with too few terms expects too little in common combinations and too
much in rare ones (underfit, too many population uniques); one with too many follows the sample's gaps
(overfit, too few). The statistic B says which, and of the models tried the one of least B counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from divulge._support.wording import many
from divulge.errors import Undefined
from divulge.table.codes import Codes
from divulge.table.packing import packed

MOST_CELLS = 5_000_000  # combinations of values that a model is spread over
ROUNDS, CLOSE = 2000, 1e-6  # a margin may be missed by so much of a record
MOST_WORK = 3_000_000_000  # cells that may be gone through while a model is fitted
BEYOND = 1.96  # of B in standard errors: a model that fits seldom gets there
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LoglinearFit:
    """What one model says of a population."""

    terms: str
    uniques: float  # people expected to be unique in the population
    unique_in_both: float  # of the sample's unique records, those unique in the population (tau 1)
    matches: float  # of a match with each of the sample's unique records, those that are right (tau 2)
    bias: float  # B: by how much the model overstates (above 0) or understates tau 1
    error: float  # standard error of B where the model holds

    @property
    def standardized(self) -> float:
        return self.bias / self.error if self.error else math.inf

    @property
    def fits(self) -> str:
        """What B says of the model, in words."""
        if self.standardized > BEYOND:
            return "underfit"
        return "overfit" if self.standardized < -BEYOND else "fits"


@dataclass(frozen=True, eq=False)
class CombinationTable:
    """How many records have each combination of values that is possible, and the sampled share."""

    counts: Floats
    fraction: float

    @classmethod
    def of(cls, columns: Sequence[Codes], fraction: float) -> CombinationTable:
        """From attributes; Undefined where too many combinations are possible."""
        used = [np.flatnonzero(np.bincount(column.codes)) for column in columns]
        shape = tuple(len(values) for values in used)
        if math.prod(shape) > MOST_CELLS:
            raise Undefined(
                f"the attributes have {many(math.prod(shape))} possible combinations of values, "
                f"and log-linear models are fitted to at most {many(MOST_CELLS)}"
            )
        places = [np.searchsorted(values, column.codes) for values, column in zip(used, columns, strict=True)]
        cells = packed(list(zip(places, shape, strict=True)), len(columns[0].codes))
        counts = np.bincount(cells, minlength=math.prod(shape)).reshape(shape)
        return cls(counts.astype(np.float64), fraction)


def main_effects(table: CombinationTable) -> LoglinearFit:
    """The model in which attributes are independent."""
    if table.counts.ndim < 2:
        raise Undefined("with one attribute the model repeats the table")
    return _read("main effects", _independent(table.counts), table)


def two_way(table: CombinationTable) -> LoglinearFit:
    """The model with the interactions of each two attributes; Undefined where its fit does not converge."""
    if table.counts.ndim < 3:
        raise Undefined("with fewer than three attributes the model repeats the table")
    return _read("two-way interactions", _two_way(table.counts), table)


def _independent(counts: Floats) -> Floats:
    """Means where attributes are independent: products of their shares."""
    total, means = counts.sum(), np.ones(1)
    for axis in range(counts.ndim):
        others = tuple(other for other in range(counts.ndim) if other != axis)
        means = np.multiply.outer(means, counts.sum(axis=others) / total)
    return np.asarray((means * total).reshape(counts.shape), np.float64)


def _two_way(counts: Floats) -> Floats:
    """Means with the table's margins of each two attributes, by iterative proportional fitting."""
    means = _independent(counts)
    pairs = [
        tuple(a for a in range(counts.ndim) if a not in two) for two in combinations(range(counts.ndim), 2)
    ]
    margins = [counts.sum(axis=others, keepdims=True) for others in pairs]
    rounds = max(10, min(ROUNDS, MOST_WORK // (counts.size * len(pairs))))
    for _ in range(rounds):
        moved = 0.0
        for others, margin in zip(pairs, margins, strict=True):
            now = means.sum(axis=others, keepdims=True)
            moved = max(moved, float(np.abs(now - margin).max()))
            means *= np.divide(margin, now, out=np.zeros_like(now), where=now > 0)
        if moved <= CLOSE:
            return means
    raise Undefined(f"the fit of a log-linear model did not converge within {rounds} rounds")


def _read(terms: str, means: Floats, table: CombinationTable) -> LoglinearFit:
    counts, fraction = table.counts, table.fraction
    people, unseen = means / fraction, 1 - fraction  # expected in the population
    unique = people[counts == 1]
    hidden = unique * unseen
    right = np.divide(-np.expm1(-hidden), hidden, out=np.ones_like(hidden), where=hidden > 0)
    weight = people * np.exp(-people) * unseen
    beyond, curve = counts - means, unseen / (2 * fraction)
    return LoglinearFit(
        terms,
        uniques=float((people * np.exp(-people)).sum()),
        unique_in_both=float(np.exp(-hidden).sum()),
        matches=float(right.sum()),
        bias=float((weight * (beyond + curve * (beyond**2 - counts))).sum()),
        error=float(np.sqrt((weight**2 * (means + 2 * curve**2 * means**2)).sum())),
    )
