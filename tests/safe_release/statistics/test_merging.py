"""Neighbouring values joined until a bin has five records, by three rules, worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.safe_release.rules import MERGING
from divulge.safe_release.statistics.merging import LEAST, merged, pearson
from safe_release import reference


def bins(observed, rule, shares=None):
    """Counts bin by bin; the shares are those of an even baseline unless given."""
    shares = np.full(len(observed), 1 / len(observed)) if shares is None else np.asarray(shares, float)
    return merged(np.asarray(observed, np.int64), shares, MERGING.index(rule))


@pytest.mark.parametrize(
    ("observed", "smallest", "left", "right"),
    [
        ([5, 5, 5], [5, 5, 5], [5, 5, 5], [5, 5, 5]),
        ([7, 2, 4, 9], [7, 6, 9], [7, 6, 9], [7, 6, 9]),  # 2 joins 4, the smaller neighbour
        ([9, 2, 9, 9], [11, 9, 9], [9, 11, 9], [11, 9, 9]),  # left of equals; up to the next; back to it
        ([4, 4, 4, 4], [8, 8], [8, 8], [8, 8]),
        ([4, 4, 4], [12], [12], [12]),  # 4 + 4 leaves a 4, which is too few
        ([1, 9, 9], [10, 9], [10, 9], [10, 9]),  # the first has one neighbour only
        ([9, 9, 1], [9, 10], [9, 10], [9, 10]),
        ([0, 0, 0, 6, 0], [6], [6], [6]),
        ([5, 0, 0, 5], [5, 5], [5, 5], [5, 5]),
        ([6, 3, 1, 3, 6], [6, 7, 6], [6, 7, 6], [6, 7, 6]),
        ([5, 1, 3, 6, 1, 9], [9, 7, 9], [5, 10, 10], [9, 7, 9]),
        ([0, 0], [0], [0], [0]),
        ([3], [3], [3], [3]),
    ],
)
def test_values_with_too_few_records_join_their_neighbours(observed, smallest, left, right):
    assert bins(observed, "smallest")[0].tolist() == smallest
    assert bins(observed, "left")[0].tolist() == left
    assert bins(observed, "right")[0].tolist() == right


def test_without_merging_every_value_is_a_bin():
    counts, shares = bins([7, 0, 4, 9], "none", [0.4, 0.3, 0.2, 0.1])
    assert counts.tolist() == [7, 0, 4, 9]
    assert shares.tolist() == [0.4, 0.3, 0.2, 0.1]


def test_expected_shares_are_added_as_the_counts_are():
    counts, shares = bins([7, 2, 4, 9], "smallest", [0.4, 0.3, 0.2, 0.1])
    assert counts.tolist() == [7, 6, 9]
    assert shares.tolist() == pytest.approx([0.4, 0.5, 0.1])


def test_what_is_merged_is_decided_by_what_is_observed_not_by_what_is_expected():
    assert bins([13, 2, 20], "smallest", [0.001, 0.9, 0.099])[0].tolist() == [15, 20]


@pytest.mark.parametrize("rule", ["smallest", "left", "right"])
@given(st.lists(st.integers(0, 12), min_size=1, max_size=9), st.integers(0, 10**6))
def test_merging_goes_as_the_rule_says_and_keeps_every_record(rule, observed, seed):
    shares = np.random.default_rng(seed).dirichlet(np.ones(len(observed)))
    given = np.asarray(observed, np.int64)
    before = given.copy(), shares.copy()
    counts, parts = merged(given, shares, MERGING.index(rule))
    assert list(zip(counts.tolist(), parts.tolist(), strict=True)) == [
        (count, pytest.approx(share)) for count, share in reference.merged(observed, shares.tolist(), rule)
    ]
    assert counts.sum() == sum(observed)
    assert parts.sum() == pytest.approx(1)
    assert len(counts) == 1 or (counts >= LEAST).all()
    assert np.array_equal(given, before[0])
    assert np.array_equal(shares, before[1])


def test_pearsons_statistic_by_hand():
    # Ten expected of each: (4 + 4) / 10.
    value, left = pearson(np.array([12, 8]), np.array([0.5, 0.5]), 0)
    assert (value, left) == (pytest.approx(0.8), 2)


def test_of_a_single_bin_the_statistic_is_nothing():
    assert pearson(np.array([3, 1]), np.array([0.5, 0.5]), 0) == (0.0, 1)


def test_a_bin_that_was_never_expected_is_infinitely_far():
    assert pearson(np.array([9, 9]), np.array([1.0, 0.0]), 0) == (np.inf, 2)
