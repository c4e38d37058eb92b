"""Counts in which two classes were made one."""

from dataclasses import replace

import numpy as np

from divulge.counting.counts import Cells


def merge_classes(counts, one, other):
    """The same records with two classes made one, as when a key is coarsened."""
    if counts.multiplicity is not None or counts.subjects is not None or counts.overlapping:
        raise ValueError("classes held once, of people or overlapping do not say what they are together")
    place = np.arange(len(counts.size))
    place[other] = one
    place -= place > other
    size = np.bincount(place, weights=counts.size).astype(np.int64)
    if counts.cells is None:
        return replace(counts, size=size, decode=None, _statistics={})
    values, cells = len(counts.target_values), counts.cells
    word, cell = np.unique(place[cells.owner] * values + cells.target, return_inverse=True)
    count = np.bincount(cell, weights=cells.count).astype(np.int64)
    weight = np.bincount(cell, weights=cells.weight) if counts.weighted else count
    start = np.append(np.flatnonzero(np.diff(word // values, prepend=-1)), len(word))
    merged = Cells(start, word % values, count, weight)
    return replace(counts, size=size, cells=merged, decode=None, _statistics={})


def leave_out_class(counts, one):
    """The same records without those of a class; the values of the target stay the same."""
    size = np.delete(counts.size, one)
    if counts.cells is None:
        return replace(counts, size=size, decode=None, _statistics={})
    cells = counts.cells
    kept = cells.owner != one
    lengths = np.delete(np.diff(cells.start), one)
    start = np.concatenate([[0], np.cumsum(lengths)])
    count = cells.count[kept]
    weight = cells.weight[kept] if counts.weighted else count
    return replace(
        counts,
        size=size,
        cells=Cells(start, cells.target[kept], count, weight),
        decode=None,
        _statistics={},
    )
