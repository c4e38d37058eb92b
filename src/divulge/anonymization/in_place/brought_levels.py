"""Groups of coarse levels brought over: every level that is coarser still is then found here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import TargetTables
from divulge.anonymization.in_place.node_queries import NodeQueries
from divulge.generalization.attribute_levels import AttributeLevels, Integers, key_classes, level_tables
from divulge.generalization.encoding import GeneralizationTable, target_codes
from divulge.generalization.target_cells import class_cells
from divulge.generalization.transformations import Levels
from divulge.questions.data import Data
from divulge.table.codes import MISSING
from divulge.table.partition import Partition


@dataclass(frozen=True, eq=False)
class BroughtLevels:
    """The groups of one node with all that is asked of their records: a row for each combination.

    A group is told by one of its values, so that it is in the right group of every coarser level.
    """

    levels: Levels
    data: Data
    table: GeneralizationTable

    @property
    def cells(self) -> int:
        """How many cells came over."""
        return self.data.source.records * len(self.data.source.attributes)

    def holds(self, levels: Sequence[int]) -> bool:
        """Whether a node is at least as coarse."""
        return all(own <= other for own, other in zip(self.levels, levels, strict=True))


class LevelsAtHand:
    """Nodes whose groups are few enough to be brought over, at most so many cells, each as fine as fits."""

    def __init__(
        self,
        queries: NodeQueries,
        others: Sequence[str],
        partitions: dict[str, Partition],
        named: tuple[str, ...],
        most: int,
    ) -> None:
        self._queries, self._others, self._partitions = queries, tuple(others), partitions
        self._named, self._most = named, most
        self._held: list[BroughtLevels] = []
        self._rows: dict[Levels, int] = {}

    def at(self, levels: Levels) -> BroughtLevels | None:
        """What was brought over for a node, or is now; None where its groups are too many."""
        found = next((one for one in self._held if one.holds(levels)), None)
        if found is not None or not self._fits(levels):
            return found
        found = self._fetched(self._finest(levels))
        kept, room = [found], 2 * self._most - found.cells
        for one in self._held:  # those that came last are asked for again soonest
            room -= one.cells
            if room >= 0 and not found.holds(one.levels):
                kept.append(one)
        self._held = kept
        return found

    def _finest(self, levels: Levels) -> Levels:
        """The finest node that fits on a chain from one that fits down to the values themselves."""
        chain = [levels]
        while (down := _next_down(chain[-1])) is not None:
            chain.append(down)
        low, high = 0, len(chain)  # the first of them fits; one beyond the last stands for none
        while high - low > 1:
            middle = (low + high) // 2
            if self._fits(chain[middle]):
                low = middle
            else:
                high = middle
        return chain[low]

    def _fits(self, levels: Levels) -> bool:
        """Whether the combinations of a node are few enough to be brought over."""
        width = len(levels) + len(self._others)
        finer = (
            rows for at, rows in self._rows.items() if all(a <= b for a, b in zip(at, levels, strict=True))
        )
        coarser = (
            rows for at, rows in self._rows.items() if all(a >= b for a, b in zip(at, levels, strict=True))
        )
        if self._possible(levels) * width <= self._most or min(finer, default=math.inf) * width <= self._most:
            return True
        if max(coarser, default=0) * width > self._most:
            return False
        query = f"SELECT count(*) AS n FROM ({self._queries.combinations(levels, self._others)}) AS g"
        self._rows[levels] = int(self._queries.place.numbers(query)[0][0])
        return self._rows[levels] * width <= self._most

    def _possible(self, levels: Levels) -> float:
        """How many combinations there could be."""
        groups = (len(one.leaves[level]) for one, level in zip(self._queries.attributes, levels, strict=True))
        values = (self._queries.records.values[name].cardinality for name in self._others)
        return math.prod(map(float, (*groups, *values)))

    def _fetched(self, levels: Levels) -> BroughtLevels:
        queries = self._queries
        *codes, times = (
            one.astype(np.int64) for one in queries.place.numbers(queries.combinations(levels, self._others))
        )
        groups, rest = codes[: len(levels)], codes[len(levels) :]
        told = [
            _first_codes(one, level)[group]
            for one, level, group in zip(queries.attributes, levels, groups, strict=True)
        ]
        names = [*(one.name for one in queries.attributes), *self._others]
        data = queries.records.as_data(names, [*told, *rest], times)
        return BroughtLevels(levels, data, self._table(data, told, times))

    def _table(self, data: Data, told: Sequence[Integers], times: Integers) -> GeneralizationTable:
        """The classes of the rows that are counted, as the search reads them."""
        queries, counted = self._queries, data
        if data.missing == "drop":
            whole = np.logical_and.reduce([codes != MISSING for codes in told])
            rows = np.flatnonzero(whole)
            counted, told, times = data.taking(rows), [codes[rows] for codes in told], times[rows]
        attributes = tuple(
            replace(one, codes=codes) for one, codes in zip(queries.attributes, told, strict=True)
        )
        keys, class_of = key_classes(attributes, level_tables(attributes))
        sizes = np.bincount(class_of, weights=times, minlength=len(keys)).astype(np.int64)
        columns = [target_codes(counted, target, self._partitions) for target in queries.targets]
        return GeneralizationTable(
            queries.attributes,
            keys,
            sizes,
            class_of,
            queries.target_tables,
            tuple(class_cells(class_of, len(keys), one, times, None) for one in columns),
            self._named,
        )


def base_table(
    attributes: tuple[AttributeLevels, ...], targets: tuple[TargetTables, ...], named: tuple[str, ...]
) -> GeneralizationTable:
    """A table of which levels and targets are known, and no class: all records are taken together."""
    words = int(level_tables(attributes).word.max()) + 1
    records = np.asarray([int(attributes[0].counts[0].sum())], np.int64)
    none: npt.NDArray[np.int32] = np.zeros(0, np.int32)
    return GeneralizationTable(attributes, np.zeros((1, words), np.uint64), records, none, targets, (), named)


def _first_codes(one: AttributeLevels, level: int) -> Integers:
    """A code of a value in each group of a level; a further group is of records with a gap."""
    group = one.groups[level][one.place]
    found = np.full(len(one.leaves[level]) + 1, MISSING, np.int64)
    used = np.unique(one.codes)
    found[group[used][::-1]] = used[::-1]
    return found


def _next_down(levels: Levels) -> Levels | None:
    """One level down in the attribute that has most levels left; None at the values themselves."""
    most = max(levels)
    if most == 0:
        return None
    place = levels.index(most)
    return (*levels[:place], most - 1, *levels[place + 1 :])
