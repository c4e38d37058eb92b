"""Classes when a missing key matches anything: they overlap, and a record may stand in several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from divulge.codes import MISSING, Codes
from divulge.counts import Cells, Integers, JointCounts
from divulge.errors import SchemaError


def overlap(counts: JointCounts, keys: Mapping[str, Codes]) -> JointCounts:
    """Each class with the records of every class it could be, as far as the keys it has can tell.

    Matching is not transitive: a record without an age matches those of 20 and of 30, which do not
    match each other. So classes no longer share out the records, and measures that need shares that
    add up have no value on these counts. Where no key is missing, nothing overlaps.
    """
    patterns = _patterns(keys)
    if not (patterns == MISSING).any():
        return counts
    if counts.subjects is not None:
        raise SchemaError(
            "Missing values cannot be wildcards where an identifier stands on several records: "
            "who is counted twice in overlapping classes is not known.",
            hint="Treat missing as a value or drop such records.",
        )
    one, other = _compatible(patterns)
    size = np.bincount(one, weights=counts.size[other]).astype(np.int64)
    if counts.cells is None:
        return replace(counts, size=size, own=counts.size, overlapping=True, _statistics={})
    cells = counts.cells
    length = np.diff(cells.start)[other]
    owner = np.repeat(one, length)
    place = (
        np.arange(len(owner))
        - np.repeat(np.cumsum(length) - length, length)
        + np.repeat(cells.start[other], length)
    )
    values = len(counts.target_values)
    word, inverse = np.unique(owner * values + cells.target[place], return_inverse=True)
    number = np.bincount(inverse, weights=cells.count[place]).astype(np.int64)
    weight = np.bincount(inverse, weights=cells.weight[place]) if counts.weighted else number
    start = np.append(np.flatnonzero(np.diff(word // values, prepend=-1)), len(word))
    return replace(
        counts,
        size=size,
        cells=Cells(start, word % values, number, weight),
        own=counts.size,
        margin=counts.target_weight,
        overlapping=True,
        _statistics={},
    )


def _patterns(keys: Mapping[str, Codes]) -> npt.NDArray[np.int64]:
    """The key codes of each class, a row a class, in the order in which classes are counted."""
    return np.unique(np.stack([column.codes for column in keys.values()], axis=1).astype(np.int64), axis=0)


def _compatible(patterns: npt.NDArray[np.int64]) -> tuple[Integers, Integers]:
    """All pairs of classes that agree wherever neither has a missing key."""
    masks, kind = np.unique(patterns == MISSING, axis=0, return_inverse=True)
    kind = kind.ravel()
    pairs: list[tuple[Integers, Integers]] = []
    for a, missing_a in enumerate(masks):
        for b, missing_b in enumerate(masks):
            common = ~(missing_a | missing_b)
            pairs.append(_join(patterns, np.flatnonzero(kind == a), np.flatnonzero(kind == b), common))
    one = np.concatenate([pair[0] for pair in pairs])
    other = np.concatenate([pair[1] for pair in pairs])
    order = np.argsort(one, kind="stable")
    return one[order], other[order]


def _join(
    patterns: npt.NDArray[np.int64], left: Integers, right: Integers, on: npt.NDArray[np.bool_]
) -> tuple[Integers, Integers]:
    """Pairs of a left and a right class with the same codes in the chosen columns."""
    both = np.concatenate([left, right])
    _, group = np.unique(patterns[both][:, on], axis=0, return_inverse=True)
    group = group.ravel() if on.any() else np.zeros(len(both), np.int64)
    mine, theirs = group[: len(left)], group[len(left) :]
    order = np.argsort(theirs, kind="stable")
    first = np.searchsorted(theirs[order], mine, side="left")
    length = np.searchsorted(theirs[order], mine, side="right") - first
    place = (
        np.arange(int(length.sum()))
        - np.repeat(np.cumsum(length) - length, length)
        + np.repeat(first, length)
    )
    return np.repeat(left, length), right[order[place]]
