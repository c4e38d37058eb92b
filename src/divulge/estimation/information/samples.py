"""Mutual information when only a sample is known, with what chance alone would give beside it.

Columns of a sample look related where they are not: plugged into the formula, its shares make I(X;Y) too
large, most so for small samples. So an estimate is corrected, and stands with what may be true of the
population and with a test of whether there is any leakage at all. In bits; higher is riskier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.estimation.channels.probabilities import FloatArray, finite
from divulge.estimation.information.entropy_estimates import chao_shen, miller_madow, nsb, plug_in, whole
from divulge.estimation.information.leakage import mutual_information
from divulge.estimation.information.population import PopulationInterval, population_rate
from divulge.limits.libraries import scipy

Method = Literal["plug_in", "miller_madow", "chao_shen", "nsb"]

ESTIMATES: dict[str, Callable[[npt.ArrayLike], float]] = {
    "plug_in": plug_in,
    "miller_madow": miller_madow,
    "chao_shen": chao_shen,
    "nsb": nsb,
}


def estimated_information(table: npt.ArrayLike, method: Method = "miller_madow") -> float:
    """I(X;Y) in bits from counts, as H(X) + H(Y) - H(X,Y) with each entropy estimated; higher is riskier.

    Corrected estimates may come out below 0 by chance, and are given as they are.
    """
    counts = _table(table)
    if method not in ESTIMATES:
        raise ParameterError(f"No estimate is called '{method}'.", hint=f"There are {', '.join(ESTIMATES)}.")
    entropy = ESTIMATES[method]
    return entropy(counts.sum(axis=1)) + entropy(counts.sum(axis=0)) - entropy(counts.ravel())


@dataclass(frozen=True)
class ZeroLeakageTest:
    """Whether the sample shows any leakage: how often tables of unrelated columns tell as much or more."""

    observed: float  # plug-in I(X;Y) in bits
    expected: float  # its mean over tables with the same margins, rows and columns unrelated
    p_value: float
    permutations: int


def permutation_null(table: npt.ArrayLike, *, permutations: int, rng: np.random.Generator) -> FloatArray:
    """Plug-in I(X;Y) in bits of tables with the same margins, their records dealt out at random."""
    counts = _table(table)
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    if min(np.count_nonzero(rows), np.count_nonzero(columns)) < 2:
        return np.zeros(_positive(permutations, "permutations"))  # one side is constant: nothing to deal out
    drawn = scipy("stats").random_table(rows, columns, seed=rng).rvs(_positive(permutations, "permutations"))
    return np.array([mutual_information(one / one.sum()) for one in drawn])


def zero_leakage_test(
    table: npt.ArrayLike, *, permutations: int = 999, rng: np.random.Generator
) -> ZeroLeakageTest:
    """A permutation test of I(X;Y) = 0, exact for any size of sample: low p-values speak for leakage."""
    counts = _table(table)
    observed = mutual_information(counts / counts.sum())
    null = permutation_null(counts, permutations=permutations, rng=rng)
    reached = np.count_nonzero(null >= observed - 1e-12)
    return ZeroLeakageTest(observed, float(null.mean()), (1 + reached) / (1 + permutations), permutations)


@dataclass(frozen=True)
class SampledLeakage:
    """What a sample says: an estimate of I(X;Y), what may be true of the population, and a test.

    ``estimate`` is in bits; ``interval`` is about the discrimination rate, the share of H(X) that is told.
    """

    estimate: float
    method: str
    interval: PopulationInterval
    test: ZeroLeakageTest


def sampled_leakage(
    table: npt.ArrayLike,
    method: Method = "miller_madow",
    *,
    repeats: int = 499,
    rng: np.random.Generator,
) -> SampledLeakage:
    """What a table of counts says about I(X;Y), a row for each x; higher is riskier."""
    return SampledLeakage(
        estimated_information(table, method),
        method,
        population_rate(_table(table)),
        zero_leakage_test(table, permutations=repeats, rng=rng),
    )


def _table(table: npt.ArrayLike) -> npt.NDArray[np.int64]:
    array = finite(table, "The table of counts", 2)
    whole(array, "table of counts")
    return array.astype(np.int64)


def _positive(number: int, what: str) -> int:
    if number < 1:
        raise ParameterError(f"At least 1 of the {what} is needed; {number} were asked for.")
    return number
