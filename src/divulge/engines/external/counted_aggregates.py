"""A question counted where the records are: kinds of classes come over, or sums and extremes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from divulge._support.threads import cached_property
from divulge.counting.counts import Cells, Counts, JointCounts
from divulge.counting.statistics import Statistic
from divulge.engines.base import Engine, Request, refuse_nothing
from divulge.engines.external.aggregate_counts import AggregateCounts, CellsNeeded, riskiest
from divulge.engines.external.table import ExternalTable, Target
from divulge.engines.memory.counted_rows import CountedRows
from divulge.engines.target_structure import grounded
from divulge.errors import Undefined
from divulge.table.codes import Codes

MOST_NAMED = 10_000  # classes brought over with their names, unless fewer are asked for


@dataclass(frozen=True, eq=False)
class CountedAggregates:
    """A question, and what is left of a table to answer it: the records that count, in their domains."""

    engine: Engine
    rows: CountedRows  # the records one by one, as far as they can be brought over
    left: ExternalTable
    suppressed: int = field(repr=False)
    dropped: int = field(repr=False)

    @property
    def request(self) -> Request:
        return self.rows.request

    @property
    def rows_at_hand(self) -> None:
        return None

    @property
    def records(self) -> int:
        return self.left.records

    @cached_property
    def counts(self) -> Counts:
        """Kinds of classes with how many there are of each; sums and extremes where kinds are too many."""
        refuse_nothing(self, self.engine.records)
        counts = self._kinds() or self._aggregates()
        if self.request.beside is not None and not self.request.about_records:
            compared = self.request.beside.aligned(counts.target_values)
            counts = replace(counts.in_cells(), compared=compared)
        return counts.with_ground(**grounded(counts, self.request, self._values))

    @property
    def classes(self) -> JointCounts:
        raise CellsNeeded

    def worst(self, statistic: Statistic, most: int | None) -> JointCounts:
        return riskiest(self.left, self.counts, statistic, most or MOST_NAMED, self._sought)

    def missing(self, attribute: str) -> int:
        missing_values = self.request.conventions.missing_values
        return self.engine.records - self.engine.summary(attribute, 0, missing_values).present

    def _values(self, attribute: str) -> Codes:
        return self.engine.frequencies(attribute, self.request.conventions.missing_values)[0]

    def _kinds(self) -> JointCounts | None:
        keys, target = self.request.keys, self.request.target_name
        found = self.left.class_kinds(keys, self._sought)
        if found is None:
            return None
        known: dict[str, Any] = {
            "multiplicity": found.times,
            "keys": keys,
            "own": found.own,
            "overlapping": found.own is not None,
        }
        if found.start is None or found.place is None:
            return JointCounts(found.count, None, **known)
        cells = Cells(
            found.start, found.place, found.count, found.count if found.weight is None else found.weight
        )
        return JointCounts(
            cells.per_class(found.count),
            cells,
            found.values,
            subjects=found.subjects,
            target=target,
            margin=found.margin,
            **known,
        )

    def _aggregates(self) -> AggregateCounts:
        found = self.left.aggregates(self.request.keys, self._sought)
        if found is None:
            raise Undefined("there are too many groups to fetch, and too many kinds of groups")
        return AggregateCounts.of_sizes(found, keys=self.request.keys, target=self.request.target_name)

    @property
    def _sought(self) -> Target:
        """The target as tables are asked for it."""
        sought = self.request.sought
        return sought[0] if len(sought) == 1 else sought or None
