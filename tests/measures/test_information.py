"""What keys tell, worked by hand; and where there is nothing to tell."""

import math

import numpy as np
import pytest

import divulge as dv
from divulge.counting.counts import JointCounts
from divulge.errors import ParameterError, Undefined
from divulge.measures import (
    attacker_error,
    best_attacker_error,
    conditional_entropy,
    conditional_privacy,
    discrimination_rate,
    entropy,
    entropy_l_diversity_risk,
    itpr,
    kl_closeness,
    maximum_information_leakage,
    mutual_information,
    normalized_conditional_entropy,
    worst_posterior,
)

ALIKE = JointCounts.of_table([[1, 1], [2, 2]])  # every class looks like the table
TELLING = JointCounts.of_table([[2, 0], [0, 2]])  # every class has one value
HALF = JointCounts.of_table([[2, 2], [4, 0]])  # H(X) = H(1/4), H(X|Y) = 1/2

QUARTER = 2 - 0.75 * math.log2(3)  # H(1/4)


@pytest.mark.parametrize(
    ("measure", "alike", "telling", "half"),
    [
        (entropy, 1, 1, QUARTER),
        (conditional_entropy, 1, 0, 1 / 2),
        (normalized_conditional_entropy, 1, 0, 0.5 / QUARTER),
        (mutual_information, 0, 1, QUARTER - 0.5),
        (conditional_privacy, 0, 1 / 2, 1 - 2 ** (0.5 - QUARTER)),
        (discrimination_rate, 0, 1, 1 - 0.5 / QUARTER),
        (itpr, 1 - 2 * 1 / 3, 1, 1),
        (maximum_information_leakage, 2 / 3, 1, QUARTER),
        (entropy_l_diversity_risk, 1 / 2, 1, 1),
        (kl_closeness, 0, 1, math.log2(4 / 3)),
        (worst_posterior, 1 / 2, 1, 1),
    ],
)
def test_on_three_tables(measure, alike, telling, half):
    assert measure(ALIKE) == pytest.approx(alike)
    assert measure(TELLING) == pytest.approx(telling)
    assert measure(HALF) == pytest.approx(half)


# Thesis table 4.1, example 2: ages of nine subjects. H(X) = log2 9; ages 22 and 35 leave log2 3 each.
AGES = [22, 35, 63, 22, 22, 35, 45, 35, 40]


def test_the_discrimination_rate_of_age_over_nine_subjects_is_two_thirds():
    reading = dv.measure({"age": AGES}, "discrimination_rate", keys="age")
    assert reading.value == pytest.approx(2 / 3)
    by_value = {v.key["age"]: v.value for v in reading.by_value}
    assert by_value == {22: pytest.approx(5 / 6), 35: pytest.approx(5 / 6), 40: 1, 45: 1, 63: 1}


def test_of_record_risk_follows_from_class_sizes():
    counts = JointCounts(np.array([1, 3]), None)
    assert entropy(counts) == 2
    assert conditional_entropy(counts) == pytest.approx(0.75 * math.log2(3))
    assert worst_posterior(counts) == 1
    assert itpr(counts) == 1
    assert kl_closeness(counts) == 2


def test_itpr_by_value_may_be_negative_and_overall_is_not():
    counts = JointCounts.of_table([[1, 1], [9, 9]])
    by_class = [
        v.value
        for v in dv.measure(
            {"k": [0] * 2 + [1] * 18, "x": [0, 1] * 10}, "itpr", keys="k", target="x"
        ).by_value
    ]
    assert by_class == pytest.approx([0.8, -0.8])
    assert itpr(counts) == pytest.approx(0.8)


def test_weights_are_what_probabilities_are_made_of():
    rows = [("a", "flu"), ("a", "cold"), ("b", "flu")]
    heavy = JointCounts.of(rows, weights=[1, 3, 4])
    # p(flu) = 5/8; class a holds half the weight, a quarter of which is flu.
    assert discrimination_rate(heavy) == pytest.approx(
        1 - 0.5 * QUARTER / JointCounts.of_table([[5, 3]]).entropy
    )


@pytest.mark.parametrize("measure", [discrimination_rate, itpr, normalized_conditional_entropy])
@pytest.mark.parametrize(
    "counts",
    [JointCounts.of_table([[3], [2]]), JointCounts(np.array([1]), None)],
    ids=["constant target", "one record"],
)
def test_rates_over_a_target_with_one_value_are_undefined_with_the_reason(measure, counts):
    with pytest.raises(Undefined, match=r"one value only.*H\(X\) = 0"):
        measure(counts)


def test_bits_over_a_target_with_one_value_are_zero():
    constant = JointCounts.of_table([[3], [2]])
    for measure in (
        entropy,
        conditional_entropy,
        mutual_information,
        conditional_privacy,
        maximum_information_leakage,
    ):
        assert measure(constant) == 0
    assert worst_posterior(constant) == 1


def test_rounding_does_not_push_rates_out_of_their_bounds():
    counts = JointCounts.of([("a", "x"), ("a", "y")], weights=[0.1, 0.1])
    assert 0 <= discrimination_rate(counts) <= 1
    assert 0 <= normalized_conditional_entropy(counts) <= 1
    assert maximum_information_leakage(counts) >= 0


def test_the_attackers_error_is_what_the_best_guesses_get_wrong():
    counts = JointCounts.of_table([[2, 2, 0], [1, 0, 5]])
    # Right are 2 of the first 4 and 5 of the other 6.
    assert attacker_error(counts) == pytest.approx(1 - 7 / 10)
    assert attacker_error(counts, kind="worst") == pytest.approx(1 / 6)
    assert best_attacker_error(counts) == 0.5
    assert attacker_error(JointCounts.of_table([[3], [2]])) == 0
    with pytest.raises(ParameterError, match="'middle' is not a kind"):
        attacker_error(counts, kind="middle")


def test_the_attackers_error_about_records_is_one_less_classes_per_record():
    counts = dv.ask({"a": ["x", "x", "x", "y"]}, keys="a").counts
    assert attacker_error(counts) == pytest.approx(1 - 2 / 4)
