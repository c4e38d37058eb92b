"""The typical set: how many sequences of secrets an attacker has to reckon with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.estimation.attackers.sequences import MOST_CELLS, IntArray, kinds, places
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.probabilities import FloatArray
from divulge.estimation.channels.rule import TIE
from divulge.estimation.information.entropy import conditional_entropy, distribution_of, shannon_entropy

Parts = list[tuple[FloatArray, int]]  # so many independent values of each distribution


@dataclass(frozen=True)
class TypicalSet:
    """The sequences whose surprise per place is near the entropy: few of all, and yet almost certain to hold.

    They are about 2^(length * entropy), and about equally likely, so that the entropy measures the attacker's
    list of sequences as the logarithm of k measures a list of people. ``log2_size`` and ``probability`` are
    the least and the most they may be, which is the same number where kinds of sequences were gone through.
    """

    length: int
    epsilon: float  # how far the surprise per place may lie from the entropy, in bits
    entropy: float  # bits per place
    size: int | None = field(repr=False)  # how many sequences, where they were counted
    log2_size: tuple[float, float]
    probability: tuple[float, float]


def typical_set(distribution: npt.ArrayLike, length: int, epsilon: float) -> TypicalSet:
    """The epsilon-typical sequences of independent values: -log2 p(sequence) / length within it of H.

    Sequences are counted as exact whole numbers while their kinds can be gone through; beyond, the size is at
    most 2^(length * (entropy + epsilon)), and at least as many as hold the probability that is certain.

    >>> typical_set([0.5, 0.25, 0.25], 2, 0.25).size  # those with one value of each half
    4
    """
    p = distribution_of(distribution)
    return _typical([(p, length)], shannon_entropy(p), epsilon)


def conditionally_typical_set(channel: Channel, observed: Sequence[object], epsilon: float) -> TypicalSet:
    """The secret sequences that are typical given what was observed, a secret for each observation.

    Pairs of secret and observation are independent of each other; the surprise -log2 p(secrets | observed)
    per place lies within epsilon of H(X|Y). Where the observed sequence is not typical itself, such secrets
    may be improbable.
    """
    counts = np.bincount(places(observed, channel.outputs), minlength=len(channel.outputs))
    if (counts[~channel.possible] > 0).any():
        raise ParameterError("Some of the observations cannot occur under the channel.")
    parts = [(channel.posterior[y], int(counts[y])) for y in np.flatnonzero(counts).tolist()]
    return _typical(parts, conditional_entropy(channel, 1), epsilon)


def _typical(parts: Parts, entropy: float, epsilon: float) -> TypicalSet:
    """Of sequences made of parts, each so many independent values of one distribution."""
    length = sum(many for _, many in parts)
    if length < 1:
        raise ParameterError(
            f"The length of a typical sequence must be 1 or more, not {length}.", hint=("Ask for 1 or more.")
        )
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise ParameterError(f"Epsilon must be a finite number above 0, not {epsilon}.")
    grouped = [(*np.unique(p[p > 0], return_counts=True), many) for p, many in parts]
    number = math.prod(math.comb(many + len(values) - 1, many) for values, _, many in grouped)
    if number * length > MOST_CELLS:
        return _bounded(parts, length, entropy, epsilon)
    surprises, ways = zip(*(_listed(*part) for part in grouped), strict=True)
    surprise = reduce(np.add.outer, surprises).ravel()
    way = reduce(np.multiply.outer, ways).ravel()
    near = np.abs(surprise / length - entropy) <= epsilon + TIE
    size = sum(way[near].tolist())
    logs = np.array([math.log2(many) for many in way[near].tolist()])
    held = min(float(np.exp2(logs - surprise[near]).sum()), 1.0)
    log2_size = math.log2(size) if size else -math.inf
    return TypicalSet(length, epsilon, entropy, size, (log2_size, log2_size), (held, held))


def _listed(values: FloatArray, letters: IntArray, length: int) -> tuple[FloatArray, npt.NDArray[np.object_]]:
    """For each kind of sequence its surprise in bits, and how many sequences are of that kind.

    Letters of the same probability are taken together: ``letters`` says how many have each of the values.
    """
    counts = kinds(length, len(values))
    ways = np.empty(len(counts), dtype=object)
    for i, row in enumerate(counts.tolist()):
        ways[i], left = 1, length
        for count, many in zip(row, letters.tolist(), strict=True):
            ways[i] *= math.comb(left, count) * many**count
            left -= count
    return np.asarray(counts @ -np.log2(values), dtype=np.float64), ways


def _bounded(parts: Parts, length: int, entropy: float, epsilon: float) -> TypicalSet:
    """What holds without counting: Chebyshev or Hoeffding for the probability, and the size follows."""
    mean = variance = spread = everything = 0.0
    for p, many in parts:
        surprise = -np.log2(p[p > 0])
        own = float(p[p > 0] @ surprise)
        mean += many * own
        variance += many * float(p[p > 0] @ (surprise - own) ** 2)
        spread += many * float(np.ptp(surprise)) ** 2
        everything += many * math.log2(len(surprise))
    # Part of epsilon is used up where what was observed lies off the entropy already.
    room = length * epsilon - abs(mean - length * entropy)
    missed = 1.0
    if room > 0:
        missed = min(variance / room**2, 2 * math.exp(-2 * room**2 / spread) if spread else 0.0, 1.0)
    least = math.log2(1 - missed) + length * (entropy - epsilon) if missed < 1 else -math.inf
    most = min(length * (entropy + epsilon), everything)
    return TypicalSet(length, epsilon, entropy, None, (least, most), (1 - missed, 1.0))
