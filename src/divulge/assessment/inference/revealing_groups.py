"""Which sets of people tell a value, and whether chance alone would make as many tell it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.rounding import above, below, lowest
from divulge._support.special_functions import beta_below, gamma_below
from divulge._support.threads import blocks, cached_property
from divulge.assessment.inference.sensitive_questions import SURE, AskedValues
from divulge.assessment.inference.set_members import PlacedSets
from divulge.assessment.people.people_table import PeopleTable
from divulge.assessment.people.sample import SampleShare
from divulge.table.packing import told_apart

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

    def beyond(self, values: int, tests: int, level: float) -> npt.NDArray[np.bool_]:
        """Which of them chance does not explain: improbable themselves, or too many of their value."""
        alone = self.by_chance * (self.sets * values * tests) < level
        together = self.as_many * (values * tests) < level
        return alone | together

    @cached_property
    def people(self) -> Numbers:
        """People who have the value, by entry."""
        return self.count * self.times

    def holds(self, asked: AskedValues, place: Numbers, value: Numbers) -> npt.NDArray[np.bool_]:
        """For rows with the place of their set and their own value, whether some entry tells it."""
        told = _with_next_band(asked, self.value, self.owner * asked.values + self.value)
        found: npt.NDArray[np.bool_] = np.isin(place * asked.values + value, told)
        return found

    def concerning(
        self, asked: AskedValues, place: Numbers, value: Numbers, about: npt.NDArray[np.bool_]
    ) -> Telling:
        """The same for some rows only, without entries that tell nothing about any of them."""
        cells = (place * asked.values + value)[about]
        told = self.owner * asked.values + self.value
        kept = np.isin(told, cells) | (np.isin(told + 1, cells) & (self.value < asked.bands))
        names = ("owner", "value", "size", "count", "times", "overall", "by_chance", "as_many")
        return replace(self, about=about, **{name: getattr(self, name)[kept] for name in names})


def _with_next_band(asked: AskedValues, value: Numbers, cell: Numbers) -> Numbers:
    """Cells, and for those of a band that of the next too: two neighbours are asked as one."""
    return np.concatenate([cell, cell[value < asked.bands] + 1]) if asked.bands > 1 else cell


def telling(table: PeopleTable, asked: AskedValues, bar: Bar, sample: SampleShare) -> Telling:
    """The sets of a table that tell a value in one of the ways it is asked about."""
    cells = paired(table, asked) if asked.bands > 1 else (table.owner, table.value, table.count)
    owner, value, count = cells
    news, having = _asked(table, asked)
    overall = having / max(table.people, 1)
    need = np.maximum(max(bar.certain, SURE) if asked.rough else bar.certain, overall + bar.gain)
    able = news & below(overall, 1 - bar.gain)
    likely = _reaching(table, owner, value, count, np.where(able, need, NO_SHARE))
    owner, value, count = owner[likely], value[likely], count[likely]
    size = table.size[owner]
    count = np.minimum(count, size)
    doubted, overlapping = None, 2 if asked.bands > 1 else 1
    if sample.partial:
        tells = ~below(sample.believed(count, size), need[value])
        doubted = _doubted(count, size, table.times[owner], ~tells & (size >= SMALLEST), overlapping)
        owner, value, count, size = owner[tells], value[tells], count[tells], size[tells]
    times, share = table.times[owner], overall[value]
    return Telling(
        table.sets,
        owner,
        value,
        size,
        count,
        times,
        share,
        _tail(count, size, share),
        _as_many(table, value, times, overall, need, sample)[value],
        int(table.size.min()) if len(table.size) else 0,
        overlapping,
        doubted=doubted,
    )


def _reaching(table: PeopleTable, owner: Numbers, value: Numbers, count: Numbers, need: Numbers) -> Numbers:
    """The places of the cells that are as large a share of their set as their value needs."""
    least, found = lowest(need), list[Numbers]()
    for part in blocks(len(owner)):
        size = table.size[owner[part]]
        short = np.minimum(count[part], size) / size < least[value[part]]
        found.append(np.flatnonzero(~short) + part.start)
    return np.concatenate(found)


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


def _asked(table: PeopleTable, asked: AskedValues) -> tuple[npt.NDArray[np.bool_], Numbers]:
    """Which values are news, and how many people have each; bands two by two."""
    news, having = asked.news, table.having
    if asked.bands < 2:
        return news, having
    having, news = having.copy(), news.copy()
    having[: asked.bands - 1] = table.having[: asked.bands - 1] + table.having[1 : asked.bands]
    news[: asked.bands - 1] = True
    news[asked.bands - 1] = False
    return news, np.minimum(having, table.people)


def paired(table: PeopleTable, asked: AskedValues) -> tuple[Numbers, Numbers, Numbers]:
    """The cells with bands two by two: band i stands for itself and the next."""
    last = asked.bands - 1
    first = (table.value >= asked.bands) | (table.value < last)
    second = (table.value > 0) & (table.value <= last)
    owner = np.concatenate([table.owner[first], table.owner[second]])
    value = np.concatenate([table.value[first], table.value[second] - 1])
    count = np.concatenate([table.count[first], table.count[second]])
    cells, place = told_apart(owner * len(table.having) + value)
    total = np.bincount(place, weights=count, minlength=len(cells)).astype(table.count.dtype)
    return owner[cells], value[cells], total


def _as_many(
    table: PeopleTable, value: Numbers, times: Numbers, overall: Numbers, need: Numbers, sample: SampleShare
) -> Numbers:
    """By value: the probability that at least as many groups reveal it, if values were assigned at random."""
    tail = np.ones(len(overall))
    if not len(value):
        return tail
    found = np.bincount(value, weights=times, minlength=len(overall))
    told = np.flatnonzero(found)
    sets = np.bincount(table.size.astype(np.int64), weights=table.times)  # sizes by weight rounded down
    size = np.flatnonzero(sets)
    sets = sets[size]
    possible = [_possible(size, sets, float(overall[one]), float(need[one]), sample) for one in told.tolist()]
    lengths = [len(n) for n, _, _ in possible]
    n, c, often = (np.concatenate(each) for each in zip(*possible, strict=True))
    # All values in one call: of a small table, a call for each takes longer than what it works out.
    reached = often * beta_below(c, n - c + 1, np.repeat(overall[told], lengths))
    expected = np.array([one.sum() for one in np.split(reached, np.cumsum(lengths)[:-1])])
    tail[told] = gamma_below(found[told], np.maximum(expected, 1e-300))
    return tail


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
