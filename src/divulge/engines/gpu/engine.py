"""The engine that counts on a graphics card: columns are read here, as always, and go there once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

from divulge.counting.counts import Floats, Integers, JointCounts
from divulge.engines.base import Conventions, Dealing, LevelSearch, Request, SubsetSearch
from divulge.engines.coded_table import NONE, Markers
from divulge.engines.counted_cache import CountedCache
from divulge.engines.gpu import cells, counting, held_rows, levels
from divulge.engines.gpu.arrays import card_arrays, fetched, free_bytes
from divulge.engines.gpu.held_rows import ROW_BY_ROW, combinations
from divulge.engines.gpu.subsets import WORK, subset_sums
from divulge.engines.gpu.words import CardColumns, RecodedColumn
from divulge.engines.memory.counted_rows import CountedRows
from divulge.engines.memory.engine import MemoryEngine
from divulge.source.base import Columns, Source
from divulge.table.codes import Codes
from divulge.table.partition import Partition


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

    row_by_row: bool = False  # whether rows are looked at one by one, however many they are

    kind: ClassVar[str] = "gpu"

    def question(self, request: Request) -> GpuRows:
        return GpuRows(self.columns_alone, request, self.card)

    def like(self, source: Source, times: Integers | None) -> GpuEngine:
        passing = CountedCache[CountedRows](passing=True)
        return GpuEngine(source, times, _counted=passing, card=self.card, row_by_row=True)

    def how_often(self, column: Codes) -> Integers:
        if self.times is not None:
            return super().how_often(column)
        xp = self.card.xp
        found: Integers = fetched(xp, cells.frequencies(xp, self.card.get(column), column.cardinality))
        return found

    def grouped(self, attribute: str, partition: Partition, missing_values: Markers = NONE) -> Codes:
        memo, asked = self.memo("groups"), (attribute, id(partition), missing_values)
        if asked not in memo:
            column, counts = self.frequencies(attribute, missing_values)
            places = partition.places(column, attribute=attribute, counts=counts)
            # The partition is kept beside, since its id would otherwise be given to another one.
            memo[asked] = RecodedColumn(column, places, list(partition.domains)), partition
        found: Codes = memo[asked][0]
        return found

    def looked_at(self, attributes: Sequence[str], conventions: Conventions) -> GpuEngine | None:
        """All rows, or of many records the combinations that occur; None where these are too many as well.

        Who has several records, and what they weigh, is looked at record by record.
        """
        several = conventions.identifiers and self.distinct(conventions.identifiers) < self.records
        if not self._counted_there or conventions.weights is not None or several:
            return self
        memo, asked = self.memo("combinations"), tuple(dict.fromkeys(attributes))
        if asked not in memo:
            self.load(asked)
            memo[asked] = combinations(self.card, [self.column(name) for name in asked])
        if memo[asked] is None:
            return None
        columns, times = memo[asked]
        held = dict(zip(asked, columns, strict=True))
        return self.like(Columns(self.source.name, asked, len(times), held.__getitem__), times)

    def has_each_record(self, attributes: Sequence[str]) -> bool:
        return not self._counted_there and super().has_each_record(attributes)

    @property
    def _counted_there(self) -> bool:
        """Whether there are more records than are looked at one by one."""
        return not self.row_by_row and self.times is None and self.source.records > ROW_BY_ROW

    def distinct(self, attributes: Sequence[str], missing_values: Markers = NONE) -> int:
        self.load(attributes, missing_values)
        columns = [self.column(attribute, missing_values) for attribute in attributes]
        return counting.distinct(self.card, columns)

    @property
    def subset_search(self) -> SubsetSearch:
        def find(columns: Sequence[Codes], target: Codes | None, times: Any, largest: int, step: Any) -> Any:
            return subset_sums(self.card, columns, target, times, largest, step)

        return SubsetSearch(find, WORK)

    @property
    def dealing(self) -> Dealing | None:
        free = free_bytes(self.card.xp)
        if free is not None and self.records * counting.DEALT_ROW > free:
            return None
        deal = partial(counting.shuffled, self.card)
        return Dealing(deal, counting.DEALT_PAY, counting.DEALT_SECONDS)

    @property
    def level_search(self) -> LevelSearch:
        def search(*asked: Any) -> Any:
            return levels.level_search(self.card, levels.LevelQuestion(*asked))

        return LevelSearch(
            search,
            partial(held_rows.key_classes, self.card),
            partial(held_rows.class_cells, self.card),
            levels.WORK,
        )
