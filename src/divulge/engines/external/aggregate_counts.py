"""Counts whose classes stay where they are counted: their sizes, and sums and extremes of statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from divulge._support.shares import entropy
from divulge.counting.counts import Cells, Counts, Floats, Integers, JointCounts, UnweightedCounts
from divulge.counting.statistics import SIZE, Statistic, with_sql
from divulge.engines.external.table import Aggregates, ExternalTable, WorstClasses
from divulge.errors import Undefined


class CellsNeeded(Undefined):
    """Something was asked of every class, and only sums and extremes of them are here."""

    def __init__(self) -> None:
        super().__init__("there are too many groups to fetch, and this needs more than sums and extremes")


@dataclass(frozen=True, eq=False)
class Extent:
    """A statistic over the classes of each size: what it adds up to, its least and its most."""

    total: Floats
    least: Floats
    most: Floats


@dataclass(frozen=True, eq=False, repr=False)
class AggregateCounts(UnweightedCounts):
    """Counts told by their class sizes and by what statistics add up to, are at least and at most.

    Each size stands once in ``size``, with how many classes have it as ``multiplicity``. What is asked of
    every class is Undefined, except for the statistics that follow from the size.
    """

    size: Integers
    target_values: Sequence[object]
    margin: Floats  # how many records have each target value
    extents: Mapping[Statistic, Extent]
    multiplicity: Integers | None = None
    keys: tuple[str, ...] = ()
    target: str = "target"
    ground: Mapping[str, Any] = field(default_factory=dict)
    _statistics: dict[Any, Any] = field(default_factory=dict)

    @classmethod
    def of_sizes(cls, found: Aggregates, **given: Any) -> AggregateCounts:
        """Counts from columns by size: ``size``, ``times`` and three for each reduced statistic."""
        size = np.asarray(found.by_size["size"], dtype=np.int64)
        order = np.argsort(size)
        size = size[order]

        def extent(name: str) -> Extent:
            ends = (np.asarray(found.by_size[f"{name}_{end}"])[order] for end in ("total", "least", "most"))
            return Extent(*ends)

        extents = {statistic: extent(statistic.name) for statistic in with_sql()}
        times = np.asarray(found.by_size["times"], dtype=np.int64)[order]
        margin = found.margin.astype(np.float64)
        return cls(size, found.values, margin, extents, times, **given)

    def with_ground(self, **ground: Any) -> AggregateCounts:
        return replace(self, ground={**self.ground, **ground}, _statistics={})

    def in_cells(self) -> JointCounts:
        raise CellsNeeded

    # -- what the whole table tells -------------------------------------------------------------

    @cached_property
    def entropy(self) -> float:
        return entropy(self.target_weight)

    # -- statistics -----------------------------------------------------------------------------

    def statistic(self, statistic: Statistic) -> Floats:
        if not statistic.of_size:
            raise CellsNeeded
        return statistic.function(self)

    def total(self, statistic: Statistic) -> float:
        return super().total(statistic) if statistic.of_size else self._extent(statistic).total.sum().item()

    def least(self, statistic: Statistic) -> float:
        return super().least(statistic) if statistic.of_size else self._extent(statistic).least.min().item()

    def most(self, statistic: Statistic) -> float:
        return super().most(statistic) if statistic.of_size else self._extent(statistic).most.max().item()

    def over_records(self, statistic: Statistic) -> float:
        if statistic.of_size:
            return super().over_records(statistic)
        return (self._extent(statistic).total * self.size).sum().item()

    def over_weight(self, statistic: Statistic) -> float:
        return self.over_records(statistic)

    def _extent(self, statistic: Statistic) -> Extent:
        if statistic not in self.extents:
            raise CellsNeeded
        return self.extents[statistic]


def riskiest(source: ExternalTable, counts: Counts, statistic: Statistic, most: int) -> JointCounts:
    """Counts of the classes that are worst by a statistic: their cells and names, the table's totals."""
    if counts.about_records or statistic.of_size:
        statistic = SIZE  # where every record is its own value, all else follows from it
    elif statistic.sql is None:
        raise CellsNeeded
    target = None if counts.about_records else counts.target
    highest = statistic.riskier == "higher"
    found = source.worst(counts.keys, target, statistic.name, most, highest=highest)
    if found is None:
        raise CellsNeeded
    cells = None if found.place is None else Cells(found.start, found.place, found.count, found.count)
    return JointCounts(
        np.add.reduceat(found.count, found.start[:-1]),
        cells,
        counts.target_values,
        keys=counts.keys,
        target=counts.target,
        ground=counts.ground,
        margin=None if cells is None else counts.target_weight,
        decode=lambda places: _names(found, places),
        whole=counts,
    )


def _names(found: WorstClasses, places: Integers) -> list[dict[str, object]]:
    """The key values of classes, each as it stands on the first cell of the class."""
    rows = found.start[:-1][np.asarray(places, dtype=np.int64)].tolist()
    return [{key: column.value(int(column.codes[row])) for key, column in found.keys.items()} for row in rows]
