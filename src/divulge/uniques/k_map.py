"""How many people of the population share the values of a record at least, where only a sample is known.

A group of f records in a sample has F people in the population. That F is f over the sampled share is far
too kind to the smallest groups: of many groups of two or three people some are drawn as a whole. How many
that can be is known without any model. With N people there are at most N/j groups of j, each with f or more
in the sample with the binomial chance P(f or more of j), and so at most N P/j such groups are expected. Where
that is at most 0.05, no group of f records has as few people, with 95 % confidence for all groups at once. It
does not matter how sizes are spread, nor whether small groups were suppressed afterwards; people have to be
drawn independently of each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from divulge._support.small_counts import exact_counts_asked
from divulge._support.special_functions import log_gamma
from divulge._support.threads import cached_property
from divulge.errors import Undefined
from divulge.uniques.match_chance import Bracket
from divulge.uniques.pitman_yor import pitman_yor_posterior
from divulge.uniques.size_counts import Floats, Integers, SizeCounts

DOUBT = 0.05  # expected number of groups that have fewer people than is said
BOUNDS = (2, 3, 5, 10)  # people, below which those of the table are counted
ENDS = "binomial chance of small groups to be drawn; mean number of people alike"
MODEL = "Pitman-Yor model"
WHOLE = "the table is the population"
CLOSE = 1e-9


def people_at_least(sizes: Integers, share: float, population: float, doubt: float = DOUBT) -> Integers:
    """For each size of a group in the sample the least people that it has in the population.

    ``share`` is the largest chance of anybody to be drawn.

    >>> people_at_least(np.array([1, 2, 5, 20]), 0.01, 1_000_000).tolist()
    [1, 2, 19, 693]
    """
    if share >= 1:
        return sizes.copy()
    low = sizes.astype(np.float64)  # that many it has
    high = np.maximum(np.floor((sizes - 1) / share), low)  # so far the expected number grows
    while (high > low).any():
        middle = np.floor((low + high) / 2)
        ruled_out = _log_drawn(sizes, middle, share) + math.log(population) - np.log(middle) <= math.log(
            doubt
        )
        low, high = np.where(ruled_out, middle + 1, low), np.where(ruled_out, high, middle)
        low = np.minimum(low, high)
    return low.astype(np.int64)


def _log_drawn(least: Integers, people: Floats, share: float) -> Floats:
    """ln of the chance that at least so many of some people are drawn: at most, and to a few per cent.

    The chances of more and more are less than a geometric series.
    """
    ways = log_gamma(people + 1) - log_gamma(least + 1) - log_gamma(people - least + 1)
    exactly = ways + least * math.log(share) + (people - least) * math.log1p(-share)
    ratio = (people - least) * share / ((least + 1) * (1 - share))
    return np.asarray(exactly - np.log1p(-ratio), np.float64)


@dataclass(frozen=True, eq=False)
class EstimatedPresence:
    """What a sample says of F, the people who share the values of each of its groups: two ends.

    The smallest F is at most the mean of F over unique records, which is one over the chance that a match
    with one of them is right, and at most the people there are for each group. The largest f/F is at least
    that chance, and at least the sampled share.
    """

    counts: SizeCounts
    share: float  # the largest chance of anybody to be drawn
    match: Bracket | None  # the chance that a match with a unique record is right

    @cached_property
    def least(self) -> Integers:
        """The least people by size of a group in the sample."""
        return people_at_least(self.counts.sizes, self.share, self.counts.population)

    @property
    def k_map(self) -> Bracket:
        """Ends of the smallest F."""
        least = int(self.least.min())
        if self.share >= 1:
            return Bracket(float(least), least, least, WHOLE)
        most = int(self.counts.population / self.counts.occupied + CLOSE)
        if self.match is not None:
            most = min(most, int(1 / self.match.low + CLOSE))
        most = max(most, least)
        return Bracket(float(least) if most == least else None, least, most, ENDS)

    @property
    def delta_presence(self) -> Bracket:
        """Ends of the largest f/F."""
        if self.share >= 1:
            return Bracket(1.0, 1.0, 1.0, WHOLE)
        high = float((self.counts.sizes / self.least).max())
        low = max(self.counts.fraction, 0.0 if self.match is None else self.match.low)
        return Bracket(None, min(low, high), high, ENDS)

    def below(self, k: int) -> tuple[int, int]:
        """Ends of how many people of the table have an F below k.

        At least: those of the unique records that are left if all others had just k people. At most: all in
        groups that may have so few.
        """
        most = int((self.counts.sizes * self.counts.classes)[self.least < k].sum())
        if self.share >= 1:
            return most, most
        others = math.inf if self.match is None else 1 / self.match.low - 1  # for each unique record, at most
        return int(self.counts.of_size(1) * max(0.0, 1 - others / (k - 1))), most

    def modelled_below(self, k: int) -> float:
        """How many they are by the Pitman-Yor model; Undefined where it does not fit."""
        posterior, counts = pitman_yor_posterior(self.counts), self.counts
        if not posterior.fits:
            raise Undefined("the sizes of groups do not fit the model")
        small = [int(size) for size in counts.sizes if size < k]
        found = sum(size * counts.of_size(size) * posterior.mean(posterior.below(k, size)) for size in small)
        low, high = self.below(k)
        if not low <= found <= high:
            raise Undefined("what the model says is not between the ends")
        return found

    def to_dict(self, unsaid: str | None) -> dict[str, Any]:
        """The part of a document; ``unsaid`` is why no model is asked."""
        return {
            "k_map": self.k_map.to_dict(),
            "delta_presence": self.delta_presence.to_dict(),
            "people_below": [self._below(k, unsaid) for k in BOUNDS],
        }

    def _below(self, k: int, unsaid: str | None) -> dict[str, Any]:
        """Ends are said in tens, so that they do not give how few people are in groups of one size."""
        low, high = self.below(k)
        value, why = (None, unsaid) if high else (0.0, None)
        if value is None and why is None and self.share < 1:
            try:
                value = self.modelled_below(k)
            except Undefined as reason:
                why = reason.message
        if not exact_counts_asked():
            low, high = low // 10 * 10, min(-(-high // 10) * 10, self.counts.records)
        method = WHOLE if self.share >= 1 else f"{MODEL}; {ENDS}"
        return {"k": k, "value": value, "interval": [low, high], "method": method, "undefined": why}
