"""Codes: missing is 0, values count from 1, and types are as narrow as they can be."""

import numpy as np
import pytest

from divulge.table.codes import MISSING, Codes, code_type, narrow


def test_values_are_numbered_in_the_order_in_which_they_are_met():
    codes = Codes.of(["flu", None, "flu", "cold"])
    assert codes.codes.tolist() == [1, MISSING, 1, 2]
    assert list(codes.values) == ["flu", "cold"]
    assert codes.cardinality == 3


def test_nan_is_missing_minus_zero_is_zero_and_empty_text_is_a_value():
    codes = Codes.of([0.0, -0.0, float("nan"), ""])
    assert codes.codes.tolist() == [1, 1, 0, 2]


def test_truth_values_are_not_the_numbers_they_equal_in_python():
    codes = Codes.of([1, True, 0, False, 1.0])
    assert codes.codes.tolist() == [1, 2, 3, 4, 1]
    assert list(codes.values) == [1, True, 0, False]


def test_recoding_replaces_codes_by_way_of_a_table():
    coarse = Codes.of(["a", None, "b", "c"]).recode(np.array([0, 1, 1, 2]), ["ab", "c"])
    assert coarse.codes.tolist() == [1, 0, 1, 2]
    assert list(coarse.values) == ["ab", "c"]


@pytest.mark.parametrize("rows", [np.array([2, 0]), np.array([True, False, True])])
def test_some_records_are_taken_by_number_or_by_mask(rows):
    taken = Codes.of(["a", "b", "c"]).take(rows)
    assert sorted(taken.codes.tolist()) == [1, 3]
    assert list(taken.values) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("largest", "kind"),
    [
        *[(0, np.uint8), (255, np.uint8), (256, np.uint16), (65_535, np.uint16), (65_536, np.uint32)],
        *[(2**32 - 1, np.uint32), (2**32, np.uint64)],
    ],
)
def test_the_narrowest_type_that_holds_the_largest_code(largest, kind):
    assert code_type(largest) is kind


def test_narrowing_leaves_an_array_alone_that_is_narrow_already():
    codes = np.array([1, 2], np.uint8)
    assert narrow(codes, 2) is codes


def test_codes_say_which_values_occur_and_how_often():
    codes = Codes(np.array([2, 0, 2, 3], np.uint8), ["unused", "flu", "cold"])
    assert codes.used().tolist() == [0, 2, 3]
    assert codes.frequencies().tolist() == [1, 0, 2, 1]
    assert codes.frequencies(np.array([1.0, 2.0, 0.5, 4.0])).tolist() == [2.0, 0.0, 1.5, 4.0]
    assert codes.values_of() == ["flu", None, "flu", "cold"]
    assert codes.values_of(codes.used()) == [None, "flu", "cold"]


@pytest.mark.parametrize(("kind", "values"), [(np.uint8, 3), (np.uint8, 255), (np.uint16, 700)])
def test_many_codes_are_counted_as_few_are(kind, values):
    codes = np.random.default_rng(1).integers(0, values + 1, (1 << 17) + 3).astype(kind)
    found = Codes(codes, range(values)).frequencies()
    assert found.tolist() == np.bincount(codes, minlength=values + 1).tolist()


def test_codes_that_occur_are_numbered_alike_where_there_is_no_room_for_all_that_may():
    codes = np.array([7, 900, 7, 0, 31], np.uint32)
    (few, used), (many, there) = (Codes(codes, range(most)).occurring for most in (1000, 1 << 30))
    assert (few.codes.tolist(), used.tolist()) == (many.codes.tolist(), there.tolist())
    assert few.cardinality == many.cardinality == 4
