"""How often the values of a target occur in each class, and in the whole table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import CellTables, TargetTables
from divulge.counting.value_structure import levels_of, ranks_of
from divulge.engines.base import LevelSearch
from divulge.generalization.attribute_levels import CHUNK, Integers
from divulge.questions.data import Data
from divulge.table.codes import Codes
from divulge.table.partition import Bins, Partition


def class_cells(
    class_of: npt.NDArray[np.int32],
    classes: int,
    target: Codes,
    times: npt.NDArray[Any] | None,
    weights: npt.NDArray[np.float64] | None,
    own: LevelSearch | None = None,
) -> CellTables:
    """How often each value occurs in each class, and with what weight; some records at a time.

    ``own`` is an engine's own way, which is tried first.
    """
    if own is not None and weights is None:
        counted: CellTables | None = own.cells(class_of, classes, target.codes, len(target.values), times)
        if counted is not None:
            return counted
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


def chosen_cells(cells: CellTables, chosen: Integers) -> CellTables:
    lengths = np.diff(cells.start)[chosen]
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    places = np.repeat(cells.start[:-1][chosen] - start[:-1], lengths) + np.arange(int(start[-1]))
    weight = None if cells.weight is None else cells.weight[places]
    return CellTables(start, cells.value[places], cells.times[places], weight)


def merged_cells(cells: CellTables, owner: Integers, classes: int, values: int) -> CellTables:
    before = np.repeat(owner, np.diff(cells.start)) * values + cells.value
    words, place = np.unique(before, return_inverse=True)
    times = np.bincount(place, weights=cells.times).astype(np.int32)
    weight = None if cells.weight is None else np.bincount(place, weights=cells.weight)
    start = np.searchsorted(words // values, np.arange(classes + 1)).astype(np.int32)
    return CellTables(start, (words % values).astype(np.int32), times, weight)


def target_tables(
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
