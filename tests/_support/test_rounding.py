"""A reading equal to its bound keeps it, whatever the last bit says."""

import numpy as np
import pytest

import divulge as dv
from divulge._support.rounding import above, below
from divulge.assessment import audit

#: Two sets, 8 to 2 and 2 to 8: t is 0.8 - 0.5, which floating point makes 0.30000000000000004.
SETS = {"age": [1] * 10 + [2] * 10, "ill": ["a"] * 8 + ["b"] * 2 + ["a"] * 2 + ["b"] * 8}
#: Three values, equally often: exp of their entropy is 2.9999999999999996.
THIRDS = {"age": [1] * 6 + [2] * 6, "ill": ["a", "b", "c"] * 4}


@pytest.mark.parametrize(
    ("table", "measure", "bound"),
    [
        (SETS, "t_closeness", {"max": 0.3}),
        (SETS, "beta_likeness", {"max": 0.6}),
        (SETS, "worst_posterior", {"max": 0.8}),
        (SETS, "attacker_error", {"min": 0.2, "kind": "worst"}),
        (THIRDS, "entropy_l_diversity", {"min": 3}),
    ],
)
def test_a_reading_equal_to_its_bound_passes_and_concerns_nobody(table, measure, bound):
    policy = {
        "attributes": {"age": "quasi-identifier", "ill": "sensitive"},
        "thresholds": {measure: bound, "measured": "ignore"},
    }
    check = audit(table, policy, search=False).checks[1]
    assert check.outcome == "pass", check.found
    assert not check.concerned
    assert check.holds(check.found)


def test_a_reading_beyond_its_bound_still_fails():
    policy = {
        "attributes": {"age": "quasi-identifier", "ill": "sensitive"},
        "thresholds": {"t_closeness": {"max": 0.2999999}},
    }
    check = audit(SETS, policy, search=False).checks[1]
    assert check.outcome == "fail"
    assert check.concerned == 20


def test_rounding_is_forgiven_in_arrays_and_near_zero():
    assert above(np.asarray([0.3, 0.1 + 0.2, 0.31]), 0.3).tolist() == [False, False, True]
    assert below(np.asarray([0.3, 0.29]), 0.1 + 0.2).tolist() == [False, True]
    assert not above(1e-17, 0.0)
    assert above(1e-9, 0.0)
    assert above(float("inf"), 1.0)


def test_a_measure_is_not_worse_than_itself_but_for_rounding():
    measure = dv.MEASURES["t_closeness"]
    assert not measure.worse(0.1 + 0.2, than=0.3)
    assert measure.worse(0.3001, than=0.3)
