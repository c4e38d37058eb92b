"""The engine that counts on a graphics card: columns are read here, as always, and go there once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from divulge.counting.counts import Floats, Integers, JointCounts
from divulge.engines.base import Request, SubsetSearch
from divulge.engines.coded_table import NONE, Markers
from divulge.engines.counted_cache import CountedCache
from divulge.engines.gpu import cells, counting
from divulge.engines.gpu.arrays import card_arrays, fetched
from divulge.engines.gpu.subsets import WORK, subset_sums
from divulge.engines.gpu.words import CardColumns
from divulge.engines.memory.counted_rows import CountedRows
from divulge.engines.memory.engine import MemoryEngine
from divulge.source.base import Source
from divulge.table.codes import Codes


@dataclass(frozen=True, eq=False)
class GpuRows(CountedRows):
    """A question whose rows are counted on the card; with weights or people of several records, here."""

    card: CardColumns

    def joint_counts(self, target: Codes | None, weights: Floats | None, *, compact: bool) -> JointCounts:
        if weights is not None or (self.subject is not None and not self.request.about_records):
            return super().joint_counts(target, weights, compact=compact)
        keys = {key: self.column(key) for key in self.request.keys}
        return counting.joint_counts(self.card, keys, target, times=self.times, compact=compact)


@dataclass(frozen=True, eq=False)
class GpuEngine(MemoryEngine):
    """Rows of codes that are counted on a graphics card."""

    card: CardColumns = field(default_factory=lambda: CardColumns(card_arrays()), repr=False)

    kind: ClassVar[str] = "gpu"

    def question(self, request: Request) -> GpuRows:
        return GpuRows(self, request, self.card)

    def like(self, source: Source, times: Integers | None) -> GpuEngine:
        return GpuEngine(source, times, _counted=CountedCache(passing=True), card=self.card)

    def how_often(self, column: Codes) -> Integers:
        if self.times is not None:
            return super().how_often(column)
        xp = self.card.xp
        found: Integers = fetched(xp, cells.frequencies(xp, self.card.get(column), column.cardinality))
        return found

    def distinct(self, attributes: Sequence[str], missing_values: Markers = NONE) -> int:
        self.load(attributes, missing_values)
        columns = [self.column(attribute, missing_values) for attribute in attributes]
        return counting.distinct(self.card, columns)

    @property
    def subset_search(self) -> SubsetSearch:
        def find(columns: Sequence[Codes], target: Codes | None, times: Any, largest: int, step: Any) -> Any:
            return subset_sums(self.card, columns, target, times, largest, step)

        return SubsetSearch(find, WORK)
