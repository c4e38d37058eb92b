"""The most a channel can tell about its input, whatever the prior, with a proof of how near the number is.

For any distribution p of the inputs, with q the distribution of outputs it makes,

    I(p) = sum_x p(x) D(W(.|x) || q)  <=  capacity  <=  max_x D(W(.|x) || q),

and both sides are computed from the distribution that is returned, so they hold however it was found. A few
steps of Blahut and Arimoto say which inputs matter, and a primal-dual interior-point method does the rest in
about ten Newton steps: first on these inputs, then on all unless the bounds show that no other matters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.probabilities import FloatArray, probabilities
from divulge.estimation.information.entropy import LN2
from divulge.limits.libraries import scipy

linalg, special = scipy("linalg"), scipy("special")

SMALL = 150  # inputs to begin with where there are many
ROUNDS = 4  # on some of the inputs, before all are taken
WARMING = 20  # steps of Blahut and Arimoto
STEPS = 60  # of Newton; ten to twenty are usual
PATIENCE = 6  # steps without a better bound, after which rounding is all that is left


@dataclass(frozen=True, eq=False)
class Capacity:
    """The largest I(X;Y) over all priors, in bits: from ``value`` to ``value + gap``; higher is riskier."""

    value: float  # I(X;Y) for the distribution
    distribution: FloatArray  # the prior that reaches the value
    gap: float  # the upper bound less the value, both from the distribution


def capacity(channel: Channel | npt.ArrayLike, *, gap: float = 1e-10) -> Capacity:
    """The most bits that one use of the channel tells about its input, over all priors; higher is riskier.

    A plain array is p(y|x), a row for each x. Stops once the certified gap is at most ``gap`` bits, or when
    rounding allows no less; the result carries the gap that was reached.

    >>> round(capacity([[1, 0], [0.5, 0.5]]).value, 9)
    0.321928095
    """
    matrix = channel.matrix if isinstance(channel, Channel) else probabilities(channel, "The channel", 2)
    if not gap > 0:
        raise ParameterError(f"The gap must be above 0 bits, not {gap}.")
    used = matrix[:, matrix.any(axis=0)]
    rows = _Rows(used, special.xlogy(used, used).sum(axis=1))
    found = _search(rows, gap * LN2)
    lower, upper = rows.bounds(found)
    return Capacity(max(lower, 0.0) / LN2, found, max(upper - lower, 0.0) / LN2)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows p(.|x), every column with something in it, and sum_y p(y|x) ln p(y|x) of each."""

    matrix: FloatArray
    surprise: FloatArray

    def divergences(self, output: FloatArray) -> FloatArray:
        """D(p(.|x) || output) of each x, in nats."""
        return np.asarray(self.surprise - self.matrix @ np.log(output))

    def bounds(self, p: FloatArray) -> tuple[float, float]:
        divergences = self.divergences(p @ self.matrix)
        return float(p @ divergences), float(divergences.max())


def _search(rows: _Rows, gap: float) -> FloatArray:
    p, lower, upper = _warmed(rows, gap)
    if upper - lower <= gap:
        return p
    places = np.sort(np.argsort(-p, kind="stable")[:SMALL])
    for _ in range(ROUNDS if len(p) > 2 * SMALL else 0):
        unreached = ~rows.matrix[places].any(axis=0)
        places = np.union1d(places, rows.matrix[:, unreached].argmax(axis=0))
        if 3 * len(places) > len(p):
            break
        p = np.zeros(len(p))
        p[places] = _interior(_Rows(rows.matrix[places], rows.surprise[places]), gap / 4)
        divergences = rows.divergences(p @ rows.matrix)
        lower = float(p @ divergences)
        if divergences.max() - lower <= gap:
            return p
        outside = np.flatnonzero(divergences > lower + gap / 2)
        worst = outside[np.argsort(-divergences[outside], kind="stable")[: len(places)]]
        places = np.union1d(places[p[places] > 1e-3 / len(places)], worst)
    return _interior(rows, gap)


def _warmed(rows: _Rows, gap: float) -> tuple[FloatArray, float, float]:
    """Some steps of Blahut and Arimoto from the uniform distribution, each of double length."""
    p = np.full(len(rows.matrix), 1 / len(rows.matrix))
    for _ in range(WARMING):
        divergences = rows.divergences(p @ rows.matrix)
        lower, upper = float(p @ divergences), float(divergences.max())
        if upper - lower <= gap:
            break
        p = np.maximum(p * np.exp(2 * (divergences - upper)), 1e-100)
        p /= p.sum()
    return p, *rows.bounds(p)


def _interior(rows: _Rows, gap: float) -> FloatArray:
    """The distribution of the best bounds on a path through the interior, after Mehrotra.

    Optimal are p >= 0 and slacks s >= 0 with D(p(.|x) || q) - level + s(x) = 0 and p(x) s(x) = 0; the second
    derivative of I(p) is -W diag(1/q) W'.
    """
    n = len(rows.matrix)
    p = np.full(n, 1 / n)
    best, best_gap, since = p, math.inf, 0
    lower, upper = rows.bounds(p)
    level = upper + 0.1 * (upper - lower) + 1e-3
    slack = level - rows.divergences(p @ rows.matrix)
    for _ in range(STEPS):
        output = p @ rows.matrix
        divergences = rows.divergences(output)
        now = float(divergences.max() - p @ divergences)
        best, best_gap, since = (p, now, 0) if now < best_gap else (best, best_gap, since + 1)
        if best_gap <= gap or since > PATIENCE:
            break
        try:
            newton = _Newton(rows.matrix / np.sqrt(output), p, slack, divergences - level + slack)
        except linalg.LinAlgError:  # singular but for rounding: nothing more to be had
            break
        products = p * slack
        dp, ds, _ = newton.towards(-products)
        after = (p + _room(p, dp) * dp) @ (slack + _room(slack, ds) * ds)
        centre = (after / products.sum()) ** 3 * products.mean()
        dp, ds, rise = newton.towards(centre - products - dp * ds)
        length = min(1.0, 0.995 * _room(p, dp), 0.995 * _room(slack, ds))
        p = p + length * dp
        p /= p.sum()
        slack, level = slack + length * ds, level + length * rise
    return best


class _Newton:
    """The linear system of one step, factored once for predictor and corrector."""

    def __init__(self, scaled: FloatArray, p: FloatArray, slack: FloatArray, residual: FloatArray) -> None:
        system = scaled @ scaled.T
        system[np.diag_indices_from(system)] += slack / p + 1e-14 * np.trace(system) / len(p)
        self.factor = linalg.cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
        self.ones = linalg.cho_solve(self.factor, np.ones(len(p)), check_finite=False)
        self.p, self.slack, self.residual = p, slack, residual

    def towards(self, products: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        """Changes of p, of the slacks and of the level that change the products p s by so much."""
        free = linalg.cho_solve(self.factor, self.residual + products / self.p, check_finite=False)
        rise = float(free.sum() / self.ones.sum())
        change = free - rise * self.ones
        return change, (products - self.slack * change) / self.p, rise


def _room(values: FloatArray, change: FloatArray) -> float:
    """How much of the change keeps all values at 0 or above, at most all of it."""
    falling = change < 0
    return float(min(1.0, (-values[falling] / change[falling]).min(initial=math.inf)))
