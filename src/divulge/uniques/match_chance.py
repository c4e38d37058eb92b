"""How sure a match is, with an interval that holds in samples: with a unique record, and on average."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from divulge._support.special_functions import gamma_exceeded, normal_below
from divulge.uniques.size_counts import Integers, SizeCounts

WIDER = 1.25  # the standard error is widened, since counts of classes vary more than independent ones
NINETY_FIVE = 1.959963984540054
MAY_BE_NONE = 5  # wrong matches to be expected, below which there may be none at all


@dataclass(frozen=True)
class Bracket:
    """A number with the ends between which it lies, and how these were found."""

    value: float | None
    low: float
    high: float
    method: str

    def to_dict(self) -> dict[str, Any]:
        return {"value": self.value, "interval": [self.low, self.high], "method": self.method}


def match_chance(counts: SizeCounts, z: float = NINETY_FIVE) -> Bracket | None:
    """The chance that a match with a unique record is right (Skinner and Elliot); None without such records.

    f n1 / (f n1 + 2 (1 - f) n2), n1 classes of one record and n2 of two in a sampled share f. The chance is
    that of the very records in the table: beside the errors of n1 and n2 it varies by how many other people
    share their values, about 2 (1 - f) n2 / f, which are few where much of the population is in the table.
    """
    lone, pairs, share = counts.of_size(1), counts.of_size(2), counts.fraction
    if not lone:
        return None
    if share >= 1:
        return Bracket(1.0, 1.0, 1.0, "the table is the population")
    right, wrong = share * lone, 2 * (1 - share) * pairs
    value = right / (right + wrong)
    # Without a pair the estimate is 1 and has no spread of its own: it is read as if there were half a pair.
    doubles = max(pairs, 0.5)
    others = 2 * (1 - share) * doubles / share
    odds = math.log(lone / others)
    spread = WIDER * z * math.sqrt(1 / lone + 1 / doubles + 1 / others)
    low, high = (1 / (1 + math.exp(-one)) for one in (odds - spread, odds + spread))
    if others < MAY_BE_NONE:
        high = 1.0
    return Bracket(value, min(low, value), max(high, value), "Skinner and Elliot, logit with widened error")


def average_risk(counts: SizeCounts, z: float = NINETY_FIVE) -> Bracket:
    """Between what the average risk of everyone in the population lies: its groups over its people.

    It is also the mean of 1/F over records that are drawn evenly. At most that of the table and its sampling
    error, since a sample looks riskier than its population on average. At least the groups that are in the
    table and those that are likely to be missing, over all people.
    """
    share, most = counts.fraction, counts.occupied / counts.records
    if share >= 1:
        return Bracket(most, most, most, "the table is the population")
    error = math.sqrt(most * (1 - most) * (1 - share) / counts.records)
    least = (counts.occupied + _likely_unseen(counts, z)) / counts.population
    method = "Chao's lower bound; the table's own risk and its sampling error"
    return Bracket(None, min(least, most), min(most + z * error, 1.0), method)


def expected_named(counts: SizeCounts, z: float = NINETY_FIVE) -> Bracket:
    """Between what the sum of 1/F over the records lies: how many people are named if all are guessed.

    Never more than the groups in the table, of which each has f/F. At least the groups of the population
    that are likely, times the sampled share f, less the error of f/F in groups of s: f^2 (1 - f) / s each.
    """
    share, most = counts.fraction, float(counts.occupied)
    if share >= 1:
        return Bracket(most, most, most, "the table is the population")
    error = share * math.sqrt((1 - share) * float((counts.classes / counts.sizes).sum()))
    least = share * (most + _likely_unseen(counts, z)) - z * error
    return Bracket(None, min(max(least, 0.0), most), most, "Chao's lower bound; the groups of the table")


def _likely_unseen(counts: SizeCounts, z: float) -> int:
    """Whole groups that the population has besides: Chao's lower bound, less a log-normal error."""
    lone, pairs, share = counts.of_size(1), counts.of_size(2), counts.fraction
    unseen = lone**2 / (2 * pairs + lone * share / (1 - share)) if lone else 0.0
    if not unseen:
        return 0
    likely = unseen / math.exp(z * math.sqrt(math.log(1 + 2 * (1 + unseen / lone) / unseen)))
    # Few pairs, or none, may be chance where many were to be expected.
    most_pairs = float(gamma_exceeded(pairs + 1, float(normal_below(-z))))
    return int(min(likely, lone**2 / (2 * most_pairs + lone * share / (1 - share))))


def known_match_chance(sizes: Integers, people: Integers) -> Bracket | None:
    """The same in a population that is known: unique records to all people who share their values."""
    unique = sizes == 1
    if not unique.any():
        return None
    value = float(unique.sum() / people[unique].sum())
    return Bracket(value, value, value, "known population")
