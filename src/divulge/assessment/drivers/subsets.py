"""Readings of many subsets of the quasi-identifiers, from one search of the lattice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.stages import Stage, Steps, silent, told
from divulge.assessment.drivers.shared_counts import Shared, shared_counts
from divulge.assessment.scope import Scope
from divulge.counting.counts import RECORD
from divulge.counting.statistics import ALONE, DISTINCT
from divulge.engines.lattice import search as lattice
from divulge.errors import EmptySource, Undefined
from divulge.measures import get
from divulge.table.codes import MISSING

ALL_OF = 12  # attributes up to which every subset is searched
OTHERWISE = 4  # the largest subset searched among more
WORK = 2_350_000_000  # rows times subsets that the search may take: some ten seconds of a processor
ONE_BY_ONE = 300  # subsets asked as questions of their own, where the lattice does not apply
ELSEWHERE = 30  # of which so many where each is a job on a cluster
MOST_ATTRIBUTES = 40

Numbers = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Subsets:
    """Readings of many subsets, one entry each; bit i of a mask says that attribute i is known.

    Where records without a value are dropped, or suppressed cells leave nothing to know, a subset is read on
    fewer or more ``counted`` records than all attributes together.
    """

    attributes: tuple[str, ...]
    records: int  # that all attributes together are read on
    masks: npt.NDArray[np.uint64]
    classes: Numbers
    k: Numbers
    unique: Numbers  # records whose person is alone
    discrimination_rate: Numbers
    itpr: Numbers
    targets: dict[str, tuple[Numbers, Numbers]]  # discrimination rate and ITPR for each sensitive attribute
    limited: str | None = None  # why not every subset is there
    counted: Numbers | None = None  # records that each subset is read on, where they differ

    @property
    def size(self) -> Numbers:
        return np.bitwise_count(self.masks).astype(np.int64)

    @property
    def uniqueness(self) -> Numbers:
        """The share of people alone among the records that a subset is read on; 0 where there are none."""
        return self.unique / np.maximum(self.of, 1)

    @property
    def of(self) -> Numbers:
        """The records that each subset is read on."""
        return np.full(len(self.masks), self.records) if self.counted is None else self.counted

    def names(self, mask: int) -> list[str]:
        return [name for place, name in enumerate(self.attributes) if mask >> place & 1]


def search(scope: Scope, stage: Stage = silent) -> Subsets | None:
    """Readings of all subsets up to the largest size that can be afforded."""
    question = scope.question(scope.keys)
    if question.records < 2 or question.counts.overlapping:
        return None
    if not needs_questions(scope):
        return _from_lattice(scope, stage)
    shared = None if scope.at_hand is not None or _count_apart(scope) else _from_shared(scope, stage)
    return shared or _one_by_one(scope, stage)


def needs_questions(scope: Scope) -> bool:
    """Whether each subset is a question of its own, since no rows are here or they count differently."""
    return (scope.at_hand is None and scope.data.subset_search is None) or _count_apart(scope)


def _count_apart(scope: Scope) -> bool:
    """Whether records count differently from subset to subset."""
    data, counts = scope.data, scope.question(scope.keys).counts
    if data.weights is not None or counts.subjects is not None:
        return True
    if any(data.suppresses(key) for key in scope.keys):
        return True
    used = (*scope.keys, *scope.sensitive)
    return data.missing != "value" and any(data.frequencies(name)[1][MISSING] > 0 for name in used)


def _from_lattice(scope: Scope, stage: Stage) -> Subsets:
    question = scope.question(scope.keys)
    attributes, limited = scope.keys, None
    if len(attributes) > MOST_ATTRIBUTES:
        values = {key: question.column(key).cardinality for key in attributes}
        attributes = tuple(sorted(attributes, key=lambda key: -values[key])[:MOST_ATTRIBUTES])
        limited = f"among the {MOST_ATTRIBUTES} attributes with most values"
    whole = len(attributes) <= ALL_OF
    targets = [name for name in scope.sensitive if scope.question(scope.keys, name).counts.entropy > 0]
    found = lattice.search(
        [question.column(key) for key in attributes],
        targets=[scope.question(scope.keys, name).column(name) for name in targets],
        largest=None if whole else OTHERWISE,
        times=question.times,
        budget=WORK,
        different=_different(scope, targets) if attributes == scope.keys else None,
        step=told(stage),
        own=(scope.at_hand or scope.data).subset_search,
    )
    largest = int(np.bitwise_count(found.masks).max())
    if largest < len(attributes):
        limited = " ".join(filter(None, [f"subsets of at most {largest} attributes", limited]))
    return Subsets(
        attributes,
        question.records,
        found.masks,
        found.classes,
        found.least,
        found.unique,
        found.discrimination_rate(),
        found.itpr(),
        {name: (found.discrimination_rate(i), found.itpr(i)) for i, name in enumerate(targets)},
        limited,
    )


def _different(scope: Scope, targets: Sequence[str]) -> list[int]:
    """How many different rows there are, by the keys together with each target."""
    counts = [scope.question(scope.keys, name).counts for name in targets]
    return [int(one.total(DISTINCT)) for one in counts] or [scope.question(scope.keys).counts.classes]


def _from_shared(scope: Scope, stage: Stage) -> Subsets | None:
    """All subsets up to a size, from counts of sets of attributes whose combinations are few."""
    found = None if len(scope.keys) > MOST_ATTRIBUTES else shared_counts(scope, stage, ELSEWHERE)
    if found is None:
        return None
    shared, alone = found
    for one in alone:
        keys = [scope.keys[place] for place in one]
        _, classes, k, unique = _sizes(scope, keys)
        rates = {target: _rates(scope, keys, target) for target in scope.targets}
        line = Shared(classes, k, unique, {target: (rate, itpr) for target, (rate, itpr) in rates.items()})
        shared[sum(1 << place for place in one)] = line
    masks = sorted(shared, key=lambda mask: (mask.bit_count(), [i for i in range(64) if mask >> i & 1]))
    rows = [shared[mask] for mask in masks]
    targets = {
        name: tuple(np.asarray([row.rates[name] for row in rows]).T)
        for name in scope.targets
        if all(name in row.rates for row in rows)
    }
    rate, itpr = targets.pop(RECORD)
    largest, limited = max(mask.bit_count() for mask in masks), None
    if largest < len(scope.keys):
        limited = f"subsets of at most {largest} attributes: there are too many combinations to fetch"
    return Subsets(
        scope.keys,
        scope.records,
        np.asarray(masks, np.uint64),
        np.asarray([row.classes for row in rows]),
        np.asarray([row.k for row in rows]),
        np.asarray([row.unique for row in rows]),
        rate,
        itpr,
        {name: (first, second) for name, (first, second) in targets.items()},
        limited,
    )


def _one_by_one(scope: Scope, stage: Stage) -> Subsets:
    attributes, masks = scope.keys[:MOST_ATTRIBUTES], list[int]()
    for size in range(1, len(attributes) + 1):
        if masks and len(masks) + math.comb(len(attributes), size) > (
            ONE_BY_ONE if scope.at_hand else ELSEWHERE
        ):
            break
        masks += [sum(1 << i for i in chosen) for chosen in combinations(range(len(attributes)), size)]
    steps = Steps(stage, len(scope.targets) * len(masks))
    named = [[name for place, name in enumerate(attributes) if mask >> place & 1] for mask in masks]
    sizes = np.asarray([_sizes(scope, keys) for keys in named], dtype=np.int64).T
    rates = {
        target: np.asarray([_rates(scope, keys, target) for keys in steps.each(named)]).T
        for target in scope.targets
    }
    counted, classes, k, unique = sizes
    rate, itpr = rates.pop(RECORD)
    limited = None
    if len(masks) < 2 ** len(scope.keys) - 1:
        why = "with weights, people of several records, suppressed or dropped cells"
        why = why if scope.at_hand else "where there are too many combinations to fetch"
        limited = f"{len(masks)} subsets: {why} each is counted on its own"
    return Subsets(
        attributes,
        scope.records,
        np.asarray(masks, np.uint64),
        classes,
        k,
        unique,
        rate,
        itpr,
        {target: (found[0], found[1]) for target, found in rates.items()},
        limited,
        counted,
    )


def _sizes(scope: Scope, keys: Sequence[str]) -> list[int]:
    """Records that are counted, classes, people in the smallest, and records of people who are alone."""
    try:
        counts = scope.question(keys).counts
    except EmptySource:  # nothing of these cells is known of anybody: everyone is alike
        return [0, 0, scope.data.records, 0]
    return [
        counts.records,
        counts.classes,
        int(get("k_anonymity").compute(counts)),
        int(counts.over_records(ALONE)),
    ]


def _rates(scope: Scope, keys: Sequence[str], target: str) -> list[float]:
    """The discrimination rate and ITPR, on all records of which something is known: a star is a value."""
    try:
        counts = scope.question(keys, target, among=scope.keys).counts
    except EmptySource:
        return [0.0, 0.0]

    def value(name: str) -> float:
        try:
            return get(name).compute(counts)
        except Undefined:
            return math.nan

    return [value("discrimination_rate"), value("itpr")]
