"""How sure a match is, with an interval that holds in samples: with a unique record, and on average."""

from __future__ import annotations

import math
from dataclasses import dataclass

from divulge.uniques.size_counts import Integers, SizeCounts

WIDER = 1.25  # the standard error is widened, since counts of classes vary more than independent ones
NINETY_FIVE = 1.959963984540054


@dataclass(frozen=True)
class Bracket:
    """A number with the ends between which it lies, and how these were found."""

    value: float | None
    low: float
    high: float
    method: str


def match_chance(counts: SizeCounts, z: float = NINETY_FIVE) -> Bracket | None:
    """The chance that a match with a unique record is right (Skinner and Elliot); None without such records.

    f n1 / (f n1 + 2 (1 - f) n2), n1 classes of one record and n2 of two in a sampled share f.
    """
    lone, pairs, share = counts.of_size(1), counts.of_size(2), counts.fraction
    if not lone:
        return None
    if share >= 1:
        return Bracket(1.0, 1.0, 1.0, "the table is the population")
    right, wrong = share * lone, 2 * (1 - share) * pairs
    value = right / (right + wrong)
    # Without a pair the estimate is 1 and has no spread of its own: it is read as if there were half a pair.
    odds = math.log(right / (2 * (1 - share) * max(pairs, 0.5)))
    spread = WIDER * z * math.sqrt(1 / lone + 1 / max(pairs, 0.5))
    low, high = (1 / (1 + math.exp(-one)) for one in (odds - spread, odds + spread))
    return Bracket(value, min(low, value), max(high, value), "Skinner and Elliot, logit with widened error")


def average_risk(counts: SizeCounts, z: float = NINETY_FIVE) -> Bracket:
    """Between what the average risk of everyone in the population lies: its groups over its people.

    It is also the mean of 1/F over records that are drawn evenly. At most that of the table, since a sample
    always looks riskier than its population. At least the groups that are in the table and those that are
    likely to be missing, by Chao's lower bound with a log-normal error, over all people.
    """
    lone, pairs, share = counts.of_size(1), counts.of_size(2), counts.fraction
    most = counts.occupied / counts.records
    if share >= 1:
        return Bracket(most, most, most, "the table is the population")
    unseen = lone**2 / (2 * pairs + lone * share / (1 - share)) if lone else 0.0
    if unseen:
        unseen /= math.exp(z * math.sqrt(math.log(1 + 2 * (1 + unseen / lone) / unseen)))
    least = (counts.occupied + unseen) / counts.population
    return Bracket(None, min(least, most), most, "Chao's lower bound, and the table's own risk")


def known_match_chance(sizes: Integers, people: Integers) -> Bracket | None:
    """The same in a population that is known: unique records to all people who share their values."""
    unique = sizes == 1
    if not unique.any():
        return None
    value = float(unique.sum() / people[unique].sum())
    return Bracket(value, value, value, "known population")
