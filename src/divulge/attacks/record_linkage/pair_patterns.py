"""How many pairs of an original and a released record agree on which attributes, without making a pair.

For a set of attributes, the pairs that agree on all of them are the products of class sizes in both tables,
added up. The pairs that agree on these and on no others follow by inclusion and exclusion over larger sets.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.table.packing import Column, combinations

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
MOST_ATTRIBUTES = 16  # 65,536 patterns
Times = tuple[Integers | None, Integers | None]  # how many records each row of both tables is; None: one


def pattern_counts(ours: Sequence[Column], theirs: Sequence[Column], times: Times = (None, None)) -> Floats:
    """Pairs by pattern: bit a of the place says that the pair agrees on attribute a.

    Columns are codes that both tables share. Counts are exact as long as there are fewer than 2^53 pairs.
    A row may stand for several records that are alike.

    >>> one, other = (np.array([0, 1]), 2), (np.array([1, 1, 0]), 2)
    >>> pattern_counts([one], [other]).tolist()
    [3.0, 3.0]
    """
    attributes = len(ours)
    if not 0 < attributes <= MOST_ATTRIBUTES:
        raise ParameterError(
            f"Records were to be linked by {attributes} attributes.",
            hint=f"Name from 1 to {MOST_ATTRIBUTES} of them with --keys.",
        )
    rows, here, there = _distinct(ours, theirs, times)
    bounds = [bound for _, bound in ours]
    agreeing = np.zeros(1 << attributes)
    _visit(rows, here, there, bounds, attributes - 1, (1 << attributes) - 1, agreeing)
    for a in range(attributes):  # from those that agree at least to those that agree exactly
        with_it = agreeing.reshape(-1, 2, 1 << a)
        with_it[:, 0] -= with_it[:, 1]
    return agreeing


def _distinct(
    ours: Sequence[Column], theirs: Sequence[Column], times: Times
) -> tuple[Integers, Integers, Integers]:
    """The combinations of values that occur, and how many records of each table have them."""
    joined = [
        (np.concatenate([one, other]), bound) for (one, bound), (other, _) in zip(ours, theirs, strict=True)
    ]
    originals = len(ours[0][0])
    found = combinations(joined, len(joined[0][0]))
    size = len(found.first)
    here = records_by(found.number[:originals], times[0], size)
    there = records_by(found.number[originals:], times[1], size)
    return np.array([column[found.first] for column, _ in joined]).astype(np.int64), here, there


def records_by(number: Integers, times: Integers | None, size: int) -> Integers:
    """How many records have each number, by rows that stand for one record or for several."""
    return np.bincount(number, weights=times, minlength=size).astype(np.int64)


def _visit(
    rows: Integers,
    here: Integers,
    there: Integers,
    bounds: Sequence[int],
    last: int,
    chosen: int,
    agreeing: Floats,
) -> None:
    """Count a set of attributes, then those that lack one of its first attributes up to the last."""
    agreeing[chosen] = float((here.astype(np.float64) * there).sum())
    for a in range(last, -1, -1):
        left = chosen & ~(1 << a)
        kept = [b for b in range(len(bounds)) if left >> b & 1]
        if not kept:
            agreeing[0] = float(here.sum()) * float(there.sum())
            continue
        found = combinations([(rows[b], bounds[b]) for b in kept], rows.shape[1])
        size = len(found.first)
        ours, theirs = (
            np.bincount(found.number, weights=one, minlength=size).astype(np.int64) for one in (here, there)
        )
        _visit(rows[:, found.first], ours, theirs, bounds, a - 1, left, agreeing)
