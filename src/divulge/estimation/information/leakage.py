"""How much an observation tells about a secret: what the attacker has after it, held against what was before.

Higher is riskier for all of them. The secret with its observation is a `Channel`, or a plain array of joint
probabilities p(x, y), a row for each x.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.special import information
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.probabilities import FloatArray, probabilities, settled
from divulge.estimation.information.entropy import (
    LN2,
    conditional_entropy,
    joint_of,
    shannon_entropy,
    sum_p_log_p,
)

FEW_CELLS = 2048  # of a channel up to which a loop takes less time than NumPy's calls
NOTHING = 1e-28  # bits: the square of what rounding leaves of p/q - 1 where p is q


@dataclass(frozen=True)
class Leakage:
    """What the attacker gains by observing: before, after, their difference and their ratio.

    Of Shannon leakage ``prior`` and ``posterior`` are entropies in bits, which fall; of the others they are
    the attacker's expected gain (for min-entropy leakage the probability of success), which rises.
    ``additive`` is at least 0 and ``multiplicative`` at least 1, and more is riskier.
    """

    name: str
    prior: float
    posterior: float
    additive: float  # in the unit of prior and posterior
    multiplicative: float  # infinite where all is told that was not known
    unit: str = "bits"  # of prior, posterior and the additive leakage

    @property
    def bits(self) -> float:
        """The logarithm of the multiplicative leakage, the usual scale of min-entropy and g-leakage."""
        return math.log2(self.multiplicative)


def shannon_leakage(source: Channel | npt.ArrayLike) -> Leakage:
    """How many bits of uncertainty the observation takes away: additively the mutual information I(X;Y).

    Multiplicatively H(X) / H(X|Y): how many times less is left to learn. Higher is riskier.
    """
    joint = joint_of(source)
    prior, posterior = shannon_entropy(joint.sum(axis=1)), conditional_entropy(joint, 1)
    return Leakage("Shannon", prior, posterior, mutual_information(joint), _ratio(prior, posterior))


def mutual_information(source: Channel | npt.ArrayLike) -> float:
    """I(X;Y) in bits: how much the observation tells about the secret on average; higher is riskier."""
    if isinstance(source, Channel) and source.matrix.size <= FEW_CELLS and library.built():
        nats = information(source.prior, source.matrix)
        if nats >= 0:
            return nats / LN2 if nats > NOTHING * LN2 else 0.0
    joint = joint_of(source)
    p, q = joint.sum(axis=1), joint.sum(axis=0)
    told = (sum_p_log_p(joint) - sum_p_log_p(p) - sum_p_log_p(q)) / LN2
    # One logarithm a cell where that is exact enough; the difference would lose the digits of a small number.
    return told if told > 1e-3 else divergence(joint, p[:, None] * q)


def divergence(p: FloatArray, q: FloatArray) -> float:
    """D(p || q) in bits of arrays that are known to be probabilities; infinite where q alone is 0.

    Summed as p ln(p/q) - p + q, which is never negative, and for p near q as q ((1 + r) ln(1 + r) - r) with
    r = p/q - 1 and its series: else distributions that hardly differ would lose all their digits.
    """
    if (p[q == 0] > 0).any():
        return math.inf
    near = np.abs(p - q) < q / 2
    r = np.divide(p - q, q, out=np.zeros_like(p), where=near)
    close = np.where(np.abs(r) < 1e-4, r * r * (1 / 2 - r / 6 + r * r / 12), (1 + r) * np.log1p(r) - r)
    logs = (np.log(array, out=np.zeros_like(array), where=p > 0) for array in (p, q))
    terms = np.where(near, q * close, p * np.subtract(*logs) - p + q)
    found = float(terms.sum()) / LN2
    return found if found > NOTHING else 0.0


def min_entropy_leakage(source: Channel | npt.ArrayLike) -> Leakage:
    """How much oftener one guess is right after the observation; ``bits`` is Hmin(X) - Hmin(X|Y).

    >>> min_entropy_leakage([[0.375, 0.125], [0.125, 0.375]]).multiplicative
    1.5
    """
    joint = joint_of(source)
    prior, posterior = float(joint.sum(axis=1).max()), float(joint.max(axis=0).sum())
    return _gained("min-entropy", prior, posterior, "probability")


def maximal_leakage(channel: Channel | npt.ArrayLike) -> float:
    """log2 of the sum over y of the largest p(y|x), in bits: the most that any attacker's success can grow.

    No gain function, prior over these x or function of the secret leaks more multiplicatively, and one guess
    at a uniform secret leaks as much. A plain array is p(y|x), a row for each x; of a `Channel` only the x
    that can occur count. Exact, so its gap is 0. Higher is riskier.
    """
    if isinstance(channel, Channel):
        rows = channel.matrix[channel.prior > 0]
    else:
        rows = probabilities(channel, "The channel", 2)
    return settled(math.log2(max(float(rows.max(axis=0).sum()), 1.0)))


def _gained(name: str, prior: float, posterior: float, unit: str) -> Leakage:
    gained = settled(max(posterior - prior, 0.0), scale=prior)  # rounding where the observation tells nothing
    posterior = prior + gained
    return Leakage(name, prior, posterior, gained, _ratio(posterior, prior), unit)


def _ratio(larger: float, smaller: float) -> float:
    """larger / smaller, where nothing out of nothing is 1."""
    if smaller == 0:
        return 1.0 if larger == 0 else math.inf
    return max(larger / smaller, 1.0)
