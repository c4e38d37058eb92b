"""Records as numbers for learners."""

import numpy as np
import pytest

import divulge as dv
from divulge.alignment import align
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
    assert train == [[1, 0], [1, 0], [0, 1]]
    assert test == [[1, 0]]


def test_a_value_has_the_counterpart_that_most_of_its_records_have():
    found = counterparts(column(["x", "x", "x", "y"], ["p", "q", "q", "p"]), np.arange(4))
    pair = column(["x", "x", "x", "y"], ["p", "q", "q", "p"])
    assert [pair.released.values[code - 1] for code in found[1:3]] == ["q", "p"]


def test_a_number_without_counterpart_takes_that_of_the_nearest():
    pair = column([10, 20, 30, 24, 26], ["low", "low", "high", "high", "low"])
    found = counterparts(pair, np.arange(3))
    assert found[pair.original.codes].tolist() == pair.released.codes[[0, 1, 2, 1, 2]].tolist()


def test_values_that_were_only_exchanged_are_tested_as_they_are():
    _, test = matrices(["x", "y", "x", "y"], ["y", "x", "y", "x"], "released")
    assert test == [[1, 0]]


def test_numbers_are_standardised_by_the_training_records_and_gaps_lie_at_the_mean():
    train, test = matrices(["1", "3", "*", "5"], ["1", "3", "*", "5"], "original")
    assert train == [[-1], [1], [0]]
    assert test == [[3]]
    assert matrices([4, 4, 4, 5], [4, 4, 4, 5], "original") == ([[0], [0], [0]], [[0]])


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
