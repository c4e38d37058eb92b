"""Records as points, so that the distance of points is that of records.

A number is standardized by the original's mean and standard deviation, or goes by its rank there; values with
an order lie evenly from 0 to 1; of values with a hierarchy the squared distance is the share of levels on
which they differ; other values are 0 or 1 apart. A missing number lies at the mean, one further side away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from divulge.alignment.tables import Alignment
from divulge.errors import SchemaError
from divulge.table.codes import Codes
from divulge.table.hierarchy import Hierarchy

Floats = npt.NDArray[np.float64]
Scale = Literal["standard", "rank", "none"]
Kind = Literal["number", "order", "hierarchy", "category"]


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Original and released records as points of the same sides, and what each attribute was taken for."""

    original: Floats
    released: Floats
    kinds: Mapping[str, Kind]


def coordinates(alignment: Alignment, attributes: Sequence[str], scale: Scale = "standard") -> Coordinates:
    """The records of both tables as points, by attributes of the original that the release has."""
    if not attributes:
        raise SchemaError(
            "The tables have no attribute in common to link by.",
            hint="Name attributes with --keys, and counterparts with --column A=B.",
        )
    ours, theirs = list[Floats](), list[Floats]()
    kinds: dict[str, Kind] = {}
    for name in attributes:
        kinds[name], one, other = _sides(alignment, name, scale)
        ours.append(one)
        theirs.append(other)
    return Coordinates(np.hstack(ours), np.hstack(theirs), kinds)


def _sides(alignment: Alignment, name: str, scale: Scale) -> tuple[Kind, Floats, Floats]:
    original, released, there = alignment.original, alignment.released, alignment.columns[name]
    ours, theirs = original.column(name), released.column(there)
    if name in original.hierarchies:
        return "hierarchy", *_by_levels(original.hierarchies[name], ours, theirs)
    if name in original.orders:
        return "order", *_in_order(original.orders[name], ours, theirs)
    numbers = original.numbers(name), released.numbers(there)
    if _are_numbers(numbers[0], ours) and _are_numbers(numbers[1], theirs):
        return "number", *_numbers(*numbers, scale)
    return "category", *_categories(ours, theirs)


def _are_numbers(numbers: Floats, column: Codes) -> bool:
    """Whether all that is not missing is a number, and something is."""
    present = column.codes > 0
    return bool(present.any()) and not bool(np.isnan(numbers[present]).any())


def _numbers(ours: Floats, theirs: Floats, scale: Scale) -> tuple[Floats, Floats]:
    known = ours[~np.isnan(ours)]
    if scale == "rank":
        return _with_missing(_ranks(known, ours), _ranks(known, theirs))
    if scale == "standard":
        spread = float(known.std()) or 1.0
        ours, theirs = (ours - known.mean()) / spread, (theirs - known.mean()) / spread
    return _with_missing(ours, theirs)


def _ranks(known: Floats, values: Floats) -> Floats:
    """Where values stand among those known, from 0 to 1; alike values share the middle of their places."""
    ordered = np.sort(known)
    low, high = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return np.where(np.isnan(values), np.nan, (low + high) / 2 / len(ordered))


def _with_missing(ours: Floats, theirs: Floats) -> tuple[Floats, Floats]:
    gone = np.isnan(ours), np.isnan(theirs)
    if not (gone[0].any() or gone[1].any()):
        return ours[:, None], theirs[:, None]
    middle = float(np.nanmean(ours))
    return (
        np.column_stack([np.where(gone[0], middle, ours), gone[0]]),
        np.column_stack([np.where(gone[1], middle, theirs), gone[1]]),
    )


def _in_order(order: Sequence[object], ours: Codes, theirs: Codes) -> tuple[Floats, Floats]:
    places = {str(value): place / max(len(order) - 1, 1) for place, value in enumerate(order)}

    def placed(column: Codes) -> Floats:
        table = np.array([np.nan, *(places.get(str(value), np.nan) for value in column.values)])
        return table[column.codes]

    return _with_missing(placed(ours), placed(theirs))


def _categories(ours: Codes, theirs: Codes) -> tuple[Floats, Floats]:
    """One side for each value, so that different values are 1 apart; missing is a value."""
    side: dict[str, int] = {}

    def sides(column: Codes) -> npt.NDArray[np.int64]:
        return np.array([0, *(side.setdefault(str(value), len(side) + 1) for value in column.values)])

    first, second = sides(ours), sides(theirs)
    points = np.eye(len(side) + 1) * np.sqrt(0.5)
    return points[first[ours.codes]], points[second[theirs.codes]]


def _by_levels(hierarchy: Hierarchy, ours: Codes, theirs: Codes) -> tuple[Floats, Floats]:
    """The sides of every level; what is released on a level says nothing about those below it."""
    chains = list(zip(hierarchy.values, *hierarchy.groups, strict=True))
    levels = [
        {chain[below]: chain[level] for chain in chains for below in range(level + 1)}
        for level in range(hierarchy.levels)  # the top tells nothing apart
    ]
    sides = [_level_sides(level, ours, theirs) for level in levels]
    weight = 1 / np.sqrt(len(levels))
    return np.hstack([one for one, _ in sides]) * weight, np.hstack([other for _, other in sides]) * weight


def _level_sides(level: Mapping[str, str], ours: Codes, theirs: Codes) -> tuple[Floats, Floats]:
    groups = {group: place for place, group in enumerate(dict.fromkeys(level.values()))}
    points = np.vstack([np.eye(len(groups)) * np.sqrt(0.5), np.zeros(len(groups))])

    def sides(column: Codes) -> Floats:
        named = [groups.get(level.get(str(value), ""), len(groups)) for value in column.values]
        table = np.array([len(groups), *named])
        return np.asarray(points[table[column.codes]], np.float64)

    return sides(ours), sides(theirs)
