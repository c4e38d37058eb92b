"""Nodes of the lattice one by one, in NumPy: what compiled loops find, from the measures' own statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import CellTables, NodeSums, TargetTables
from divulge.counting.counts import Cells, Compared, JointCounts
from divulge.counting.statistics import (
    DISCLOSURE,
    DISTINCT,
    DIVERGENCE,
    ENHANCED_GAIN,
    ENTROPY,
    GAIN,
    TOP_SHARE,
    distance,
    dominance,
    xlog2x,
)
from divulge.generalization.criteria import LOW, Criteria, Criterion, Kind
from divulge.generalization.encoding import GeneralizationTable
from divulge.generalization.losses import LossTables

_STATISTICS = {
    Kind.DISTINCT: DISTINCT,
    Kind.TOP_SHARE: TOP_SHARE,
    Kind.EQUAL: distance("equal"),
    Kind.ORDERED: distance("ordered"),
    Kind.HIERARCHICAL: distance("hierarchical"),
    Kind.DISCLOSURE: DISCLOSURE,
    Kind.GAIN: GAIN,
    Kind.ENHANCED_GAIN: ENHANCED_GAIN,
    Kind.DIVERGENCE: DIVERGENCE,
}


def plain_node(
    table: GeneralizationTable,
    criteria: Criteria,
    costs: LossTables,
    limit: int,
    levels: Sequence[int],
    node: int,
    found: NodeSums,
) -> None:
    """Find a node by its levels, and write what is found of it to a place."""
    owner = table.merged(levels)
    sizes, counts, bad = _grouped(table, criteria.of_classes, owner)
    suppressed = int(sizes[bad].sum())
    found.classes[node], found.suppressed[node] = len(sizes), suppressed
    if suppressed > limit:
        return
    kept = sizes[~bad]
    found.kept[node] = len(kept)
    found.least[node] = kept.min() if len(kept) else np.iinfo(np.int64).max
    found.unique[node] = int((kept == 1).sum())
    found.small[node] = int(kept[kept < criteria.few].sum())
    found.squares[node] = float((kept.astype(np.float64) ** 2).sum())
    found.record_bits[node] = float(xlog2x(kept).sum())
    found.extra[node] = _extra(table, costs, levels, bad[owner])
    if len(kept):
        for place, joint in enumerate(counts):
            _target_sums(joint, sizes, bad, node, place, found)


def beyond_bounds(
    table: GeneralizationTable, criteria: tuple[Criterion, ...], owner: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Whether each group of classes is beyond a bound; ``owner`` is the group of each class, from 0 on."""
    sizes = np.bincount(owner, weights=table.sizes).astype(np.int64)
    counts = {
        place: counted_groups(owner, sizes, table.cells[place], table.targets[place])
        for place in {one.target for one in criteria} - {-1}
    }
    return _beyond_any(criteria, sizes, counts)


def _grouped(
    table: GeneralizationTable, criteria: tuple[Criterion, ...], owner: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], list[JointCounts], npt.NDArray[np.bool_]]:
    """The sizes of groups of classes, their joint counts by target, and whether each is beyond a bound."""
    sizes = np.bincount(owner, weights=table.sizes).astype(np.int64)
    counts = [
        counted_groups(owner, sizes, cells, target)
        for cells, target in zip(table.cells, table.targets, strict=True)
    ]
    return sizes, counts, _beyond_any(criteria, sizes, dict(enumerate(counts)))


def _beyond_any(
    criteria: tuple[Criterion, ...], sizes: npt.NDArray[np.int64], counts: Mapping[int, JointCounts]
) -> npt.NDArray[np.bool_]:
    bad = np.zeros(len(sizes), bool)
    for one in criteria:
        bad |= _beyond(one, sizes, counts)
    return bad


def _target_sums(
    counts: JointCounts,
    sizes: npt.NDArray[np.int64],
    bad: npt.NDArray[np.bool_],
    node: int,
    place: int,
    found: NodeSums,
) -> None:
    """What the classes that are kept leave unknown of a target."""
    cells = counts.cells
    assert cells is not None, "a target has cells"
    inside = ~bad[cells.owner]
    margin = np.bincount(cells.target[inside], weights=cells.count[inside])
    left = np.maximum(xlog2x(sizes) - cells.per_class(xlog2x(cells.count)), 0.0)
    unknown = np.where(counts.statistic(DISTINCT) == 1, 0.0, left)[~bad]
    found.left[node, place] = unknown.sum()
    found.least_left[node, place] = unknown.min()
    whole = xlog2x(np.asarray([sizes[~bad].sum()]))[0] - xlog2x(margin).sum()
    found.entropy[node, place] = max(float(whole), 0.0)
    found.top[node, place] = np.maximum.reduceat(cells.count, cells.start[:-1])[~bad].sum()


def counted_groups(
    owner: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64], cells: CellTables, target: TargetTables
) -> JointCounts:
    """Joint counts of the classes at a node, to be compared with the whole table."""
    values = len(target.share)
    before = np.repeat(owner, np.diff(cells.start))
    words, place = np.unique(before * values + cells.value, return_inverse=True)
    times = np.bincount(place, weights=cells.times).astype(np.int64)
    weight = times if cells.weight is None else np.bincount(place, weights=cells.weight)
    start = np.searchsorted(words // values, np.arange(len(sizes) + 1))
    ground = {}
    if len(target.below):
        ground["ranks"], ground["order"] = target.rank, np.argsort(target.rank, kind="stable")
    if len(target.group):
        ground["levels"] = target.group
    return JointCounts(
        sizes,
        Cells(start, words % values, times, weight),
        list(range(values)),
        keys=("key",),
        target="target",
        ground=ground,
        compared=Compared("the original", list(range(values)), target.share),
    )


def _beyond(
    one: Criterion, sizes: npt.NDArray[np.int64], counts: Mapping[int, JointCounts]
) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.float64]
    if one.kind in (Kind.SIZE, Kind.RISK):
        found = sizes.astype(np.float64) if one.kind is Kind.SIZE else 1 / sizes
    else:
        about = counts[one.target]
        if one.kind in (Kind.ENTROPY_VALUES, Kind.ENTROPY_RISK):
            found = 2.0 ** (about.statistic(ENTROPY) * (1 if one.kind is Kind.ENTROPY_VALUES else -1))
        elif one.kind is Kind.DOMINANCE:
            found = about.statistic(dominance(one.parameter))
        elif one.kind is Kind.ERROR:
            found = 1 - about.statistic(TOP_SHARE)
        else:
            found = about.statistic(_STATISTICS[one.kind])
    beyond: npt.NDArray[np.bool_] = found < one.bound if one.kind in LOW else found > one.bound
    return beyond


def _extra(
    table: GeneralizationTable, costs: LossTables, levels: Sequence[int], bad: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """What suppression adds to the loss of each attribute; ``bad`` are the finest classes suppressed."""
    found = np.zeros(len(levels))
    fields, codes = table.fields, table.codes_at(levels)
    for place, level in enumerate(levels):
        suppressed = np.bincount(codes[place][bad], weights=table.sizes[bad])
        if costs.loss.entropy:
            if bad.any():
                whole = xlog2x(np.asarray([table.sizes[bad].sum()]))[0]
                found[place] = whole - xlog2x(suppressed).sum()
            continue
        start = int(fields.table[place]) + level * (int(fields.mask[place]) + 1)
        found[place] = (suppressed * costs.extra[start : start + len(suppressed)]).sum()
    return found
