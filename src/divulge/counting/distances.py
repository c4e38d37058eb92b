"""Classes beside the table: shares of target values in both, and how far apart these lie."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from divulge.counting.counts import Cells, Floats, JointCounts
from divulge.errors import Undefined


def cells_of(counts: JointCounts) -> Cells:
    """The cells, refusing the target @record, which has none."""
    if counts.cells is None:
        raise Undefined("it compares target values, and with @record every record is its own value")
    return counts.cells


def shares(counts: JointCounts) -> tuple[Floats, Floats]:
    """p(x|y) and p(x) of every cell."""
    cells = cells_of(counts)
    share = cells.weight / counts.class_weight[cells.owner]
    weight = table_weight(counts)
    return share, (weight / weight.sum())[cells.target]


def table_weight(counts: JointCounts) -> Floats:
    """The weight of each target value in the table that classes are compared with."""
    if counts.compared is None:
        return counts.target_weight
    if counts.compared.undefined is not None:
        raise Undefined(counts.compared.undefined)
    return counts.compared.weight


def equal_distance(counts: JointCounts) -> Floats:
    """With all values equally far, the earth to move is what the class has in excess."""
    share, overall = shares(counts)
    return cells_of(counts).per_class(np.maximum(share - overall, 0.0))


def ordered_distance(counts: JointCounts) -> Floats:
    """Values one rank apart are 1/(m - 1) apart, so what crosses each gap between ranks adds up.

    What crosses is |F(r|y) - F(r)|, F cumulating shares from the lowest rank. F(r|y) stays put from one
    value of the class to the next, and F only rises: where they cross is found by bisection, and sums on
    either side are differences of sums of F. So a class costs its cells, not all values.
    """
    cells, ranks = cells_of(counts), _ranks(counts)
    last = int(ranks.max())
    if not last:
        return np.zeros(len(counts.size))
    rank = ranks[cells.target]
    sort = np.lexsort((rank, cells.owner))
    rank = rank[sort]
    weight = table_weight(counts)
    overall = np.cumsum(np.bincount(ranks, weights=weight)) / weight.sum()
    sums = np.concatenate([[0.0], np.cumsum(overall[:-1])])
    before = np.cumsum(cells.weight[sort])
    before = before - np.repeat((before - cells.weight[sort])[cells.start[:-1]], np.diff(cells.start))
    share = before / counts.class_weight[cells.owner]
    end = np.append(rank[1:], last)
    end[cells.start[1:] - 1] = last
    cross = np.clip(np.searchsorted(overall, share), rank, end)
    below = share * (cross - rank) - (sums[cross] - sums[rank])
    above = sums[end] - sums[cross] - share * (end - cross)
    crossing = sums[rank[cells.start[:-1]]] + cells.per_class(below + above)
    return np.clip(crossing / last, 0.0, 1.0)  # not below 0 by rounding


def _ranks(counts: JointCounts) -> npt.NDArray[np.int64]:
    """The rank of each target value from 0 for the lowest; values that are equal share theirs."""
    ranks = counts.ground.get("ranks")
    return np.argsort(counts.ground["order"]) if ranks is None else np.asarray(ranks)


def hierarchical_distance(counts: JointCounts) -> Floats:
    """Two values are (level of their nearest common ancestor) / height apart: a tree with edges of 1/2h.

    On a tree the least work is what crosses each edge times its length, so no transport problem is
    solved and no counts are multiplied: level by level it is what groups have in excess, over h.
    """
    cells, levels = cells_of(counts), np.asarray(counts.ground["levels"])  # each value's group, by level
    weight = table_weight(counts)
    distance = np.zeros(len(counts.size))
    for group in levels:
        groups = int(group.max()) + 1
        overall = np.bincount(group, weights=weight) / weight.sum()
        place, inverse = np.unique(cells.owner * groups + group[cells.target], return_inverse=True)
        owner, here = place // groups, place % groups
        share = np.bincount(inverse, weights=cells.weight) / counts.class_weight[owner]
        distance += np.bincount(owner, weights=np.maximum(share - overall[here], 0.0))
    return distance / len(levels)


#: Earth mover's distances of classes from the table, by how far target values lie from each other.
GROUNDS = {"equal": equal_distance, "ordered": ordered_distance, "hierarchical": hierarchical_distance}
