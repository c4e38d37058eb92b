"""What one measure of privacy says about another: inequalities that can be looked at with their two sides.

Divergences, I(X;Y), t and delta are in bits, and epsilon in nats, as usual. Pinsker's inequality and what
rests on it are sharp for divergences in nats, to which they are converted first: with bits in their place (8)
of the paper holds as well, but is a fifth too wide. Of every quantity here, higher is riskier.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.probabilities import FloatArray, finite, probabilities, settled
from divulge.estimation.channels.rule import TIE
from divulge.estimation.information.entropy import LN2, distribution_of, joint_of
from divulge.estimation.information.leakage import divergence, mutual_information

ROUNDING = 1e-12  # by which the left side may exceed the right, times what the sides are multiples of


@dataclass(frozen=True)
class Bound:
    """An inequality, left <= right, with what its sides are here and whether it holds."""

    name: str
    left: float
    right: float
    holds: bool
    unit: str


def inequality(name: str, left: float, right: float, unit: str, scale: float = 1.0) -> Bound:
    """An inequality of these two sides, which holds but for rounding."""
    return Bound(name, left, right, left <= right + ROUNDING * max(1.0, scale), unit)


# -- two distributions -----------------------------------------------------------------------------


def total_variation(p: npt.ArrayLike, q: npt.ArrayLike) -> float:
    """By how much the probability of any event differs at most, from 0 to 1; symmetric; higher is riskier."""
    first, second = _pair(p, q)
    return 0.5 * float(np.abs(first - second).sum())


def kl_divergence(p: npt.ArrayLike, q: npt.ArrayLike) -> float:
    """D(p || q) in bits: how much p surprises who expects q; infinite where q rules out what p allows.

    Of posterior p and prior q: what the observation tells. Not symmetric; higher is riskier.
    """
    return divergence(*_pair(p, q))


def pinsker(p: npt.ArrayLike, q: npt.ArrayLike) -> Bound:
    """TV(p, q) <= sqrt(D / 2) with D in nats, that is sqrt(D ln 2 / 2) with D in bits."""
    right = math.sqrt(kl_divergence(p, q) * LN2 / 2)
    return inequality("TV <= sqrt(D ln 2 / 2)", total_variation(p, q), right, "probability")


# -- what an observation takes from privacy ----------------------------------------------------------


def reduction(posterior: npt.ArrayLike, prior: npt.ArrayLike, distortion: npt.ArrayLike) -> float:
    """How much less an attacker errs who takes the observation into account, in the unit of the distortion.

    E_p d(X, x_q) - E_p d(X, x_p), both under the posterior p: with the estimate that was best before, less
    with the one that is best now. ``distortion`` has a row for each x and a column for each estimate; best is
    the Bayes estimate for it, the first of several. From 0 up; higher is riskier.
    """
    p, q = _pair(posterior, prior)
    matrix = _distances(distortion, len(p))
    now, before = p @ matrix, q @ matrix
    chosen = np.flatnonzero(before <= before.min() + TIE * max(1.0, matrix.max()))[0]
    return max(float(now[chosen] - now.min()), 0.0)


def reduction_by_total_variation(
    posterior: npt.ArrayLike, prior: npt.ArrayLike, distortion: npt.ArrayLike
) -> Bound:
    """Reduction <= 2 d_max TV: how far the posterior is from the prior limits what the attacker gains.

    Half of the 4 d_max TV of the paper, since d(x, x_q) - d(x, x_p) ranges over 2 d_max at most.
    """
    return _reduction_within(2, posterior, prior, distortion)


def reduction_as_printed(posterior: npt.ArrayLike, prior: npt.ArrayLike, distortion: npt.ArrayLike) -> Bound:
    """Reduction <= 4 d_max TV, the first half of (8), for Bayes estimates."""
    return _reduction_within(4, posterior, prior, distortion)


def _reduction_within(
    factor: int, posterior: npt.ArrayLike, prior: npt.ArrayLike, distortion: npt.ArrayLike
) -> Bound:
    largest = _largest(distortion)
    left = reduction(posterior, prior, distortion)
    right = factor * largest * total_variation(posterior, prior)
    return inequality(f"reduction <= {factor} d_max TV", left, right, "distortion", largest)


def total_variation_by_divergence(
    posterior: npt.ArrayLike, prior: npt.ArrayLike, distortion: npt.ArrayLike
) -> Bound:
    """4 d_max TV <= 2 sqrt(2) d_max sqrt(D), the second half of (8), with D in nats."""
    largest = _largest(distortion)
    left = 4 * largest * total_variation(posterior, prior)
    root = math.sqrt(kl_divergence(posterior, prior) * LN2)
    right = 2 * math.sqrt(2) * largest * root if largest else 0.0  # the root may be infinite
    return inequality("4 d_max TV <= 2 sqrt(2) d_max sqrt(D ln 2)", left, right, "distortion", largest)


def reduction_by_information(source: Channel | npt.ArrayLike, distortion: npt.ArrayLike) -> Bound:
    """E[reduction(Y)^2] / (8 d_max^2) <= I(X;Y), in nats: little information means little reduction."""
    joint = joint_of(source)
    prior, marginal = joint.sum(axis=1), joint.sum(axis=0)
    largest = _largest(distortion)
    squares = [
        weight * reduction(column / weight, prior, distortion) ** 2
        for column, weight in zip(joint.T, marginal, strict=True)
        if weight > 0
    ]
    left = math.fsum(squares) / (8 * largest**2) if largest else 0.0
    return inequality("E[reduction^2] / (8 d_max^2) <= I", left, mutual_information(joint) * LN2, "nat")


# -- a secret with its observation -------------------------------------------------------------------


def maximum_divergence(source: Channel | npt.ArrayLike) -> float:
    """t = max over y of D(p(.|y) || p) in bits: what the most telling observation tells; higher is riskier.

    A divergence, not the Earth mover's distance of t-closeness.
    """
    ratios, joint = _log_ratios(source)
    told = (joint * np.where(joint > 0, ratios, 0.0)).sum(axis=0) / joint.sum(axis=0)
    return settled(max(float(told.max()), 0.0))


def delta_disclosure(source: Channel | npt.ArrayLike, *, possible_only: bool = False) -> float:
    """delta = max of |log2 p(x|y) / p(x)| in bits: the most a probability grows or shrinks by observing.

    Infinite where an observation rules out a value that was possible, unless only pairs that occur together
    are looked at; it is at least t even so. Higher is riskier.
    """
    ratios, joint = _log_ratios(source)
    return settled(float(np.abs(ratios[joint > 0] if possible_only else ratios).max()))


def epsilon(channel: Channel | npt.ArrayLike) -> float:
    """max of ln p(y|x) / p(y|x') in nats: how well any two inputs can be told apart; higher is riskier.

    The epsilon of differential privacy where all inputs are neighbours. A plain array is p(y|x), a row for
    each x. Infinite where an output is possible for one input and impossible for another.
    """
    matrix = channel.matrix if isinstance(channel, Channel) else probabilities(channel, "The channel", 2)
    most, least = matrix.max(axis=0), matrix.min(axis=0)
    if (least[most > 0] == 0).any():
        return math.inf
    return settled(float(np.log(most[most > 0] / least[most > 0]).max()))


def information_by_divergence(source: Channel | npt.ArrayLike) -> Bound:
    """I(X;Y) <= t: what observations tell on average is no more than what the most telling one tells."""
    return inequality("I <= t", mutual_information(source), maximum_divergence(source), "bit")


def divergence_by_disclosure(source: Channel | npt.ArrayLike) -> Bound:
    """t <= delta: an average of logarithms is no more than the largest of them."""
    return inequality("t <= delta", maximum_divergence(source), delta_disclosure(source), "bit")


def disclosure_by_epsilon(channel: Channel) -> Bound:
    """delta <= epsilon / ln 2: p(y) is an average of p(y|x'), so p(y|x) / p(y) stays within e^epsilon."""
    return inequality("delta <= epsilon / ln 2", delta_disclosure(channel), epsilon(channel) / LN2, "bit")


# -- the arrays ------------------------------------------------------------------------------------


def _pair(p: npt.ArrayLike, q: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    first, second = distribution_of(p), distribution_of(q)
    if len(first) != len(second):
        raise ParameterError(
            f"The two distributions are over {len(first)} and {len(second)} values.",
            hint="Give both a probability for each value, 0 where it is impossible.",
        )
    return first, second


def _distances(distortion: npt.ArrayLike, inputs: int) -> FloatArray:
    matrix = finite(distortion, "The distortion", 2)
    if len(matrix) != inputs:
        raise ParameterError(
            f"The distortion has {len(matrix)} rows and the distributions {inputs} values.",
            hint="Give it a row for each value and a column for each estimate.",
        )
    return matrix


def _largest(distortion: npt.ArrayLike) -> float:
    return float(finite(distortion, "The distortion", 2).max())


def _log_ratios(source: Channel | npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """log2 p(x|y) / p(x) and p(x, y), for the x and y that occur; -inf where they do not occur together."""
    joint = joint_of(source)
    joint = joint[joint.any(axis=1)][:, joint.any(axis=0)]
    ratio = joint / joint.sum(axis=1)[:, None] / joint.sum(axis=0)
    return np.log2(ratio, out=np.full_like(joint, -np.inf), where=joint > 0), joint
