"""How spread out shares are."""

import numpy as np
import pytest

from divulge._support.shares import entropy


def test_entropy_is_the_mean_surprise_in_bits():
    assert entropy(np.array([1, 1])) == 1
    assert entropy(np.array([2.0, 1.0, 1.0])) == 1.5
    # 1/3 log2 3 + 2/3 log2 3/2 = log2 3 - 2/3
    assert entropy(np.array([10, 5])) == pytest.approx(np.log2(3) - 2 / 3)


def test_what_weighs_nothing_is_left_out_and_one_value_has_no_entropy():
    assert entropy(np.array([0, 1, 0, 1])) == 1
    assert str(entropy(np.array([0, 7]))) == "0.0"  # and not -0.0
