"""A table as the search reads it: each attribute at every level, classes with their counts, and targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import CellTables, LevelTables, TargetTables
from divulge.counting.value_structure import levels_of, ranks_of
from divulge.errors import PartitionError
from divulge.questions.data import Data
from divulge.table.codes import MISSING, Codes, narrow
from divulge.table.hierarchy import Hierarchy
from divulge.table.packing import coded, packed
from divulge.table.partition import Bins, Partition

Integers = npt.NDArray[np.int64]
WORD = 64  # bits of a packed key
CHUNK = 1 << 18  # records whose keys are made at a time


@dataclass(frozen=True, eq=False)
class AttributeLevels:
    """A quasi-identifier at every level of its hierarchy, as far as its values occur.

    ``groups[level]`` has the group of each value that occurs, ``leaves[level]`` how many values of the
    hierarchy each group stands for, ``counts[level]`` how many records have it. ``domain`` is how many values
    the hierarchy has, whether they occur or not.
    """

    name: str
    codes: npt.NDArray[Any]  # of each record, as the data have them
    place: Integers  # the group at level 0 of each of these codes
    groups: tuple[Integers, ...]
    leaves: tuple[Integers, ...]
    counts: tuple[Integers, ...]
    domain: int
    names: tuple[tuple[str | None, ...], ...] = ()  # what each group is released as, by level; None: missing
    values: Sequence[str] = ()  # of the hierarchy, whether they occur or not

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.groups) - 1

    @property
    def width(self) -> int:
        """How many groups a level has at most."""
        return max(len(one) for one in self.leaves)

    def next_groups(self, level: int) -> Integers:
        """For each group of a level the one it is in at the next level."""
        up = np.zeros(len(self.leaves[level]), np.int64)
        up[self.groups[level]] = self.groups[level + 1]
        return up


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
        found: Integers = np.unique(packed(columns, len(self.keys)), return_inverse=True)[1]
        return found

    def restricted(self, chosen: Integers) -> GeneralizationTable:
        """The same with some of the classes only; groups are still compared with the whole table."""
        return replace(
            self,
            keys=self.keys[chosen],
            sizes=self.sizes[chosen],
            class_of=np.zeros(0, np.int32),
            cells=tuple(_chosen_cells(one, chosen) for one in self.cells),
        )

    def reduced(
        self, attributes: tuple[AttributeLevels, ...], owner: Integers, codes: Sequence[Integers]
    ) -> GeneralizationTable:
        """Classes of classes as a table of its own, with other levels; ``codes`` are those of each class."""
        fields = _fields(attributes)
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
                _merged_cells(one, owner, classes, len(target.share))
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
        return _fields(self.attributes)


def encoded(
    data: Data,
    hierarchies: Mapping[str, Hierarchy],
    targets: Sequence[Sequence[str]],
    partitions: Mapping[str, Partition],
) -> GeneralizationTable:
    """A table with the hierarchies of its quasi-identifiers, and targets that may be several attributes."""
    named = tuple(hierarchies)
    data.load([*named, *(name for target in targets for name in target)])
    found = [_attribute(data.column(name), hierarchies[name], name, data.times) for name in named]
    return generalization_table(data, found, targets, partitions)


def generalization_table(
    data: Data,
    found: Sequence[AttributeLevels],
    targets: Sequence[Sequence[str]],
    partitions: Mapping[str, Partition],
) -> GeneralizationTable:
    """The classes of attributes whose levels are known, with targets; rows may stand for many records."""
    attributes = tuple(sorted(found, key=lambda one: -len(one.leaves[0])))
    fields = _fields(attributes)
    keys, class_of = _classes(attributes, fields)
    sizes = np.bincount(class_of, weights=data.times, minlength=len(keys))
    columns = [target_codes(data, target, partitions) for target in targets]
    return GeneralizationTable(
        attributes,
        keys,
        sizes.astype(np.int64),
        class_of,
        tuple(_target(data, target, one, partitions) for target, one in zip(targets, columns, strict=True)),
        tuple(_cells(class_of, len(keys), one, data.times, data.record_weights()) for one in columns),
        tuple(one.name for one in found),
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


def _attribute(
    column: Codes, hierarchy: Hierarchy, name: str, times: npt.NDArray[Any] | None
) -> AttributeLevels:
    used = column.used()
    present = Codes(narrow(used, len(column.values)), column.values)
    groups, leaves, names = list[Integers](), list[Integers](), list[tuple[str | None, ...]]()
    for level in range(hierarchy.levels + 1):
        partition = hierarchy.level(level)
        try:
            placed = partition.apply(present, attribute=name).codes
        except PartitionError:
            partition.apply(column, attribute=name)  # refused once more, with the records it is about
            raise
        occurring, dense = np.unique(placed, return_inverse=True)
        stands = [1, *(len(values) for values in partition.domains.values())]
        stands[MISSING] = 1
        groups.append(dense.astype(np.int64))
        leaves.append(np.asarray(stands, np.int64)[occurring])
        called = [None, *partition.domains]
        names.append(tuple(called[code] for code in occurring.tolist()))
    place = np.zeros(column.cardinality, np.int64)
    place[used] = np.arange(len(used))
    often = column.frequencies(times)[used]
    first = np.zeros(len(leaves[0]), np.int64)
    first[groups[0]] = np.arange(len(used))  # a value of each group of level 0, which has one value as a rule
    counts = [np.bincount(one, weights=often).astype(np.int64) for one in groups]
    return AttributeLevels(
        name,
        column.codes,
        groups[0][place],
        tuple(one[first] for one in groups),
        tuple(leaves),
        tuple(counts),
        len(hierarchy.values),
        tuple(names),
        hierarchy.values,
    )


def _fields(attributes: Sequence[AttributeLevels]) -> LevelTables:
    bits = [max(1, (one.width - 1).bit_length()) for one in attributes]
    shift, word, used = list[int](), list[int](), WORD
    for wide in bits:  # a field is in one word, the next where it would not fit
        if used + wide > WORD:
            word.append(word[-1] + 1 if word else 0)
            used = 0
        else:
            word.append(word[-1])
        shift.append(used)
        used += wide
    mask = np.asarray([(1 << one) - 1 for one in bits], np.int64)
    height = np.asarray([one.height for one in attributes], np.int64)
    sizes = (height + 1) * (mask + 1)
    table = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    up = np.zeros(int(sizes.sum()), np.int32)
    for one, start, wide in zip(attributes, table.tolist(), (mask + 1).tolist(), strict=True):
        for level in range(one.height):
            row = start + level * wide
            up[row : row + len(one.leaves[level])] = one.next_groups(level)
    stride = np.concatenate([np.cumprod((height + 1)[::-1])[::-1][1:], [1]]).astype(np.int64)
    places = np.asarray(shift, np.int64), np.asarray(word, np.int64)
    return LevelTables(places[0], mask, height, table, up, np.zeros(len(up)), stride, places[1])


def _classes(
    attributes: Sequence[AttributeLevels], fields: LevelTables
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32]]:
    """The keys that occur, a row of words for each, and which each record has; some records at a time."""
    records, words = len(attributes[0].codes), int(fields.word.max()) + 1
    class_of, parts, ends = np.zeros(records, np.int32), list[npt.NDArray[np.uint64]](), [0]
    for start in range(0, records, CHUNK):
        rows = slice(start, min(start + CHUNK, records))
        packed_words = np.zeros((words, rows.stop - start), np.uint64)
        for one, word, shift in zip(attributes, fields.word, fields.shift, strict=True):
            packed_words[word] |= one.place[one.codes[rows]].astype(np.uint64) << np.uint64(shift)
        keys, class_of[rows] = _distinct(packed_words)
        parts.append(keys)
        ends.append(ends[-1] + len(keys))
    if len(parts) == 1:
        return parts[0], class_of
    keys, place = _distinct(np.ascontiguousarray(np.concatenate(parts).T))
    for start, first, end in zip(range(0, records, CHUNK), ends, ends[1:], strict=False):
        rows = slice(start, min(start + CHUNK, records))
        class_of[rows] = place[first:end][class_of[rows]]
    return keys, class_of


def _distinct(
    words: npt.NDArray[np.uint64],
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32]]:
    """The keys that occur, a row for each, and which each record has."""
    if len(words) == 1:
        keys, class_of = np.unique(words[0], return_inverse=True)
        return keys.reshape(-1, 1), class_of.astype(np.int32)
    place = np.zeros(words.shape[1], np.int64)
    for one in words:
        word = np.unique(one, return_inverse=True)[1]
        place = np.unique(place * (int(word.max()) + 1) + word, return_inverse=True)[1]
    _, first, class_of = np.unique(place, return_index=True, return_inverse=True)
    return np.ascontiguousarray(words[:, first].T), class_of.astype(np.int32)


def _cells(
    class_of: npt.NDArray[np.int32],
    classes: int,
    target: Codes,
    times: npt.NDArray[Any] | None,
    weights: npt.NDArray[np.float64] | None,
) -> CellTables:
    """How often each value occurs in each class, and with what weight; some records at a time."""
    values, parts = len(target.values), list[Integers]()
    often, heavy = list[npt.NDArray[Any]](), list[npt.NDArray[np.float64]]()
    for start in range(0, len(class_of), CHUNK):
        rows = slice(start, start + CHUNK)
        cell = class_of[rows].astype(np.int64) * values + (target.codes[rows].astype(np.int64) - 1)
        words, place = np.unique(cell, return_inverse=True)
        parts.append(words)
        often.append(np.bincount(place, weights=None if times is None else times[rows]))
        if weights is not None:
            heavy.append(np.bincount(place, weights=weights[rows]).astype(np.float64))
    words, place = np.unique(np.concatenate(parts), return_inverse=True)
    counts = np.bincount(place, weights=np.concatenate(often)).astype(np.int32)
    weight = np.bincount(place, weights=np.concatenate(heavy)) if heavy else None
    begin = np.searchsorted(words // values, np.arange(classes + 1)).astype(np.int32)
    return CellTables(begin, (words % values).astype(np.int32), counts, weight)


def _chosen_cells(cells: CellTables, chosen: Integers) -> CellTables:
    lengths = np.diff(cells.start)[chosen]
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    places = np.repeat(cells.start[:-1][chosen] - start[:-1], lengths) + np.arange(int(start[-1]))
    weight = None if cells.weight is None else cells.weight[places]
    return CellTables(start, cells.value[places], cells.times[places], weight)


def _merged_cells(cells: CellTables, owner: Integers, classes: int, values: int) -> CellTables:
    before = np.repeat(owner, np.diff(cells.start)) * values + cells.value
    words, place = np.unique(before, return_inverse=True)
    times = np.bincount(place, weights=cells.times).astype(np.int32)
    weight = None if cells.weight is None else np.bincount(place, weights=cells.weight)
    start = np.searchsorted(words // values, np.arange(classes + 1)).astype(np.int32)
    return CellTables(start, (words % values).astype(np.int32), times, weight)


def _target(
    data: Data, target: Sequence[str], column: Codes, partitions: Mapping[str, Partition]
) -> TargetTables:
    """A target's shares in the whole table, with the order and the tree of its values if there are such."""
    values = list(column.values)
    weights = data.record_weights()
    if weights is None:
        often = column.frequencies(data.times)[1:].astype(np.float64)
    else:
        often = np.bincount(column.codes, weights=weights, minlength=len(values) + 1)[1:].astype(np.float64)
    share = often / often.sum()
    rank, below = np.zeros(0, np.int32), np.zeros(0)
    group = np.zeros((0, len(values)), np.int32)
    if len(target) == 1:
        [name] = target
        partition = partitions.get(name)
        order = list(partition.domains) if isinstance(partition, Bins) else data.orders.get(name)
        ranks = ranks_of(values, order if partition is None or isinstance(partition, Bins) else None)
        if ranks is not None:
            rank = np.asarray(ranks, np.int32)
            below = np.cumsum(np.bincount(rank, weights=share))
        if partition is None and name in data.hierarchies:
            group = levels_of(values, data.hierarchies[name], attribute=name).astype(np.int32)
    group_share = np.zeros(group.shape)
    for row, one in zip(group_share, group, strict=True):
        found = np.bincount(one, weights=share)
        row[: len(found)] = found
    return TargetTables(share, rank, below, np.ascontiguousarray(group), group_share)
