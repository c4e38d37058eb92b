"""What numbers lost: how far data, covariances, correlations and principal components have moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from divulge.alignment.tables import Alignment
from divulge.errors import Undefined
from divulge.utility.components import NEGLIGIBLE, Structure
from divulge.utility.numbering import Floats
from divulge.utility.values import NOT_ALIGNED, Paired, aligned, attributes_of

TITLES = {
    "data": "the numbers themselves",
    "covariances": "covariances",
    "correlations": "correlations",
    "loadings": "correlations with principal components",
    "communalities": "communalities with the first component",
    "scores": "factor score coefficients",
}


@dataclass(frozen=True)
class MatrixLoss:
    """How far a matrix has moved from that of the original, cell by cell; 0 where nothing was lost.

    The mean variation is relative to the cells of the original, those of 0 aside: they are ``zeros``.
    """

    name: str
    title: str
    mean_squared_error: float | None = None
    mean_absolute_error: float | None = None
    mean_variation: float | None = None
    zeros: int = 0
    undefined: str | None = None


@dataclass(frozen=True)
class ContinuousLoss:
    """What attributes lost that are numbers in both tables, on aligned records without a gap in them."""

    attributes: tuple[str, ...] = ()
    records: int = field(default=0, repr=False)
    left_out: int = field(default=0, repr=False)
    measures: tuple[MatrixLoss, ...] = ()
    undefined: str | None = None


def continuous_loss(alignment: Alignment, attributes: Sequence[str] | None = None) -> ContinuousLoss:
    """Mean squared error, mean absolute error and mean variation of each matrix that the numbers make.

    >>> from divulge import read
    >>> from divulge.alignment.tables import align
    >>> found = continuous_loss(align(read({"age": [20, 30, 40]}), read({"age": [25, 25, 40]})))
    >>> found.measures[0].mean_squared_error
    16.666666666666668
    """
    if alignment.rows is None:
        return ContinuousLoss(undefined=NOT_ALIGNED)
    chosen = attributes_of(alignment) if attributes is None else attributes
    pairs = [pair for name in chosen if (pair := aligned(alignment, name)).numbers is not None]
    names = tuple(pair.attribute for pair in pairs)
    if not pairs:
        return ContinuousLoss(undefined="no attribute is a number in both tables")
    gaps = np.logical_or.reduce([pair.gap(pair.original) | pair.gap(pair.released) for pair in pairs])
    left_out = int(gaps.sum())
    if left_out == len(gaps):
        reason = "no record has a value of each of the numeric attributes in both tables"
        return ContinuousLoss(names, 0, left_out, undefined=reason)
    rows = ~gaps if left_out else slice(None)
    original = Structure(_matrix(pairs, "original", rows), names, "the original")
    released = Structure(_matrix(pairs, "released", rows), names, "the release", beside=original)
    measures = tuple(_moved(name, original, released) for name in TITLES)
    return ContinuousLoss(names, len(gaps) - left_out, left_out, measures)


def _matrix(pairs: Sequence[Paired], side: str, rows: Any) -> Floats:
    return np.stack(
        [pair.numbers[getattr(pair, side).codes[rows]] for pair in pairs if pair.numbers is not None]
    )


def _moved(name: str, original: Structure, released: Structure) -> MatrixLoss:
    try:
        before, after = getattr(original, name), getattr(released, name)
    except Undefined as undefined:
        return MatrixLoss(name, TITLES[name], undefined=undefined.message)
    there = np.abs(before) > _negligible(name, original)
    with np.errstate(over="ignore"):
        distance = np.abs(after - before)
        squared, absolute = float((distance**2).mean()), float(distance.mean())
        variation = float((distance[there] / np.abs(before[there])).mean()) if there.any() else None
    if not np.isfinite([squared, variation or 0.0]).all():
        return MatrixLoss(name, TITLES[name], undefined="the numbers are too far apart to be compared")
    return MatrixLoss(name, TITLES[name], squared, absolute, variation, int((~there).sum()))


def _negligible(name: str, original: Structure) -> Floats | float:
    """Up to where a cell counts as 0: data exactly, what is computed from them up to rounding."""
    if name == "covariances":
        return NEGLIGIBLE * np.outer(original.deviations, original.deviations)
    return 0.0 if name == "data" else NEGLIGIBLE
