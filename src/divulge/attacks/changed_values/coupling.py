"""Which original values released ones stand for, when nobody knows which records belong together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from divulge.alignment.recognition import IntArray

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
    possible = _possible(size, owner, target, room)
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


def _possible(
    size: IntArray, owner: IntArray, target: IntArray, room: Floats
) -> npt.NDArray[np.bool_] | None:
    """Whether records can have each pair of values once all others are placed; None where they cannot all be.

    A pair is possible where some greatest flow of records from released to original values uses it: it has
    flow already, or lies on a cycle of what could be rerouted.
    """
    from scipy.sparse import coo_array, csr_array
    from scipy.sparse.csgraph import connected_components, maximum_flow

    released, sink = len(size), len(size) + len(room) + 1
    values = released + 1 + target  # nodes: 0 the source, then released values, original ones, and the sink
    limit = np.floor(room + 1e-9).astype(np.int64)
    nodes = np.concatenate(
        [
            [np.zeros(released, np.int64), 1 + np.arange(released)],
            [1 + owner, values],
            [released + 1 + np.arange(len(room)), np.full(len(room), sink)],
        ],
        axis=1,
    ).astype(np.int32)  # flows are found on such nodes only
    capacity = np.concatenate([size, size[owner], limit]).astype(np.int32)
    graph = csr_array(coo_array((capacity, (nodes[0], nodes[1])), shape=(sink + 1, sink + 1)))
    result = maximum_flow(graph, 0, sink)
    if result.flow_value < size.sum():
        return None
    flow = csr_array(result.flow)
    left = csr_array(graph - flow)
    left.data[left.data < 0] = 0
    left.eliminate_zeros()
    _, component = connected_components(left, connection="strong")
    used = np.asarray(flow[1 + owner, values]).ravel() > 0
    return used | (component[1 + owner] == component[values])
