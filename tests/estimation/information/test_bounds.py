from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.estimation.channels.channel import Channel
from divulge.estimation.information.bounds import (
    Bound,
    delta_disclosure,
    disclosure_by_epsilon,
    divergence_by_disclosure,
    epsilon,
    inequality,
    information_by_divergence,
    kl_divergence,
    maximum_divergence,
    pinsker,
    reduction,
    reduction_as_printed,
    reduction_by_information,
    reduction_by_total_variation,
    total_variation,
    total_variation_by_divergence,
)
from divulge.estimation.information.leakage import mutual_information

HAMMING = 1 - np.eye(2)
DISTANCE = np.abs(np.subtract.outer([0, 10, 11], [0, 10, 11])).astype(float)


@st.composite
def pairs(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    size, sharpness = draw(st.integers(1, 6)), draw(st.sampled_from([0.05, 0.5, 5, 500]))
    p, q = rng.dirichlet([sharpness] * size, 2)
    distortion = rng.random((size, draw(st.integers(1, 5)))) * draw(st.sampled_from([0, 1, 1e6]))
    return p, q, distortion


@st.composite
def channels(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    inputs, outputs = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    matrix = rng.dirichlet([draw(st.sampled_from([0.05, 0.5, 5]))] * outputs, inputs)
    matrix[matrix < 0.01] = 0
    prior = rng.dirichlet([0.5] * inputs)
    return Channel(prior, matrix / matrix.sum(axis=1, keepdims=True))


def test_distances_worked_out_by_hand():
    assert total_variation([0.5, 0.5, 0], [0.25, 0.25, 0.5]) == 0.5
    assert kl_divergence([0.5, 0.5, 0], [0.25, 0.25, 0.5]) == 1
    assert kl_divergence([0.25, 0.25, 0.5], [0.5, 0.5, 0]) == math.inf


def test_pinsker_is_met_with_equality_by_equal_distributions():
    assert pinsker([0.3, 0.7], [0.3, 0.7]) == Bound("TV <= sqrt(D ln 2 / 2)", 0, 0, True, "probability")


@pytest.mark.parametrize("apart", [1e-3, 1e-6, 1e-9])
def test_pinsker_is_sharp_in_its_unit_for_distributions_that_hardly_differ(apart):
    near = pinsker([0.5 + apart, 0.5 - apart], [0.5, 0.5])
    assert near.holds
    assert near.left / near.right == pytest.approx(1, abs=1e-6)


def test_pinsker_holds_where_the_divergence_is_infinite():
    bound = pinsker([0.5, 0.5], [1, 0])
    assert (bound.left, bound.right, bound.holds) == (0.5, math.inf, True)


def test_the_constant_two_is_reached_from_a_prior_that_is_a_toss_up():
    # Of two equally good estimates the first is surely wrong after, the other right: 1 = 2 * 1/2.
    bound = reduction_by_total_variation([0, 1], [0.5, 0.5], HAMMING)
    assert (bound.left, bound.right, bound.holds) == (1, 1, True)
    printed = reduction_as_printed([0, 1], [0.5, 0.5], HAMMING)
    assert (printed.left, printed.right, printed.holds) == (1, 2, True)


def test_nothing_learnt_is_equality_in_the_whole_chain():
    p = [0.2, 0.3, 0.5]
    for bound in (reduction_by_total_variation, reduction_as_printed, total_variation_by_divergence):
        found = bound(p, p, DISTANCE)
        assert (found.left, found.right, found.holds) == (0, 0, True)


def test_the_reduction_takes_bayes_estimates_for_the_distortion():
    # The likeliest values would be 0 before and 10 after, and seem to reduce privacy by 3.4 against 0.44.
    before, after = [0.34, 0.33, 0.33], [0.33, 0.34, 0.33]
    assert reduction(after, before, DISTANCE) == 0
    assert reduction_as_printed(after, before, DISTANCE).right == pytest.approx(0.44)


@given(pairs())
def test_the_chain_of_bounds_on_the_reduction_holds(pair):
    p, q, distortion = pair
    sharp, printed = (
        bound(p, q, distortion) for bound in (reduction_by_total_variation, reduction_as_printed)
    )
    divergence = total_variation_by_divergence(p, q, distortion)
    assert sharp.holds
    assert printed.holds
    assert divergence.holds
    assert pinsker(p, q).holds
    assert sharp.left == printed.left
    assert 2 * sharp.right == pytest.approx(printed.right)
    assert printed.right == divergence.left


@given(channels())
def test_information_is_below_t_below_delta_below_epsilon(channel):
    for bound in (information_by_divergence, divergence_by_disclosure, disclosure_by_epsilon):
        assert bound(channel).holds
    finite = delta_disclosure(channel, possible_only=True)
    assert maximum_divergence(channel) <= finite + 1e-9
    assert finite <= delta_disclosure(channel)
    assert reduction_by_information(channel, 1 - np.eye(len(channel.prior))).holds


def test_a_symmetric_channel_has_information_equal_to_t():
    bound = information_by_divergence(Channel([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]]))
    assert bound.left == pytest.approx(bound.right)
    assert bound.unit == "bit"


def test_a_channel_that_tells_all_has_information_t_and_delta_equal_where_they_are_finite():
    joint = np.eye(4) / 4
    assert mutual_information(joint) == maximum_divergence(joint) == 2
    assert delta_disclosure(joint, possible_only=True) == 2
    assert delta_disclosure(joint) == epsilon(np.eye(4)) == math.inf
    assert divergence_by_disclosure(joint).holds


def test_a_channel_that_tells_nothing_is_equality_throughout():
    channel = Channel([0.5, 0.5, 0], [[0.25, 0.75]] * 3)
    for bound in (information_by_divergence, divergence_by_disclosure, disclosure_by_epsilon):
        found = bound(channel)
        assert (found.left, found.right, found.holds) == (0, 0, True)


def test_delta_comes_as_near_to_epsilon_as_the_prior_is_sure():
    matrix = [[0.75, 0.25], [0.25, 0.75]]
    assert epsilon(matrix) == pytest.approx(math.log(3))
    bound = disclosure_by_epsilon(Channel([1 - 1e-9, 1e-9], matrix))
    assert bound.left == pytest.approx(bound.right)


def test_outputs_that_never_occur_do_not_count_for_epsilon():
    assert epsilon([[0.5, 0.5, 0], [0.5, 0.5, 0]]) == 0


def test_a_bound_that_fails_says_so():
    # What the likeliest values would give in the example above.
    assert not inequality("3.4 <= 0.44", 3.4, 0.44, "distortion").holds


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: total_variation([1.0], [0.5, 0.5]), "1 and 2 values"),
        (lambda: kl_divergence([0.5, 0.6], [0.5, 0.5]), "instead of 1"),
        (lambda: reduction([0.5, 0.5], [0.5, 0.5], np.ones((3, 2))), "3 rows and the distributions 2"),
        (lambda: reduction([0.5, 0.5], [0.5, 0.5], -np.ones((2, 2))), "negative"),
        (lambda: epsilon([[0.5, 0.4]]), "instead of 1"),
    ],
)
def test_what_does_not_fit_is_refused(call, said):
    with pytest.raises(ParameterError, match=said):
        call()
