"""Which pairs of values some way to place all records uses, as SciPy's flow of everything finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge.attacks.changed_values.flows import possible_pairs


def by_scipy(size, owner, target, room):
    """A greatest flow over all values, none taken as one, and the components of what is left of it."""
    sparse = pytest.importorskip("scipy.sparse")
    from scipy.sparse.csgraph import connected_components, maximum_flow

    released, sink = len(size), len(size) + len(room) + 1
    values = released + 1 + target
    ends = np.concatenate(
        [
            [np.zeros(released, np.int64), 1 + np.arange(released)],
            [1 + owner, values],
            [released + 1 + np.arange(len(room)), np.full(len(room), sink)],
        ],
        axis=1,
    ).astype(np.int32)  # SciPy 1.13 takes no others
    capacity = np.concatenate([size, size[owner], room]).astype(np.int32)
    graph = sparse.csr_array(sparse.coo_array((capacity, (ends[0], ends[1])), shape=(sink + 1, sink + 1)))
    result = maximum_flow(graph, 0, sink)
    if result.flow_value < size.sum():
        return None
    flow = sparse.csr_array(result.flow)
    left = sparse.csr_array(graph - flow)
    left.data[left.data < 0] = 0
    left.eliminate_zeros()
    _, component = connected_components(left, connection="strong")
    used = np.asarray(flow[1 + owner, values]).ravel() > 0
    return used | (component[1 + owner] == component[values])


@settings(max_examples=20)
@given(seed=st.integers(0, 1 << 40))
def test_the_same_pairs_are_possible_as_by_a_flow_over_all_values(seed):
    rng = np.random.default_rng(seed)
    released, originals = int(rng.integers(1, 8)), int(rng.integers(1, 9))
    fits = [
        np.flatnonzero(rng.random(originals) < rng.choice([0.3, 0.6, 1.0])).tolist() for _ in range(released)
    ]
    fits = [fitting or [int(rng.integers(originals))] for fitting in fits]
    owner = np.repeat(np.arange(released), [len(fitting) for fitting in fits])
    target = np.concatenate(fits).astype(np.int64)
    size, room = rng.integers(1, 5, released), rng.integers(1, 7, originals)
    found, expected = (one(size, owner, target, room) for one in (possible_pairs, by_scipy))
    assert (found is None) == (expected is None)
    assert found is None or found.tolist() == expected.tolist()


def test_a_value_that_others_need_is_left_to_them():
    """Two of the first need both their values; so the second cannot have the one that fits it as well."""
    size, room = np.array([2, 1]), np.array([1, 1, 1])
    found = possible_pairs(size, np.array([0, 0, 1, 1]), np.array([0, 1, 0, 2]), room)
    assert found.tolist() == [True, True, False, True]


def test_records_that_cannot_all_be_placed_are_said():
    assert possible_pairs(np.array([3]), np.array([0, 0]), np.array([0, 1]), np.array([1, 1])) is None
