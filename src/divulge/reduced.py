"""Joint counts whose classes stay where they are counted: sizes, sums, extremes and the worst come over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from divulge.codes import MISSING, Codes
from divulge.counts import Cells, Floats, Integers, JointCounts
from divulge.errors import Undefined
from divulge.source.base import Aggregates, CountedTable, WorstClasses
from divulge.statistics import (
    ALONE,
    CERTAIN,
    DISCLOSURE,
    DISTINCT,
    DIVERGENCE,
    ENHANCED_GAIN,
    ENTROPY,
    GAIN,
    RISK,
    SIZE,
    TOP_SHARE,
    UNCERTAINTY,
    Statistic,
    distance,
    dominance,
)

#: Statistics that come back reduced, under the names they come by.
REDUCED = {
    "uncertainty": UNCERTAINTY,
    "distinct": DISTINCT,
    "certain": CERTAIN,
    "top_share": TOP_SHARE,
    "divergence": DIVERGENCE,
    "disclosure": DISCLOSURE,
    "gain": GAIN,
    "enhanced_gain": ENHANCED_GAIN,
    "dominance": dominance(2),
    "distance": distance("equal"),
}
#: Statistics that sizes alone tell.
SIZES = frozenset({SIZE, ALONE, RISK})
#: What the riskiest classes are found by having least of; of the others they have most.
_RISKY_BELOW = frozenset({SIZE, ALONE, RISK, UNCERTAINTY, ENTROPY, DISTINCT})
_ORDERS = {SIZE: "size", ALONE: "size", RISK: "size", ENTROPY: "entropy"} | {
    statistic: name for name, statistic in REDUCED.items()
}


class CellsNeeded(Undefined):
    """Something was asked of every class; ``statistic`` is what, where it was one."""

    def __init__(self, statistic: Statistic | None = None) -> None:
        super().__init__(
            "classes are too many to be brought over, and this needs more than sums and extremes"
        )
        self.statistic = statistic


@dataclass(frozen=True, eq=False)
class Extent:
    """A statistic over the classes of each size: what it adds up to, its least and its most."""

    total: Floats
    least: Floats
    most: Floats


@dataclass(frozen=True, eq=False, repr=False)
class AggregateCounts(JointCounts):
    """Joint counts told by their class sizes and by what statistics add up to, are at least and at most.

    Each size stands once in ``size``, with how many classes have it as ``multiplicity``. What is asked of
    every class is Undefined, except for the statistics that follow from the size.
    """

    extents: Mapping[Statistic, Extent] = field(default_factory=dict)

    @classmethod
    def of_sizes(cls, found: Aggregates, **given: Any) -> AggregateCounts:
        """Counts from columns by size: ``size``, ``times`` and three for each reduced statistic."""
        size = np.asarray(found.by_size["size"], dtype=np.int64)
        order = np.argsort(size)
        size = size[order]

        def extent(name: str) -> Extent:
            ends = (np.asarray(found.by_size[f"{name}_{end}"])[order] for end in ("total", "least", "most"))
            return Extent(*ends)

        extents = {statistic: extent(name) for name, statistic in REDUCED.items()}
        left = extents[UNCERTAINTY]
        extents[ENTROPY] = Extent(left.total / size, left.least / size, left.most / size)
        times = np.asarray(found.by_size["times"], dtype=np.int64)[order]
        margin = found.margin.astype(np.float64)
        return cls(size, None, found.values, multiplicity=times, margin=margin, extents=extents, **given)

    def with_ground(self, **ground: Any) -> AggregateCounts:
        told = copy(self)
        vars(told).update(ground={**self.ground, **ground})
        return told

    # -- what the whole table tells -------------------------------------------------------------

    def __getattribute__(self, name: str) -> Any:
        if name == "cells":  # None would say that every record is its own subject
            raise CellsNeeded
        return super().__getattribute__(name)

    @property
    def class_weight(self) -> Floats:
        return self.size

    @property
    def weighted(self) -> bool:
        return False

    @property
    def weight(self) -> float:
        return float(self.records)

    @property
    def target_weight(self) -> Floats:
        assert self.margin is not None
        return self.margin

    @cached_property
    def entropy(self) -> float:
        if self.margin is None:
            return float(np.log2(self.records))
        share = self.target_weight / self.records
        return float(-(share * np.log2(share)).sum()) if len(share) > 1 else 0.0

    # -- statistics -----------------------------------------------------------------------------

    def statistic(self, statistic: Statistic) -> Floats:
        if statistic not in SIZES:
            raise CellsNeeded(statistic)
        return statistic.function(self)

    def total(self, statistic: Statistic) -> float:
        return super().total(statistic) if statistic in SIZES else self._extent(statistic).total.sum().item()

    def least(self, statistic: Statistic) -> float:
        return super().least(statistic) if statistic in SIZES else self._extent(statistic).least.min().item()

    def most(self, statistic: Statistic) -> float:
        return super().most(statistic) if statistic in SIZES else self._extent(statistic).most.max().item()

    def over_records(self, statistic: Statistic) -> float:
        if statistic in SIZES:
            return super().over_records(statistic)
        return (self._extent(statistic).total * self.size).sum().item()

    def over_weight(self, statistic: Statistic) -> float:
        return self.over_records(statistic)

    def _extent(self, statistic: Statistic) -> Extent:
        if statistic not in self.extents:
            raise CellsNeeded(statistic)
        return self.extents[statistic]


def read_by(value: Callable[[JointCounts], object], counts: JointCounts) -> Statistic:
    """The statistic of classes that a value by class is read from."""
    probe = AggregateCounts(
        counts.size,
        None,
        counts.target_values,
        multiplicity=counts.multiplicity,
        keys=counts.keys,
        target=counts.target,
        ground=counts.ground,
        margin=None if counts.about_records else counts.target_weight,
    )
    try:
        value(probe)
    except CellsNeeded as asked:
        if asked.statistic is None:
            raise
        return asked.statistic
    return SIZE


def riskiest(source: CountedTable, counts: JointCounts, statistic: Statistic, most: int) -> JointCounts:
    """Counts of the classes that are worst by a statistic: their cells and names, the table's totals."""
    if counts.about_records:
        statistic = SIZE  # where every record is its own value, all else follows from it
    if statistic not in _ORDERS:
        raise CellsNeeded(statistic)
    target = None if counts.about_records else counts.target
    highest = statistic not in _RISKY_BELOW
    found = source.worst(counts.keys, target, _ORDERS[statistic], most, highest=highest)
    if found is None:
        raise CellsNeeded(statistic)
    cells = None
    if found.place is not None:
        cells = Cells(found.start, found.place, found.count, found.count)
    few = JointCounts(
        np.add.reduceat(found.count, found.start[:-1]),
        cells,
        counts.target_values,
        keys=counts.keys,
        target=counts.target,
        ground=counts.ground,
        margin=None if cells is None else counts.target_weight,
        decode=lambda places: _names(found, places),
    )
    # These are properties of the table, not of the classes at hand; a cached property lies in __dict__.
    vars(few).update(
        records=counts.records, classes=counts.classes, weight=counts.weight, entropy=counts.entropy
    )
    return few


def _names(found: WorstClasses, places: Integers) -> list[dict[str, object]]:
    """The key values of classes, each as it stands on the first cell of the class."""
    rows = found.start[:-1][np.asarray(places, dtype=np.int64)].tolist()
    return [{key: _value(column, row) for key, column in found.keys.items()} for row in rows]


def _value(column: Codes, row: int) -> object:
    code = int(column.codes[row])
    return None if code == MISSING else column.values[code - 1]
