"""Distances of classes from the table, worked by hand."""

import math

import pytest

import divulge as dv
from divulge.counting.counts import JointCounts
from divulge.errors import ParameterError, Undefined
from divulge.measures import beta_likeness, delta_disclosure, get, t_closeness

# p(x) = 3/6, 2/6, 1/6; the first class has 2, 1, 0 and the second 1, 1, 1.
COUNTS = JointCounts.of_table([[2, 1, 0], [1, 1, 1]], ["low", "mid", "high"])


def test_equal_ground_is_half_the_absolute_differences():
    assert t_closeness(COUNTS) == pytest.approx(1 / 6)


def test_ordered_ground_moves_along_the_ranks():
    # 1/6 goes from low to high, two ranks of two.
    assert t_closeness(COUNTS.with_ground(order=[0, 1, 2]), ground="ordered") == pytest.approx(1 / 6)
    # With low beside high it goes one rank.
    assert t_closeness(COUNTS.with_ground(order=[2, 0, 1]), ground="ordered") == pytest.approx(1 / 12)


def test_hierarchical_ground_is_shorter_within_a_branch():
    assert t_closeness(
        COUNTS.with_ground(levels=[[0, 1, 2], [0, 1, 0]]), ground="hierarchical"
    ) == pytest.approx(1 / 12)


@pytest.mark.parametrize(("ground", "why"), [("ordered", "have no order"), ("hierarchical", "no hierarchy")])
def test_a_ground_that_is_not_known_makes_the_distance_undefined(ground, why):
    with pytest.raises(Undefined, match=why):
        t_closeness(COUNTS, ground=ground)


@pytest.mark.parametrize("ground", ["equal", "ordered", "hierarchical"])
def test_a_constant_target_is_close_on_any_ground(ground):
    assert t_closeness(JointCounts.of_table([[1], [2]]), ground=ground) == 0


def test_an_unknown_ground_is_named():
    with pytest.raises(ParameterError, match="Choose equal, ordered or hierarchical"):
        t_closeness(COUNTS, ground="euclid")


def test_the_distance_of_salaries_in_the_t_closeness_paper():
    # Li et al., section 5: classes {3,4,5}, {6,8,11}, {7,9,10} of salaries 3K to 11K.
    table = {"class": [1, 1, 1, 2, 2, 2, 3, 3, 3], "salary": [3, 4, 5, 6, 8, 11, 7, 9, 10]}
    reading = dv.measure(table, "t_closeness", keys="class", target="salary", ground="ordered")
    assert {v.key["class"]: round(v.value, 3) for v in reading.by_value} == {1: 0.375, 3: 0.236, 2: 0.167}


def test_a_value_absent_from_a_class_makes_disclosure_infinite():
    assert delta_disclosure(COUNTS) == math.inf
    assert delta_disclosure(JointCounts.of_table([[1, 1], [3, 1]])) == pytest.approx(math.log2(3 / 2))


def test_likeness_is_the_largest_relative_gain():
    # high: from 1/6 to 1/3, a gain of 1.
    assert beta_likeness(COUNTS) == pytest.approx(1)


def test_enhanced_likeness_is_infinite_beyond_minus_ln_p():
    # A gain of 1 is below -ln(1/6) = 1.79; a class of one value always lies beyond.
    assert beta_likeness(COUNTS, enhanced=True) == pytest.approx(1)
    # p = 1/2, alone in its class: a gain of 1 exceeds ln 2.
    assert beta_likeness(JointCounts.of_table([[2, 0], [0, 2]]), enhanced=True) == math.inf


def test_classes_like_the_table_gain_nothing():
    alike = JointCounts.of_table([[3, 1], [6, 2]])
    assert (t_closeness(alike), delta_disclosure(alike), beta_likeness(alike)) == (0, 0, 0)
    assert beta_likeness(alike, enhanced=True) == 0


@pytest.mark.parametrize(
    ("name", "parameters", "why"),
    [
        ("delta_disclosure", {}, "some target value is absent from some group"),
        ("beta_likeness", {"enhanced": True}, "exceeds -ln p(x)"),
    ],
)
def test_infinite_readings_say_why(name, parameters, why):
    table = {"k": [1, 1, 2, 2], "x": ["s", "s", "t", "t"]}
    reading = dv.measure(table, name, keys="k", target="x", **parameters)
    assert reading.value == math.inf
    assert why in reading.to_dict()["undefined"]
    assert reading.adjusted is None


def test_beta_likeness_is_the_plain_one_unless_the_enhanced_is_asked_for():
    # One value in a class of its own: the gain is (1 - 1/2) / (1/2), and no enhanced beta allows it.
    counts = JointCounts.of_table([[2, 0], [0, 2]])
    assert beta_likeness(counts) == beta_likeness(counts, enhanced=False) == 1
    assert beta_likeness(counts, enhanced=True) == math.inf


def test_so_are_its_values_by_class():
    # Two flu and two cold, and one cold alone: p(x) = 2/5 and 3/5, so that gains are 1/4 and 2/3.
    counts = JointCounts.of_table([[2, 2], [0, 1]])
    assert get("beta_likeness").classes(counts).tolist() == pytest.approx([1 / 4, 2 / 3])
    assert get("beta_likeness").classes(counts, {"enhanced": True}).tolist() == [
        pytest.approx(1 / 4),
        math.inf,
    ]
