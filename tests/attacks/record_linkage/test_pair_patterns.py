"""Which attributes pairs agree on, against all pairs one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.attacks.record_linkage.pair_patterns import pattern_counts
from divulge.errors import ParameterError


@given(seed=st.integers(0, 1 << 40))
def test_pairs_of_each_pattern_are_those_made_one_by_one(seed):
    rng = np.random.default_rng(seed)
    bounds = rng.integers(1, 5, int(rng.integers(1, 5))).tolist()
    ours, theirs = (
        [(rng.integers(0, bound, rows), bound) for bound in bounds] for rows in rng.integers(1, 30, 2)
    )
    by_hand = np.zeros(1 << len(bounds))
    for i in range(len(ours[0][0])):
        for j in range(len(theirs[0][0])):
            pairs = zip(ours, theirs, strict=True)
            by_hand[sum(int(one[i] == other[j]) << a for a, ((one, _), (other, _)) in enumerate(pairs))] += 1
    assert pattern_counts(ours, theirs).tolist() == by_hand.tolist()


def test_more_attributes_than_patterns_can_be_held_are_refused():
    column = (np.array([0]), 1)
    with pytest.raises(ParameterError, match="17 attributes"):
        pattern_counts([column] * 17, [column] * 17)
