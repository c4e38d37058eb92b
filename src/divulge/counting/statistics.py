"""Class statistics: one number for each class, shared by the measures that reduce them.

A statistic is a value that can be compared and used as a key, so that counts compute it once; its
``compute`` returns an array with one entry per class. Writing c for a cell's weight, n for its class's,
t for its target value's and N for the table's: p(x|y) = c / n and p(x) = t / N.

All that is to be said of a statistic stands here once: its formula for arrays and its formula for SQL, its
place in the compiled pass, and which of its ends is the risky one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge.counting.counts import Floats, JointCounts
from divulge.counting.distances import GROUNDS, cells_of, shares, table_weight
from divulge.errors import ParameterError, Undefined

LISTED = 1 << 14  # counts below which logarithms of as many counts or more are looked up
COMPILED_PAYS = 1 << 9  # cells of a table from which one compiled pass is quicker than several by NumPy
_LACKING = {
    "order": "the target's values have no order: they are not all numbers or dates, or some are missing",
    "levels": "no hierarchy of the target's values was given",
}


@dataclass(frozen=True)
class Statistic:
    """A named number per class, with a parameter where the name alone does not say which.

    ``sql`` is the same number as an aggregate over the cells of a class, for databases that keep their
    classes; ``statistics_sql`` says what may stand in it. ``slot`` is the row that the compiled pass
    writes it to. ``of_size`` says that the class's size gives it, ``of_class`` that its own cells do,
    whatever the rest of the table is like; ``needs`` what must be known of how target values lie to each
    other: their order, or the levels of a tree.
    """

    name: str
    function: Callable[..., npt.NDArray[Any]]
    parameter: str | int | None = None
    riskier: Literal["higher", "lower"] = field(default="higher", compare=False)
    sql: str | None = field(default=None, compare=False)
    slot: int | None = field(default=None, compare=False)
    of_size: bool = field(default=False, compare=False)
    of_class: bool = field(default=False, compare=False)
    needs: Literal["order", "levels"] | None = field(default=None, compare=False)

    def compute(self, counts: JointCounts) -> Floats:
        self.require(counts)
        found = _compiled(counts, self)
        if found is not None:
            return found
        if self.parameter is None:
            return self.function(counts)
        return self.function(counts, self.parameter)

    def require(self, counts: JointCounts) -> None:
        """Undefined where it is not known how target values lie to each other, and that is needed."""
        values = counts.target_values if counts.compared is None else counts.compared.values
        if self.needs is not None and self.needs not in counts.ground and len(values) > 1:
            raise Undefined(_LACKING[self.needs])


STATISTICS: list[Statistic] = []


def register(statistic: Statistic) -> Statistic:
    """Make a statistic known to the engines that count classes where they are, and to the tests of laws."""
    STATISTICS.append(statistic)
    return statistic


def with_sql() -> list[Statistic]:
    """The statistics that a database can work out."""
    return [statistic for statistic in STATISTICS if statistic.sql is not None]


def _size(counts: JointCounts) -> npt.NDArray[Any]:
    return counts.people


SIZE = register(Statistic("size", _size, riskier="lower", of_size=True, of_class=True))


def _alone(counts: JointCounts) -> npt.NDArray[Any]:
    """1 for a class of a single person, otherwise 0."""
    return (counts.people == 1).astype(np.int64)


ALONE = register(Statistic("alone", _alone, of_size=True, of_class=True))


def _risk(counts: JointCounts) -> Floats:
    """1/n: the chance to name the right person of the class by guessing."""
    return 1 / counts.people


RISK = register(Statistic("risk", _risk, of_size=True, of_class=True))


def _uncertainty(counts: JointCounts) -> Floats:
    """n H(X|y) = n log2 n - sum of c log2 c, in bits times weight; exactly 0 for a class with one value."""
    n = counts.class_weight
    if counts.cells is None:
        return xlog2x(n)
    return np.maximum(xlog2x(n) - counts.cells.per_class(xlog2x(counts.cells.weight)), 0.0)


UNCERTAINTY = register(
    Statistic(
        "uncertainty",
        _uncertainty,
        riskier="lower",
        sql="sum({n} * {log2}({size} / {n}))",
        slot=0,
        of_class=True,
    )
)


def _entropy(counts: JointCounts) -> Floats:
    """H(X|y) in bits."""
    return counts.statistic(UNCERTAINTY) / counts.class_weight


ENTROPY = register(
    Statistic(
        "entropy",
        _entropy,
        riskier="lower",
        sql="sum({n} * {log2}({size} / {n})) / {size}",
        of_class=True,
    )
)


def _distinct(counts: JointCounts) -> npt.NDArray[Any]:
    """How many target values occur in the class."""
    return counts.size if counts.cells is None else np.diff(counts.cells.start)


DISTINCT = register(Statistic("distinct", _distinct, riskier="lower", sql="count(*)", of_class=True))


def _certain(counts: JointCounts) -> npt.NDArray[Any]:
    """1 for a class with one target value, otherwise 0."""
    return (counts.statistic(DISTINCT) == 1).astype(np.int64)


CERTAIN = register(
    Statistic("certain", _certain, sql="CASE WHEN count(*) = 1 THEN 1 ELSE 0 END", of_class=True)
)


def _top_share(counts: JointCounts) -> Floats:
    """The largest p(x|y)."""
    if counts.cells is None:
        return 1 / counts.size
    largest: Floats = np.maximum.reduceat(counts.cells.weight, counts.cells.start[:-1]) / counts.class_weight
    return largest


TOP_SHARE = register(Statistic("top_share", _top_share, sql="max({n}) / {size}", slot=1, of_class=True))


def _unevenness(counts: JointCounts) -> Floats:
    """How many records more the most frequent target value has than the least frequent one, 0 if absent."""
    if counts.cells is None:
        absent = counts.size < counts.records
        return absent.astype(np.float64)
    starts = counts.cells.start[:-1]
    most = np.maximum.reduceat(counts.cells.count, starts).astype(np.float64)
    least = np.minimum.reduceat(counts.cells.count, starts)
    return most - np.where(counts.statistic(DISTINCT) < len(counts.target_values), 0.0, least)


UNEVENNESS = register(
    Statistic(
        "unevenness",
        _unevenness,
        sql="max({count}) - CASE WHEN count(*) < {values} THEN 0 ELSE min({count}) END",
        slot=9,
    )
)


def _divergence(counts: JointCounts) -> Floats:
    """D(p(x|y) || p(x)) in bits; infinite when the class has a value that the table lacks."""
    if counts.cells is None:
        return np.log2(counts.records / counts.size)
    share, overall = shares(counts)
    with np.errstate(divide="ignore"):
        return np.maximum(counts.cells.per_class(share * np.log2(share / overall)), 0.0)


DIVERGENCE = register(
    Statistic(
        "divergence",
        _divergence,
        sql="{greatest}(sum({n} / {size} * {log2}({n} / {size} / p)), 0)",
        slot=2,
    )
)


def _disclosure(counts: JointCounts) -> Floats:
    """The largest |log2 p(x|y)/p(x)|; infinite when a value of the table is absent from the class."""
    cells = cells_of(counts)
    share, overall = shares(counts)
    with np.errstate(divide="ignore"):
        largest: Floats = np.maximum.reduceat(np.abs(np.log2(share / overall)), cells.start[:-1])
    largest[counts.statistic(DISTINCT) < np.count_nonzero(table_weight(counts))] = np.inf
    return largest


DISCLOSURE = register(
    Statistic(
        "disclosure",
        _disclosure,
        sql="CASE WHEN count(*) < {values} THEN {infinity} ELSE max(abs({log2}({n} / {size} / p))) END",
        slot=3,
    )
)


def _gain(counts: JointCounts) -> Floats:
    """The largest relative gain (p(x|y) - p(x)) / p(x) of a value that the class makes likelier."""
    cells = cells_of(counts)
    share, overall = shares(counts)
    with np.errstate(divide="ignore"):
        gain: Floats = np.maximum.reduceat((share - overall) / overall, cells.start[:-1])
    return np.maximum(gain, 0.0)


GAIN = register(Statistic("gain", _gain, sql="{greatest}(max(({n} / {size} - p) / p), 0)", slot=4))


def _enhanced_gain(counts: JointCounts) -> Floats:
    """The largest relative gain; infinite when a value's own gain exceeds -ln p(x), which no bound allows."""
    cells = cells_of(counts)
    share, overall = shares(counts)
    with np.errstate(divide="ignore"):
        gain = (share - overall) / overall
        beyond = gain > -np.log(overall)
    worst: Floats = np.maximum.reduceat(np.where(beyond, np.inf, gain), cells.start[:-1])
    return np.maximum(worst, 0.0)


ENHANCED_GAIN = register(
    Statistic(
        "enhanced_gain",
        _enhanced_gain,
        sql="{greatest}(max(CASE WHEN ({n} / {size} - p) / p > -ln(p) THEN {infinity} "
        "ELSE ({n} / {size} - p) / p END), 0)",
        slot=5,
    )
)


def _dominance(counts: JointCounts, l: int) -> Floats:
    """r1 / (r_l + ... + r_m), r the class's weights in falling order; infinite with fewer than l values."""
    cells = cells_of(counts)
    order = np.lexsort((-cells.weight, cells.owner))
    weight = cells.weight[order].astype(np.float64)
    rank = np.arange(len(weight)) - cells.start[:-1][cells.owner]
    tail = cells.per_class(np.where(rank >= l - 1, weight, 0.0))
    with np.errstate(divide="ignore"):
        ratio: Floats = weight[cells.start[:-1]] / tail
    return ratio


_SECOND = register(
    Statistic(
        "dominance",
        _dominance,
        2,
        sql="coalesce(max({n}) / nullif({size} - max({n}), 0), {infinity})",
        slot=6,
        of_class=True,
    )
)


def dominance(l: int) -> Statistic:
    """How far the most frequent value outweighs all from the l-th on; a database knows it for l = 2."""
    return _SECOND if l == 2 else replace(_SECOND, parameter=l, sql=None, slot=None)


def _distance(counts: JointCounts, ground: str) -> Floats:
    """Earth mover's distance of the class's target distribution from the table's."""
    cells_of(counts)
    if len(table_weight(counts)) == 1:  # nothing can be moved
        return np.zeros(len(counts.size))
    return GROUNDS[ground](counts)


_DISTANCES = {
    "equal": Statistic("distance", _distance, "equal", sql="sum({greatest}({n} / {size} - p, 0))", slot=7),
    "ordered": Statistic("distance", _distance, "ordered", slot=8, needs="order"),
    "hierarchical": Statistic("distance", _distance, "hierarchical", needs="levels"),
}
STATISTICS.extend(_DISTANCES.values())


def distance(ground: str) -> Statistic:
    """Earth mover's distance from the table, where target values are as far apart as the ground says."""
    if ground not in _DISTANCES:
        raise ParameterError(
            f"'{ground}' is not a ground distance of t_closeness.",
            hint=("Choose equal, ordered or hierarchical."),
        )
    return _DISTANCES[ground]


def xlog2x(x: npt.NDArray[Any]) -> Floats:
    """x log2 x, with 0 log 0 = 0."""
    if x.dtype.kind not in "ui" or x.size < LISTED:
        return _xlog2x(x.astype(np.float64))
    found: Floats = np.take(_listed(), x, mode="clip")
    large = np.flatnonzero(x.ravel() >= LISTED)
    found.ravel()[large] = _xlog2x(x.ravel()[large].astype(np.float64))
    return found


@lru_cache(maxsize=1)
def _listed() -> Floats:
    """That of small counts, which most of many are."""
    return _xlog2x(np.arange(LISTED, dtype=np.float64))


def _xlog2x(x: Floats) -> Floats:
    return x * np.log2(x, out=np.zeros_like(x), where=x > 0)


def _compiled(counts: JointCounts, wanted: Statistic) -> Floats | None:
    """The statistic from the compiled pass over all cells, where there are enough of them.

    One pass gives most statistics, so all are kept for the measures that come next.
    """
    if counts.cells is None or counts.compared is not None or wanted.slot is None:
        return None
    each = len(counts.cells.target) if counts.cells_each is None else counts.cells_each
    if each < COMPILED_PAYS or not library.built():
        return None
    from divulge.counting import statistics_compiled

    few = len(counts.target_values) <= statistics_compiled.FEW_VALUES
    ranked = few and "order" in counts.ground
    given = [one for one in STATISTICS if one.slot is not None and (one.needs is None or ranked)]
    if wanted not in given:
        return None
    found = statistics_compiled.compute(counts)
    for statistic in given:
        counts.keep(statistic, found[statistic.slot])
    return found[wanted.slot]
