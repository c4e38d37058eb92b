"""Mixes: messages go in, wait, and come out in an order that reveals nothing; only times do."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from divulge._support.threads import cached_property
from divulge.errors import ParameterError
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.memory import room_for_channel
from divulge.estimation.channels.probabilities import FloatArray, or_uniform
from divulge.estimation.scenarios.checks import positive, whole
from divulge.limits.sizes import require_memory

ROUNDING = 1e-12
ROUND = 100  # bytes for each round while a mix is read
INSIDE = "inside"  # where messages are that have not left at the end


@dataclass(frozen=True)
class Mix:
    """What an attacker sees of a mix: how many messages arrive and how many leave, flush by flush.

    At each flush the mix picks those that leave at random from all that are inside, a ``pool`` of messages
    from before among them, and puts them in random order. So every correspondence that the counts allow is
    equally likely.

    >>> mix = Mix(arrivals=(2, 2), departures=(1, 3))
    >>> mix.links[:, 0].tolist()
    [0.5, 0.5, 0.0, 0.0]
    """

    arrivals: tuple[int, ...]
    departures: tuple[int, ...]
    pool: int = 0

    def __post_init__(self) -> None:
        whole(self.pool, "The number of messages in the pool", 0)
        if len(self.arrivals) != len(self.departures):
            raise ParameterError(
                f"There are {len(self.arrivals)} counts of arrivals and {len(self.departures)} of departures."
            )
        for count in (*self.arrivals, *self.departures):
            whole(count, "A count of messages", 0)
        short = sum(leaving > inside for leaving, inside in zip(self.departures, self.inside, strict=True))
        if short:
            raise ParameterError(f"At {short} flushes more messages leave than are inside.")
        if not sum(self.departures):
            raise ParameterError("No message leaves the mix, so there is nothing to trace.")

    @property
    def inside(self) -> tuple[int, ...]:
        """How many messages each flush picks from."""
        came = np.cumsum(self.arrivals) + self.pool
        left = np.cumsum((0, *self.departures))[:-1]
        return tuple((came - left).tolist())

    @property
    def left_over(self) -> int:
        """How many messages are still inside at the end."""
        return self.pool + sum(self.arrivals) - sum(self.departures)

    def emptied(self) -> Mix:
        """The mix with one more flush that lets out all that are still inside."""
        if not self.left_over:
            return self
        return Mix((*self.arrivals, 0), (*self.departures, self.left_over), self.pool)

    @cached_property
    def links(self) -> FloatArray:
        """How likely each message that leaves (a column) is each that came in (a row, the pool first)."""
        room_for_channel(self.pool + sum(self.arrivals), sum(self.departures))
        rounds, staying = len(self.arrivals), self._staying
        by_round = np.zeros((rounds + 1, rounds))
        for flush, (leaving, inside) in enumerate(zip(self.departures, self.inside, strict=True)):
            for came in range(flush + 2 if leaving else 0):
                by_round[came, flush] = math.prod(staying[max(came - 1, 0) : flush]) / inside
        rows = np.repeat(np.arange(rounds + 1), (self.pool, *self.arrivals))
        return by_round[rows][:, np.repeat(np.arange(rounds), self.departures)]

    @property
    def _staying(self) -> list[float]:
        """How likely a message that is inside stays there, at each flush."""
        return [1 - d / n if n else 1.0 for d, n in zip(self.departures, self.inside, strict=True)]

    @property
    def channel(self) -> Channel:
        """From a message that came in, any alike, to where it is seen to leave; the last output is inside.

        Messages are called after their flush and place: 2.1 is the first of the second flush, and 0.1 the
        first of the pool.
        """
        inside = np.maximum(1 - self.links.sum(axis=1, keepdims=True), 0.0)
        matrix = np.hstack([self.links, inside]) if self.left_over else self.links
        outputs = [*_names(1, self.departures), *([INSIDE] if self.left_over else [])]
        inputs = _names(0, (self.pool, *self.arrivals))
        return Channel(or_uniform(None, len(matrix)), matrix, inputs, outputs)

    @property
    def entropy(self) -> float:
        """How many correspondences there are, in bits; all are equally likely, and any number is counted."""
        ways = (
            math.lgamma(inside + 1) - math.lgamma(inside - leaving + 1)
            for inside, leaving in zip(self.inside, self.departures, strict=True)
        )
        return sum(ways) / math.log(2)

    @property
    def privacy(self) -> float:
        """How often an attacker who names one whole correspondence is wrong."""
        return -math.expm1(-self.entropy * math.log(2))

    @property
    def link_privacy(self) -> float:
        """The share of messages that leave which an attacker who guesses each by itself traces wrongly."""
        # A message that leaves is likeliest one of those that came last: the others may have left before.
        inside, staying = self.inside, self._staying
        right, still_there = 0.0, 1.0
        for flush, (came, leaving) in enumerate(zip(self.arrivals, self.departures, strict=True)):
            still_there = 1.0 if came else still_there
            right += leaving * still_there / inside[flush] if leaving else 0.0
            still_there *= staying[flush]
        return max(1 - right / sum(self.departures), 0.0)

    @property
    def degree(self) -> float:
        """The combinatorial degree of anonymity of the mix once emptied, from 0 to 1 (Edman et al. 2007).

        The logarithm of the number of correspondences, over that of all there were in a single batch: what
        ``anonymity.edman_possible`` gives, for any number of messages.
        """
        emptied = self.emptied()
        messages = self.pool + sum(self.arrivals)
        return emptied.entropy / (math.lgamma(messages + 1) / math.log(2)) if messages > 1 else 0.0


def threshold_mix(messages: int, threshold: int) -> Mix:
    """A mix that waits for so many messages and then sends them all; an unfinished batch stays inside."""
    whole(messages, "The number of messages", 1)
    full, rest = divmod(messages, whole(threshold, "The threshold", 1))
    _room_for_rounds(full)
    batches = (threshold,) * full
    return Mix((*batches, rest), (*batches, 0)) if rest else Mix(batches, batches)


def pool_mix(rounds: int, threshold: int, pool: int) -> Mix:
    """A mix that waits for so many messages and then sends as many, picked from them and a pool it keeps."""
    _room_for_rounds(whole(rounds, "The number of rounds", 1))
    batches = (whole(threshold, "The threshold", 1),) * rounds
    return Mix(batches, batches, pool)


def pool_mix_entropy(threshold: int, pool: int) -> float:
    """How uncertain the sender of one message is after very many rounds, in bits (Serjantov, Danezis 2002).

    (1 + f/n) log(n + f) - (f/n) log f for a pool of f and a threshold of n.

    >>> pool_mix_entropy(threshold=2, pool=2)
    3.0
    """
    whole(threshold, "The threshold", 1)
    if whole(pool, "The number of messages in the pool", 0) == 0:
        return math.log2(threshold)
    inside, waits = threshold + pool, pool / threshold
    return math.log2(inside) + waits * math.log2(inside / pool)


def timed_mix(times: Sequence[float], interval: float, pool: int = 0) -> Mix:
    """A mix that flushes at every multiple of an interval, at each as many as came since the last one.

    A message that arrives at the very moment of a flush goes with it. Messages come in at ``times``, in
    their order; a flush before which nobody came sends nothing.

    >>> timed_mix([0.2, 0.7, 1.5], interval=1.0).arrivals
    (2, 1)
    """
    positive(interval, "The interval")
    if not len(times) or not all(0 <= time < math.inf for time in times):
        raise ParameterError("The times of arrival must be finite numbers from 0 on, at least one of them.")
    if any(later < earlier for earlier, later in pairwise(times)):
        raise ParameterError("The times of arrival must be sorted.")
    flushes = [max(math.ceil(time / interval * (1 - ROUNDING)), 1) for time in times]
    came = tuple(Counter(flushes).values())  # times are sorted, and so are flushes
    return Mix(came, came, pool)


def _room_for_rounds(rounds: int) -> None:
    doing = f"A mix that sends messages in {rounds:,} rounds"
    require_memory(rounds * ROUND, doing, hint="Use fewer messages, or a larger threshold.")


def _names(first: int, counts: Sequence[int]) -> list[str]:
    return [f"{first + flush}.{place + 1}" for flush, count in enumerate(counts) for place in range(count)]
