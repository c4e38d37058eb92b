"""What suppressed cells leave of a key's rate: shown ones tell what they tell, suppressed ones nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.counting.counts import Cells, JointCounts
from divulge.counting.statistics import xlog2x

FloatArray = npt.NDArray[np.float64]
STEPS = 60  # of the search for the least distance
SPREADS = 4.0  # standard deviations of what suppressing at random may add to a reading
RARE = SPREADS**2 / 2  # records of a kind that may all be suppressed by chance


def told_rate(counts: JointCounts, hidden: int) -> float:
    """The discrimination rate of a key whose suppressed cells are the class ``hidden`` of the counts.

    Each of m shown cells tells I(X;Y) bits, a suppressed one none, and each of n could tell H(X) bits: the
    rate is I m / (n H). To leave records out instead would shrink n, and a star taken for a value would tell
    whose cell was suppressed. For the target @record this never rises when one more cell is suppressed. For
    a sensitive attribute it may, by accident, when those go that did not fit the pattern; what suppressing
    at random may so add is taken off. Chosen by hand, cells can still raise it. No reading can help that:
    (7, a), (8, b), (*, a), (*, b) may come of a table in which the key tells nothing, so it would have to
    read 0 however many such records there are, though everyone who shows 7 has a.
    """
    if counts.cells is None:
        bits, of = _of_records(np.delete(counts.size, hidden)), xlog2x(np.asarray([counts.records]))[0]
        return float(bits / of)
    shown = counts.cells.owner != hidden
    _, owner = np.unique(counts.cells.owner[shown], return_inverse=True)
    _, value = np.unique(counts.cells.target[shown], return_inverse=True)
    weight = counts.cells.weight[shown].astype(np.float64)
    if not len(weight):
        return 0.0
    nats = _shown_nats(owner, value, weight, counts.weight)
    return float(max(nats, 0.0) / (counts.weight * counts.entropy * math.log(2)))


def _of_records(sizes: npt.NDArray[np.int64]) -> float:
    """m log2 m - sum of n_y log2 n_y: it grows with every record that is shown, whatever its class."""
    return float(max(xlog2x(np.asarray([sizes.sum()]))[0] - xlog2x(sizes).sum(), 0.0))


def _shown_nats(
    owner: npt.NDArray[np.int64], value: npt.NDArray[np.int64], weight: FloatArray, everything: float
) -> float:
    """Weight times I(X;Y) on shown cells, less what may be an accident of which cells are suppressed.

    With s of n records suppressed, what is told falls by the sum of log p(x|y)/p(x) over them, on average by
    s I. It rises where the spread of that sum goes further: a variance of s Var(log p(x|y)/p(x)), and of the
    degrees of freedom times s/n for what chance alone tells. The few that fit least may all be suppressed, so
    some of them are added to what is seen. I is taken at the low end of what shown cells allow.
    """
    classes, values = np.bincount(owner, weights=weight), np.bincount(value, weights=weight)
    if len(classes) == 1 or len(values) == 1:
        return 0.0
    shown = weight.sum()
    hidden = everything - shown
    told = np.log(weight * shown / (classes[owner] * values[value]))
    nats = float((weight * told).sum())
    unseen = max(math.log(classes.max() * values.max() / shown), 0.0)  # what a cell of one record takes back
    spread = float((weight * told**2).sum() / shown - (nats / shown) ** 2) + RARE * unseen**2 / shown
    freedom = (len(classes) - 1) * (len(values) - 1)
    low = (nats - freedom / 2 - SPREADS * math.sqrt(freedom / 2 + shown * spread)) / shown
    accident = SPREADS * math.sqrt(freedom * hidden / everything + hidden * spread)
    return nats - max(accident - hidden * max(low, 0.0), 0.0)


@dataclass(frozen=True, eq=False)
class SureCells:
    """Cells of classes and values: what surely belongs to them, and what suppressed keys may add."""

    owner: npt.NDArray[np.int64]
    target: npt.NDArray[np.int64]
    surely: FloatArray
    perhaps: FloatArray
    records: npt.NDArray[np.int64]  # with the keys of the class and the value of the cell
    single: FloatArray  # the weight of one of these
    size: FloatArray  # of the whole class with all that may belong to it

    @classmethod
    def sized(cls, cells: Cells, surely: FloatArray, records: Any, single: FloatArray) -> SureCells:
        size = cells.per_class(cells.weight)[cells.owner]
        return cls(cells.owner, cells.target, surely, cells.weight - surely, records, single, size)

    @classmethod
    def of(cls, counts: JointCounts) -> SureCells:
        """Cells to which nothing may be added."""
        assert counts.cells is not None
        cells, times = counts.cells, counts.multiplicity
        records = cells.count if times is None else cells.count * times[cells.owner]
        surely = cells.weight.astype(np.float64)
        return cls.sized(cells, surely, records, surely / np.maximum(cells.count, 1))

    @classmethod
    def between(cls, exact: JointCounts, wide: JointCounts, shown: npt.NDArray[np.bool_]) -> SureCells:
        """Cells of classes with all who fit them, given those with the mark for a value.

        To a class with a suppressed key nothing surely belongs: records alike in what they show may differ.
        """
        assert exact.cells is not None
        assert wide.cells is not None
        values = len(exact.target_values)
        word, own = (one.owner * values + one.target for one in (wide.cells, exact.cells))
        weight, records = np.zeros(len(word)), np.zeros(len(word), np.int64)
        weight[np.searchsorted(word, own)] = exact.cells.weight
        records[np.searchsorted(word, own)] = exact.cells.count
        surely = weight * shown[wide.cells.owner]
        return cls.sized(wide.cells, surely, records, weight / np.maximum(records, 1))

    @property
    def least_share(self) -> FloatArray:
        """The least share of a record's value in its class, over all choices of its members.

        The record itself does, all with other values that fit may. So it never rises when a cell is
        suppressed: then fewer surely belong to the class, and as many or more with other values fit.
        """
        own = np.maximum(self.surely, self.single)
        others = np.maximum(self.size - self.surely - self.perhaps, 0.0)
        return np.divide(own, own + others, out=np.zeros_like(own), where=own > 0)


def least_distances(
    owner: npt.NDArray[np.int64], surely: FloatArray, perhaps: FloatArray, prior: FloatArray
) -> FloatArray:
    """The least distance from the prior of the values of each class, over all choices of its members.

    Entries are cells: their class, the weight that surely belongs to it, what may belong to it besides since
    keys are suppressed, and the value's share in the prior. The distance is total variation. For a class of
    weight N it is what is in excess of N times the prior, over N: those who may belong to it fill up what
    is short, and what then is left to fill is in excess, too. Over N it falls and then rises.
    """
    classes = int(owner.max(initial=-1)) + 1
    least = np.bincount(owner, weights=surely, minlength=classes).astype(np.float64)
    most = least + np.bincount(owner, weights=perhaps, minlength=classes)

    def distance(size: FloatArray) -> FloatArray:
        short = size[owner] * prior - surely
        filled = np.bincount(owner, weights=np.clip(short, 0.0, perhaps), minlength=classes)
        excess = np.bincount(owner, weights=np.maximum(-short, 0.0), minlength=classes)
        return (excess + np.maximum(size - least - filled, 0.0)) / size

    begin = np.where(least > 0, least, most * 1e-9)  # where nothing is sure, the nearest shares alone count
    low = lowest(distance, begin, most, STEPS if (most > least).any() else 0)
    found: FloatArray = np.minimum(distance(low), distance(begin))
    return found


def lowest(
    of: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray, steps: int
) -> FloatArray:
    """Where a function that falls and then rises is least between two ends, for each class; in thirds."""
    for _ in range(steps):
        one, other = low + (high - low) / 3, high - (high - low) / 3
        falls = of(one) > of(other)
        low, high = np.where(falls, one, low), np.where(falls, high, other)
    return low
