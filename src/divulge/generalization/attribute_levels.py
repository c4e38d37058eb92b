"""A quasi-identifier at every level of its hierarchy, and how the codes of several are packed into keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import LevelTables
from divulge.engines.base import LevelSearch
from divulge.errors import PartitionError
from divulge.table.codes import MISSING, Codes, narrow
from divulge.table.hierarchy import Hierarchy
from divulge.table.packing import ranked, told_apart

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


def attribute_levels(
    column: Codes, hierarchy: Hierarchy, name: str, times: npt.NDArray[Any] | None
) -> AttributeLevels:
    """A column at every level of a hierarchy, refused where it has a value that the hierarchy has not."""
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


def level_tables(attributes: Sequence[AttributeLevels]) -> LevelTables:
    """How keys are packed, and the tables from level to level; losses are not in yet."""
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


def key_classes(
    attributes: Sequence[AttributeLevels], fields: LevelTables, own: LevelSearch | None = None
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32]]:
    """The keys that occur, a row of words for each, and which each record has; some records at a time.

    ``own`` is an engine's own way, which is tried first.
    """
    records, words = len(attributes[0].codes), int(fields.word.max()) + 1
    if own is not None and words == 1:
        columns = [(one.codes, one.place, int(up)) for one, up in zip(attributes, fields.shift, strict=True)]
        found: tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32]] | None = own.classes(columns)
        if found is not None:
            return found
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
    place = np.zeros(words.shape[1], np.int64)
    if len(words) > 1:
        for one in words:
            number, bound = ranked(one)
            place = ranked(place * bound + number)[0]
    first, class_of = told_apart(words[0] if len(words) == 1 else place)
    return np.ascontiguousarray(words[:, first].T), class_of.astype(np.int32)
