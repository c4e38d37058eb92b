"""One numbering for the values of two tables: what counts as the same."""

import datetime

import numpy as np
import pytest

import divulge as dv
from divulge.alignment.tables import align
from divulge.utility.values import aligned, attributes_of, whole


def paired(original, released, **reading):
    return whole(align(dv.read({"a": original}, **reading), dv.read({"a": released})), "a")


def same(original, released):
    """Which records have the same value in both."""
    pair = paired(original, released)
    return (pair.original.codes == pair.released.codes).tolist()


@pytest.mark.parametrize(
    ("original", "released", "agree"),
    [
        (["x", "y"], ["x", "z"], [True, False]),
        ([25, 30], ["25", "31"], [True, False]),
        (["25", "30"], ["25.0", "30.5"], [True, False]),
        ([1.0, 2.0], ["1", "20-30"], [True, False]),
        (["01069", "1069"], ["1069", "1069"], [False, True]),
        (["X", "x"], ["x", "x"], [False, True]),
        ([True, False], ["TRUE", "true"], [True, False]),
        ([None, "x"], [None, None], [True, False]),
        (["*", "x"], ["*", "*"], [True, False]),
        ([datetime.date(2020, 1, 2), None], ["2020-01-02", "x"], [True, False]),
    ],
)
def test_values_are_the_same_that_read_the_same(original, released, agree):
    assert same(original, released) == agree


def test_numbers_are_listed_from_the_lowest_with_gaps_at_the_ends():
    pair = paired(["10", "9", "*"], ["9.5", None, "10"])
    assert pair.numbers[1:-1].tolist() == [9, 9.5, 10]
    assert np.isnan(pair.numbers[[0, -1]]).all()
    assert pair.gap(pair.original).tolist() == [False, False, True]
    assert pair.gap(pair.released).tolist() == [False, True, False]


@pytest.mark.parametrize(
    "released", [["20-30", "30-40"], ["*", "*"], [None, None], ["1_0", "2"], ["inf", "1"]]
)
def test_an_attribute_is_numeric_only_if_both_sides_are(released):
    pair = paired([20, 30], released)
    assert pair.numbers is None
    assert sorted(pair.own_numbers[~np.isnan(pair.own_numbers)]) == [20, 30]


def test_digits_with_a_leading_zero_are_names():
    assert paired(["01069", "10115"], ["01069", "10115"]).numbers is None
    assert paired(["0.5", "0", "-0.25"], ["1", "0", "2"]).numbers is not None


def test_a_mark_of_its_own_is_a_gap_even_if_it_is_a_number():
    pair = paired([-9, 1, 2], [1, 2, 3], suppressed="-9")
    assert pair.numbers[1:-1].tolist() == [1, 2, 3]
    assert pair.gap(pair.original).tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("released", "comparable"),
    [
        (["x", "x"], True),
        (["x", "*"], True),
        ([None, None], True),
        (["x", "z"], False),
        (["x or y"] * 2, False),
    ],
)
def test_a_release_is_comparable_that_has_no_values_of_its_own(released, comparable):
    assert paired(["x", "y"], released).comparable is comparable


def test_numbers_dates_and_declared_values_have_an_order():
    days = [datetime.date(2020, 1, 2), datetime.date(2020, 1, 1)]
    ranks, places = paired(days, days).ranks()
    assert (ranks[1:-1].tolist(), places) == ([1, 0], 2)
    assert paired(["low", "high"], ["low", "low"]).ranks() is None
    ranks, places = paired(["low", "high"], ["low", "low"]).ranks(["low", "middle", "high"])
    assert (ranks[1:-1].tolist(), places) == ([0, 2], 3)
    assert paired(["low", "high"], ["low", "other"]).ranks(["low", "high"]) is None
    ranks, places = paired([1, 3], [1, 3]).ranks(["3", "2", "1"])
    assert (ranks[1:-1].tolist(), places) == ([2, 0], 3)
    assert paired(["*"], ["*"]).ranks() is None


def test_rows_follow_the_alignment():
    original = dv.read({"id": [1, 2, 3], "a": ["x", "y", "z"]}, identifiers="id")
    pair = aligned(align(original, dv.read({"id": [3, 1], "a": ["z", "y"]})), "a")
    assert (pair.original.codes == pair.released.codes).tolist() == [False, True]


def test_identifiers_and_weights_lose_nothing():
    table = dv.read({"id": [1, 2], "w": [1, 2], "a": [1, 2], "b": [1, 2]}, identifiers="id", weights="w")
    assert attributes_of(align(table, dv.read({"id": [1, 2], "w": [1, 2], "a": [1, 2]}))) == ["a"]


def test_new_values_that_only_unmatched_records_have_stand_for_nothing_known():
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["ill"]}
    original = dv.read({"age": ["30"], "sex": ["m"], "ill": ["flu"]}, **roles)
    released = dv.read({"age": ["30", "31", ""], "sex": ["", "m", "f"], "ill": ["flu"] * 3}, **roles)
    assert dv.compare(original, released, by="age").releases
