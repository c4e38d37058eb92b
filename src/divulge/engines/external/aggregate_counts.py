"""Counts whose classes stay where they are counted: their sizes, and sums and extremes of statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from divulge._support.shares import entropy
from divulge._support.threads import cached_property
from divulge.counting.counts import Cells, Counts, Floats, Integers, JointCounts
from divulge.counting.statistics import SIZE, Statistic, with_sql
from divulge.engines.external.table import Aggregates, ExternalTable, Target, WorstClasses
from divulge.errors import Undefined


class CellsNeeded(Undefined):
    """Something was asked of every class, and only sums and extremes of them are here."""

    def __init__(self) -> None:
        super().__init__("there are too many groups to fetch, and this needs more than sums and extremes")


@dataclass(frozen=True, eq=False)
class Extent:
    """A statistic over the classes of each size: its sum, least and most, and its sum by weight."""

    total: Floats
    least: Floats
    most: Floats
    weighed: Floats | None = None


@dataclass(frozen=True, eq=False, repr=False)
class AggregateCounts(Counts):
    """Counts told by their class sizes and by what statistics add up to, are at least and at most.

    Each size stands once in ``size``, with how many classes have it as ``multiplicity``; more than once
    where classes of a size have other numbers of people or of records of their own. What is asked of every
    class is Undefined, except for the statistics that follow from the size. ``margin`` has what target
    values weigh; where they are too many, ``found`` has how many there are and what is known of them.
    """

    size: Integers
    found: Aggregates
    extents: Mapping[Statistic, Extent]
    multiplicity: Integers
    subjects: Integers | None = None
    own: Integers | None = None
    weights: Floats | None = None  # what the classes of each size weigh together, where records weigh
    keys: tuple[str, ...] = ()
    target: str = "target"
    ground: Mapping[str, Any] = field(default_factory=dict)
    _statistics: dict[Any, Any] = field(default_factory=dict)

    @classmethod
    def of_sizes(cls, found: Aggregates, **given: Any) -> AggregateCounts:
        """Counts from columns by size: ``size``, ``times`` and three for each reduced statistic."""
        order = np.argsort(np.asarray(found.by_size["size"]), kind="stable")

        def column(name: str, kind: Any = np.float64) -> Any:
            told = found.by_size.get(name)
            return None if told is None else np.asarray(told, kind)[order]

        def extent(name: str) -> Extent:
            return Extent(*(column(f"{name}_{end}") for end in ("total", "least", "most", "weighed")))

        extents = {one: extent(one.name) for one in with_sql() if f"{one.name}_total" in found.by_size}
        size, times, people, own = (column(one, np.int64) for one in ("size", "times", "people", "own"))
        return cls(size, found, extents, times, people, own, column("weight"), **given)

    @property
    def overlapping(self) -> bool:  # type: ignore[override]
        return self.own is not None

    @property
    def target_values(self) -> Sequence[object]:  # type: ignore[override]
        return self.found.values

    @property
    def class_weight(self) -> Floats:
        """What a class of each size weighs on average, which is enough where classes are added up."""
        return self.size if self.weights is None else self.weights / self.multiplicity

    @property
    def weighted(self) -> bool:
        return self.weights is not None

    @property
    def weight(self) -> float:
        return self.found.weight if self.found.margin is None else float(self.found.margin.sum())

    @property
    def target_weight(self) -> Floats:
        if self.found.margin is None:
            raise CellsNeeded
        return self.found.margin.astype(np.float64)

    @property
    def different(self) -> int:
        return self.found.different if self.found.margin is None else super().different

    def with_ground(self, **ground: Any) -> AggregateCounts:
        return replace(self, ground={**self.ground, **ground}, _statistics={})

    def in_cells(self) -> JointCounts:
        raise CellsNeeded

    # -- what the whole table tells -------------------------------------------------------------

    @cached_property
    def entropy(self) -> float:
        return self.found.entropy if self.found.margin is None else entropy(self.target_weight)

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
        return (self._extent(statistic).total * self.members).sum().item()

    def over_weight(self, statistic: Statistic) -> float:
        if statistic.of_size or self.weights is None:
            return super().over_weight(statistic) if statistic.of_size else self.over_records(statistic)
        weighed = self._extent(statistic).weighed
        assert weighed is not None
        return weighed.sum().item()

    def _extent(self, statistic: Statistic) -> Extent:
        if statistic not in self.extents:
            raise CellsNeeded
        return self.extents[statistic]


def riskiest(
    source: ExternalTable, counts: Counts, statistic: Statistic, most: int, target: Target
) -> JointCounts:
    """Counts of the classes that are worst by a statistic: their cells and names, the table's totals."""
    everyone = counts.about_records and counts.subjects is None and not counts.weighted
    if everyone or statistic.of_size:
        statistic = SIZE  # where every record is its own value, all else follows from it
    elif statistic.sql is None:
        raise CellsNeeded
    highest = statistic.riskier == "higher"
    found = source.worst(counts.keys, target, statistic.name, most, highest=highest)
    if found is None:
        raise CellsNeeded
    cells, margin, values = None, None, counts.target_values
    if found.place is not None:
        cells = Cells(
            found.start, found.place, found.count, found.count if found.weight is None else found.weight
        )
        margin = counts.target_weight if found.totals is None else found.totals
        values = values if found.totals is None else range(len(found.totals))
    return JointCounts(
        np.add.reduceat(found.count, found.start[:-1]),
        cells,
        values,
        subjects=found.subjects,
        own=found.own,
        overlapping=found.own is not None,
        keys=counts.keys,
        target=counts.target,
        ground=counts.ground,
        margin=margin,
        decode=lambda places: _names(found, places),
        whole=counts,
    )


def _names(found: WorstClasses, places: Integers) -> list[dict[str, object]]:
    """The key values of classes, each as it stands on the first cell of the class."""
    rows = found.start[:-1][np.asarray(places, dtype=np.int64)].tolist()
    return [{key: column.value(int(column.codes[row])) for key, column in found.keys.items()} for row in rows]
