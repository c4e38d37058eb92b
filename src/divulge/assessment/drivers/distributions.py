"""How risk is spread: over class sizes, over records, over single values, over the smallest classes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from divulge._support.small_counts import (
    FEW,
    beside,
    blurred,
    exact_counts_asked,
    hidden,
    hidden_among,
    leaves_few,
    said_share,
)
from divulge._support.wording import value_label
from divulge.assessment.drivers.rates import TargetRates
from divulge.assessment.scope import Scope
from divulge.counting.counts import RECORD, Counts
from divulge.counting.statistics import CERTAIN, SIZE
from divulge.questions.question import Question
from divulge.readings.class_values import by_class, printed

EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 1000)  # where a bin of class sizes begins
PAIRED = (1, 2)  # sizes whose classes and records together say how many are of each
MOST_LINES = 20
MOST_CLASSES = 10


@dataclass(frozen=True)
class SizeBin:
    """Classes of about the same number of people."""

    label: str
    low: int
    high: int | None
    classes: int | None  # None where it would say how many records a hidden count has
    records: int = field(repr=False)
    share: float


@dataclass(frozen=True)
class RiskBin:
    """Records whose person is named by guessing in the class with about the same chance."""

    label: str
    low: float
    high: float
    records: int = field(repr=False)
    share: float


@dataclass(frozen=True)
class Homogeneous:
    """Classes of two or more records that all have one value of a sensitive attribute."""

    target: str
    classes: int
    records: int = field(repr=False)
    share: float


@dataclass(frozen=True)
class ValueRisk:
    """How risky one value of an attribute is; its name only if values may be shown."""

    label: str
    records: int | str
    discrimination_rate: float | None
    itpr: float | None
    share_of_top: float | None


@dataclass(frozen=True)
class ValueBlock:
    """The riskiest values of one attribute."""

    attribute: str
    target: str
    lines: list[ValueRisk]


@dataclass(frozen=True)
class SmallClass:
    """One of the smallest classes; its key only if values may be shown."""

    label: str
    key: dict[str, Any] | None
    records: int | str


def class_sizes(counts: Counts, at: Collection[int] = ()) -> list[SizeBin]:
    """Classes and their records by the number of people in a class; bins also begin ``at`` given sizes."""
    edges = sorted({*EDGES, *at})
    place = np.digitize(counts.people, edges) - 1
    times = np.ones(len(counts.size), np.int64) if counts.multiplicity is None else counts.multiplicity
    classes = np.bincount(place, weights=times, minlength=len(edges)).astype(int)
    records = np.bincount(place, weights=times * counts.members, minlength=len(edges)).astype(int)
    return [
        SizeBin(_size_label(low, high), low, high, int(c), int(r), int(r) / counts.records)
        for (low, high), c, r in zip(_bins(edges), classes, records, strict=True)
    ]


def without_few(sizes: Sequence[SizeBin], said: Collection[int] = ()) -> list[SizeBin]:
    """The bins, those of small classes put together until none has fewer than five records.

    Hiding one number would not do: it is what the others leave of all records. Nor may the records up to a
    bin's end and a count of people in small classes that is ``said`` elsewhere leave a few. Of bins that were
    put together the classes are not said, which beside their records tell the sizes apart.
    """
    found = list(sizes)
    while len(found) > 1:
        ends = accumulate(one.records for one in found[:-1])
        near = [
            place
            for place, (end, one) in enumerate(zip(ends, found, strict=False))
            if leaves_few(end, said) or (one.low, one.high) == PAIRED
        ]
        few = [place for place, one in enumerate(found) if isinstance(hidden(one.records), str)]
        if not few and not near:
            break
        place = min(few[0] if few else near[0], len(found) - 2)
        one, two = found[place : place + 2]
        found[place : place + 2] = [
            SizeBin(
                _size_label(one.low, two.high),
                one.low,
                two.high,
                None,
                one.records + two.records,
                one.share + two.share,
            )
        ]
    return _without_left_classes(found)


def _without_left_classes(bins: list[SizeBin]) -> list[SizeBin]:
    """Bins of which another one has no classes either, where one alone would have what is left of all."""
    unsaid = [place for place, one in enumerate(bins) if one.classes is None]
    open_ones = [place for place, one in enumerate(bins) if one.classes and one.low != one.high]
    if len(unsaid) != 1 or not open_ones:
        return bins
    near = min(open_ones, key=lambda place: (abs(place - unsaid[0]), place))
    return [replace(one, classes=None) if place == near else one for place, one in enumerate(bins)]


def without_rest(bins: Sequence[Mapping[str, Any]], whole: int) -> list[dict[str, Any]]:
    """Bins whose records do not say how few of the whole are in none of them.

    The largest has "more than" so many, and shares have two digits, where one to four records are left.
    """
    found = [dict(one) for one in bins]
    most = max(found, key=lambda one: one["records"])
    left = whole - sum(one["records"] for one in found)
    said = hidden(most["records"], of=most["records"] + left)
    if isinstance(said, str):
        most["records"] = said
        found = [{**one, "share": round(one["share"], 2)} for one in found]
    return found


def record_risk(sizes: Sequence[SizeBin]) -> list[RiskBin]:
    """Records by the chance 1/n that guessing within their class names the right person."""
    return [
        RiskBin(
            _risk_label(one), 0.0 if one.high is None else 1 / one.high, 1 / one.low, one.records, one.share
        )
        for one in sizes
    ]


def homogeneous(target: str, counts: Counts) -> Homogeneous:
    """Classes of several records whose target all the same is known for certain."""
    alone = counts.size == 1
    classes = int(counts.total(CERTAIN) - counts.add_up(alone))
    records = int(counts.over_records(CERTAIN) - counts.add_up(alone * counts.members))
    return Homogeneous(target, classes, records, records / counts.records)


def worst_values(scope: Scope, rates: Sequence[TargetRates], *, show_values: bool) -> list[ValueBlock]:
    """The riskiest values of the worst attributes: two for re-identification, one for each of two targets.

    Attributes that nearly everyone has a value of their own in are left out: all their values are alike.
    """
    records = scope.question(scope.keys).records
    chosen: list[tuple[str, str]] = []
    for found in rates[:3]:
        able = [one for one in found.keys if 1 < one.classes <= records / 2 and found.undefined is None]
        if found.target == RECORD:
            able.sort(key=lambda one: (one.role != "quasi-identifier", -(one.itpr["value"] or 0.0)))
            chosen += [(one.key, RECORD) for one in able[:2]]
        else:
            chosen += [
                (one.key, found.target) for one in sorted(able, key=lambda one: -one.beyond_chance)[:1]
            ]
    return [_block(scope, key, target, show_values) for key, target in chosen]


def _block(scope: Scope, key: str, target: str, show_values: bool) -> ValueBlock:
    measures = ["itpr", "discrimination_rate", *(() if target == RECORD else ("worst_posterior",))]
    readings = scope.read([(name, {}) for name in measures], scope.alone(key, target))
    if readings[0].value is None:
        return ValueBlock(key, target, [])
    found = printed(by_class(readings, MOST_LINES), readings[0].question)
    certain = None if target == RECORD else 1.0  # of records, rates follow from how many there are
    lines = [
        ValueRisk(
            value_label(line[0].key[key]) if show_values else f"value {place}",
            said,
            beside(line[1].value, said, certain=certain, named=show_values),
            beside(line[0].value, said, certain=certain, named=show_values),
            _top(line[2].value, said, named=show_values) if len(line) > 2 else None,
        )
        for place, (line, said) in enumerate(found, 1)
    ]
    return ValueBlock(key, target, lines)


def _top(share: float, records: int | str, *, named: bool) -> float | None:
    """The largest share of one target value, unless few have it, or few have another.

    Of values that are not named it has as many digits as hold for one person more or less: exactly, it would
    leave how many have the others.
    """
    if isinstance(records, str):
        return beside(share, records)
    said = said_share(share, records)
    if isinstance(said, str):
        return None
    return said if named or exact_counts_asked() else blurred(said, records)


def smallest_classes(question: Question, *, show_values: bool) -> list[SmallClass]:
    """The classes with the fewest people."""
    if not show_values:
        counts = question.counts
        times = 1 if counts.multiplicity is None else np.minimum(counts.multiplicity, MOST_CLASSES)
        first = np.sort(np.repeat(counts.people, times))[:MOST_CLASSES]
        shown = hidden_among(first.tolist(), counts.records)
        return [SmallClass(f"class {i}", None, said) for i, said in enumerate(shown, 1)]
    counts = question.named(SIZE, MOST_CLASSES)
    assert counts.decode is not None
    order = np.argsort(counts.people, kind="stable")[:MOST_CLASSES]
    shown = hidden_among(counts.people[order].tolist(), question.counts.records)
    keys = [{name: value_label(value) for name, value in key.items()} for key in counts.decode(order)]
    few = sum(said == FEW for said in shown)
    keys[:few] = sorted(keys[:few], key=str)  # in the order of their sizes, the first would be the smallest
    return [
        SmallClass(f"class {i}", key, said) for i, (said, key) in enumerate(zip(shown, keys, strict=True), 1)
    ]


def _bins(edges: Sequence[int]) -> list[tuple[int, int | None]]:
    return [(low, high - 1) for low, high in pairwise(edges)] + [(edges[-1], None)]


def _size_label(low: int, high: int | None) -> str:
    return f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}"


def _risk_label(one: SizeBin) -> str:
    if one.high is None:
        return f"1/{one.low} or less"
    if one.high == 1:
        return "1 (alone)"
    return f"1/{one.low}" if one.low == one.high else f"1/{one.low} to 1/{one.high}"
