"""Class statistics, worked by hand on one small table."""

import math
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given

from divulge._compiled import library
from divulge.counting import statistics
from divulge.counting.counts import JointCounts
from divulge.counting.statistics import (
    ALONE,
    CERTAIN,
    DISCLOSURE,
    DISTINCT,
    DIVERGENCE,
    ENHANCED_GAIN,
    ENTROPY,
    GAIN,
    RISK,
    SIZE,
    TOP_SHARE,
    UNCERTAINTY,
    UNEVENNESS,
    Statistic,
    distance,
    dominance,
    with_sql,
    xlog2x,
)
from divulge.errors import ParameterError, Undefined
from random_tables import assert_readings_agree, cases

#: Two flu and two cold; one cold alone; p(x) = 2/5 and 3/5.
TABLE = JointCounts.of_table([[2, 2], [0, 1]], ["flu", "cold"])
RECORDS = JointCounts(np.array([4, 1]), None)

BY_HAND = [
    (SIZE, [4, 1]),
    (ALONE, [0, 1]),
    (RISK, [1 / 4, 1]),
    (UNCERTAINTY, [4, 0]),
    (ENTROPY, [1, 0]),
    (DISTINCT, [2, 1]),
    (CERTAIN, [0, 1]),
    (TOP_SHARE, [1 / 2, 1]),
    (UNEVENNESS, [0, 1]),
    (DIVERGENCE, [0.5 * math.log2(5 / 4) + 0.5 * math.log2(5 / 6), math.log2(5 / 3)]),
    (DISCLOSURE, [math.log2(5 / 4), math.inf]),
    (GAIN, [1 / 4, 2 / 3]),
    (ENHANCED_GAIN, [1 / 4, math.inf]),
    (dominance(1), [2 / 4, 1]),
    (dominance(2), [1, math.inf]),
    (distance("equal"), [1 / 10, 2 / 5]),
]


@pytest.mark.parametrize(
    ("statistic", "values"), BY_HAND, ids=[f"{s.name}-{s.parameter}" for s, _ in BY_HAND]
)
def test_a_statistic_of_the_two_classes(statistic, values):
    assert TABLE.statistic(statistic).tolist() == pytest.approx(values)


@pytest.mark.parametrize(
    ("statistic", "values"),
    [
        *[(SIZE, [4, 1]), (ENTROPY, [2, 0]), (UNCERTAINTY, [8, 0]), (DISTINCT, [4, 1])],
        *[(TOP_SHARE, [1 / 4, 1]), (DIVERGENCE, [math.log2(5 / 4), math.log2(5)])],
    ],
)
def test_a_statistic_of_record_needs_sizes_only(statistic, values):
    assert RECORDS.statistic(statistic).tolist() == pytest.approx(values)


@pytest.mark.parametrize("statistic", [DISCLOSURE, GAIN, ENHANCED_GAIN, dominance(2), distance("equal")])
def test_statistics_that_compare_target_values_are_undefined_on_record(statistic):
    with pytest.raises(Undefined, match="every record is its own value"):
        RECORDS.statistic(statistic)


def test_counts_in_falling_order_eight_one_one_dominate_by_eight():
    assert JointCounts.of_table([[1, 8, 1]]).most(dominance(3)) == 8


def test_ordered_distance_counts_what_crosses_each_gap():
    # The t-closeness paper, salaries 3K to 11K: {3K, 4K, 5K} is 0.375 away from nine equal shares.
    table = np.zeros((3, 9), int)
    table[[0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 1, 2, 3, 5, 8, 4, 6, 7]] = 1
    counts = JointCounts.of_table(table).with_ground(order=list(range(9)))
    assert counts.statistic(distance("ordered")).tolist() == pytest.approx([0.375, 1 / 6, 17 / 72])


def test_hierarchical_distance_of_a_tree_of_two_levels():
    # a and b are 1/2 apart, both 1 from c. The class of a moves 1/3 to b and 1/3 to c: 1/6 + 1/3.
    counts = JointCounts.of_table(np.eye(3, dtype=int)).with_ground(levels=[[0, 1, 2], [0, 0, 1]])
    assert counts.statistic(distance("hierarchical")).tolist() == pytest.approx([1 / 2, 1 / 2, 2 / 3])


@pytest.mark.parametrize("absent", [0.0, 0.5, 0.9])
def test_ordered_distance_is_what_crosses_every_gap(absent):
    rng = np.random.default_rng(7)
    table = rng.integers(1, 9, (40, 12)) * (rng.random((40, 12)) >= absent)
    table[:, 3] += 1
    order = rng.permutation(12)
    counts = JointCounts.of_table(table).with_ground(order=order)
    # The plain way: shares of every value in order, added up from the lowest, in all classes.
    excess = table / table.sum(1, keepdims=True) - table.sum(0) / table.sum()
    crossing = np.abs(np.cumsum(excess[:, order], axis=1)[:, :-1]).sum(1) / 11
    assert counts.statistic(distance("ordered")) == pytest.approx(crossing, abs=1e-14)


@pytest.mark.parametrize("counts", [TABLE, JointCounts.of_table([[2], [1]])], ids=["two values", "one value"])
def test_an_unknown_ground_distance_is_named(counts):
    with pytest.raises(
        ParameterError, match=r"'euclid' is not a ground distance of t_closeness. Choose equal, ordered or"
    ):
        counts.statistic(distance("euclid"))


def test_a_statistic_is_a_key_that_its_parameter_tells_apart():
    assert dominance(2) == dominance(2)
    assert len({dominance(2), dominance(3), distance("equal"), Statistic("size", SIZE.function), SIZE}) == 4


def test_a_class_of_one_value_has_no_uncertainty_to_the_last_bit():
    counts = JointCounts.of([("a", "x")] * 3 + [("b", "y")], weights=[0.1, 0.2, 0.3, 0.7])
    assert counts.statistic(UNCERTAINTY).tolist() == [0, 0]


def test_zero_log_zero_is_zero():
    assert xlog2x(np.array([0, 1, 2, 4])).tolist() == [0, 0, 2, 8]
    assert xlog2x(np.array([0.25, 0.5])).tolist() == [-0.5, -0.5]


# -- the compiled pass over all cells ----------------------------------------------------------------


@given(cases(missing=["value", "drop"]) | cases(missing=["wildcard"], identifiers=False))
def test_readings_by_the_compiled_pass_agree_with_the_reference(case):
    if case.joint.cells:
        with patch.object(statistics, "COMPILED_PAYS", 1):
            assert_readings_agree(case.question, case.joint)


def test_the_compiled_pass_gives_most_statistics_at_once():
    counts = JointCounts.of_table([[2, 2], [0, 1]]).with_ground(order=[0, 1])
    with patch.object(statistics, "COMPILED_PAYS", 1):
        counts.statistic(GAIN)
    kept = {UNCERTAINTY, TOP_SHARE, DIVERGENCE, DISCLOSURE, GAIN, ENHANCED_GAIN, dominance(2)}
    assert set(counts._statistics) == kept | {distance("equal"), distance("ordered"), UNEVENNESS}


@pytest.mark.parametrize("ranks", [[2, 1, 3, 0, 5, 4], [1, 0, 2, 0, 3, 2]])
def test_the_compiled_pass_agrees_on_many_classes_of_every_size(ranks):
    table = np.random.default_rng(1).integers(0, 9, (5000, 6)) ** 5
    table[:, 0] += 1
    ground = {"order": [3, 1, 0, 2, 5, 4], "ranks": ranks}
    plain, compiled = (JointCounts.of_table(table).with_ground(**ground) for _ in range(2))
    for statistic in [s for s, _ in BY_HAND] + [distance("ordered"), dominance(3)]:
        with patch.object(statistics, "COMPILED_PAYS", 1):
            found = compiled.statistic(statistic)
        with patch.object(library, "built", lambda: False):
            expected = plain.statistic(statistic)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12), statistic.name


def test_a_database_is_asked_for_what_can_be_said_in_sql():
    assert all(one.sql for one in with_sql())
    assert DIVERGENCE in with_sql()
    assert SIZE not in with_sql()  # which a database counts anyway


def test_a_statistic_is_the_same_by_its_name_and_parameter():
    assert replace(DIVERGENCE, sql=None, slot=None, riskier="lower") == DIVERGENCE
    assert replace(DIVERGENCE, name="other") != DIVERGENCE
    assert replace(DIVERGENCE, parameter=2) != DIVERGENCE


@pytest.mark.parametrize("kind", [np.uint32, np.int64])
def test_logarithms_of_many_counts_are_those_of_each(kind):
    counts = np.resize(np.array([0, 1, 7, 16_383, 16_384, 1 << 30], kind), (9_000, 2))
    assert np.array_equal(xlog2x(counts), xlog2x(counts.astype(np.float64)))
