"""Which sets of people tell a value, and whether chance alone would make as many tell it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.rounding import above, below, lowest
from divulge._support.special_functions import beta_below, gamma_below
from divulge._support.threads import cached_property
from divulge.assessment.inference.asked.asked_cells import (
    AskedShares,
    ReachingCells,
    reaching,
    reaching_cells,
    within,
)
from divulge.assessment.inference.asked.sensitive_questions import AskedValues, Kind
from divulge.assessment.inference.set_members import PlacedSets
from divulge.assessment.people.people_table import PeopleTable
from divulge.assessment.people.sample import SampleShare

Numbers = npt.NDArray[Any]
NEVER = 50.0  # -ln of a probability that adds nothing
NO_SHARE = 2.0  # that no set reaches
BISECTIONS = 40
SMALLEST = 3  # people in a set that tells by chance and counts; smaller ones are picked out anyway


@dataclass(frozen=True)
class Bar:
    """From when on a set tells a value: its share there, and how much above its share in the table."""

    certain: float
    gain: float


@dataclass(frozen=True)
class GroupShare:
    """What sets show that does not count: chance explains it, or they are too small a sample of people."""

    people: int = field(repr=False)  # who have the value, in sets of three or more
    share: float  # the largest share of a set that they are
    kind: Kind = "value"
    sure: float = 0.0  # from which share on it would be learned, where a level asks for less


@dataclass(frozen=True, eq=False)
class Telling:
    """The sets that tell a value, one entry each, with how probable such a set and so many of them are."""

    sets: int  # of the key set altogether
    owner: Numbers
    value: Numbers
    size: Numbers
    count: Numbers
    times: Numbers
    overall: Numbers  # the share of the value in the table
    by_chance: Numbers  # that a set of this size has so many with the value
    as_many: Numbers  # that so many sets tell this value
    smallest: int  # people in the smallest set of all
    overlapping: int  # entries that a person may be in: two, of bands two by two
    about: npt.NDArray[np.bool_] | None = None  # of the rows that count, those that it may be about
    by_weight: bool = False
    placed: PlacedSets | None = None  # where sets are others than those of the key set
    lone: bool = False  # whether those who are alone with a value are one set, that stands for many
    doubted: GroupShare | None = None  # what sets of a sample show, and do not tell of all people alike
    nested: bool = False  # whether the entries of a set contain each other, the widest last

    def beyond(self, values: int, tests: int, level: float) -> npt.NDArray[np.bool_]:
        """Which of them chance does not explain: improbable themselves, or too many of their value."""
        alone = self.by_chance * (self.sets * values * tests) < level
        together = self.as_many * (values * tests) < level
        return self.once(alone | together)

    def once(self, flag: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """The flagged entries; of those of a set that contain each other, the widest."""
        return _widest(self.owner, flag) if self.nested else flag

    @cached_property
    def people(self) -> Numbers:
        """People who have the value, by entry."""
        return self.count * self.times

    def holds(self, asked: AskedValues, place: Numbers, value: Numbers) -> npt.NDArray[np.bool_]:
        """For rows with the place of their set and their own value, whether some entry tells it."""
        if self.nested:
            sets = max(int(self.owner.max(initial=-1)), int(place.max(initial=-1))) + 1
            return within(asked, self.owner, self.value, sets, place, value)
        told = _with_next_band(asked, self.value, self.owner * asked.values + self.value)
        found: npt.NDArray[np.bool_] = np.isin(place * asked.values + value, told)
        return found

    def concerning(
        self, asked: AskedValues, place: Numbers, value: Numbers, about: npt.NDArray[np.bool_]
    ) -> Telling:
        """The same for some rows only, without entries that tell nothing about any of them."""
        if self.nested:
            kept = self._reaching_some(asked, place[about], value[about])
        else:
            cells = (place * asked.values + value)[about]
            told = self.owner * asked.values + self.value
            kept = np.isin(told, cells) | (np.isin(told + 1, cells) & (self.value < asked.bands))
        names = ("owner", "value", "size", "count", "times", "overall", "by_chance", "as_many")
        return replace(self, about=about, **{name: getattr(self, name)[kept] for name in names})

    def _reaching_some(self, asked: AskedValues, place: Numbers, value: Numbers) -> npt.NDArray[np.bool_]:
        """Which entries contain the value of some row of their set."""
        sets = max(int(self.owner.max(initial=-1)), int(place.max(initial=-1))) + 1
        inside = value < asked.bands
        if asked.limit == "at least":
            most = np.full(sets, -1)
            np.maximum.at(most, place[inside], value[inside])
            return np.asarray(most[self.owner] >= self.value)
        least = np.full(sets, asked.bands)
        np.minimum.at(least, place[inside], value[inside])
        return np.asarray(least[self.owner] <= self.value)


def _widest(owner: Numbers, flag: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The last flagged entry of each set, whose entries are beside each other."""
    places = np.flatnonzero(flag)
    last = np.append(owner[places][1:] != owner[places][:-1], True)[: len(places)]
    found = np.zeros(len(flag), bool)
    found[places[last]] = True
    return found


def _with_next_band(asked: AskedValues, value: Numbers, cell: Numbers) -> Numbers:
    """Cells, and for those of a band that of the next too: two neighbours are asked as one."""
    return np.concatenate([cell, cell[value < asked.bands] + 1]) if asked.by_two else cell


def telling(table: PeopleTable, asked: AskedValues, bar: Bar, sample: SampleShare) -> Telling:
    """The sets of a table that tell a value in one of the ways it is asked about."""
    return tellings(table, asked, [bar], sample)[0]


def tellings(
    table: PeopleTable, asked: AskedValues, bars: Sequence[Bar], sample: SampleShare
) -> list[Telling]:
    """The same for each of several bars; cells are looked through once for all of them."""
    shares = AskedShares.of(table, asked)
    needed = [_needed(shares, asked, bar) for bar in bars]
    reached = reaching(table, asked, np.minimum.reduce([lowest(need) for need in needed]))
    found = dict[bytes, Telling]()
    for need in needed:
        if need.tobytes() not in found:
            enough = ~(reached.count / reached.size < lowest(need)[reached.value])
            found[need.tobytes()] = _telling(table, shares, need, asked, sample, reached.among(enough))[0]
    return [found[need.tobytes()] for need in needed]


def telling_cells(
    table: PeopleTable, asked: AskedValues, bar: Bar, sample: SampleShare
) -> tuple[Telling, Numbers]:
    """The same, and the place of each entry among the cells that are asked about."""
    shares = AskedShares.of(table, asked)
    need = _needed(shares, asked, bar)
    reached, cell = reaching_cells(table, asked, lowest(need))
    found, kept = _telling(table, shares, need, asked, sample, reached)
    return found, cell[kept]


def _needed(shares: AskedShares, asked: AskedValues, bar: Bar) -> Numbers:
    """The share of a set from which on it tells each value; one that no set reaches where that is no gain."""
    need = np.maximum(max(bar.certain, asked.sure), shares.overall + bar.gain)
    able = shares.news & below(shares.overall, 1 - bar.gain)
    return np.where(able, need, NO_SHARE)


def _telling(
    table: PeopleTable,
    shares: AskedShares,
    need: Numbers,
    asked: AskedValues,
    sample: SampleShare,
    told: ReachingCells,
) -> tuple[Telling, Any]:
    """The entries of cells that are a large share of their set, and which of these cells they are."""
    smallest = int(table.size.min()) if len(table.size) else 0
    doubted, overlapping, kept = None, 2 if asked.by_two else 1, slice(None)
    if sample.partial:
        tells = ~below(sample.believed(told.count, told.size), need[told.value])
        flag = ~tells & (told.size >= SMALLEST)
        flag = _widest(told.owner, flag) if asked.limit else flag
        doubted = _doubted(told.count, told.size, table.times[told.owner], flag, overlapping)
        told, kept = told.among(tells), tells
    owner, value, count, size = told.owner, told.value, told.count, told.size
    times, share = table.times[owner], shares.overall[value]
    if told.after is not None:
        reached = sample.believed(count, size) if sample.partial else count / size
        until = _until(asked, value, told.after, reached, need)
    else:
        until = value
    found = Telling(
        table.sets,
        owner,
        value,
        size,
        count,
        times,
        share,
        _tail(count, size, share),
        _as_many(replace(table, size=told.sizes), value, until, times, shares.overall, need, sample),
        smallest,
        overlapping,
        doubted=doubted,
        nested=bool(asked.limit),
    )
    return found, kept


def _until(asked: AskedValues, own: Numbers, after: Numbers, reached: Numbers, need: Numbers) -> Numbers:
    """The last value that each entry tells as well: up to the next of its set nobody is added."""
    step = -1 if asked.limit == "at least" else 1
    needed = need[: asked.bands][::step]  # never falls
    able = np.searchsorted(lowest(needed), reached, side="right") - 1
    furthest = asked.bands - 1 - able if step < 0 else able
    following = after - step
    found = np.minimum(following, furthest) if step > 0 else np.maximum(following, furthest)
    return np.asarray(np.maximum(found, own) if step > 0 else np.minimum(found, own))


def _doubted(
    count: Numbers, size: Numbers, times: Numbers, flag: npt.NDArray[np.bool_], overlapping: int
) -> GroupShare | None:
    """What the flagged sets show; of bands two by two someone may be in both."""
    if not flag.any():
        return None
    people = int((count * times)[flag].sum()) // overlapping
    return GroupShare(people, float((count[flag] / size[flag]).max()))


def _tail(count: Numbers, size: Numbers, share: Numbers) -> Numbers:
    """P(N >= count) of a binomial N: so many of a group have a value, if assigned at random."""
    found = share.astype(np.float64)
    larger = size > 1
    if not larger.any():
        return found
    found[larger] = beta_below(count[larger], (size - count + 1)[larger], share[larger])
    return found


def _as_many(
    table: PeopleTable,
    value: Numbers,
    until: Numbers,
    times: Numbers,
    overall: Numbers,
    need: Numbers,
    sample: SampleShare,
) -> Numbers:
    """The probability that at least as many groups reveal a value, if values were assigned at random.

    For each entry: the least of those of its own value and of all values ``until`` the last that it tells.
    """
    if not len(value):
        return np.ones(0)
    first, last = np.minimum(value, until), np.maximum(value, until)
    found = np.bincount(first, weights=times, minlength=len(overall) + 1)
    if until is not value:
        found = np.cumsum(found - np.bincount(last + 1, weights=times, minlength=len(found)))
    told = np.flatnonzero(found[:-1])
    tail = np.ones(len(overall) + 1)
    sets = np.bincount(table.size.astype(np.int64), weights=table.times)  # sizes by weight rounded down
    size = np.flatnonzero(sets)
    size = size[size > 0]
    sets = sets[size]
    possible = [_possible(size, sets, float(overall[one]), float(need[one]), sample) for one in told.tolist()]
    lengths = [len(n) for n, _, _ in possible]
    n, c, often = (np.concatenate(each) for each in zip(*possible, strict=True))
    # All values in one call: of a small table, a call for each takes longer than what it works out.
    reached = often * beta_below(c, n - c + 1, np.repeat(overall[told], lengths))
    expected = np.array([one.sum() for one in np.split(reached, np.cumsum(lengths)[:-1])])
    tail[told] = gamma_below(found[told], np.maximum(expected, 1e-300))
    if until is value:
        return np.asarray(tail[value])
    return np.minimum.reduceat(tail, np.stack([first, last + 1], axis=1).ravel())[::2]


def _possible(
    size: Numbers, sets: Numbers, share: float, bar: float, sample: SampleShare
) -> tuple[Numbers, Numbers, Numbers]:
    """The sizes of sets that can reveal a value by chance, how many must have it, and how many sets."""
    able = size * _divergence(bar, share) < NEVER
    least = _least(size[able], bar, sample)
    possible = least <= size[able]
    return size[able][possible], least[possible], sets[able][possible]


def _least(size: Numbers, bar: float, sample: SampleShare) -> Numbers:
    """The fewest of a set of each size that make it tell; one more than there are where none do."""
    if not sample.partial:
        return np.maximum(np.ceil(bar * size - 1e-9 * (1 + bar * size)), 1).astype(np.int64)
    low, high = np.zeros_like(size), size + 1  # low does not tell, high does
    for _ in range(BISECTIONS):
        if (high - low <= 1).all():
            break
        middle = (low + high) // 2
        tells = ~below(sample.believed(np.minimum(middle, size), size), bar)
        open_ = high - low > 1
        high = np.where(open_ & tells, middle, high)
        low = np.where(open_ & ~tells, middle, low)
    return high


def _divergence(q: float, p: float) -> float:
    """The relative entropy of shares in nats: n times it bounds -ln P(share of n at least q)."""
    if above(q, 1.0):
        return NEVER
    q, p = min(q, 1.0), min(max(p, 1e-300), 1.0)
    rest = 0.0 if q == 1 else (1 - q) * float(np.log((1 - q) / (1 - p)))
    return q * float(np.log(q / p)) + rest
