"""Means, medians and modes of groups."""

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.mechanisms.algorithms.group_centres import aggregated

BY_HAND = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "lower_median": statistics.median_low,
    "mode": lambda values: min(statistics.multimode(values)),
}


@pytest.mark.parametrize("centre", BY_HAND)
@given(rows=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), max_size=20))
def test_every_record_is_given_the_centre_of_its_group(centre, rows):
    values, groups = (np.array([row[i] for row in rows], int) for i in (0, 1))
    released = aggregated(values, groups, centre)
    for value, group in zip(released.tolist(), groups.tolist(), strict=True):
        assert value == pytest.approx(BY_HAND[centre](values[groups == group].tolist()))


def test_codes_stay_codes():
    codes = np.array([3, 3, 1, 2], np.uint8)
    assert aggregated(codes, np.zeros(4, int), "mode").dtype == np.uint8
    assert aggregated(codes, np.zeros(4, int), "lower_median").tolist() == [2, 2, 2, 2]
