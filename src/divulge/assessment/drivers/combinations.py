"""Which combinations of quasi-identifiers are riskiest: every subset, read from one search of the lattice."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from divulge._support.small_counts import OTHERS
from divulge._support.stages import Stage, silent, told
from divulge._support.threads import Aside
from divulge._support.wording import percent
from divulge.assessment.drivers.contributions import Late, added_late
from divulge.assessment.drivers.subsets import Numbers, Subsets, needs_questions, search
from divulge.assessment.scope import Scope

SHOWN, SETS, POINTS = 10, 20, 600  # subsets a size, minimal sets a level, points of the map


@dataclass(frozen=True)
class UniqueOn:
    """A set of several attributes, the records that it makes unique, and those of a part of it."""

    keys: tuple[str, ...]
    records: int = field(repr=False)
    counted: int = field(repr=False)
    most: int = field(
        repr=False
    )  # records that are unique without one of the attributes, whichever makes it most


@dataclass(frozen=True)
class Combinations:
    """The riskiest combinations, the smallest that identify, and what each attribute adds."""

    attributes: tuple[str, ...]
    searched: int
    possible: int
    largest: int
    complete: bool
    limited: str | None
    by_size: list[dict[str, Any]]
    subsets: list[dict[str, Any]]
    map: list[list[float]]
    identifying: list[dict[str, Any]]
    contributions: list[dict[str, Any]]
    smallest: UniqueOn | None  # that make half of the records unique, or else someone; not in documents

    def level(self, name: str) -> list[list[str]]:
        """The smallest sets of one level: someone, half or all."""
        return next(one["sets"] for one in self.identifying if one["level"] == name)


def combinations(scope: Scope, stage: Stage = silent) -> Combinations | None:
    """Every subset of the quasi-identifiers, as far as that is affordable; None where rates are undefined."""
    found = search(scope, stage)
    if found is None:
        return None
    possible = 2 ** len(scope.keys) - 1
    identifying = [_identifying(found, *level) for level in _levels(found)]
    return Combinations(
        scope.keys,
        len(found.masks),
        possible,
        int(found.size.max()),
        len(found.masks) == possible,
        found.limited,
        _by_size(found),
        _riskiest(found),
        _map(found),
        identifying,
        _contributions(found, None if len(found.masks) == possible else _late(scope, found)),
        _smallest(found, identifying),
    )


def combinations_aside(scope: Scope, stage: Stage, aside: Aside) -> Callable[[], Combinations | None]:
    """What waits for the search, which is begun in another thread if it asks nothing of the engine there."""
    scope.count_targets()
    if not scope.held_here or needs_questions(scope):
        return partial(combinations, scope, stage)
    found = aside.begin(combinations, scope, aside)

    def waited_for() -> Combinations | None:
        with aside.followed(told(stage)):
            return found()

    return waited_for


def _by_size(found: Subsets) -> list[dict[str, Any]]:
    def spread(values: Numbers) -> list[float]:
        return [float(values.min()), float(np.median(values)), float(values.max())]

    return [
        {
            "size": size,
            "subsets": int(here.sum()),
            "uniqueness": spread(found.uniqueness[here]),
            "discrimination_rate": spread(found.discrimination_rate[here]),
        }
        for size in range(1, int(found.size.max()) + 1)
        for here in [found.size == size]
    ]


def _riskiest(found: Subsets) -> list[dict[str, Any]]:
    shown = []
    for size in range(1, int(found.size.max()) + 1):
        here = np.flatnonzero(found.size == size)
        order = np.lexsort((here, -found.uniqueness[here], -found.discrimination_rate[here]))
        shown += [_subset(found, int(place)) for place in here[order[:SHOWN]]]
    return shown


def _subset(found: Subsets, place: int) -> dict[str, Any]:
    return {
        "keys": found.names(int(found.masks[place])),
        "classes": int(found.classes[place]),
        "k": int(found.k[place]),
        "records": int(found.of[place]),
        "unique": int(found.unique[place]),
        "uniqueness": float(found.uniqueness[place]),
        "discrimination_rate": _known(found.discrimination_rate[place]),
        "itpr": _known(found.itpr[place]),
        "targets": {
            name: {"discrimination_rate": _known(rate[place]), "itpr": _known(itpr[place])}
            for name, (rate, itpr) in found.targets.items()
        },
    }


def _map(found: Subsets) -> list[list[float]]:
    places = np.unique(np.linspace(0, len(found.masks) - 1, POINTS).astype(np.int64))
    return [
        [int(found.size[i]), float(found.discrimination_rate[i]), float(found.uniqueness[i])] for i in places
    ]


def _levels(found: Subsets) -> list[tuple[str, str, Numbers]]:
    """From how many records alone a set reaches each level, by the records that it is itself read on."""
    some = np.maximum(found.of, 1)
    return [
        ("someone", "at least one record is unique", np.ones_like(some)),
        ("half", "at least half of the records are unique", (some + 1) // 2),
        ("all", "every record is unique", some),
    ]


def _identifying(found: Subsets, level: str, meaning: str, alone: Numbers) -> dict[str, Any]:
    """The smallest sets with at least so many records alone, those with most first.

    A set that holds one of them says no more: adding an attribute never makes fewer records unique, unless it
    leaves records out.
    """
    places = np.flatnonzero(found.unique >= alone)
    left = found.masks[places[np.lexsort((-found.unique[places], found.size[places]))]]
    reached, minimal = len(left), list[int]()
    while len(left):
        minimal.append(int(left[0]))
        left = left[left & left[0] != left[0]]
    return {
        "level": level,
        "meaning": meaning,
        "sets": [found.names(mask) for mask in minimal[:SETS]],
        "more": max(len(minimal) - SETS, 0),
        "folded": reached - len(minimal),
    }


def _smallest(found: Subsets, identifying: list[dict[str, Any]]) -> UniqueOn | None:
    """The smallest set of several attributes that makes half of the records unique, or else someone."""
    sets = {one["level"]: one["sets"] for one in identifying}
    for level in ("half", "someone"):
        if sets[level] and len(sets[level][0]) > 1:
            keys = sets[level][0]
            bits = [1 << found.attributes.index(key) for key in keys]
            place = {mask: place for place, mask in enumerate(found.masks.tolist())}
            whole = place[sum(bits)]
            most = max(int(found.unique[place[sum(bits) - bit]]) for bit in bits)
            return UniqueOn(tuple(keys), int(found.unique[whole]), int(found.of[whole]), most)
    return None


def _late(scope: Scope, found: Subsets) -> Late | None:
    """What attributes add to more than were searched, by sampled orders; None where that cannot be had."""
    if needs_questions(scope):
        return None
    question, after = scope.question(scope.keys), int(found.size.max())
    columns = [question.column(name) for name in found.attributes]
    return added_late(columns, after, records=found.records, times=question.times, seed=scope.seed)


def _contributions(found: Subsets, late: Late | None) -> list[dict[str, Any]]:
    """What each attribute adds to the discrimination rate: alone, last, and on average.

    The average is over all orders in which attributes may become known (the Shapley value); where not all
    combinations were searched, what is added to more of them comes from sampled orders, with a standard
    error. Where neither can be had the average is over what was searched, and says so.
    """
    order = np.argsort(found.masks)
    masks, sizes = found.masks[order], found.size[order]
    rate = np.concatenate([[0.0], found.discrimination_rate[order]])
    unique = np.concatenate([[0.0], found.uniqueness[order]])
    everything = int(np.bitwise_or.reduce(masks))
    whole = bool((masks == everything).any())
    lines = []
    for place, name in enumerate(found.attributes):
        bit = np.uint64(1 << place)
        having = np.flatnonzero(masks & bit)
        rest = masks[having] & ~bit
        without = np.where(rest == 0, 0, np.searchsorted(masks, rest) + 1)
        added = rate[having + 1] - rate[without]
        by_size = [added[sizes[having] == size].mean() for size in range(1, int(sizes.max()) + 1)]
        average, error, over = float(np.mean(by_size)), 0.0 if whole else None, "all orders"
        if late is not None:
            unsearched = 1 - len(by_size) / len(found.attributes)
            average = average * (1 - unsearched) + float(late.average[place]) * unsearched
            error, over = float(late.error[place]) * unsearched, f"{late.orders} sampled orders"
        elif not whole:
            over = f"combinations of at most {len(by_size)} attributes"
        last = having[np.argmax(sizes[having])] if whole else None
        before = None if last is None else without[np.flatnonzero(having == last)[0]]
        lines.append(
            {
                "attribute": name,
                "alone": float(rate[having[np.argmin(sizes[having])] + 1]),
                "last": None if last is None else float(rate[last + 1] - rate[before]),
                "average": average,
                "average_error": error,
                "average_over": over,
                "uniqueness_last": None if last is None else float(unique[last + 1] - unique[before]),
                OTHERS: None if last is None else float(unique[before]),
            }
        )
    return sorted(lines, key=lambda line: -line["average"])


def on_average(line: dict[str, Any]) -> str:
    """What an attribute adds on average, as the end of a sentence.

    >>> on_average({"average": 0.0993, "average_error": 0.004, "average_over": "100 sampled orders"})
    '9.9% (standard error 0.4%) on average to the other attributes, by 100 sampled orders'
    """
    share, error, over = percent(line["average"]), line["average_error"], line["average_over"]
    if error is None:
        return f"{share} on average within {over}"
    if error == 0:
        return f"{share} on average to the other attributes"
    return f"{share} (standard error {percent(error)}) on average to the other attributes, by {over}"


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
