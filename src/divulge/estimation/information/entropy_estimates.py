"""Entropy when only a sample is known: four estimates from counts, in bits; higher is more private.

A sample looks less varied than what it comes from, so the entropy of its shares is too small. Three estimates
correct for it: by the number of values seen (Miller-Madow), by the share of what is still unseen (Chao-Shen),
or by a prior that is nearly flat in the entropy itself (NSB).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.estimation.channels.probabilities import FloatArray, finite
from divulge.estimation.information.entropy import LN2
from divulge.limits.libraries import scipy

special = scipy("special")


def plug_in(counts: npt.ArrayLike) -> float:
    """The entropy of the shares in the sample, in bits: too low on average, most so for small samples."""
    n = _seen(counts)
    p = n / n.sum()
    return max(0.0, float(-p @ np.log2(p)))


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
        raise ParameterError(f"{len(n)} values were seen, more than the {size} that are said to be possible.")
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
    whole(array, "counts")
    return array[array > 0]


def whole(array: FloatArray, what: str) -> None:
    """Refuse what does not count records, or counts none."""
    if (array != np.floor(array)).any():
        raise ParameterError(
            f"The {what} must be whole numbers of records.",
            hint="Estimates from samples need counts, not shares.",
        )
    if not array.any():
        raise ParameterError(f"There are no records in the {what}.")
