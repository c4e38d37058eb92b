"""The search through the lattice of generalization levels, by compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import Structure, addressof, byref, c_double, c_int64, c_void_p
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function, within

Array = npt.NDArray[Any]
MOST_ATTRIBUTES = 64
KINDS = 15  # of bounds that the loops know


class _Target(Structure):
    _fields_ = [
        *((name, c_int64) for name in ("values", "occurring", "ranks", "heights")),
        *((name, c_void_p) for name in ("share", "rank", "below", "group", "group_share")),
    ]


class _Criterion(Structure):
    _fields_ = [("kind", c_int64), ("target", c_int64), ("parameter", c_int64), ("bound", c_double)]


class _Lattice(Structure):
    _fields_ = [
        *((name, c_int64) for name in ("attributes", "targets", "criteria", "records", "limit")),
        *((name, c_int64) for name in ("entropy_loss", "logs_length", "most_codes", "words")),
        *((name, c_void_p) for name in ("shift", "mask", "height", "table", "up", "extra", "stride")),
        *((name, c_void_p) for name in ("word", "target", "criterion", "logs")),
    ]


class _Cells(Structure):
    _fields_ = [("start", c_void_p), ("value", c_void_p), ("times", c_void_p)]


class _Classes(Structure):
    _fields_ = [("key", c_void_p), ("size", c_void_p), ("cells", c_void_p), ("count", c_int64)]


class _Found(Structure):
    _fields_ = [
        *((name, c_void_p) for name in ("classes", "kept", "suppressed", "least", "unique")),
        *((name, c_void_p) for name in ("squares", "record_bits", "extra")),
        *((name, c_void_p) for name in ("left", "least_left", "entropy", "top")),
    ]


class _Numbers(Structure):
    _fields_ = [*((name, c_void_p) for name in ("split", "rank", "lower", "upper")), ("log_unit", c_double)]


class NumberTables(NamedTuple):
    """Attributes that are split where their numbers lie: laid out as the levels are, in the rows of level 0.

    A range of numbers costs a record ``upper`` of the last less ``lower`` of the first; where ``log_unit`` is
    above 0, that many times log2 of it.
    """

    split: Array  # by attribute: 1 where it is split so
    rank: Array  # of each code among the numbers; -1 where it is no number
    lower: Array
    upper: Array
    log_unit: float = 0.0

    @classmethod
    def none(cls, levels: LevelTables) -> NumberTables:
        """No attribute is split by numbers."""
        entries, attributes = len(levels.up), len(levels.shift)
        return cls(
            np.zeros(attributes, np.int64),
            np.full(entries, -1, np.int32),
            np.zeros(entries),
            np.zeros(entries),
        )


class LevelTables(NamedTuple):
    """How keys are packed, and what becomes of the codes of each attribute from level to level.

    ``up`` and ``extra`` hold for each attribute, from ``table`` on, a row of mask + 1 entries for each level:
    the code at the next level, and what suppressing a record adds to its loss.
    """

    shift: Array
    mask: Array
    height: Array
    table: Array
    up: Array
    extra: Array
    stride: Array
    word: Array  # of the key that an attribute's field is in


class TargetTables(NamedTuple):
    """A target's shares in the whole table, the ranks of its values, and their groups by height."""

    share: Array
    rank: Array  # none where values have no order
    below: Array  # by rank: the share of all values up to it
    group: Array  # a row for each height; no row where values have no tree
    group_share: Array


class CellTables(NamedTuple):
    """How often the values of a target occur in each class, class by class.

    ``weight`` is the weight of these records; loops, which count them, do not read it.
    """

    start: Array
    value: Array
    times: Array
    weight: Array | None = None


class NodeSums(NamedTuple):
    """What is found of every node: classes, and sums over the classes that are kept."""

    classes: Array
    kept: Array
    suppressed: Array
    least: Array
    unique: Array
    squares: Array
    record_bits: Array
    extra: Array  # by node and attribute
    left: Array  # by node and target, as are those below
    least_left: Array
    entropy: Array
    top: Array

    @classmethod
    def room(cls, nodes: int, attributes: int, targets: int) -> NodeSums:
        """Room to write to; a node that is never written reads as one that suppresses too much."""
        classes, kept, least, unique = (np.zeros(nodes, np.int64) for _ in range(4))
        suppressed = np.full(nodes, np.iinfo(np.int64).max)
        left, least_left, entropy, top = (np.zeros((nodes, targets)) for _ in range(4))
        return cls(
            *(classes, kept, suppressed, least, unique),
            *(np.zeros(nodes), np.zeros(nodes), np.zeros((nodes, attributes))),
            *(left, least_left, entropy, top),
        )


@lru_cache(maxsize=1)
def logarithms() -> Array:
    """log2 of small numbers, 0 of 0."""
    return np.log2(np.maximum(np.arange(1 << 16), 1.0))


class GeneralizationLoops:
    """The loops over one table's classes, whose arrays ``generalization/encoding.py`` describes."""

    def __init__(
        self,
        levels: LevelTables,
        targets: Sequence[TargetTables],
        criteria: Sequence[tuple[int, int, int, float]],
        key: Array,
        size: Array,
        cells: Sequence[CellTables],
        *,
        limit: int,
        entropy_loss: bool,
    ) -> None:
        attributes, count = len(levels.shift), len(key)
        if not 0 < attributes <= MOST_ATTRIBUTES or len(cells) != len(targets) or count >= 1 << 31:
            raise ValueError("a loop was given a table that it does not hold")
        self._check_levels(levels)
        words = key.shape[1]
        within(levels.word, words)
        for kind, target, parameter, _ in criteria:
            if not 0 <= kind < KINDS or not (kind < 2 or 0 <= target < len(targets)) or parameter < 0:
                raise ValueError("a loop was given a bound that it does not know")
        self.attributes, self.targets = attributes, len(targets)
        self.nodes = int(np.prod(levels.height + 1))
        logs = logarithms()
        widest = max([int(levels.mask.max()) + 1, *(len(one.share) for one in targets)])
        self._targets = (_Target * max(len(targets), 1))(*map(_target, targets))
        self._criteria = (_Criterion * max(len(criteria), 1))(*(_Criterion(*one) for one in criteria))
        self._cells = (_Cells * max(len(cells), 1))(
            *(_cells(one, count, len(target.share)) for one, target in zip(cells, targets, strict=True))
        )
        self._base = _Classes(
            address(key, np.uint64, count * words),
            address(size, np.int64, count),
            addressof(self._cells),
            count,
        )
        entries = len(levels.up)
        self._lattice = _Lattice(
            *(attributes, len(targets), len(criteria), int(size.sum()), limit, int(entropy_loss)),
            *(len(logs), widest, words),
            *(address(one, np.int64, attributes) for one in levels[:4]),
            address(levels.up, np.int32, entries),
            address(levels.extra, np.float64, entries),
            address(levels.stride, np.int64, attributes),
            address(levels.word, np.int64, attributes),
            *(addressof(self._targets), addressof(self._criteria), address(logs, np.float64, len(logs))),
        )
        self._held = levels, targets, key, size, cells, logs
        self._height = levels.height

    @staticmethod
    def _check_levels(levels: LevelTables) -> None:
        """Refuse tables that could lead out of a field, or that do not hold a row for each level."""
        for shift, mask, height, table in zip(*(one.tolist() for one in levels[:4]), strict=True):
            rows = levels.up[table : table + (height + 1) * (mask + 1)]
            if len(rows) != (height + 1) * (mask + 1) or shift < 0 or mask >= 1 << (64 - shift):
                raise ValueError("a loop was given levels that do not fit their keys")
            within(rows, mask + 1)
        if len(levels.extra) != len(levels.up):
            raise ValueError("a loop was given losses that do not fit the levels")

    def explore(self, first: Sequence[int], found: NodeSums) -> None:
        """Find all nodes with these levels of the first attributes."""
        if len(first) > self.attributes or (np.asarray(first) > self._height[: len(first)]).any():
            raise ValueError("a loop was given levels that there are not")
        start = np.zeros(self.attributes, np.int64)
        start[: len(first)] = first
        whole = [address(one, np.int64, self.nodes, write=True) for one in found[:5]]
        sums = [address(one, np.float64, self.nodes, write=True) for one in found[5:7]]
        extra = address(found.extra, np.float64, self.nodes * self.attributes, write=True)
        by_target = [address(one, np.float64, self.nodes * self.targets, write=True) for one in found[8:]]
        to = _Found(*whole, *sums, extra, *by_target)
        run = function("generalization_explore", "pppip", "i")
        lattice, base = byref(self._lattice), byref(self._base)
        if run(lattice, base, address(start, np.int64, self.attributes), len(first), byref(to)):
            raise MemoryError

    def specialize(
        self, at: Array, factors: Array, numbers: NumberTables, groups: Sequence[Array], levels: Array
    ) -> tuple[Array, Array]:
        """Groups of classes, each with its levels, made finer while every part is within bounds.

        ``at`` has the code of each value at each level, laid out as the levels are. What comes is the level
        of each attribute for each class, and the part that it is in; those in no group keep 0 and -1.
        """
        members = np.concatenate([*groups, np.zeros(0, np.int32)]).astype(np.int32)
        count, entries = len(self._held[2]), len(self._held[0].up)
        within(members, count)
        if len(np.unique(members)) < len(members) or (levels > self._height).any() or (levels < 0).any():
            raise ValueError("a loop was given groups that overlap, or levels that there are not")
        for mask, height, table in zip(*(one.tolist() for one in self._held[0][1:4]), strict=True):
            within(at[table : table + (height + 1) * (mask + 1)], mask + 1)
            within(numbers.rank[table : table + mask + 1] + 1, mask + 2)
        start = np.concatenate([[0], np.cumsum([len(one) for one in groups])]).astype(np.int64)
        found, part_of = np.zeros((count, self.attributes), np.int32), np.full(count, -1, np.int32)
        split = _Numbers(
            address(numbers.split, np.int64, self.attributes),
            address(numbers.rank, np.int32, entries),
            address(numbers.lower, np.float64, entries),
            address(numbers.upper, np.float64, entries),
            numbers.log_unit,
        )
        run = function("generalization_specialize", "pppppppippp", "i")
        if run(
            *(byref(self._lattice), byref(self._base)),
            address(at, np.int32, entries),
            address(factors, np.float64, self.attributes),
            byref(split),
            address(members, np.int32, len(members), write=True),
            *(address(start, np.int64, len(groups) + 1), len(groups)),
            address(levels, np.int64, len(groups) * self.attributes),
            address(found, np.int32, count * self.attributes, write=True),
            address(part_of, np.int32, count, write=True),
        ):
            raise MemoryError
        return found, part_of


def _target(one: TargetTables) -> _Target:
    values, ranks, heights = len(one.share), len(one.below), len(one.group)
    within(one.rank, max(ranks, 1))
    within(one.group.ravel(), max(values, 1))
    return _Target(
        *(values, int(np.count_nonzero(one.share)), ranks, heights),
        address(one.share, np.float64, values),
        address(one.rank, np.int32, values if ranks else 0),
        address(one.below, np.float64, ranks),
        address(one.group, np.int32, heights * values),
        address(one.group_share, np.float64, heights * values),
    )


def _cells(one: CellTables, classes: int, values: int) -> _Cells:
    cells = len(one.value)
    if one.start[0] != 0 or one.start[-1] != cells or (np.diff(one.start) < 1).any():
        raise ValueError("a loop was given classes that do not hold their cells one after the other")
    within(one.value, values)
    return _Cells(
        address(one.start, np.int32, classes + 1),
        address(one.value, np.int32, cells),
        address(one.times, np.int32, cells),
    )
