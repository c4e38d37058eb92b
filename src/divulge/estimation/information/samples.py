"""Entropy and information when only a sample is known, in bits, and what chance alone would give.

A sample looks less varied than what it comes from, so the entropy of its shares is too small. Three estimates
correct for it: by the number of values seen (Miller-Madow), by the share of what is still unseen (Chao-Shen),
or by a prior that is nearly flat in the entropy itself (NSB). Its columns look related where they are not, so
I(X;Y) is too large, most so for small samples; it stands with a test of whether there is any at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from divulge._support.shares import entropy
from divulge.errors import ParameterError
from divulge.estimation.channels.probabilities import FloatArray, finite, settled
from divulge.estimation.information.entropy import LN2
from divulge.estimation.information.leakage import mutual_information
from divulge.limits.libraries import scipy
from divulge.readings.population_interval import expected_information

special = scipy("special")

WELL_FILLED = 5  # records for each combination in use from which on a correction is small
CONSTANT_TARGET = "the target has one value, so there is nothing to learn"
CONSTANT_KEYS = "the keys have one combination of values, so they give no information"
Method = Literal["plug_in", "miller_madow", "chao_shen", "nsb"]


def plug_in(counts: npt.ArrayLike) -> float:
    """The entropy of the shares in the sample, in bits: too low on average, most so for small samples."""
    return entropy(_seen(counts))


def miller_madow(counts: npt.ArrayLike) -> float:
    """The plug-in entropy and (values seen - 1) / (2 n) nats, its bias to first order; in bits."""
    n = _seen(counts)
    return plug_in(n) + (len(n) - 1) / (2 * float(n.sum()) * LN2)


def chao_shen(counts: npt.ArrayLike) -> float:
    """The entropy in bits with values weighted by their chance to be seen at all (Chao and Shen 2003).

    Values seen once say how much is unseen (Good-Turing). Where every value was seen once that would be all;
    one of them is then taken not to count.
    """
    n = _seen(counts)
    total, once = n.sum(), np.count_nonzero(n == 1)
    coverage = 1 - min(once, total - 1) / total
    p = coverage * n / total
    # 1 - (1 - p)^n, exact where p is small
    included = -np.expm1(total * np.log1p(-np.minimum(p, 1 - 1e-16)))
    return max(0.0, float(-(p * np.log2(p) / included).sum()))  # of one value 0, and not -0


def nsb(counts: npt.ArrayLike, size: int | None = None) -> float:
    """The posterior mean of the entropy in bits, its prior nearly flat (Nemenman, Shafee, Bialek 2002).

    ``size`` is how many values are possible, seen or not; by default as many as there are counts, zeros among
    them. A mixture of symmetric Dirichlet priors over the concentration beta, weighted so that the expected
    entropy is uniform: one integral over ln beta.
    """
    table = finite(counts, "The counts", 1)
    n = _seen(table)
    size = len(table) if size is None else size
    if size < len(n):
        raise ParameterError(f"{len(n)} values were seen, more than the {size} possible values given.")
    if size == 1:
        return 0.0
    values, repeats = np.unique(n, return_counts=True)
    often = repeats.astype(np.float64)
    grid = np.linspace(-60.0, 60.0, 241)
    density = _log_density(grid, values, often, size)
    # The integrand falls at least like exp(-|ln beta|) on both sides: what is 40 below its peak is nothing.
    inside = np.flatnonzero(density > density.max() - 40)
    low, high = grid[max(inside[0] - 1, 0)], grid[min(inside[-1] + 1, len(grid) - 1)]
    grid = np.linspace(low, high, 801)
    density = _log_density(grid, values, often, size)
    weights = np.exp(density - density.max())
    return float(weights @ _expected_entropy(np.exp(grid), values, often, size) / weights.sum()) / LN2


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
        raise ParameterError(f"Unknown estimate: '{method}'.", hint=f"Choose from {', '.join(ESTIMATES)}.")
    entropy = ESTIMATES[method]
    return entropy(counts.sum(axis=1)) + entropy(counts.sum(axis=0)) - entropy(counts.ravel())


@dataclass(frozen=True)
class ZeroLeakageTest:
    """Whether the sample shows any leakage: how often tables of unrelated columns tell as much or more."""

    observed: float  # plug-in I(X;Y) in bits
    expected: float  # its exact mean over tables with the same margins, rows and columns unrelated
    p_value: float
    permutations: int


def permutation_null(table: npt.ArrayLike, *, permutations: int, rng: np.random.Generator) -> FloatArray:
    """Plug-in I(X;Y) in bits of tables with the same margins, their records assigned at random."""
    counts = _table(table)
    if permutations < 1:
        raise ParameterError(f"The number of permutations must be at least 1, not {permutations}.")
    if constant(counts) is not None:
        return np.zeros(permutations)  # one side is constant: nothing to deal out
    drawn = scipy("stats").random_table(counts.sum(axis=1), counts.sum(axis=0), seed=rng).rvs(permutations)
    return np.array([mutual_information(one / one.sum()) for one in drawn])


def zero_leakage_test(
    table: npt.ArrayLike, *, permutations: int = 999, rng: np.random.Generator
) -> ZeroLeakageTest:
    """A permutation test of I(X;Y) = 0, exact for any size of sample: low p-values speak for leakage."""
    counts = _table(table)
    observed = mutual_information(counts / counts.sum())
    null = permutation_null(counts, permutations=permutations, rng=rng)
    reached = np.count_nonzero(null >= observed - 1e-12)
    return ZeroLeakageTest(
        observed, expected_information(counts), (1 + reached) / (1 + permutations), permutations
    )


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
    _whole(array, "table of counts")
    return array.astype(np.int64)


def _log_density(grid: FloatArray, values: FloatArray, often: FloatArray, size: int) -> FloatArray:
    """ln of the posterior density of ln beta, up to a constant: evidence, prior and beta."""
    beta = np.exp(grid)
    # The rising factorials (b)_n = Gamma(b + n) / Gamma(b) by the beta function, which keeps its digits.
    each = (special.gammaln(values) - special.betaln(beta[:, None], values)) @ often
    total = values @ often
    evidence = each - (special.gammaln(total) - special.betaln(size * beta, total))
    return np.asarray(evidence + np.log(_slope(beta, size)) + grid)


def _slope(beta: FloatArray, size: int) -> FloatArray:
    """How fast the prior's expected entropy rises with beta; by its expansion where terms would cancel."""
    direct = size * special.polygamma(1, size * beta + 1) - special.polygamma(1, beta + 1)
    expanded = (1 - 1 / size) / (2 * beta**2) - (1 - 1 / size**2) / (6 * beta**3)
    return np.where(beta < 1e4, direct, expanded)


def _expected_entropy(beta: FloatArray, values: FloatArray, often: FloatArray, size: int) -> FloatArray:
    """E[H | counts, beta] in nats: psi(N + K beta + 1) - sum (n + beta) / (N + K beta) psi(n + beta + 1)."""
    total = values @ often + size * beta
    each = ((values + beta[:, None]) * special.psi(values + beta[:, None] + 1)) @ often
    unseen = (size - often.sum()) * beta * special.psi(beta + 1)
    return np.asarray(special.psi(total + 1) - (each + unseen) / total)


def _seen(counts: npt.ArrayLike) -> FloatArray:
    """The counts above 0."""
    array = finite(counts, "The counts", 1)
    _whole(array, "counts")
    return array[array > 0]


def _whole(array: FloatArray, what: str) -> None:
    """Refuse what does not count records, or counts none."""
    if (array != np.floor(array)).any():
        raise ParameterError(
            f"The {what} must be whole numbers of records.",
            hint="Estimates from samples need counts, not shares.",
        )
    if not array.any():
        raise ParameterError(f"There are no records in the {what}.")
