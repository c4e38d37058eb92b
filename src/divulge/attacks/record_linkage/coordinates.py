"""Records as points, so that the distance of points is that of records.

A number is standardized by the first table's mean and standard deviation, or goes by its rank in its own
table, which a change of unit leaves as it is; values with an order lie evenly from 0 to 1; of values with a
hierarchy the squared distance is the share of levels on which they differ; other values are 0 or 1 apart. A
missing number lies at the mean, one further side away.

Gower's distance adds up what attributes are apart, each from 0 to 1: numbers by the share of the first
table's range, ordered values by their places, hierarchies by levels, others by 0 or 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from divulge.alignment.tables import Alignment
from divulge.attacks.record_linkage.nearest import Metric
from divulge.errors import SchemaError
from divulge.questions.data import Data
from divulge.table.codes import Codes
from divulge.table.hierarchy import Hierarchy

Floats = npt.NDArray[np.float64]
Scale = Literal["standard", "rank", "none", "gower"]
Kind = Literal["number", "order", "hierarchy", "category"]


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Original and released records as points of the same sides, and what each attribute was taken for."""

    original: Floats
    released: Floats
    kinds: Mapping[str, Kind]
    metric: Metric = "squares"


def coordinates(alignment: Alignment, attributes: Sequence[str], scale: Scale = "standard") -> Coordinates:
    """The records of both tables as points, by attributes of the original that the release has."""
    there = {name: alignment.columns[name] for name in attributes}
    tables = [(alignment.original, {name: name for name in attributes}), (alignment.released, there)]
    [ours, theirs], kinds = common_points(tables, attributes, scale)
    return Coordinates(ours, theirs, kinds, "sum" if scale == "gower" else "squares")


def common_points(
    tables: Sequence[tuple[Data, Mapping[str, str]]], attributes: Sequence[str], scale: Scale = "standard"
) -> tuple[list[Floats], dict[str, Kind]]:
    """The records of several tables as points of the same sides, on the scale of the first table.

    Beside each table is what its attributes are called.
    """
    if not attributes:
        raise SchemaError(
            "The tables have no attribute in common to link by.",
            hint="Name counterparts with --column A=B, or related attributes with --structure A=B.",
        )
    parts: list[list[Floats]] = [[] for _ in tables]
    kinds: dict[str, Kind] = {}
    for name in attributes:
        kinds[name], sides = _sides([(data, called[name]) for data, called in tables], scale)
        for part, side in zip(parts, sides, strict=True):
            part.append(side)
    return [np.hstack(part) for part in parts], kinds


def _sides(held: Sequence[tuple[Data, str]], scale: Scale) -> tuple[Kind, list[Floats]]:
    (first, name), kind = held[0], _kind(held)
    columns = [data.column(called) for data, called in held]
    if kind == "hierarchy":
        return kind, _summed(_by_levels(first.hierarchies[name], columns), scale)
    if kind == "order":
        return kind, _in_order(first.orders[name], columns)
    if kind == "number":
        return kind, _numbers([data.numbers(called) for data, called in held], scale)
    return kind, _summed(_categories(columns), scale)


def kind_of(alignment: Alignment, attribute: str) -> Kind:
    """What an attribute of the original and its counterpart are taken for."""
    there = (alignment.released, alignment.columns[attribute])
    return _kind([(alignment.original, attribute), there])


def _kind(held: Sequence[tuple[Data, str]]) -> Kind:
    first, name = held[0]
    if name in first.hierarchies:
        return "hierarchy"
    if name in first.orders:
        return "order"
    return "number" if all(are_numbers(*one) for one in held) else "category"


def _summed(sides: list[Floats], scale: Scale) -> list[Floats]:
    """Sides of values as Gower's distance adds them up: of a side that is 0 or one number, its square."""
    return [side * side for side in sides] if scale == "gower" else sides


def are_numbers(data: Data, attribute: str) -> bool:
    """Whether all that is neither missing nor suppressed is a number, and something is."""
    codes = data.column(attribute).codes
    present = (codes > 0) & (codes != data.suppressed_code(attribute))
    return bool(present.any()) and not bool(np.isnan(data.numbers(attribute)[present]).any())


def _numbers(numbers: Sequence[Floats], scale: Scale) -> list[Floats]:
    known = numbers[0][~np.isnan(numbers[0])]
    if scale == "rank":
        return _with_missing([_ranks(one) for one in numbers])
    if scale == "standard":
        spread = float(known.std()) or 1.0
        return _with_missing([(one - known.mean()) / spread for one in numbers])
    if scale == "gower":
        width = float(known.max() - known.min()) or 1.0
        return _with_missing([one / width for one in numbers])
    return _with_missing(numbers)


def _ranks(values: Floats) -> Floats:
    """Where values stand among their own, from 0 to 1; alike values share the middle of their places."""
    ordered = np.sort(values[~np.isnan(values)])
    low, high = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return np.where(np.isnan(values), np.nan, (low + high) / 2 / max(len(ordered), 1))


def _with_missing(numbers: Sequence[Floats]) -> list[Floats]:
    if not any(np.isnan(one).any() for one in numbers):
        return [one[:, None] for one in numbers]
    middle = float(np.nanmean(numbers[0]))
    return [np.column_stack([np.where(np.isnan(one), middle, one), np.isnan(one)]) for one in numbers]


def _in_order(order: Sequence[object], columns: Sequence[Codes]) -> list[Floats]:
    places = {str(value): place / max(len(order) - 1, 1) for place, value in enumerate(order)}
    tables = [
        np.array([np.nan, *(places.get(str(value), np.nan) for value in column.values)]) for column in columns
    ]
    return _with_missing([table[column.codes] for table, column in zip(tables, columns, strict=True)])


def _categories(columns: Sequence[Codes]) -> list[Floats]:
    """One side for each value, so that different values are 1 apart; missing is a value."""
    side: dict[str, int] = {}
    tables = [
        np.array([0, *(side.setdefault(str(value), len(side) + 1) for value in column.values)])
        for column in columns
    ]
    points = np.eye(len(side) + 1) * np.sqrt(0.5)
    return [points[table[column.codes]] for table, column in zip(tables, columns, strict=True)]


def _by_levels(hierarchy: Hierarchy, columns: Sequence[Codes]) -> list[Floats]:
    """The sides of every level; what is released on a level says nothing about those below it."""
    chains = list(zip(hierarchy.values, *hierarchy.groups, strict=True))
    levels = [
        {chain[below]: chain[level] for chain in chains for below in range(level + 1)}
        for level in range(hierarchy.levels)  # the top tells nothing apart
    ]
    weight = 1 / np.sqrt(len(levels))
    return [np.hstack([_level_sides(level, column) for level in levels]) * weight for column in columns]


def _level_sides(level: Mapping[str, str], column: Codes) -> Floats:
    groups = {group: place for place, group in enumerate(dict.fromkeys(level.values()))}
    points = np.vstack([np.eye(len(groups)) * np.sqrt(0.5), np.zeros(len(groups))])
    named = [groups.get(level.get(str(value), ""), len(groups)) for value in column.values]
    return np.asarray(points[np.array([len(groups), *named])[column.codes]], np.float64)
