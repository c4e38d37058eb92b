"""Partition-based linkage: tables without common attributes, linked by partitions that both imply.

Domingo-Ferrer and Torra showed that records can be linked although the tables share no attribute, if both are
about the same people, hold similar structure (attributes of one that rise with attributes of the other), and
the structure can be said as a partition. Each table is divided on its own, groups correspond by their order,
and a released record may be about anybody of the corresponding group.

The order comes from one number for each record, an aggregate of the ranks of its values (an OWA operator with
equal weights, that is their mean). An attribute that falls where the first one rises is turned around first.
Groups are as large as each other by rank, or are clusters found by k-means over standardized values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import said_share
from divulge._support.wording import enumerated
from divulge.errors import ParameterError, SchemaError, Undefined
from divulge.questions.data import Data

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
GROUPS = 10
ROUNDS = 300


@dataclass(frozen=True, eq=False)
class DividedTable:
    """One table divided: for each record its place among all and its group, groups in the same order."""

    place: Floats
    by_rank: Integers
    by_cluster: Integers


@dataclass(frozen=True)
class PartitionLinkage:
    """How two partitions of the same people correspond, and how often guessing within a group is right."""

    groups: int
    kept: float  # share of people in corresponding groups
    kept_chance: float  # the same if the release were dealt out at random
    adjusted_rand: float  # agreement of the partitions whatever groups are called: 0 by chance, 1 alike
    linked: float  # share of people who are found by guessing within the corresponding group


def oriented(table: Data, attributes: Sequence[str]) -> Floats:
    """Each attribute as numbers, those turned around that fall where the first one rises."""
    columns = [_ordered(table, name) for name in attributes]
    if table.records < 2:
        raise Undefined("one record has no structure")
    ranks = [_ranks(column) for column in columns]
    if all(len(np.unique(rank)) < 2 for rank in ranks):
        raise Undefined(f"all records are alike on {enumerated(attributes)}")
    falls = [float((ranks[0] - 0.5) @ (rank - 0.5)) < 0 for rank in ranks]
    return np.stack([-one if falling else one for one, falling in zip(columns, falls, strict=True)], axis=1)


def structure_of(values: Floats, groups: int) -> DividedTable:
    """A table divided into so many groups, by rank and by clusters.

    Alike values share the middle of their places; a missing value lies in the middle of all.
    """
    place = _ranks(np.mean([_ranks(column) for column in values.T], axis=0))
    by_rank = np.minimum((place * groups).astype(np.int64), groups - 1)
    standard = np.stack([_standard(column) for column in values.T], axis=1)
    return DividedTable(place, by_rank, _clusters(standard, by_rank, place, groups))


def structure_linkage(
    one: DividedTable, other: DividedTable, rows: tuple[Integers, Integers], groups: int
) -> dict[str, PartitionLinkage]:
    """Partitions of both tables beside each other, by rank and by clusters; ``rows`` belong together."""
    return {
        "rank": partition_linkage(one.by_rank, other.by_rank, rows, groups),
        "clusters": partition_linkage(one.by_cluster, other.by_cluster, rows, groups),
    }


def partition_linkage(
    ours: Integers, theirs: Integers, rows: tuple[Integers, Integers], groups: int
) -> PartitionLinkage:
    """How far groups of the same number hold the same people.

    >>> both = np.arange(4), np.arange(4)
    >>> found = partition_linkage(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), both, 2)
    >>> found.kept, found.kept_chance, found.linked
    (0.75, 0.5, 0.375)
    """
    here, there = ours[rows[0]], theirs[rows[1]]
    size = np.bincount(ours, minlength=groups)
    table = np.bincount(here * groups + there, minlength=groups * groups).reshape(groups, groups)
    people = len(here)
    same = here == there
    margins = table.sum(axis=1) / people, table.sum(axis=0) / people
    return PartitionLinkage(
        groups,
        float(same.mean()),
        float(margins[0] @ margins[1]),
        _adjusted_rand(table),
        float((same / size[here]).mean()),
    )


def link_by_structure(
    original: Data,
    released: Data,
    rows: tuple[Integers, Integers] | None,
    attributes: Sequence[str],
    released_attributes: Sequence[str],
    groups: int = GROUPS,
) -> dict[str, Any]:
    """The entry ``structure`` of ``divulge link --json``: undefined, with the reason, where there is none."""
    fewest = min(original.records, released.records)
    if groups < 2:
        raise ParameterError(f"Records were to be divided into {groups} groups.", hint="Give 2 or more.")
    said: dict[str, Any] = {
        "original": list(attributes),
        "released": list(released_attributes),
        "groups": groups,
    }
    if groups > fewest > 1:
        raise ParameterError(
            f"Records were to be divided into {groups} groups, more than a table has records.",
            hint="Give --groups a smaller number.",
        )
    try:
        one, other = (
            structure_of(oriented(*held), groups)
            for held in ((original, attributes), (released, released_attributes))
        )
    except Undefined as reason:
        return {**said, "undefined": str(reason)}
    if rows is None or not len(rows[0]):
        why = "which records belong together is not known: name an identifier that both tables have (--by)"
        return {**said, "undefined": why}
    of = len(rows[0])
    return {
        **said,
        "undefined": None,
        "of": of,
        "rank_correlation": _correlation(one.place[rows[0]], other.place[rows[1]]),
        "chance": 1 / original.records,
        "partitions": [
            {
                "by": by,
                "kept": said_share(found.kept, of=of),
                "kept_chance": found.kept_chance,
                "adjusted_rand": found.adjusted_rand,
                "share": said_share(found.linked, of=of),
            }
            for by, found in structure_linkage(one, other, rows, groups).items()
        ],
    }


def _ordered(table: Data, attribute: str) -> Floats:
    """An attribute as numbers in its order; refused where it has none."""
    column = table.column(attribute)
    if attribute in table.orders:
        places = {str(value): float(place) for place, value in enumerate(table.orders[attribute])}
        by_code = np.array([np.nan, *(places.get(str(value), np.nan) for value in column.values)])
        return np.asarray(by_code[column.codes], np.float64)
    numbers = table.numbers(attribute)
    if np.isnan(numbers[column.codes > 0]).any():
        raise SchemaError(
            f"'{attribute}' has no order to link by.",
            hint="Name attributes that are numbers; for the original's, --order gives values an order.",
        )
    return numbers


def _ranks(values: Floats) -> Floats:
    known = np.sort(values[~np.isnan(values)])
    low, high = (np.searchsorted(known, values, side) for side in ("left", "right"))
    return np.where(np.isnan(values), 0.5, (low + high) / 2 / max(len(known), 1))


def _standard(values: Floats) -> Floats:
    spread = float(np.nanstd(values)) if not np.isnan(values).all() else 0.0
    return np.where(np.isnan(values), 0.0, (values - np.nanmean(values)) / spread) if spread else values * 0


def _clusters(values: Floats, begin: Integers, place: Floats, groups: int) -> Integers:
    """Clusters by k-means, numbered in the order of their places.

    Nothing is random: it begins with the groups by rank, so that the order of rows does not matter.
    """
    group = begin
    for _ in range(ROUNDS):
        size = np.bincount(group, minlength=groups)
        used = np.flatnonzero(size)
        middle = np.stack(
            [np.bincount(group, weights=side, minlength=groups)[used] / size[used] for side in values.T],
            axis=1,
        )
        apart = (middle**2).sum(axis=1) - 2 * values @ middle.T  # without what is the same for all clusters
        following = used[apart.argmin(axis=1)]
        if np.array_equal(following, group):
            break
        group = following
    size = np.bincount(group, minlength=groups)
    height = np.bincount(group, weights=place, minlength=groups) / np.maximum(size, 1)
    number = np.empty(groups, np.int64)
    number[np.argsort(np.where(size, height, np.inf), kind="stable")] = np.arange(groups)
    return number[group]


def _adjusted_rand(table: Integers) -> float:
    """Hubert and Arabie's index: pairs of people together in both, beyond chance; 1 if all are together."""
    pairs = [
        float((count * (count - 1) / 2).sum()) for count in (table, table.sum(axis=1), table.sum(axis=0))
    ]
    people = int(table.sum())
    expected = pairs[1] * pairs[2] / max(people * (people - 1) / 2, 1)
    most = (pairs[1] + pairs[2]) / 2
    return 1.0 if most == expected else (pairs[0] - expected) / (most - expected)


def _correlation(one: Floats, other: Floats) -> float | None:
    """Spearman's correlation of places; None where all are the same."""
    first, second = one - one.mean(), other - other.mean()
    length = float(np.sqrt((first @ first) * (second @ second)))
    return None if length == 0 else float(first @ second) / length
