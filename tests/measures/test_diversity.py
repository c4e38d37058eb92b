"""Target values inside classes, worked by hand."""

import math

import pytest

import divulge as dv
from divulge.counting.counts import JointCounts
from divulge.errors import ParameterError
from divulge.measures import (
    alpha_k_anonymity,
    distinct_l_diversity,
    entropy_l_diversity,
    recursive_cl_diversity,
)


def test_entropy_l_diversity_of_a_class_split_two_one_one():
    # H = 1/2 log2 2 + 2 * 1/4 log2 4 = 3/2 bits.
    assert entropy_l_diversity(JointCounts.of_table([[2, 1, 1]])) == pytest.approx(2**1.5)


def test_three_equal_values_are_not_floored_to_two():
    assert entropy_l_diversity(JointCounts.of_table([[5, 5, 5]])) == pytest.approx(3)


def test_one_rare_value_counts_as_much_as_a_common_one_in_distinct_diversity():
    assert distinct_l_diversity(JointCounts.of_table([[99, 1], [3, 3]])) == 2


def test_missing_is_a_target_value():
    assert distinct_l_diversity(JointCounts.of([("a", "flu"), ("a", None)])) == 2


@pytest.mark.parametrize(("l", "c"), [(1, 8 / 10), (2, 8 / 2), (3, 8 / 1), (4, math.inf)])
def test_recursive_diversity_of_counts_eight_one_one(l, c):
    assert recursive_cl_diversity(JointCounts.of_table([[8, 1, 1]]), l=l) == c


def test_the_least_diverse_class_decides():
    counts = JointCounts.of_table([[1, 1, 1], [4, 1, 1]])
    assert recursive_cl_diversity(counts) == 2
    assert alpha_k_anonymity(counts) == 2 / 3
    assert entropy_l_diversity(counts) == pytest.approx(2 ** (math.log2(6) - 4 / 6 * 2))


@pytest.mark.parametrize("l", [0, -1, 1.5, "2", True, None])
def test_l_is_a_whole_number_of_at_least_one(l):
    with pytest.raises(ParameterError, match="needs a whole number l of at least 1"):
        recursive_cl_diversity(JointCounts.of_table([[1, 1]]), l=l)


def test_a_class_with_too_few_values_reads_infinite_and_says_why():
    reading = dv.measure({"k": [1, 1], "x": ["s", "s"]}, "recursive_cl_diversity", keys="k", target="x")
    assert reading.value == math.inf
    assert reading.to_dict()["value"] is None
    assert "fewer than l target values" in reading.to_dict()["undefined"]


def test_alpha_comes_with_k():
    reading = dv.measure({"k": [1, 1, 1], "x": ["s", "s", "t"]}, "alpha_k_anonymity", keys="k", target="x")
    assert reading.value == 2 / 3
    assert reading.beside == {"k_anonymity": 3}


def test_a_difference_of_occurrences_is_one_of_records_whatever_these_weigh():
    table = {"zip": ["a"] * 4, "ill": ["flu", "flu", "flu", "cold"], "w": [1.5, 2.5, 1.0, 90.0]}
    found = dv.measure(table, "occurrence_difference", keys="zip", target="ill", weights="w")
    assert found.value == 2  # three records and one; 90 - 5 by weight
