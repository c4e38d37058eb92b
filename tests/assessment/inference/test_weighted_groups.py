"""What is learned where records have weights: shares by weight, of as many people as these are worth."""

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.checks.learned import learned
from divulge.assessment.inference.asked.sensitive_questions import SensitiveAnswers, asked_values
from divulge.assessment.inference.weighted_groups import by_weight, useful
from divulge.assessment.scope import Scope
from divulge.policy import USUAL, Population


def check(age, ill, weight, **more):
    given = {"quasi_identifiers": "age", "sensitive": "ill", "weights": "w"} | more
    population = given.pop("population", None)
    data = dv.read({"age": age, "ill": ill, "w": weight}, **given)
    return learned(USUAL.learned, Scope(data, population=population))[0]


def weighty():
    """Nine plain sets, and one in which 100 of 200 have a value and nearly all of the weight."""
    age = np.repeat(np.arange(10), 200).tolist()
    ill = ["a", "b", "c", "d"] * 450 + ["a"] * 100 + ["b", "d"] * 50
    return age, ill, [1000] * 1800 + [1000] * 100 + [10] * 100


def test_a_set_in_which_a_value_has_nearly_all_weight_is_learned():
    age, ill, weight = weighty()
    found = check(age, ill, weight)
    assert (found.outcome, found.concerned) == ("fail", 100)  # people who have it, not their weight
    # By weight (450 + 100) * 1000 of 1,901,000 have it.
    assert "28.9% of all people have this value, both by weight." in found.answer.sentence
    assert check(age, ill, [1000] * 2000).outcome == "pass"
    assert check(age, ill, weight, weights=None, population=Population(weight="w")).outcome == "fail"


def test_what_is_learned_without_weights_stays_learned():
    age, ill, _ = weighty()
    ill[1800:] = ["a"] * 190 + ["b"] * 10
    found = check(age, ill, [1] * 1990 + [1000] * 10)
    assert (found.outcome, found.concerned) == ("fail", 190)
    assert "by weight" not in found.answer.sentence


def test_a_few_heavy_people_are_not_many():
    age, ill, weight = weighty()
    weight[1800:] = [100_000] * 2 + [10] * 198  # worth about two people
    assert check(age, ill, weight).outcome == "pass"


def test_a_set_is_as_large_as_the_people_it_is_worth():
    # By hand: weights 3, 1, 1 are worth 25 / 11 people, 4, 4 are worth 2.
    columns = {"age": [0, 0, 0, 1, 1], "ill": list("abaab"), "w": [3, 1, 1, 4, 4]}
    rows = Scope(dv.read(columns, quasi_identifiers="age", sensitive="ill", weights="w")).rows
    column = rows.data.column("ill")
    (asked,) = asked_values(SensitiveAnswers(column, np.bincount(column.codes)), None, None, "ill")
    numbers, bound = rows.sets(["age"])
    plain = rows.table(numbers, bound, column.codes, asked.values, slice(None))
    found = by_weight(
        plain, rows, rows.data.record_weights(), numbers, column.codes, slice(None), slice(None)
    )
    assert found.size == pytest.approx([25 / 11, 2])
    assert found.count == pytest.approx([4 / 5 * 25 / 11, 1 / 5 * 25 / 11, 1, 1])
    assert found.having[1:] == pytest.approx([8 / 13 * 5, 5 / 13 * 5])


def test_weights_that_are_all_equal_change_nothing():
    assert not useful(np.full(4, 2.0), None)
    assert not useful(np.asarray([2.0, 6.0]), np.asarray([1, 3]))  # rows of one and of three records
    assert useful(np.asarray([2.0, 6.0]), None)


def test_unrelated_values_with_very_different_weights_are_not_learned():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        ill = rng.choice(list("abcd"), 600)
        weight = np.where(ill == "a", 5, 1) * np.exp(rng.normal(size=600))
        found = check(rng.integers(0, 60, 600).tolist(), ill.tolist(), weight.tolist())
        assert found.outcome != "fail", seed
        assert "nearly everyone" not in found.answer.sentence  # has the weight of one heavy person
