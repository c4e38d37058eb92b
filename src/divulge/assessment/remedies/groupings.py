"""Coarser groups of values: levels of a hierarchy, bands of numbers, months and years, prefixes of codes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.wording import percent
from divulge.alignment.recognition import OTHERS
from divulge.assessment.scope import Scope
from divulge.mechanisms.recoding.dates import UNITS
from divulge.roles.code_lengths import code_length, postcodes
from divulge.roles.missing_codes import means_missing
from divulge.roles.patterns import year_and_month
from divulge.table.codes import MISSING, as_numbers
from divulge.table.partition import Partition

MOST_VALUES = 20_000  # different values up to which groups are made
FEWEST_VALUES = 8  # different values from which on it is worth it
FEWEST_BANDS, MOST_BANDS = 3, 25
CROWDED = 0.8  # share of the records in one band from which on bands of equal width say too little
EQUAL_GROUPS = (10, 5)
PREFIXES = 4  # characters cut off at most
RARE = 0.1  # share of the records below which values of a category are merged


@dataclass(frozen=True)
class Coarsening:
    """One way to make an attribute coarser; ``detail`` is its width, unit, characters kept or groups."""

    action: str
    words: str
    partition: Partition
    level: int | None = None
    detail: int | float | str | None = None


def groupings(scope: Scope, attribute: str) -> list[Coarsening]:
    """The ways that fit an attribute, the finest first.

    An attribute with a hierarchy goes up its levels, unless it has been generalized already. One whose values
    a policy groups otherwise stays as it is, since other groups could tear those apart.
    """
    if attribute in scope.data.hierarchies:
        return list(_levels(scope, attribute)) if _covered(scope, attribute) else []
    if attribute in scope.partitions or scope.data.summary(attribute).distinct > MOST_VALUES:
        return []
    column, counts = scope.data.frequencies(attribute)
    counts[MISSING] = 0
    used = np.flatnonzero(counts)
    values = column.values_of(used)
    said = [_says_something(value, scope.data.suppressed) for value in values]
    telling = [value for value, says in zip(values, said, strict=True) if says]
    odd = [value for value, says in zip(values, said, strict=True) if not says]
    if len(telling) < FEWEST_VALUES:
        few = len(telling) > 1 and postcodes(attribute, telling)
        return list(_prefixes(attribute, telling, odd, counts[used][np.asarray(said)])) if few else []
    for ways in (_dates, _prefixes, _bands, _rare):
        if found := list(ways(attribute, telling, odd, counts[used][np.asarray(said)])):
            return found
    return []


def _says_something(value: object, suppressed: str | None) -> bool:
    return not (isinstance(value, str) and (value == suppressed or not value or means_missing(value)))


def _levels(scope: Scope, attribute: str) -> Iterator[Coarsening]:
    """The levels above the present one that leave more than one group."""
    hierarchy, now = scope.data.hierarchies[attribute], scope.partitions.get(attribute)
    levels = [(n, hierarchy.level(n)) for n in range(1, hierarchy.levels + 1)]
    present = next((n for n, partition in levels if partition == now), 0 if now is None else hierarchy.levels)
    for n, partition in levels[present:]:
        if len(partition.domains) > 1:
            yield Coarsening("generalize", f"taking {attribute} to level {n} of its hierarchy", partition, n)


def _covered(scope: Scope, attribute: str) -> bool:
    """Whether the hierarchy of an attribute has all of its values; groups in their place it has not."""
    column, counts = scope.data.frequencies(attribute)
    groups = scope.data.hierarchies[attribute].level(1)
    used = column.values_of(np.flatnonzero(counts[1:]) + 1)
    return all(groups.domain_of(value) is not None for value in used)


Ways = Iterator[Coarsening]
Counts = npt.NDArray[np.int64]


def _listed(name: Callable[[object], str], values: Sequence[object], odd: Sequence[object]) -> Partition:
    """Values by the name of their group; what says nothing stays by itself."""
    domains: dict[str, list[object]] = {}
    for value in values:
        domains.setdefault(name(value), []).append(value)
    for value in odd:
        domains.setdefault(f"{value} itself", []).append(value)
    return Partition({group: tuple(members) for group, members in domains.items()}, called="groups")


# -- dates ---------------------------------------------------------------------------------------


def _dates(attribute: str, values: Sequence[object], odd: Sequence[object], counts: Counts) -> Ways:
    found = {value: year_and_month(value) for value in values}
    if None in found.values():
        return
    months = {value: month for value, month in found.items() if month is not None}
    known = all(month is not None for _, month in months.values())
    for unit, name in UNITS.items():
        if not known and unit in ("month", "quarter"):
            continue

        def group(value: object, name: Callable[[int, int], str] = name) -> str:
            y, m = months[value]
            return name(y, m or 0)

        partition = _listed(group, values, odd)
        if 1 < len(partition.domains) - len(odd) < len(values):
            yield Coarsening("dates", f"reducing {attribute} to the {unit}", partition, detail=unit)


# -- categories ----------------------------------------------------------------------------------


def _rare(attribute: str, values: Sequence[object], odd: Sequence[object], counts: Counts) -> Ways:
    """Values that few records have in one group."""
    often = dict(zip(values, (counts / counts.sum()).tolist(), strict=True))
    partition = _listed(lambda value: OTHERS if often[value] < RARE else str(value), values, odd)
    if 1 < len(partition.domains) - len(odd) < len(values) and OTHERS not in often:
        words = f"merging values of {attribute} on fewer than {percent(RARE)} of the records"
        yield Coarsening("rare values", words, partition, detail=RARE)


# -- codes ---------------------------------------------------------------------------------------


def _prefixes(attribute: str, values: Sequence[object], odd: Sequence[object], counts: Counts) -> Ways:
    usual = code_length(attribute, values)
    if usual is None:
        return
    before = len(set(map(str, values)))
    for kept in range(usual - 1, max(usual - 1 - PREFIXES, 0), -1):
        partition = _listed(lambda value, kept=kept: str(value)[:kept], values, odd)  # type: ignore[misc]
        groups = len(partition.domains) - len(odd)
        if 1 < groups < before:
            words = f"keeping the first {'character' if kept == 1 else f'{kept} characters'} of {attribute}"
            yield Coarsening("prefix", words, partition, detail=kept)
            before = groups


# -- numbers -------------------------------------------------------------------------------------


def _bands(attribute: str, values: Sequence[object], odd: Sequence[object], counts: Counts) -> Ways:
    numbers = np.asarray(as_numbers(values))
    if np.isnan(numbers).any():
        return
    low, high = float(numbers.min()), float(numbers.max())
    even = [width for width in _widths(high - low) if _spread(numbers, counts, width)]
    for width in even:
        edges = np.arange(math.floor(low / width) + 1, math.floor(high / width) + 1) * width
        words = f"putting {attribute} in bands of {width:g}"
        yield Coarsening("bands", words, _cut(attribute, values, odd, numbers, edges), detail=width)
    order = np.argsort(numbers)
    reached = np.cumsum(counts[order]) / counts.sum()
    for groups in () if even else EQUAL_GROUPS:
        places = np.searchsorted(reached, np.arange(1, groups) / groups)
        edges = np.unique(numbers[order][np.minimum(places + 1, len(order) - 1)])
        # Where many records have one number there are fewer bands than asked for.
        words = f"putting {attribute} in {len(edges) + 1} bands cut at its quantiles"
        if 0 < len(edges) < len(values) - 1:
            partition = _cut(attribute, values, odd, numbers, edges)
            yield Coarsening("equal groups", words, partition, detail=groups)


def _widths(span: float) -> list[float]:
    """Round widths that cut a span into a handful of bands up to a few dozen.

    >>> _widths(73), _widths(0.9)
    ([5, 10, 20], [0.05, 0.1, 0.2])
    """
    least, most = span / MOST_BANDS, span / FEWEST_BANDS
    first = math.floor(math.log10(least)) if least > 0 else 0
    found = [step * 10.0**power for power in range(first, first + 3) for step in (1, 2, 5)]
    return [int(width) if width >= 1 else round(width, 12) for width in found if least <= width <= most]


def _spread(numbers: npt.NDArray[np.float64], counts: Counts, width: float) -> bool:
    """Whether bands of a width say something: none has nearly all records, and some have several values."""
    _, place = np.unique(np.floor(numbers / width), return_inverse=True)
    fullest = np.bincount(place, weights=counts).max()
    return bool(fullest <= CROWDED * counts.sum()) and place.max() + 1 < len(numbers)


def _cut(
    attribute: str,
    values: Sequence[object],
    odd: Sequence[object],
    numbers: npt.NDArray[np.float64],
    edges: npt.NDArray[Any],
) -> Partition:
    if not odd:
        return Partition.bins(edges.tolist(), attribute=attribute)
    band = dict(zip(values, np.searchsorted(edges, numbers, side="right").tolist(), strict=True))
    return _listed(lambda value: f"band {band[value]}", values, odd)
