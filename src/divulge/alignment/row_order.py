"""Whether the rows of two tables are in the same order, judged by how well values fit row by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._support.seeds import SEED
from divulge._support.shares import entropy
from divulge.alignment.recognition import Fits, numbers_of, recognised
from divulge.questions.data import Data
from divulge.table.codes import Codes
from divulge.table.packing import coded, combinations, of_matrix, packed

SHUFFLES = 3
ENOUGH = 0.5  # of the way from a shuffle to the best matching
MOSTLY = 0.5  # of the records whose values must be recognised for a column to be judged by them
NEGLIGIBLE = 1e-9

Floats = npt.NDArray[np.float64]


class RowFit(NamedTuple):
    """How well values fit, from 0 to 1: row by row, on average over all shuffles, at the best matching."""

    in_order: float
    shuffled: float
    best: float

    @property
    def telling(self) -> bool:
        """Whether values fit better in some order than in another."""
        return self.best - self.shuffled > NEGLIGIBLE

    @property
    def nearer_to_best(self) -> bool:
        """Whether the values fit nearer to the best matching than to a shuffle."""
        return self.in_order - self.shuffled >= ENOUGH * (self.best - self.shuffled) - NEGLIGIBLE


@dataclass(frozen=True)
class RowOrder:
    """How well rows fit each other in their order, on average over the columns that can say something."""

    in_order: float
    shuffled: float
    best: float
    columns: int
    rows: int = field(default=0, repr=False)

    @property
    def supported(self) -> bool:
        """Whether the values fit nearer to the best matching than to a shuffle, or say nothing at all."""
        return RowFit(self.in_order, self.shuffled, self.best).nearer_to_best

    def to_dict(self) -> dict[str, float | int | bool]:
        return {
            "in_order": self.in_order,
            "shuffled": self.shuffled,
            "best": self.best,
            "columns": self.columns,
            "supported": self.supported,
        }


def row_order(original: Data, released: Data, columns: Mapping[str, str]) -> RowOrder:
    """Whether the values of two tables with as many rows support that the rows are in the same order.

    A column of numbers fits by how near the ranks are; others by whether the released value may stand for
    the original one; where that cannot be recognised, by how much one tells about the other. Columns that fit
    as well in any order, such as suppressed ones, say nothing.

    >>> from divulge import read
    >>> one = read({"sex": ["f", "m", "f", "f"]})
    >>> row_order(one, one, {"sex": "sex"})
    RowOrder(in_order=1.0, shuffled=0.625, best=1.0, columns=1)
    """
    telling = [*compared_in_order(original, released, columns).values()]
    if not telling:
        return RowOrder(1.0, 1.0, 1.0, 0)
    in_order, shuffled, best = (float(np.mean(part)) for part in zip(*telling, strict=True))
    return RowOrder(in_order, shuffled, best, len(telling), released.records)


def compared_in_order(original: Data, released: Data, columns: Mapping[str, str]) -> dict[str, RowFit]:
    """How well the values of each attribute fit row by row, where that depends on the order."""
    found = {here: _fit(original, here, released, there) for here, there in columns.items()}
    return {here: one for here, one in found.items() if one.telling}


def _fit(original: Data, here: str, released: Data, there: str) -> RowFit:
    ours, theirs = original.column(here), released.column(there)
    one, other = numbers_of(ours), numbers_of(theirs, released.suppressed_code(there))
    if one is not None and other is not None:
        return _by_rank(one, other)
    fits = recognised(released, there, original, here)
    size = theirs.frequencies()
    if size[list(fits.unknown)].sum() <= MOSTLY * len(theirs.codes):
        return _by_value(ours, theirs, fits, size)
    return _by_information(ours, theirs)


def _by_rank(ours: Floats, theirs: Floats) -> RowFit:
    """How near the ranks of numbers are, in both tables together; the best matching pairs them by rank."""
    known = ~np.isnan(ours) & ~np.isnan(theirs)
    ours, theirs = ours[known], theirs[known]
    pooled = np.sort(np.concatenate([ours, theirs]))
    if not len(pooled) or pooled[0] == pooled[-1]:
        return RowFit(1.0, 1.0, 1.0)
    one, other = (_middle_ranks(pooled, side) for side in (ours, theirs))
    distance = float(np.abs(one - other).mean())
    best = float(np.abs(np.sort(one) - np.sort(other)).mean())
    return RowFit(1 - distance, 1 - _mean_distance(one, np.sort(other)), 1 - best)


def _middle_ranks(pooled: Floats, side: Floats) -> Floats:
    low, high = np.searchsorted(pooled, side, "left"), np.searchsorted(pooled, side, "right")
    return (low + high) / (2 * len(pooled))


def _mean_distance(one: Floats, other: Floats) -> float:
    """The mean of |a - b| over all pairs; the second list is sorted."""
    below = np.searchsorted(other, one)
    sums = np.concatenate([[0.0], np.cumsum(other)])
    apart = one * below - sums[below] + (sums[-1] - sums[below]) - one * (len(other) - below)
    return float(apart.mean() / len(other))


def _by_value(ours: Codes, theirs: Codes, fits: Fits, size: npt.NDArray[np.int64]) -> RowFit:
    """The share of records whose released value may stand for the original one."""
    often = ours.frequencies()
    rows = len(ours.codes)
    allowed = [np.zeros(0, np.int64)]
    shuffled = best = float(size[list(fits.anything)].sum())
    for code, fitting in fits.codes.items():
        fit = int(often[fitting].sum())
        shuffled += size[code] * fit / rows
        best += min(int(size[code]), fit)
        allowed.append(code * ours.cardinality + fitting)
    words = packed(coded((theirs, ours)), rows)
    together = int(np.isin(words, np.concatenate(allowed)).sum()) + float(size[list(fits.anything)].sum())
    return RowFit(together / rows, shuffled / rows, best / rows)


def _by_information(ours: Codes, theirs: Codes) -> RowFit:
    """How much one value tells about the other, as a share of what it could."""
    _, one = np.unique(ours.codes, return_inverse=True)
    _, other = np.unique(theirs.codes, return_inverse=True)
    most = min(_entropy(one), _entropy(other))
    if most <= NEGLIGIBLE:
        return RowFit(1.0, 1.0, 1.0)
    random = np.random.default_rng(SEED)
    shuffled = np.mean([_mutual(one, random.permutation(other)) for _ in range(SHUFFLES)])
    return RowFit(_mutual(one, other) / most, float(shuffled) / most, 1.0)


def _mutual(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> float:
    both = combinations(of_matrix(np.array([one, other]).T), len(one)).number
    return _entropy(one) + _entropy(other) - _entropy(both)


def _entropy(codes: npt.NDArray[np.int64]) -> float:
    return entropy(np.sort(np.bincount(codes)))
