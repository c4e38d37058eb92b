"""Linking people to the nearest released record, counted against the truth: the attack on changed values."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from divulge._support.rounding import above
from divulge._support.special_functions import beta_reached
from divulge._support.wording import many, percent, share_in_percent
from divulge.alignment.recognition import IntArray, numbers_of
from divulge.attacks.changed_values.correspondence import middle_ranks, opposed
from divulge.attacks.changed_values.truth import Truth
from divulge.attacks.linkage.candidates import SharedAttribute
from divulge.table.packing import coded, packed

MOST_PEOPLE, FEWEST_PEOPLE = 4000, 50
ALIKE = 2.0  # times that weights may differ before they are used
AFFORDABLE = 600_000_000  # distances to look up: some five seconds
NO_FARTHER = 1e-9

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RightLinks:
    """For people drawn at random, the probability that the nearest released record is their own."""

    probability: Floats
    who: IntArray  # the place of each among the aligned records
    people: int = field(repr=False)  # among whom they were drawn
    chance: float  # of a link at random
    nearest: IntArray | None = None  # how many released records are as near, for each
    informed: bool = False  # whether attributes are weighed by how much each was changed
    ranked: bool = False  # whether numbers go by their ranks in each table

    @property
    def rate(self) -> float:
        return float(self.probability.mean())

    @property
    def drawn(self) -> int:
        return len(self.probability)

    @property
    def at_most(self) -> float:
        """What the rate over all people does not exceed, with 95% confidence: a sample may miss the few."""
        if not self.sampled:
            return self.rate
        return self._share_at_most(math.ceil(self.probability.sum() - NO_FARTHER))

    @property
    def sampled(self) -> bool:
        """Whether not everybody was tried."""
        return self.drawn < self.people

    def share_above(self, risk: float) -> float:
        """The share of people who are linked to their own record with a probability above a risk."""
        return float(above(self.probability, risk).mean())

    def chance_above(self, risk: float) -> float:
        """The same share if released records belonged to people at random."""
        if self.nearest is None:
            return 0.0
        return float((self.nearest * self.chance * above(1 / self.nearest, risk)).mean())

    def within_chance(self, risk: float) -> bool:
        """Whether chance explains how many are linked with a probability above a risk (95% confidence)."""
        some = round(self.share_above(risk) * self.drawn)
        if not some or self.nearest is None:
            return False
        return float(beta_reached(some, self.drawn - some + 1, 0.05)) <= self.chance_above(risk)

    def at_most_above(self, risk: float) -> float:
        """What that share over all people does not exceed, with 95% confidence."""
        found = self.share_above(risk)
        return self._share_at_most(round(found * self.drawn)) if self.sampled else found

    def people_at_most(self, some: int) -> int:
        """How many of all people there are at most, with 95% confidence, where so many were drawn."""
        return min(math.ceil(self._share_at_most(some) * self.people), self.people - self.drawn + some)

    @property
    def said(self) -> str:
        """The rate in words; where not everybody was tried, that it is estimated and what it is at most."""
        rate = f"{share_in_percent(self.rate, self.people)} of {many(self.people)} people"
        if not self.sampled:
            return rate
        most = f"at most {many(math.ceil(self.at_most * self.people))} people, {percent(self.at_most)}"
        return f"{rate} (estimated from {many(self.drawn)} drawn at random; with 95% confidence {most})"

    def _share_at_most(self, some: int) -> float:
        """The upper Clopper-Pearson bound on a share of which so many were drawn."""
        return float(beta_reached(some + 1, self.drawn - some, 0.95)) if some < self.drawn else 1.0


def right_links(truth: Truth, seed: int) -> RightLinks:
    """Link each person to the released record with the nearest keys; of several as near, to any of them.

    Numbers are as far apart as they differ, relative to how originals differ on average; or as their ranks
    do, each in its own table, which no change of unit, scale or sign hides. Other values are near where the
    released one may stand for the original one, and 1 apart otherwise. What is suppressed or not recognised
    is as far as a value drawn at random. Where attributes were changed by different amounts, an attacker who
    knows these weighs them; the attacker who is right most often counts.
    """
    assert truth.alignment.rows is not None
    keys = [Distances(one) for one in truth.shared.values()]
    tried = [*_by_weights(truth, keys, seed)]
    if any(key.numeric for key in keys):
        ranked = [Distances(one, truth.alignment.rows) for one in truth.shared.values()]
        tried += [replace(one, ranked=True) for one in _by_weights(truth, ranked, seed)]
    return max(tried, key=lambda one: one.rate)


def _by_weights(truth: Truth, keys: list[Distances], seed: int) -> Iterator[RightLinks]:
    """People linked by distances that weigh the same, and as much as they say where that differs."""
    assert truth.alignment.rows is not None
    weights = np.asarray([key.weight(*truth.alignment.rows) for key in keys])
    yield _linked(truth, keys, np.ones(len(keys)), seed)
    if weights.max() > ALIKE * weights.min():
        yield replace(_linked(truth, keys, weights, seed), informed=True)


def _linked(truth: Truth, keys: list[Distances], weights: Floats, seed: int) -> RightLinks:
    """People drawn at random, linked by a weighted sum of distances."""
    assert truth.alignment.rows is not None
    ours, theirs = truth.alignment.rows
    released = [one.released for one in truth.shared.values()]
    words = packed(coded(released), len(released[0].codes))
    _, first, kind, alike = np.unique(words, return_index=True, return_inverse=True, return_counts=True)
    kinds = [one.codes[first] for one in released]
    most = int(np.clip(AFFORDABLE // (len(first) * len(keys)), FEWEST_PEOPLE, MOST_PEOPLE))
    drawn = np.random.default_rng(seed).permutation(len(ours))[:most]
    found, nearest = np.zeros(len(drawn)), np.zeros(len(drawn), np.int64)
    for place, person in enumerate(drawn.tolist()):
        apart = np.zeros(len(first))
        for key, weight, codes in zip(keys, weights.tolist(), kinds, strict=True):
            apart += weight * key.from_original(int(ours[person]))[codes]
        near = apart <= apart.min() + NO_FARTHER
        nearest[place] = alike[near].sum()
        found[place] = near[kind[theirs[person]]] / nearest[place]
    return RightLinks(found, drawn, len(ours), 1 / len(words), nearest)


class Distances:
    """How far each released value of an attribute is from an original one.

    With the ``rows`` of the same people, numbers go by ranks in each table: from the other end where that is
    how they were released.
    """

    def __init__(self, shared: SharedAttribute, rows: tuple[IntArray, IntArray] | None = None) -> None:
        self._shared = shared
        self._often = shared.other.frequencies()
        self._known: dict[int, Floats] = {}
        self._ours = numbers_of(shared.other)
        numbers = numbers_of(shared.released, next(iter(shared.fits.anything), None))
        self._theirs: Floats | None = None
        if self._ours is not None and numbers is not None:
            if rows is not None:
                turned = opposed(self._ours[rows[0]], numbers[rows[1]])
                self._ours, numbers = middle_ranks(self._ours), middle_ranks(-numbers if turned else numbers)
            self._theirs = np.full(shared.released.cardinality, np.nan)
            self._theirs[shared.released.codes] = numbers
            known = np.sort(self._ours[~np.isnan(self._ours)])
            self._spread = max(_mean_difference(known), np.finfo(float).tiny)
        tells_nothing = [*shared.fits.anything, *shared.fits.unknown]
        self._silent = np.asarray(tells_nothing, np.int64)

    @property
    def numeric(self) -> bool:
        """Whether both tables have numbers."""
        return self._theirs is not None

    def from_original(self, row: int) -> Floats:
        """The distance of each released code from the value of an original record."""
        code = int(self._shared.other.codes[row])
        if code not in self._known:
            self._known[code] = self._distances(code, row)
        return self._known[code]

    def weight(self, ours: IntArray, theirs: IntArray) -> float:
        """How much a distance of 1 speaks against a link, in nats, from how far aligned records are apart.

        Of numbers, the distance over its mean (as under Laplace noise); of other values, the log odds that a
        value is kept rather than turned into one other. An attribute that is noise has a weight near 0.
        """
        codes = self._shared.released.codes[theirs].astype(np.int64)
        least = 1 / (2 * len(ours))
        if self._theirs is not None and self._ours is not None:
            known = np.abs(self._theirs[codes] - self._ours[ours]) / self._spread
            known = known[~np.isnan(known)]
            return 1 / max(float(known.mean()) if len(known) else 1.0, least)
        other = float(np.clip(1 - self._shared.holds(theirs, ours).mean(), least, 1 - least))
        values = max(2, int(np.count_nonzero(self._often)))
        return max(0.0, math.log((1 - other) * (values - 1) / other))

    def _distances(self, code: int, row: int) -> Floats:
        if self._theirs is not None and self._ours is not None and not np.isnan(self._ours[row]):
            apart = np.abs(self._theirs - self._ours[row]) / self._spread
            return np.where(np.isnan(apart), 1.0, apart)
        apart = np.ones(self._shared.released.cardinality)
        owners = self._shared.owner[:, code]
        apart[owners[owners > 0] - 1] = 0.0
        apart[self._silent] = 1 - self._often[code] / self._often.sum()
        return apart


def _mean_difference(numbers: Floats) -> float:
    """The mean of |a - b| over all pairs of sorted numbers."""
    records = len(numbers)
    places: IntArray = 2 * np.arange(records) - records + 1
    return float(2 * (places * numbers).sum() / records**2)
