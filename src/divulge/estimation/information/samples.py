"""Mutual information when only a sample is known, with what chance alone would give beside it.

Columns of a sample look related where they are not: plugged into the formula, its shares make I(X;Y) too
large, most so for small samples. So an estimate is corrected, and stands with what may be true of the
population and with a test of whether there is any leakage at all. In bits; higher is riskier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.estimation.channels.probabilities import FloatArray, finite, settled
from divulge.estimation.information.entropy_estimates import chao_shen, miller_madow, nsb, plug_in, whole
from divulge.estimation.information.leakage import mutual_information

WELL_FILLED = 5  # records for each combination in use from which on a correction is small
CONSTANT_TARGET = "the target has one value, so there is nothing to learn"
CONSTANT_KEYS = "the keys have one combination of values, so they say nothing"
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
    from scipy.stats import random_table

    counts = _table(table)
    if permutations < 1:
        raise ParameterError(f"At least 1 of the permutations is needed; {permutations} were asked for.")
    if constant(counts) is not None:
        return np.zeros(permutations)  # one side is constant: nothing to deal out
    drawn = random_table(counts.sum(axis=1), counts.sum(axis=0), seed=rng).rvs(permutations)
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


# -- the estimate kept within what is possible --------------------------------------------------------


@dataclass(frozen=True)
class Corrected:
    """I(X;Y) in bits as corrected for a sample, between 0 and what is possible."""

    estimate: float | None  # None where so small a sample says no more than unrelated columns would
    possible: float  # the smaller of H(X) and H(Y) in the sample, in bits
    too_sparse: bool  # the correction came out above what is possible: it says nothing beyond that bound


def corrected_information(table: npt.ArrayLike, method: Method = "miller_madow") -> Corrected:
    """The corrected information of a table of counts, a row for each x; higher is riskier.

    Below 0 it is 0, which unrelated columns give half of the time. No observation tells more than there is to
    know, nor more than it varies itself: an estimate above the smaller of the two entropies shows that most
    combinations were seen too seldom for a correction, or, where all were seen often, that it is reached.

    >>> corrected_information([[80, 0], [0, 80]])
    Corrected(estimate=1.0, possible=1.0, too_sparse=False)

    >>> corrected_information([[2, 0, 0, 0], [0, 1, 1, 1]])
    Corrected(estimate=0.9709505944546686, possible=0.9709505944546686, too_sparse=True)
    """
    counts = np.asarray(table)
    possible = min(plug_in(counts.sum(axis=0)), plug_in(counts.sum(axis=1)))
    raw = settled(float(estimated_information(counts, method)))
    too_sparse = settled(raw - possible, scale=max(possible, 1.0)) > 0 and possible > 0 and sparse(counts)
    return Corrected(min(max(raw, 0.0), possible), possible, too_sparse)


def sparse(table: npt.ArrayLike) -> bool:
    """Whether a table has fewer than five records for each combination in use."""
    counts = np.asarray(table)
    return bool(counts.sum() < WELL_FILLED * np.count_nonzero(counts))


def told_apart(
    found: Corrected, table: npt.ArrayLike, bracket: str | None, chance: float | None
) -> Corrected:
    """The same without an estimate where the sample cannot tell it from what unrelated columns give.

    That is where a bracket on the rate cannot tell, or where a sparse table's estimate is not above
    ``chance``, the information in unrelated columns of the same sizes.
    """
    drowned = chance is not None and found.estimate is not None and found.estimate <= chance
    if bracket == "cannot tell" or (drowned and sparse(table)):
        return replace(found, estimate=None, too_sparse=True)
    return found


def constant(table: npt.ArrayLike) -> str | None:
    """Why nothing can be learned, where a side of the table has one value only; None otherwise."""
    counts = np.asarray(table)
    if np.count_nonzero(counts.sum(axis=1)) < 2:
        return CONSTANT_TARGET
    return CONSTANT_KEYS if np.count_nonzero(counts.sum(axis=0)) < 2 else None


def _table(table: npt.ArrayLike) -> npt.NDArray[np.int64]:
    array = finite(table, "The table of counts", 2)
    whole(array, "table of counts")
    return array.astype(np.int64)
