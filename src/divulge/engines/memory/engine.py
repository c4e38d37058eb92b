"""The engine for records in memory: a file or frame whose columns are read as codes when they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from divulge.codes import Codes
from divulge.counts import Integers
from divulge.engines.base import Conventions, Request, Summary
from divulge.engines.counted_cache import CountedCache
from divulge.engines.memory.coded_table import NONE, CodedTable
from divulge.engines.memory.counted_rows import CountedRows
from divulge.engines.memory.counting import count
from divulge.source.base import Columns

REMEMBERED = 1 << 16  # values of an attribute up to which it is remembered how many records have each


@dataclass(frozen=True, eq=False)
class MemoryEngine(CodedTable):
    """Rows of codes that are counted here."""

    _counted: CountedCache[CountedRows] = field(default_factory=CountedCache, repr=False)

    kind: ClassVar[str] = "memory"

    def count(self, request: Request) -> CountedRows:
        table = self.condensed(request)
        request = table.normalised(request)
        return table._counted.get(request.identity, lambda: CountedRows(table, request), table.source.records)

    def frequencies(
        self, attribute: str, missing_values: frozenset[str] = NONE
    ) -> tuple[Codes, npt.NDArray[np.int64]]:
        memo = self.memo("frequencies")
        if (attribute, missing_values) in memo:
            column, counts = memo[attribute, missing_values]
            return column, counts.copy()
        column = self.column(attribute, missing_values)
        counts = np.bincount(column.codes, weights=self.times, minlength=column.cardinality).astype(np.int64)
        if column.cardinality <= REMEMBERED:
            memo[attribute, missing_values] = column, counts.copy()
        return column, counts

    all_values = frequencies

    def summary(self, attribute: str, most: int, missing_values: frozenset[str] = NONE) -> Summary:
        return Summary.of(*self.frequencies(attribute, missing_values), most)

    def distinct(self, attributes: Sequence[str], missing_values: frozenset[str] = NONE) -> int:
        self.load(attributes, missing_values)

        def load(attribute: str) -> Codes:
            return self.column(attribute, missing_values)

        return count(load, attributes, None, records=self.source.records).classes

    def occurs(self, attribute: str, text: str, missing_values: frozenset[str] = NONE) -> bool:
        return self.code_of(attribute, text, missing_values) is not None

    def read_ahead(self, attributes: Sequence[str], missing_values: frozenset[str] = NONE) -> None:
        self.load(attributes, missing_values)

    def at_hand(self, attributes: Sequence[str], conventions: Conventions) -> MemoryEngine:
        return self

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

    # -- other records ------------------------------------------------------------------------------

    def taking(self, rows: npt.NDArray[np.int64]) -> MemoryEngine:
        return taken(self, rows, None if self.times is None else self.times[rows])

    def one_by_one(self) -> MemoryEngine:
        return self if self.times is None else taken(self, np.repeat(np.arange(len(self.times)), self.times))

    def replacing(self, attribute: str, column: Codes) -> MemoryEngine:
        return replaced(self, attribute, column)


def taken(table: CodedTable, rows: npt.NDArray[np.int64], times: Integers | None = None) -> MemoryEngine:
    """Some rows of a table; values keep their codes."""
    source = table.source
    return MemoryEngine(
        Columns(source.name, source.attributes, len(rows), lambda name: table.column(name).take(rows)), times
    )


def replaced(table: CodedTable, attribute: str, column: Codes) -> MemoryEngine:
    """The rows of a table with other values of an attribute."""
    source = table.source
    return MemoryEngine(
        Columns(
            source.name,
            source.attributes,
            source.records,
            lambda name: column if name == attribute else table.column(name),
        ),
        table.times,
    )
