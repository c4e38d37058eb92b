"""What few records in a cell leave open: how far the discrimination rate moves if more are expected there.

The error of the jackknife comes from the records that were drawn. A cell that nobody was drawn from adds
nothing to it, although up to 3.7 records may be expected there, and one of them may carry much of the rate.
So each cell is filled up to the upper limit of its Poisson mean, and squares of the moves are added up, as
Zou and Donner do with the limits of a sum; what the jackknife allows for already is taken off.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from divulge._support.special_functions import gamma_exceeded, normal_below
from divulge.readings.sample_cells import Numbers, SampleCells, xlogx

BLOCK = 1 << 18  # cells filled at once


class RareCells(NamedTuple):
    """Squares of moves of the rate, downwards and upwards, beyond those that the jackknife allows for."""

    down: float
    up: float


def rare_cells(sample: SampleCells, z: float) -> RareCells:
    """The moves at z standard errors; of units that are not alike, counts are in effective records."""
    values, classes = sample.values.total, sample.classes.total
    _, value = np.unique(sample.target, return_inverse=True)
    _, owner = np.unique(sample.owner, return_inverse=True)
    order = np.argsort(owner, kind="stable")
    owner, value, mass = owner[order], value[order], (sample.often * sample.mass)[order]
    scale, rate = sample.records / sample.effective, sample.information / sample.entropy
    whole = tuple(float(xlogx(part.total).sum()) for part in (sample.values, sample.classes, sample.cells))
    many = max(BLOCK // len(values), 1)
    down = up = 0.0
    for first in range(0, len(classes), many):
        here = slice(*np.searchsorted(owner, [first, first + many]))
        rows = len(classes[first : first + many])
        place = (owner[here] - first) * len(values) + value[here]
        cells = np.bincount(place, weights=mass[here], minlength=rows * len(values)).reshape(rows, -1)
        classes_here = classes[first : first + many, None]

        def moved(more: Numbers, cells: Numbers = cells, own: Numbers = classes_here) -> Numbers:
            """By how much the rate moves with more in each cell, one cell at a time."""
            records = sample.records + more
            of_value, of_class, of_cell = (
                np.log(records) - (total + xlogx(part + more) - xlogx(part)) / records
                for total, part in zip(whole, (values, own, cells), strict=True)
            )
            return np.asarray((of_value + of_class - of_cell) / of_value - rate)

        count = cells / scale
        to_limit, allowed = moved(scale * _missed(count, z)), moved(scale * z * np.sqrt(count))
        open_ = np.maximum(to_limit**2 - allowed**2, 0.0)
        down += float(open_[to_limit < 0].sum())
        up += float(open_[to_limit > 0].sum())
    return RareCells(down, up)


def _missed(count: Numbers, z: float) -> Numbers:
    """By how much the upper limit of a Poisson mean is above each count."""
    different, place = np.unique(count, return_inverse=True)
    limits = gamma_exceeded(different + 1, float(normal_below(-z)))
    return np.asarray((limits - different)[place].reshape(count.shape))
