"""Optimal groups of one attribute against all partitions there are."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.mechanisms.algorithms.group_centres import aggregated, squared_error
from divulge.mechanisms.algorithms.microaggregation import mdav_groups
from divulge.mechanisms.algorithms.optimal_groups import univariate_optimal_groups


def test_salaries_of_table_6_5_become_those_of_table_6_6():
    salaries = np.array([4.0, 5, 3, 13, 8, 15, 9, 7, 11])
    groups = univariate_optimal_groups(salaries, 3)
    assert aggregated(salaries, groups).tolist() == [4, 4, 4, 13, 8, 13, 8, 8, 13]


def squares(group):
    mean = Fraction(sum(group), len(group))
    return sum((value - mean) ** 2 for value in group)


def partitions(values, k):
    """Every way to put values into groups of at least k."""
    if not values:
        yield []
        return
    first, others = values[0], values[1:]
    for chosen in range(1 << len(others)):
        group = [first, *(v for i, v in enumerate(others) if chosen >> i & 1)]
        if len(group) >= k:
            rest = [v for i, v in enumerate(others) if not chosen >> i & 1]
            for more in partitions(rest, k):
                yield [group, *more]


@given(values=st.lists(st.integers(-9, 9), min_size=2, max_size=8), k=st.integers(2, 4))
def test_no_partition_has_less_squares(values, k):
    k = min(k, len(values))
    groups = univariate_optimal_groups(np.array(values, float), k)
    found = sum(squares([v for v, g in zip(values, groups, strict=True) if g == one]) for one in set(groups))
    assert found == min(sum(map(squares, partition)) for partition in partitions(values, k))
    assert np.bincount(groups).min() >= k


@given(values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), k=st.integers(1, 6), data=st.data())
def test_optimal_is_never_worse_than_mdav_and_does_not_depend_on_the_order_of_rows(values, k, data):
    k, points = min(k, len(values)), np.array(values)[:, None]
    groups = univariate_optimal_groups(points[:, 0], k)
    best, other = squared_error(points, groups), squared_error(points, mdav_groups(points, k))
    assert best <= other * (1 + 1e-9) + 1e-9
    order = np.array(data.draw(st.permutations(range(len(values)))))
    released = aggregated(points[:, 0], groups)
    shuffled = points[order, 0]
    again = aggregated(shuffled, univariate_optimal_groups(shuffled, k))
    assert sorted(zip(shuffled, again, strict=True)) == sorted(zip(values, released, strict=True))


@given(values=st.lists(st.integers(-9, 9), min_size=1, max_size=20), k=st.integers(1, 4))
def test_optimal_groups_of_what_was_aggregated_change_nothing(values, k):
    values, k = np.array(values) / 10, min(k, len(values))
    once = aggregated(values, univariate_optimal_groups(values, k))
    assert aggregated(once, univariate_optimal_groups(once, k)).tolist() == once.tolist()


def test_small_differences_far_from_zero_are_seen():
    values = np.array([1e9, 1e9 + 1, 1e9 + 2, 1e9 + 10, 1e9 + 11, 1e9 + 12, 1e9 + 13])
    assert univariate_optimal_groups(values, 2).tolist() == [0, 0, 0, 1, 1, 2, 2]


def test_k_larger_than_the_table_is_refused():
    with pytest.raises(ParameterError, match="k is 3"):
        univariate_optimal_groups(np.array([1.0, 2.0]), 3)
