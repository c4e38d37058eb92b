"""Probabilistic record linkage after Fellegi and Sunter, on categorical attributes.

A pair that belongs together agrees on attribute a with probability m, another one with probability u. u is
read from all pairs, and the share of pairs that belong together is fixed at one in as many as there are
originals; m is found by expectation and maximization over how many pairs have each pattern. (Left free, the
algorithm finds whatever divides the pairs best, such as sexes, and not people.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from divulge.attacks.record_linkage.pair_patterns import pattern_counts
from divulge.errors import Undefined
from divulge.table.packing import Column, packed

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
ROUNDS, CLOSE = 2000, 1e-10
START = 0.9
LEAST, MOST = 1e-12, 1 - 1e-12


@dataclass(frozen=True, eq=False)
class LinkageModel:
    """How often pairs agree on each attribute, and the patterns they make."""

    m: Floats
    u: Floats
    counts: Floats  # pairs by pattern
    prior: float  # share of pairs that belong together
    rounds: int

    @property
    def attributes(self) -> int:
        return len(self.m)

    @cached_property
    def weights(self) -> Floats:
        """The weight of each pattern: log2 of how much likelier it is where records belong together."""
        return _log_odds(self.m, self.u) / np.log(2)

    @cached_property
    def posterior(self) -> Floats:
        """The chance that a pair of each pattern belongs together."""
        return _posterior(self.m, self.u, self.prior)


def fit(ours: Sequence[Column], theirs: Sequence[Column]) -> LinkageModel:
    """The model of all pairs of two tables; Undefined where it does not converge."""
    counts = pattern_counts(ours, theirs)
    originals = len(ours[0][0])
    agrees = _agreements(len(ours))
    total = counts.sum()
    u = np.clip(agrees @ counts / total, LEAST, MOST)
    prior = 1 / originals

    def improved(m: Floats) -> Floats:
        belongs = counts * _posterior(m, u, prior)
        return np.clip(agrees @ belongs / belongs.sum(), LEAST, MOST)

    m = np.full(len(ours), START)
    for rounds in range(1, ROUNDS + 1):
        following = _accelerated(improved, m)
        moved, m = float(np.abs(following - m).max()), following
        if moved < CLOSE:
            return LinkageModel(m, u, counts, prior, rounds)
    raise Undefined(f"the probabilities of agreement did not settle within {ROUNDS} rounds")


def _accelerated(improved: Callable[[Floats], Floats], start: Floats) -> Floats:
    """Three steps of a map in one: two, a leap along their change (Varadhan and Roland), and one more."""
    first = improved(start)
    second = improved(first)
    change, bend = first - start, second - 2 * first + start
    length = float(np.sqrt((bend @ bend) or np.inf))
    leap = max(float(np.sqrt(change @ change)) / length, 1.0)
    return improved(np.clip(start + 2 * leap * change + leap**2 * bend, LEAST, MOST))


def _agreements(attributes: int) -> Floats:
    """For each attribute whether each pattern agrees on it."""
    patterns = np.arange(1 << attributes)
    return np.array([(patterns >> a & 1) for a in range(attributes)], np.float64)


def _log_odds(m: Floats, u: Floats) -> Floats:
    agrees = _agreements(len(m))
    return np.asarray(np.log(m / u) @ agrees + np.log((1 - m) / (1 - u)) @ (1 - agrees), np.float64)


def _posterior(m: Floats, u: Floats, prior: float) -> Floats:
    odds = _log_odds(m, u) + np.log(prior / (1 - prior)) if prior < 1 else np.full(1 << len(m), np.inf)
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -700, 700))), np.float64)


@dataclass(frozen=True, eq=False)
class BestLinks:
    """For each released record: the pattern of the originals that fit it best, and how many they are."""

    pattern: Integers
    ties: Integers


def best_links(model: LinkageModel, ours: Sequence[Column], theirs: Sequence[Column]) -> BestLinks:
    """The originals of highest weight for each released record, again without making pairs.

    Patterns are gone through from the highest weight down. An original that agrees on more attributes than
    the pattern has a higher weight and was found before, as long as agreeing counts for a pair.
    """
    released = len(theirs[0][0])
    pattern, ties = np.zeros(released, np.int64), np.zeros(released, np.int64)
    useful = sum(1 << a for a in range(model.attributes) if model.m[a] > model.u[a])
    order = sorted(
        {int(one) & useful for one in range(1 << model.attributes)}, key=lambda one: -model.weights[one]
    )
    left = np.arange(released)
    for chosen in order:
        found = _agreeing(chosen, ours, theirs, left)
        hit = found > 0
        pattern[left[hit]], ties[left[hit]] = chosen, found[hit]
        left = left[~hit]
        if not len(left):
            break
    return BestLinks(pattern, ties)


def _agreeing(chosen: int, ours: Sequence[Column], theirs: Sequence[Column], left: Integers) -> Integers:
    """How many originals agree with some released records on a set of attributes."""
    kept = [a for a in range(len(ours)) if chosen >> a & 1]
    originals = len(ours[0][0])
    if not kept:
        return np.full(len(left), originals, np.int64)
    joined = [(np.concatenate([ours[a][0], theirs[a][0][left]]), ours[a][1]) for a in kept]
    word = packed(joined, originals + len(left))
    values, number = np.unique(word, return_inverse=True)
    return np.bincount(number[:originals], minlength=len(values))[number[originals:]]
