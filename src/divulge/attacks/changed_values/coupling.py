"""Which original values released ones stand for, when nobody knows which records belong together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from divulge.alignment.recognition import IntArray
from divulge.attacks.changed_values.flows import possible_pairs

Floats = npt.NDArray[np.float64]
MOST_CELLS = 2_000_000  # beyond these, released values are taken one by one
MOST_ROUNDS = 2000
EXACT = 1e-13


def coupled(size: IntArray, start: IntArray, target: IntArray, often: IntArray) -> Floats:
    """How many records have each released and original value, if the tables tell as little as they can.

    Released value ``i`` occurs ``size[i]`` times and may stand for the original values
    ``target[start[i]:start[i + 1]]``; original value ``x`` occurs ``often[x]`` times and stands behind no
    more records than that. Of all the ways in which records may then belong together, this is the one in
    which released values tell least about original ones. So hiding a value never makes the others tell more.
    Where released values do not overlap, each original record that fits is as likely as the others.

    Here ``≤ 40`` is released twice and ``≥ 40`` once, for 40, 22 and 63. The 40 fits both, but nobody else is
    left for the second ``≤ 40``.

    >>> coupled(np.array([2, 1]), np.array([0, 2, 4]), np.array([0, 1, 0, 2]), np.array([1, 1, 1]))
    array([1., 1., 0., 1.])
    """
    owner = np.repeat(np.arange(len(size)), np.diff(start))
    share = size / np.add.reduceat(often[target], start[:-1])
    alone: Floats = (often[target] * share[owner]).astype(np.float64)
    if np.bincount(target).max(initial=0) <= 1 or len(target) > MOST_CELLS:
        return alone
    room = often * max(1.0, size.sum() / often.sum())
    possible = possible_pairs(size, owner, target, np.floor(room + 1e-9).astype(np.int64))
    if possible is None:
        return alone
    kernel = np.where(possible, often[target], 0).astype(np.float64)
    held = np.ones(len(room))
    for _ in range(MOST_ROUNDS):
        given = size / np.bincount(owner, kernel * held[target], len(size))
        taken = np.bincount(target, kernel * given[owner], len(room))
        before, held = held, np.minimum(1.0, np.divide(room, taken, out=np.ones(len(room)), where=taken > 0))
        if np.abs(held - before).max() <= EXACT * held.max():
            break
    found = kernel * held[target]
    return np.asarray(found * (size / np.bincount(owner, found, len(size)))[owner], np.float64)
