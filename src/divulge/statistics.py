"""Class statistics: one number for each class, shared by the measures that reduce them.

A statistic is a value that can be compared and used as a key, so that counts compute it once; its
``compute`` returns an array with one entry per class. Writing c for a cell's weight, n for its class's,
t for its target value's and N for the table's: p(x|y) = c / n and p(x) = t / N.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.counts import Cells, Floats, JointCounts
from divulge.errors import ParameterError, Undefined

COMPILED_PAYS = 1 << 20  # cells from which one compiled pass repays loading it
COMPILED_HELPS = 1 << 14  # and once it is loaded


@dataclass(frozen=True)
class Statistic:
    """A named number per class, with a parameter where the name alone does not say which."""

    name: str
    function: Callable[..., npt.NDArray[Any]]
    parameter: str | int | None = None

    def compute(self, counts: JointCounts) -> Floats:
        found = _compiled(counts, self)
        if found is not None:
            return found
        if self.parameter is None:
            return self.function(counts)
        return self.function(counts, self.parameter)


def _cells(counts: JointCounts) -> Cells:
    if counts.cells is None:
        raise Undefined("it compares target values, and with @record every record is its own value")
    return counts.cells


def _size(counts: JointCounts) -> npt.NDArray[Any]:
    return counts.people


def _alone(counts: JointCounts) -> npt.NDArray[Any]:
    """1 for a class of a single person, otherwise 0."""
    return (counts.people == 1).astype(np.int64)


def _risk(counts: JointCounts) -> Floats:
    """1/n: the chance to name the right person of the class by guessing."""
    return 1 / counts.people


def _uncertainty(counts: JointCounts) -> Floats:
    """n H(X|y) = n log2 n - sum of c log2 c, in bits times weight; exactly 0 for a class with one value."""
    n = counts.class_weight
    if counts.cells is None:
        return xlog2x(n)
    return np.maximum(xlog2x(n) - counts.cells.per_class(xlog2x(counts.cells.weight)), 0.0)


def _entropy(counts: JointCounts) -> Floats:
    """H(X|y) in bits."""
    return counts.statistic(UNCERTAINTY) / counts.class_weight


def _distinct(counts: JointCounts) -> npt.NDArray[Any]:
    """How many target values occur in the class."""
    return counts.size if counts.cells is None else np.diff(counts.cells.start)


def _certain(counts: JointCounts) -> npt.NDArray[Any]:
    """1 for a class with one target value, otherwise 0."""
    return (counts.statistic(DISTINCT) == 1).astype(np.int64)


def _top_share(counts: JointCounts) -> Floats:
    """The largest p(x|y)."""
    if counts.cells is None:
        return 1 / counts.size
    largest: Floats = np.maximum.reduceat(counts.cells.weight, counts.cells.start[:-1]) / counts.class_weight
    return largest


def _divergence(counts: JointCounts) -> Floats:
    """D(p(x|y) || p(x)) in bits; infinite when the class has a value that the table lacks."""
    if counts.cells is None:
        return np.log2(counts.records / counts.size)
    share, overall = _shares(counts)
    with np.errstate(divide="ignore"):
        return np.maximum(counts.cells.per_class(share * np.log2(share / overall)), 0.0)


def _disclosure(counts: JointCounts) -> Floats:
    """The largest |log2 p(x|y)/p(x)|; infinite when a value of the table is absent from the class."""
    cells = _cells(counts)
    share, overall = _shares(counts)
    with np.errstate(divide="ignore"):
        largest: Floats = np.maximum.reduceat(np.abs(np.log2(share / overall)), cells.start[:-1])
    largest[counts.statistic(DISTINCT) < np.count_nonzero(_table_weight(counts))] = np.inf
    return largest


def _gain(counts: JointCounts) -> Floats:
    """The largest relative gain (p(x|y) - p(x)) / p(x) of a value that the class makes likelier."""
    cells = _cells(counts)
    share, overall = _shares(counts)
    with np.errstate(divide="ignore"):
        gain: Floats = np.maximum.reduceat((share - overall) / overall, cells.start[:-1])
    return np.maximum(gain, 0.0)


def _enhanced_gain(counts: JointCounts) -> Floats:
    """The largest relative gain; infinite when a value's own gain exceeds -ln p(x), which no bound mends."""
    cells = _cells(counts)
    share, overall = _shares(counts)
    with np.errstate(divide="ignore"):
        gain = (share - overall) / overall
        beyond = gain > -np.log(overall)
    worst: Floats = np.maximum.reduceat(np.where(beyond, np.inf, gain), cells.start[:-1])
    return np.maximum(worst, 0.0)


def _dominance(counts: JointCounts, l: int) -> Floats:
    """r1 / (r_l + ... + r_m), r the class's weights in falling order; infinite with fewer than l values."""
    cells = _cells(counts)
    order = np.lexsort((-cells.weight, cells.owner))
    weight = cells.weight[order].astype(np.float64)
    rank = np.arange(len(weight)) - cells.start[:-1][cells.owner]
    tail = cells.per_class(np.where(rank >= l - 1, weight, 0.0))
    with np.errstate(divide="ignore"):
        ratio: Floats = weight[cells.start[:-1]] / tail
    return ratio


def _distance(counts: JointCounts, ground: str) -> Floats:
    """Earth mover's distance of the class's target distribution from the table's."""
    if ground not in ("equal", "ordered", "hierarchical"):
        raise ParameterError(
            f"t_closeness knows no ground distance '{ground}'.", hint="Choose equal, ordered or hierarchical."
        )
    _cells(counts)
    if len(_table_weight(counts)) == 1:
        return np.zeros(len(counts.size))
    if ground == "equal":
        # With all values equally far, the earth to move is what the class has in excess.
        share, overall = _shares(counts)
        return _cells(counts).per_class(np.maximum(share - overall, 0.0))
    return _ordered_distance(counts) if ground == "ordered" else _hierarchical_distance(counts)


def _ordered_distance(counts: JointCounts) -> Floats:
    """Values one rank apart are 1/(m - 1) apart, so what crosses each gap between ranks adds up.

    What crosses is |F(r|y) - F(r)|, F cumulating shares from the lowest rank. F(r|y) stays put from one
    value of the class to the next, and F only rises: where they cross is found by bisection, and sums on
    either side are differences of sums of F. So a class costs its cells, not all values.
    """
    cells, ranks = _cells(counts), _ranks(counts)
    last = int(ranks.max())
    if not last:
        return np.zeros(len(counts.size))
    rank = ranks[cells.target]
    sort = np.lexsort((rank, cells.owner))
    rank = rank[sort]
    weight = _table_weight(counts)
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


def _hierarchical_distance(counts: JointCounts) -> Floats:
    """Two values are (level of their nearest common ancestor) / height apart: a tree with edges of 1/2h.

    On a tree the least work is what crosses each edge times its length, so no transport problem is
    solved and no counts are multiplied: level by level it is what groups have in excess, over h.
    """
    cells, levels = _cells(counts), np.asarray(counts.ground["levels"])  # each value's group, by level
    weight = _table_weight(counts)
    distance = np.zeros(len(counts.size))
    for group in levels:
        groups = int(group.max()) + 1
        overall = np.bincount(group, weights=weight) / weight.sum()
        place, inverse = np.unique(cells.owner * groups + group[cells.target], return_inverse=True)
        owner, here = place // groups, place % groups
        share = np.bincount(inverse, weights=cells.weight) / counts.class_weight[owner]
        distance += np.bincount(owner, weights=np.maximum(share - overall[here], 0.0))
    return distance / len(levels)


def _shares(counts: JointCounts) -> tuple[Floats, Floats]:
    """p(x|y) and p(x) of every cell."""
    cells = _cells(counts)
    share = cells.weight / counts.class_weight[cells.owner]
    weight = _table_weight(counts)
    return share, (weight / weight.sum())[cells.target]


def _table_weight(counts: JointCounts) -> Floats:
    """The weight of each target value in the table that classes are compared with."""
    if counts.compared is None:
        return counts.target_weight
    if counts.compared.undefined is not None:
        raise Undefined(counts.compared.undefined)
    return counts.compared.weight


def xlog2x(x: npt.NDArray[Any]) -> Floats:
    """x log2 x, with 0 log 0 = 0."""
    x = x.astype(np.float64)
    return x * np.log2(x, out=np.zeros_like(x), where=x > 0)


SIZE = Statistic("size", _size)
ALONE = Statistic("alone", _alone)
RISK = Statistic("risk", _risk)
UNCERTAINTY = Statistic("uncertainty", _uncertainty)
ENTROPY = Statistic("entropy", _entropy)
DISTINCT = Statistic("distinct", _distinct)
CERTAIN = Statistic("certain", _certain)
TOP_SHARE = Statistic("top_share", _top_share)
DIVERGENCE = Statistic("divergence", _divergence)
DISCLOSURE = Statistic("disclosure", _disclosure)
GAIN = Statistic("gain", _gain)
ENHANCED_GAIN = Statistic("enhanced_gain", _enhanced_gain)


def _compiled(counts: JointCounts, wanted: Statistic) -> Floats | None:
    """The statistic from the compiled pass over all cells, where there are enough of them.

    One pass gives most statistics, so all are kept for the measures that come next.
    """
    loaded = "numba" in sys.modules
    if counts.cells is None or counts.compared is not None or wanted in FROM_CLASSES:
        return None
    if len(counts.cells.target) < (min(COMPILED_HELPS, COMPILED_PAYS) if loaded else COMPILED_PAYS):
        return None
    from divulge import statistics_compiled

    known = {
        UNCERTAINTY: "uncertainty",
        TOP_SHARE: "top_share",
        DIVERGENCE: "divergence",
        DISCLOSURE: "disclosure",
        GAIN: "gain",
        ENHANCED_GAIN: "enhanced_gain",
        dominance(2): "dominance",
        distance("equal"): "distance",
    }
    if "order" in counts.ground and len(counts.target_values) <= statistics_compiled.FEW_VALUES:
        known[distance("ordered")] = "ordered"
    if wanted not in known:
        return None
    found = statistics_compiled.compute(counts)
    for statistic, name in known.items():
        counts.keep(statistic, found[name])
    return found[known[wanted]]


def dominance(l: int) -> Statistic:
    return Statistic("dominance", _dominance, l)


def distance(ground: str) -> Statistic:
    return Statistic("distance", _distance, ground)


#: Statistics that read classes only, not their cells.
FROM_CLASSES = frozenset({SIZE, ALONE, RISK, ENTROPY, DISTINCT, CERTAIN})
