"""The engine for records that stay where they are: what is few comes over, the rest is counted there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from divulge.engines.base import Conventions, Counted, Engine, Frequencies, Request, Summary
from divulge.engines.coded_table import NONE, Markers, code_of
from divulge.engines.counted_cache import CountedCache
from divulge.engines.external.counted_aggregates import CountedAggregates
from divulge.engines.external.preparing import prepared
from divulge.engines.external.table import ExternalTable
from divulge.engines.external.workplace import MOST_CELLS
from divulge.engines.memory.counted_rows import CountedRows
from divulge.engines.memory.engine import MemoryEngine

MOST_VALUES = 200_000  # of an attribute, up to which they are brought over to be looked at one by one
LARGEST_SAMPLE = 1000  # values of an attribute that come with its summary


@dataclass(frozen=True, eq=False)
class ExternalEngine(Engine):
    """A table that is counted where it is; its combinations of values come over where they are few."""

    source: ExternalTable
    _counted: CountedCache[Counted] = field(default_factory=CountedCache, repr=False)
    _held: dict[tuple[str, ...], MemoryEngine] = field(default_factory=dict, repr=False)

    @property
    def kind(self) -> str:
        return self.source.kind

    def count(self, request: Request) -> Counted:
        conventions = request.conventions
        # With weights every record is its own value, and has its own weight.
        rows = conventions.weights is None or not request.about_records
        held = self.at_hand(request.attributes, conventions) if rows else None
        if held is not None:
            return held.count(self._of_records(request))
        return self._counted.get(request.identity, lambda: self._count(request), self.records)

    def _count(self, request: Request) -> Counted:
        """Counted there; or record by record, where there is no other way or few records to bring over."""
        rows = CountedRows(self, self._of_records(request))
        alone = request.about_records and request.conventions.weights is not None
        if alone and self.records * len(self.source.attributes) <= MOST_CELLS:  # all come at once
            return rows
        there = prepared(self.source, rows.request, lambda name: self.frequencies(name)[0])
        return rows if there is None else CountedAggregates(self, rows, *there)

    def frequencies(self, attribute: str, missing_values: Markers = NONE) -> Frequencies:
        held = self.at_hand([attribute], Conventions())
        if held is not None:
            return held.frequencies(attribute, missing_values)
        column = self.column(attribute, missing_values)
        return column, column.frequencies().astype(np.int64)

    def all_values(self, attribute: str, missing_values: Markers = NONE) -> Frequencies | None:
        few = self.summary(attribute, 0, missing_values).distinct <= MOST_VALUES
        return self.frequencies(attribute, missing_values) if few else None

    def summary(self, attribute: str, most: int, missing_values: Markers = NONE) -> Summary:
        memo, most = self.memo("summary"), min(most, LARGEST_SAMPLE)
        asked = attribute, most, missing_values
        if asked not in memo:
            if missing_values or self._lists(attribute, most):
                memo[asked] = Summary.of(*self.frequencies(attribute, missing_values), most)
            else:
                memo[asked] = self.source.summary(attribute, most)
        summary: Summary = memo[asked]
        return summary

    def distinct(self, attributes: Sequence[str], missing_values: Markers = NONE) -> int:
        """How many combinations occur as they stand there, where values that mean missing are values."""
        memo = self.memo("distinct")
        if tuple(attributes) not in memo:
            memo[tuple(attributes)] = self.source.distinct(attributes)
        return int(memo[tuple(attributes)])

    def occurs(self, attribute: str, text: str, missing_values: Markers = NONE) -> bool:
        memo, asked = self.memo("occurs"), (attribute, text, missing_values)
        if asked not in memo:
            left = (
                None if self._lists(attribute, 0) else self.source.prepared({}, suppressed={attribute: text})
            )
            if left is not None:
                memo[asked] = left.records < self.records
            else:
                memo[asked] = code_of(self.frequencies(attribute, missing_values)[0], text) is not None
        return bool(memo[asked])

    def read_ahead(self, attributes: Sequence[str], missing_values: Markers = NONE) -> None:
        """Nothing: what is needed is counted when it is asked for."""

    def at_hand(
        self, attributes: Sequence[str], conventions: Conventions, *, passing: bool = False
    ) -> MemoryEngine | None:
        """The combinations of some attributes, counted where the records are; those at hand serve again."""
        weights = [] if conventions.weights is None else [conventions.weights]
        asked = dict.fromkeys([*attributes, *self._telling(conventions.identifiers), *weights])
        held = next((held for known, held in self._held.items() if asked.keys() <= set(known)), None)
        if held is None:
            found = self.source.combinations(tuple(asked)) if asked else None
            if found is None:
                return None
            held = MemoryEngine(*found)
            if not passing:
                self._held[tuple(asked)] = held
        return held

    def has_each_record(self, attributes: Sequence[str]) -> bool:
        return False

    @property
    def numbered(self) -> bool:
        return self.source.kind == "out of core"  # of a file; those of a database come in any order

    def _telling(self, identifiers: tuple[str, ...]) -> tuple[str, ...]:
        """The identifiers, unless every record has its own and they tell nothing more."""
        return identifiers if identifiers and self.distinct(identifiers) < self.records else ()

    def _of_records(self, request: Request) -> Request:
        identifiers = self._telling(request.conventions.identifiers)
        return replace(request, conventions=replace(request.conventions, identifiers=identifiers))

    def _lists(self, attribute: str, most: int) -> bool:
        """Whether an attribute was brought over with others, and its sample is to be all of its values."""
        held = next((held for known, held in self._held.items() if attribute in known), None)
        return held is not None and (not most or len(held.column(attribute).values) <= most)
