"""The risk of each record in a population that is known, or estimated from weights or a sampling fraction.

A record that f records of the sample are like, itself among them, is like F people of the population. Where F
is known the chance to name its person is 1/F. Otherwise F is random given f (Benedetti and Franconi 1998:
negative binomial with the sampled share p = f / F-hat), and the risk is the expectation of 1/F.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
WHOLE = 1 - 1e-12  # a sampled share from which on the class is taken to be all there is
MOST_STEPS, MOST_TERMS = 5000, 1000  # sizes of classes up to which the exact sums are taken


def expected_reciprocal(sizes: npt.NDArray[Any], sampled: npt.NDArray[Any]) -> Floats:
    """E(1/F | f) by the sampled share p of each class, exact: the risk of Benedetti and Franconi.

    r_1 = p/q ln(1/p) and r_f = p/q (1/(f - 1) - r_(f-1)) with q = 1 - p, which keeps its digits while p <= q;
    beyond, the sum over F is short. Very large classes go by moments, to eleven digits.

    >>> expected_reciprocal(np.array([1, 2]), np.array([0.5, 0.5])).round(6).tolist()
    [0.693147, 0.306853]
    """
    sizes, share = np.asarray(sizes, np.int64), np.minimum(np.asarray(sampled, np.float64), WHOLE)
    found = _large(sizes, share)
    for chosen, exact in (
        ((share <= 0.5) & (sizes <= MOST_STEPS), _upwards),
        ((share > 0.5) & (sizes <= MOST_TERMS), _summed),
    ):
        found[chosen] = exact(sizes[chosen], share[chosen])
    return np.where(np.asarray(sampled) >= WHOLE, 1 / sizes, found)


def _upwards(sizes: npt.NDArray[Any], p: Floats) -> Floats:
    order = np.argsort(-sizes, kind="stable")
    size, odds = sizes[order], (p / (1 - p))[order]
    risk = odds * -np.log(p[order])
    for f in range(2, int(sizes.max(initial=1)) + 1):
        left = int(np.searchsorted(-size, -f, side="right"))  # classes of at least f come first
        risk[:left] = odds[:left] * (1 / (f - 1) - risk[:left])
    found = np.empty(len(risk))
    found[order] = risk
    return found


def _summed(sizes: npt.NDArray[Any], p: Floats) -> Floats:
    term = np.exp(sizes * np.log(p))  # the chance that F = f
    total, seen, more = term / sizes, term.copy(), 1
    while len(term) and bool((seen < 1 - 1e-15).any()) and more < 10 * MOST_TERMS:
        term = term * (1 - p) * (sizes + more - 1) / more
        total, seen, more = total + term / (sizes + more), seen + term, more + 1
    return np.asarray(total, np.float64)


def _large(sizes: npt.NDArray[Any], p: Floats) -> Floats:
    """For large classes, by the mean, variance and third central moment of F."""
    q = 1 - p
    mean, variance, third = sizes / p, sizes * q / p**2, sizes * q * (1 + q) / p**3
    found = 1 / mean + variance / mean**3 - third / mean**4 + 3 * variance**2 / mean**5
    return np.asarray(found, np.float64)


def of_household(risk: npt.NDArray[Any], household: npt.NDArray[Any]) -> Floats:
    """The chance that someone of each record's household is named: 1 - the product of (1 - risk)."""
    _, place = np.unique(household, return_inverse=True)
    with np.errstate(divide="ignore"):
        none = np.bincount(place, weights=np.log1p(-np.minimum(risk, 1.0)))
    return np.asarray(-np.expm1(none)[place], np.float64)
