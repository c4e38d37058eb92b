"""Records as numbers for learners."""

import numpy as np
import pytest

import divulge as dv
from divulge.alignment.tables import align
from divulge.utility.encoding import MOST_CATEGORIES, Split, counterparts, encoded
from divulge.utility.values import aligned

SPLIT = Split(np.array([0, 1, 2]), np.array([3]))


def column(original, released):
    return aligned(align(dv.read({"a": original}), dv.read({"a": released}), same_order=True), "a")


def matrices(original, released, side, split=SPLIT):
    train, test = encoded([column(original, released)], split, side)
    return train.tolist(), test.tolist()


def test_each_value_of_the_training_records_has_a_column_and_unseen_ones_have_none():
    train, test = matrices(["x", "y", "x", "z"], ["x", "y", "x", "z"], "original")
    assert train == [[1, 0], [0, 1], [1, 0]]
    assert test == [[0, 0]]


def test_held_out_originals_are_generalized_as_most_training_records_were():
    original = ["21", "22", "35", "21"]
    train, test = matrices(original, ["2*", "2*", "3*", "3*"], "released")
    # Mean 26, deviation sqrt(122 / 3); 2* lies halfway between 21 and 22, 3* at 35, the only one there is.
    unit = (122 / 3) ** 0.5
    assert train == [[pytest.approx(x / unit)] for x in (-4.5, -4.5, 9)]
    assert test == [[pytest.approx(-4.5 / unit)]]


def test_a_value_has_the_counterpart_that_most_of_its_records_have():
    found = counterparts(column(["x", "x", "x", "y"], ["p", "q", "q", "p"]), np.arange(4))
    pair = column(["x", "x", "x", "y"], ["p", "q", "q", "p"])
    assert [pair.released.values[code - 1] for code in found[1:3]] == ["q", "p"]


def test_a_number_without_counterpart_takes_that_of_the_nearest():
    pair = column([10, 20, 30, 24, 26], ["low", "low", "high", "high", "low"])
    found = counterparts(pair, np.arange(3))
    assert found[pair.original.codes].tolist() == pair.released.codes[[0, 1, 2, 1, 2]].tolist()


def test_values_that_were_only_exchanged_are_tested_as_they_are():
    train, test = matrices(["x", "y", "x", "y"], ["y", "x", "y", "x"], "released")
    assert train == [[0, 1], [1, 0], [0, 1]]
    assert test == [[0, 1]]


def test_numbers_are_standardised_by_the_training_records_and_gaps_lie_at_the_mean():
    train, test = matrices(["1", "3", "*", "5"], ["1", "3", "*", "5"], "original")
    assert train == [[-1], [1], [0]]
    assert test == [[3]]
    assert matrices([4, 4, 4, 5], [4, 4, 4, 5], "original") == ([[], [], []], [[]])


RELEASES = {
    "unchanged": ["20", "25", "30", "35"],
    "bands": ["20-29", "20-29", "30-39", "30-39"],
    "stars": ["2*", "2*", "3*", "3*"],
    "suppressed": ["*"] * 4,
    "other words": ["a", "b", "c", "d"],
    "other numbers": ["1", "2", "3", "4"],
}


@pytest.mark.parametrize("released", RELEASES.values(), ids=RELEASES)
@pytest.mark.parametrize("original", [["20", "25", "30", "35"], ["x", "y", "x", "z"]])
def test_the_original_is_encoded_the_same_whatever_was_released(original, released):
    assert matrices(original, released, "original") == matrices(original, original, "original")


def test_a_group_has_the_share_of_each_of_its_values():
    original, released = ["cook", "cook", "nurse", "guard"] * 6, ["care", "care", "care", "guard"] * 6
    everyone = np.arange(24)
    train, _ = encoded([column(original, released)], Split(everyone, everyone), "released")
    # Columns are cook, nurse and guard; care is 12 cooks and 6 nurses.
    assert train[:4].tolist() == [[pytest.approx(2 / 3), pytest.approx(1 / 3), 0]] * 3 + [[0, 0, 1]]


def test_what_is_suppressed_lies_where_the_average_is():
    train, _ = matrices(["x", "y", "x", "x"], ["x", "y", "*", "x"], "released")
    assert train == [[1, 0], [0, 1], [pytest.approx(2 / 3), pytest.approx(1 / 3)]]


def test_a_value_that_all_training_records_have_gets_no_column():
    train, test = encoded([column(["x", "y", "z", "x"], ["*"] * 4)], SPLIT, "released")
    assert train.shape == (3, 0)
    assert test.shape == (1, 0)


@pytest.mark.parametrize("texts", [True, False])
def test_many_values_get_a_column_each_only_if_they_are_not_numbers(texts):
    values = [f"v{i}" if texts else i for i in range(200)]
    split = Split(np.arange(150), np.arange(150, 200))
    train, _ = encoded([column(values, ["low", "high"] * 100)], split, "original")
    assert train.shape == (150, MOST_CATEGORIES if texts else 1)
