"""The engine for records in memory: a file or frame whose columns are read as codes when they are needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.counting.counts import Integers
from divulge.engines.base import Conventions, Engine, Frequencies, Request, Summary
from divulge.engines.coded_table import NONE, CodedTable, Markers
from divulge.engines.counted_cache import CountedCache
from divulge.engines.memory.cell_tables import added_up
from divulge.engines.memory.counted_rows import CountedRows
from divulge.engines.memory.counting import count
from divulge.source.base import Columns, Source
from divulge.table.codes import Codes
from divulge.table.packing import coded, combinations, distinct

REMEMBERED = 1 << 16  # values of an attribute up to which it is remembered how many records have each
PARTS_PAY = 1 << 18  # rows from which on it is sooner seen in a part whether many are different
PART = 16  # of the values of an attribute, one in so many is looked at
CLEARLY = 1.2  # times as many as may be different


@dataclass(frozen=True, eq=False)
class MemoryEngine(Engine):
    """Rows of codes that are counted here."""

    _counted: CountedCache[CountedRows] = field(default_factory=CountedCache, repr=False)

    kind: ClassVar[str] = "memory"

    def count(self, request: Request) -> CountedRows:
        table = self.condensed(request)
        request = table.normalised(request)
        return table._counted.get(request.identity, lambda: table.question(request), table.source.records)

    def question(self, request: Request) -> CountedRows:
        """A question that is to be counted."""
        return CountedRows(self.columns_alone, request)

    @cached_property
    def columns_alone(self) -> Self:
        """The same columns. Questions hold these, since they are remembered here: all go when this does."""
        return replace(self, _counted=CountedCache(passing=True))

    def frequencies(self, attribute: str, missing_values: Markers = NONE) -> Frequencies:
        memo = self.memo("frequencies")
        if (attribute, missing_values) in memo:
            column, counts = memo[attribute, missing_values]
            return column, counts.copy()
        column = self.column(attribute, missing_values)
        counts = self.how_often(column)
        if column.cardinality <= REMEMBERED:
            memo[attribute, missing_values] = column, counts.copy()
        return column, counts

    def all_values(self, attribute: str, missing_values: Markers = NONE) -> Frequencies | None:
        return self.frequencies(attribute, missing_values)

    def how_often(self, column: Codes) -> Integers:
        """How many records have each code."""
        return column.frequencies(self.times).astype(np.int64)

    def summary(self, attribute: str, most: int, missing_values: Markers = NONE) -> Summary:
        memo, asked = self.memo("summaries"), (attribute, most, missing_values)
        if asked not in memo:
            memo[asked] = Summary.of(*self.frequencies(attribute, missing_values), most)
        found: Summary = memo[asked]
        return found

    def distinct(self, attributes: Sequence[str], missing_values: Markers = NONE) -> int:
        self.load(attributes, missing_values)

        def load(attribute: str) -> Codes:
            return self.column(attribute, missing_values)

        return count(load, attributes, None, records=self.source.records).classes

    def occurs(self, attribute: str, text: str, missing_values: Markers = NONE) -> bool:
        return self.code_of(attribute, text, missing_values) is not None

    def read_ahead(self, attributes: Sequence[str], missing_values: Markers = NONE) -> None:
        self.load(attributes, missing_values)

    def at_hand(
        self, attributes: Sequence[str], conventions: Conventions, *, passing: bool = False
    ) -> MemoryEngine:
        return self

    def has_each_record(self, attributes: Sequence[str]) -> bool:
        return self.times is None and set(attributes) <= set(self.source.attributes)

    @property
    def numbered(self) -> bool:
        return self.times is None

    def like(self, source: Source, times: Integers | None) -> MemoryEngine:
        """Other rows counted in the same way, to be tried and forgotten."""
        return MemoryEngine(source, times, _counted=CountedCache(passing=True))

    # -- what is counted ----------------------------------------------------------------------------

    def condensed(self, request: Request) -> MemoryEngine:
        """The rows that are counted: those here, unless a source says sooner which combinations occur."""
        return self

    def normalised(self, request: Request) -> Request:
        """The same question, nothing known that leaves records out where some of it is never suppressed."""
        marked = all(
            self.code_of(name, request.conventions.suppressed, request.conventions.missing_values) is not None
            for name in request.known
        )
        return request if marked or not request.known else replace(request, known=())


def taken(table: CodedTable, rows: npt.NDArray[np.int64]) -> MemoryEngine:
    """Some rows of a table; values keep their codes."""
    times = None if table.times is None else table.times[rows]
    return _passing(table, lambda name: table.column(name).take(rows), table.cardinality, len(rows), times)


def one_by_one(table: CodedTable) -> MemoryEngine:
    """The rows of a table as often as they stand."""
    rows = np.repeat(np.arange(table.source.records), 1 if table.times is None else table.times)
    return _passing(table, lambda name: table.column(name).take(rows), table.cardinality, len(rows))


def replaced(table: CodedTable, attribute: str, column: Codes) -> MemoryEngine:
    """The rows of a table with other values of an attribute, which it need not have."""

    def encoder(name: str) -> Codes:
        return column if name == attribute else table.column(name)

    def cardinality(name: str) -> int:
        return column.cardinality if name == attribute else table.cardinality(name)

    found = _passing(table, encoder, cardinality, table.source.records, table.times)
    if attribute in table.source.attributes:
        return found
    more = (*table.source.attributes, attribute)
    source = Columns(table.source.name, more, table.source.records, encoder, cardinality=cardinality)
    return found.like(source, table.times)


def condensed(
    table: CodedTable, counted: Mapping[str, Codes], most: int
) -> tuple[MemoryEngine, Integers] | None:
    """The rows of a table with those held once that are alike, and the place there of each row.

    ``counted`` are the attributes that are left, as they are counted. Of values in one group a row has one,
    and no code changes. None where more than ``most`` rows would be left.
    """
    columns = [one.occurring[0] for one in counted.values()]
    if _mostly_different(columns, most):
        return None
    first, number = combinations(coded(columns), len(columns[0].codes))
    if len(first) > most:
        return None
    times = np.bincount(number) if table.times is None else added_up(number, table.times, len(first))

    def encoder(name: str) -> Codes:
        return table.column(name).take(first)

    source = Columns(table.source.name, tuple(counted), len(first), encoder)
    return MemoryEngine(source, times, _counted=CountedCache(passing=True)), number


def _mostly_different(columns: Sequence[Codes], most: int) -> bool:
    """Whether a part of many rows says that clearly more than ``most`` of all are different.

    It has those with some values of one attribute, common and rare ones, and so all that are alike.
    """
    widest = max(columns, key=lambda one: one.cardinality)
    rows = len(widest.codes)
    if rows < PARTS_PAY or widest.cardinality < PART:
        return False
    chosen = np.zeros(widest.cardinality, bool)
    chosen[np.argsort(-widest.frequencies(), kind="stable")[PART // 2 :: PART]] = True
    part = np.flatnonzero(chosen[widest.codes])
    found = distinct(coded([one.take(part) for one in columns]), len(part))
    return found * rows > CLEARLY * most * len(part)


def _passing(
    table: CodedTable,
    encoder: Callable[[str], Codes],
    cardinality: Callable[[str], int],
    rows: int,
    times: Integers | None = None,
) -> MemoryEngine:
    """Rows made of those of a table, to be tried and forgotten."""
    source = Columns(table.source.name, table.source.attributes, rows, encoder, cardinality=cardinality)
    here = table if isinstance(table, MemoryEngine) else MemoryEngine(source)
    return here.like(source, times)
