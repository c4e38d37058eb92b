"""The risk of records against sdcMicro's, and against the sum that defines it."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.uniques.individual_risk import expected_reciprocal, of_household

PEER = json.loads((Path(__file__).parents[1] / "golden" / "peers" / "sdcmicro.json").read_text())["risk"]


@pytest.mark.parametrize("table", PEER)
def test_risks_are_those_of_the_peer(table):
    sizes, people = (np.array(PEER[table][name]) for name in ("fk", "Fk"))
    np.testing.assert_allclose(expected_reciprocal(sizes, sizes / people), PEER[table]["rk_exact"], atol=1e-9)


@given(size=st.integers(1, 3000), share=st.floats(0.01, 0.9999))
def test_the_risk_is_the_mean_of_one_over_the_people_alike(size, share):
    """F - f is negative binomial: the sum over F, term by term."""
    last = int(size / share + 60 * math.sqrt(size) / share + 60 / share)
    people = np.arange(size, last)
    steps = np.log(people[:-1]) - np.log(people[:-1] - size + 1) + math.log1p(-share)
    chance = np.exp(np.concatenate([[0.0], np.cumsum(steps)]) + size * math.log(share))
    found = expected_reciprocal(np.array([size]), np.array([share]))[0]
    assert found == pytest.approx((chance / people).sum(), rel=1e-8)


def test_a_class_that_was_sampled_whole_has_the_risk_of_its_size():
    assert expected_reciprocal(np.array([4, 4]), np.array([1.0, 2.0])).tolist() == [0.25, 0.25]


def test_a_household_is_found_by_anyone_in_it():
    found = of_household(np.array([0.5, 0.5, 0.1, 1.0, 0.2]), np.array(["a", "a", "b", "c", "c"]))
    np.testing.assert_allclose(found, [0.75, 0.75, 0.1, 1.0, 1.0])
