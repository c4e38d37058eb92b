"""How many people of a sample have few people alike in the population: two ends, and what models say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.assessment.people.candidate_sets import candidate_sets
from divulge.assessment.people.copies import copied_pairs
from divulge.assessment.people.people import CodedRows, first_of_each
from divulge.assessment.people.suppressed_fit import fitting, overlap
from divulge.assessment.scope import Scope
from divulge.errors import Undefined
from divulge.uniques.k_map import EstimatedPresence
from divulge.uniques.match_chance import match_chance
from divulge.uniques.population_models import estimates
from divulge.uniques.size_counts import SizeCounts

Numbers = npt.NDArray[Any]
SMALL_SHARE = 0.1  # up to which copies of records are more likely than two people alike
MANY = 100_000  # records from which on their groups are not looked at row by row
PAIRS = 10  # groups of two below which no model says how many people are alike outside
DIFFER = "people were drawn with different chances, and no model takes that into account"
OVERLAP = "suppressed cells fit any value, so that groups overlap"
COPIES = "most groups of two are equal records, in so small a sample more likely copies than two people"
HOUSEHOLDS = (
    "people were drawn with their households, and estimates assume that they were drawn independently of "
    "each other"
)
TOO_FEW = f"fewer than {PAIRS} groups have two people, and a model needs more"


@dataclass(frozen=True, eq=False)
class FewAlike:
    """How many people of the table have fewer than k alike in the population, or why no model says it."""

    least: int
    most: int
    estimate: float | None = None
    unsaid: str = ""


@dataclass(frozen=True, eq=False)
class SampledGroups:
    """The sizes of groups in a sample, and how many people are in groups of each."""

    sizes: Numbers
    people: Numbers
    fraction: float  # the share of the population that was drawn
    largest: float  # the largest chance of anybody to be drawn
    unsaid: str = ""  # why no model is asked

    @cached_property
    def presence(self) -> EstimatedPresence:
        """The two ends; where groups overlap they are taken to be as many as their people fill."""
        sizes, place = np.unique(self.sizes, return_inverse=True)
        people = np.bincount(place, weights=self.people)
        classes = np.maximum(np.rint(people / sizes), 1).astype(np.int64)
        population = max(float(sizes @ classes), float(people.sum()) / self.fraction)
        counts = SizeCounts(sizes.astype(np.int64), classes, population)
        match = None if self.unsaid else match_chance(counts)
        return EstimatedPresence(counts, self.largest, match)

    def few_alike(self, k: int) -> FewAlike:
        """The ends for groups smaller than k in the population, and what the most cautious model says."""
        least, most = self.presence.below(k)
        if not most:
            return FewAlike(0, 0, 0.0)
        try:
            return FewAlike(least, most, self._modelled(k))
        except Undefined as undefined:
            return FewAlike(least, most, unsaid=undefined.message.rstrip("."))

    def _modelled(self, k: int) -> float:
        """The largest number that a model gives; people who are unique there are in a small group as well."""
        counts = self.presence.counts
        if self.unsaid:
            raise Undefined(self.unsaid)
        if counts.of_size(2) < PAIRS:
            raise Undefined(TOO_FEW)
        return max(self.presence.modelled_below(k), self._unique)

    @cached_property
    def _unique(self) -> float:
        """The largest number of people of the table that a model takes to be unique in the population."""
        counts = self.presence.counts
        found = [one.uniques for one in estimates(counts) if one.uniques is not None]
        return max(found, default=0.0) * counts.fraction


def sampled_groups(scope: Scope, keys: Sequence[str]) -> SampledGroups:
    """The groups of a sample by some keys; Undefined or empty as their sizes are.

    Of a small share two people alike are hardly ever drawn. Where most pairs are one record twice, these are
    taken for one person each.
    """
    if whole_households(scope):
        raise Undefined(f"{HOUSEHOLDS[0].upper()}{HOUSEHOLDS[1:]}.")
    asked = ("groups of the sample", tuple(keys))
    if asked not in scope.answers:
        scope.answers[asked] = _sampled_groups(scope, keys)
    found: SampledGroups = scope.answers[asked]
    return found


def whole_households(scope: Scope) -> bool:
    """Whether people of a household are in the sample together, so that one says that others were drawn."""
    name = scope.household
    if name is None or scope.everyone is not None or not scope.sample.partial:
        return False
    found = scope.data.summary(name)
    return found.present > found.distinct


def _sampled_groups(scope: Scope, keys: Sequence[str]) -> SampledGroups:
    fraction, there, rows = scope.sample.fraction, scope.people_there, scope.rows
    if there is not None and there.weights is not None:
        sizes, _, times = there.weighed_sizes(scope.partitions, keys)
        largest = min(1 / there.weights.least, 1.0)
        return SampledGroups(sizes, sizes * times, fraction, largest, DIFFER if there.weights_differ else "")
    if there is not None:
        sizes, groups, _ = there.worst_sizes(scope.partitions, keys)
        return SampledGroups(sizes, sizes * groups, fraction, fraction)
    if rows is None or (scope.data.records > MANY and _plain(scope, rows, keys)):
        counts = scope.question(keys).counts
        many = 1 if counts.multiplicity is None else counts.multiplicity
        return SampledGroups(counts.people, counts.people * many, fraction, fraction)
    largest, differ = _chances(scope)
    kept = rows.kept(keys, None)
    chosen: Any = slice(None) if kept is None else kept
    if overlap(rows, keys):
        number, sizes = _sets(rows, keys, chosen)
        own = number[chosen]
        times = np.ones(len(own), np.int64) if rows.times is None else rows.times[chosen]
        once: Any = slice(None) if rows.person is None else first_of_each(own, rows.person[chosen])
        return SampledGroups(sizes[own[once]], times[once], fraction, largest, differ or OVERLAP)
    number, sizes = _sets(rows, keys, chosen)
    same = None
    if fraction <= SMALL_SHARE and rows.person is None and rows.times is None and kept is None:
        same = copied_pairs(rows.data, keys, number, sizes)
    if same is not None:
        sizes = np.where(np.isin(np.arange(len(sizes)), same), 1, sizes)
        differ = differ or COPIES
    used = sizes[sizes > 0]
    return SampledGroups(used, used, fraction, largest, differ)


def rows_below(scope: Scope, keys: Sequence[str], k: int, allowed: float) -> npt.NDArray[np.bool_] | None:
    """The rows of people who may have fewer than k alike in the population; of those allowed, some stay.

    The smallest groups go first. None where rows are not at hand.
    """
    rows = scope.rows
    if rows is None:
        return None
    presence = sampled_groups(scope, keys).presence
    small = presence.counts.sizes[presence.least < k]
    kept = rows.kept(keys, None)
    chosen: Any = slice(None) if kept is None else kept
    number, sizes = _sets(rows, keys, chosen)
    place = np.arange(len(number))[chosen]
    size = sizes[number[chosen]]
    beyond = np.flatnonzero(np.isin(size, small))
    beyond = beyond[np.argsort(size[beyond], kind="stable")]
    times = np.ones(len(number), np.int64) if rows.times is None else rows.times
    before = np.cumsum(times[place[beyond]]) - times[place[beyond]]
    need = (times[place[beyond]].sum() - allowed * times[place].sum()) / max(1 - allowed, 1e-9)
    found = np.zeros(len(number), np.bool_)
    found[place[beyond[before < need]]] = True
    return found


def _sets(rows: CodedRows, keys: Sequence[str], chosen: Any) -> tuple[Numbers, Numbers]:
    """The set of each row, and how many people each has, or who fit it."""
    candidates = candidate_sets(rows, keys)
    if candidates is not None:
        number, sizes, _ = candidates.company(None)
    elif overlap(rows, keys):
        number, sizes, _ = fitting(rows, keys, chosen)
    else:
        number, bound = rows.sets(keys)
        sizes = rows.sizes(number, bound, chosen)
    return number, sizes


def _plain(scope: Scope, rows: CodedRows, keys: Sequence[str]) -> bool:
    """Whether every record is a person like any other, in one group."""
    return rows.person is None and scope.stands_for is None and not overlap(rows, keys)


def _chances(scope: Scope) -> tuple[float, str]:
    """The largest chance of anybody to be drawn, and that chances differ, where weights say it."""
    weights = scope.person_stands_for
    if weights is None:
        return scope.sample.fraction, ""
    least, most = float(weights.min()), float(weights.max())
    return min(1 / least, 1.0), DIFFER if most > least * (1 + 1e-9) else ""
