"""A table as the search reads it: each attribute at every level, classes with their counts, and targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import CellTables, LevelTables, TargetTables
from divulge._support.threads import cached_property
from divulge.engines.base import LevelSearch
from divulge.generalization.attribute_levels import (
    AttributeLevels,
    Integers,
    attribute_levels,
    key_classes,
    level_tables,
)
from divulge.generalization.target_cells import chosen_cells, class_cells, merged_cells, target_tables
from divulge.questions.data import Data
from divulge.table.codes import Codes, narrow
from divulge.table.hierarchy import Hierarchy
from divulge.table.packing import coded, packed, ranked
from divulge.table.partition import Partition


@dataclass(frozen=True, eq=False)
class GeneralizationTable:
    """The quasi-identifiers at every level, the classes of their values, and how targets occur in these.

    Attributes come in the order of the search: those of most values first, so that most of the work is done
    on classes that have been merged already.
    """

    attributes: tuple[AttributeLevels, ...]
    keys: npt.NDArray[np.uint64]  # a row for each class: the words that its codes are packed in
    sizes: Integers
    class_of: npt.NDArray[np.int32]  # of each record
    targets: tuple[TargetTables, ...]
    cells: tuple[CellTables, ...]
    named: tuple[str, ...]  # the attributes in the order of the data
    own: LevelSearch | None = None  # an engine's own way through all combinations of levels

    @property
    def records(self) -> int:
        """How many records there are."""
        return int(self.sizes.sum())

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many levels each attribute has, in the order of the search."""
        return tuple(one.height + 1 for one in self.attributes)

    @cached_property
    def nodes(self) -> int:
        """How many transformations there are."""
        found = 1
        for levels in self.shape:
            found *= levels
        return found

    def levels(self, node: int) -> tuple[int, ...]:
        """The level of each attribute at a node, in the order of the search."""
        return tuple(int(one) for one in np.unravel_index(node, self.shape))

    def by_name(self, levels: Sequence[int]) -> dict[str, int]:
        """Levels by attribute, in the order of the data."""
        found = {one.name: level for one, level in zip(self.attributes, levels, strict=True)}
        return {name: found[name] for name in self.named}

    def codes_at(self, levels: Sequence[int]) -> list[Integers]:
        """The group of each class at some levels, by attribute."""
        return [
            one.groups[level][self.values(place)]
            for place, (one, level) in enumerate(zip(self.attributes, levels, strict=True))
        ]

    def values(self, place: int) -> Integers:
        """The code of an attribute's value in each class, by the place of the attribute."""
        fields = self.fields
        shifted = self.keys[:, fields.word[place]] >> np.uint64(fields.shift[place])
        return shifted.astype(np.int64) & int(fields.mask[place])

    def merged(self, levels: Sequence[int]) -> Integers:
        """The class at some levels of each class of the values themselves."""
        columns = [
            (codes, len(one.leaves[level]))
            for codes, one, level in zip(self.codes_at(levels), self.attributes, levels, strict=True)
        ]
        return ranked(packed(columns, len(self.keys)))[0]

    def at_levels(self, others: Mapping[str, AttributeLevels]) -> GeneralizationTable:
        """The same classes with other levels of some attributes, whose first has the same groups."""
        return replace(self, attributes=tuple(others.get(one.name, one) for one in self.attributes))

    def restricted(self, chosen: Integers) -> GeneralizationTable:
        """The same with some of the classes only; groups are still compared with the whole table."""
        return replace(
            self,
            keys=self.keys[chosen],
            sizes=self.sizes[chosen],
            class_of=np.zeros(0, np.int32),
            cells=tuple(chosen_cells(one, chosen) for one in self.cells),
        )

    def reduced(
        self, attributes: tuple[AttributeLevels, ...], owner: Integers, codes: Sequence[Integers]
    ) -> GeneralizationTable:
        """Classes of classes as a table of its own, with other levels; ``codes`` are those of each class."""
        fields = level_tables(attributes)
        classes = int(owner.max()) + 1
        keys = np.zeros((classes, int(fields.word.max()) + 1), np.uint64)
        for column, word, shift in zip(codes, fields.word, fields.shift, strict=True):
            keys[:, word] |= column.astype(np.uint64) << np.uint64(shift)
        return replace(
            self,
            attributes=attributes,
            keys=keys,
            sizes=np.bincount(owner, weights=self.sizes).astype(np.int64),
            class_of=np.zeros(0, np.int64),
            cells=tuple(
                merged_cells(one, owner, classes, len(target.share))
                for one, target in zip(self.cells, self.targets, strict=True)
            ),
        )

    @cached_property
    def codes_by_level(self) -> npt.NDArray[np.int32]:
        """The group of each value at each level, laid out as the fields are."""
        found = np.zeros(len(self.fields.up), np.int32)
        for one, start, mask in zip(
            self.attributes, self.fields.table.tolist(), self.fields.mask.tolist(), strict=True
        ):
            for level, groups in enumerate(one.groups):
                row = start + level * (mask + 1)
                found[row : row + len(groups)] = groups
        return found

    @cached_property
    def fields(self) -> LevelTables:
        """How keys are packed, and the tables from level to level; losses are not in yet."""
        return level_tables(self.attributes)


def encoded(
    data: Data,
    hierarchies: Mapping[str, Hierarchy],
    targets: Sequence[Sequence[str]],
    partitions: Mapping[str, Partition],
) -> GeneralizationTable:
    """A table with the hierarchies of its quasi-identifiers, and targets that may be several attributes."""
    named = tuple(hierarchies)
    data.load([*named, *(name for target in targets for name in target)])
    found = [attribute_levels(data.column(name), hierarchies[name], name, data.times) for name in named]
    return generalization_table(data, found, targets, partitions)


def generalization_table(
    data: Data,
    found: Sequence[AttributeLevels],
    targets: Sequence[Sequence[str]],
    partitions: Mapping[str, Partition],
) -> GeneralizationTable:
    """The classes of attributes whose levels are known, with targets; rows may stand for many records."""
    attributes = tuple(sorted(found, key=lambda one: -len(one.leaves[0])))
    fields = level_tables(attributes)
    own = data.level_search
    keys, class_of = key_classes(attributes, fields, own)
    sizes = np.bincount(class_of, weights=data.times, minlength=len(keys))
    columns = [target_codes(data, target, partitions) for target in targets]
    return GeneralizationTable(
        attributes,
        keys,
        sizes.astype(np.int64),
        class_of,
        tuple(
            target_tables(data, target, one, partitions) for target, one in zip(targets, columns, strict=True)
        ),
        tuple(
            class_cells(class_of, len(keys), one, data.times, data.record_weights(), own) for one in columns
        ),
        tuple(one.name for one in found),
        own,
    )


def target_codes(data: Data, target: Sequence[str], partitions: Mapping[str, Partition]) -> Codes:
    """A target as it is counted: the values that occur, numbered from 1 on, missing among them."""
    columns = [
        partitions[name].apply(data.column(name), attribute=name) if name in partitions else data.column(name)
        for name in target
    ]
    if len(columns) == 1:
        [column] = columns
        used = column.used()
        table = np.zeros(column.cardinality, np.int64)
        table[used] = np.arange(1, len(used) + 1)
        return column.recode(table, [column.value(code) for code in used.tolist()])
    _, first, number = np.unique(
        packed(coded(columns), len(columns[0].codes)), return_index=True, return_inverse=True
    )
    rows = zip(*(one.values_of(one.codes[first]) for one in columns), strict=True)
    return Codes(narrow(number + 1, len(first)), list(rows))
