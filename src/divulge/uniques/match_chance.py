"""How sure a match with a unique record is, and the average risk, with brackets that hold in samples."""

from __future__ import annotations

import math
from dataclasses import dataclass

from divulge.uniques.size_counts import SizeCounts

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
    """The average over people of 1/F: between what unseen classes leave at least and what the sample shows.

    The population has K + u classes; u that are not seen are estimated by Chao's lower bound. The average
    risk is the number of classes in the population to its size, and never above the sample's.
    """
    share, people, seen = counts.fraction, counts.population, counts.occupied
    top = seen / counts.records
    if share >= 1:
        return Bracket(top, top, top, "the table is the population")
    lone, pairs = counts.of_size(1), counts.of_size(2)
    if not lone:
        return Bracket(None, min(seen / people, top), top, "Chao's lower bound of unseen classes")
    unseen = lone**2 / (2 * pairs + lone * share / (1 - share))
    scale = math.exp(z * math.sqrt(math.log(1 + 2 * (1 + unseen / lone) / unseen)))
    low = (seen + unseen / scale) / people
    return Bracket(None, min(low, top), top, "Chao's lower bound of unseen classes")
