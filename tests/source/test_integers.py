"""Integers without a dictionary."""

from datetime import date

import numpy as np
import pytest

from divulge.source.frames.numpy import encode_array
from divulge.source.integers import Span

KINDS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


@pytest.mark.parametrize("kind", KINDS)
def test_the_code_is_the_distance_from_the_lowest(kind):
    ends = np.iinfo(kind)
    for low in {int(ends.min), -3, 0, 1, int(ends.max) - 5}:
        if ends.min <= low and low + 5 <= ends.max:
            codes = encode_array("x", np.array([low, low + 5, low + 1], dtype=kind))
            assert codes.codes.tolist() == [1, 6, 2]
            assert codes.values == range(low, low + 6)


@pytest.mark.parametrize(
    ("width", "kind"), [(255, np.uint8), (256, np.uint16), (65535, np.uint16), (65536, np.uint32)]
)
def test_codes_are_just_wide_enough(width, kind):
    codes = encode_array("x", np.array([-7, width - 8]))
    assert codes.codes.dtype == kind
    assert codes.codes.tolist() == [1, width]


def test_all_eight_bits_and_missing_need_sixteen():
    codes = encode_array("x", np.ma.array(np.array([-128, 127, 5], dtype=np.int8), mask=[False, False, True]))
    assert codes.codes.tolist() == [1, 256, 0]


def test_far_apart_integers_get_a_dictionary_in_ascending_order():
    codes = encode_array("x", np.array([2**62, -(2**62), 2**62, 0]))
    assert codes.values == [-(2**62), 0, 2**62]
    assert codes.codes.tolist() == [3, 1, 3, 2]


def test_a_range_may_be_wide_where_there_are_many_records():
    assert Span(0, 65_535).is_dense(2)
    assert not Span(0, 200_000).is_dense(1000)
    assert Span(0, 200_000).is_dense(150_000)


def test_a_masked_extreme_does_not_stretch_the_range():
    codes = encode_array("x", np.ma.array([1, 2**60, 3], mask=[False, True, False]))
    assert codes.values == range(1, 4)
    assert codes.codes.tolist() == [1, 0, 3]


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_many_records_are_hashed_to_the_same_codes_as_few_are_sorted(kind):
    few = (np.array([3, 1, 2, 1]) * 1_000_000_007).astype(kind)
    many = np.tile(few, 1 << 17)
    codes = encode_array("x", many)
    assert codes.values == encode_array("x", few).values
    assert (codes.codes == np.tile(encode_array("x", few).codes, 1 << 17)).all()


def test_days_become_dates():
    assert encode_array("x", np.array(["2020-01-31", "NaT"], dtype="M8[D]")).values == [date(2020, 1, 31)]


def test_moments_become_datetimes_unless_that_would_merge_them():
    whole = encode_array("x", np.array(["2020-01-01T00:00:01", "NaT"], dtype="M8[ns]"))
    assert [str(value) for value in whole.values] == ["2020-01-01 00:00:01"]
    fine = encode_array("x", np.array([1, 2], dtype="M8[ns]"))
    assert len(set(fine.values)) == 2
