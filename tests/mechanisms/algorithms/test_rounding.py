"""Rounding to a base at random, without bias."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.mechanisms.algorithms.rounding import random_rounding


@given(values=st.lists(st.integers(-50, 50), min_size=1), base=st.integers(1, 9))
def test_random_rounding_of_whole_numbers_is_unbiased_exactly(values, base):
    """Over numbers in the middle of base equal parts of 0 to 1, the mean is the value."""
    chances = (np.arange(base) + 0.5) / base
    for value in values:
        found = random_rounding(np.full(base, value), base, chances)
        assert Fraction(int(found.sum()), base) == value
        assert (found % base == 0).all()
        assert np.abs(found - value).max() < base


def test_random_rounding_of_any_number_is_unbiased():
    chances = (np.arange(10_000) + 0.5) / 10_000
    for value in (0.37, -2.21, 1e6 + 0.05):
        assert random_rounding(np.full(10_000, value), 0.5, chances).mean() == pytest.approx(value, abs=5e-5)


@given(values=st.lists(st.floats(-1e6, 1e6)), base=st.sampled_from([0.1, 0.25, 3, 1000]))
def test_multiples_stay_as_they_are(values, base):
    found = np.rint(np.array(values) / base) * base
    for chance in (0.0, 1 - 2.0**-53):
        assert random_rounding(found, base, np.full(len(found), chance)).tolist() == found.tolist()


def test_whole_numbers_stay_whole():
    assert random_rounding(np.array([10, 15], np.uint8), 5, np.zeros(2)).dtype.kind == "i"


def test_a_multiple_but_for_rounding_is_one():
    assert random_rounding(np.array([0.1 + 0.2]), 0.1, np.zeros(1)) == pytest.approx(0.3)


@pytest.mark.parametrize("base", [0, -5, float("nan"), float("inf")])
def test_what_is_no_base_is_refused(base):
    with pytest.raises(ParameterError, match="The base is"):
        random_rounding(np.array([1.0]), base, np.zeros(1))
