"""An attacker with a wrong prior: certainty, accuracy and correctness apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.estimation.attackers.wrong_prior import wrong_prior
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import Matrix
from estimation.channels import channels, stochastic

NEAR = 1e-12
BIT = Channel([0.5, 0.5], [[0.75, 0.25], [0.25, 0.75]])
EVERY = st.sampled_from(["hamming", "squared", "absolute", "euclidean"])


def test_an_attacker_with_the_true_prior_is_accurate_and_pays_nothing():
    attacker = wrong_prior(BIT, [0.5, 0.5])
    assert attacker.inaccuracy.average == 0
    assert attacker.price == 0
    assert attacker.error.values.tolist() == attacker.believed_error.values.tolist() == [0.25, 0.25]
    # By hand: H(3/4, 1/4), and a value drawn from the posterior is wrong with 2 * 3/4 * 1/4.
    assert attacker.uncertainty.average == pytest.approx(0.8112781244591328)
    assert attacker.incorrectness.average == 2 * 0.75 * 0.25
    assert attacker.distances.tolist() == [[0.25, 0.75], [0.75, 0.25]]


def test_an_attacker_who_is_certain_can_be_wrong():
    attacker = wrong_prior(BIT, [1, 0])
    assert (attacker.uncertainty.most, attacker.believed_error.most) == (0, 0)
    assert attacker.estimates == (0, 0)
    assert attacker.error.values.tolist() == [0.25, 0.75]
    assert attacker.inaccuracy.values.tolist() == [0.25, 0.75]
    assert attacker.incorrectness.values.tolist() == [0.25, 0.75]
    assert (attacker.error.least, attacker.price) == (0.25, 0.25)


def test_a_wrong_prior_that_leads_to_the_same_estimates_costs_nothing():
    attacker = wrong_prior(BIT, [0.6, 0.4])
    assert attacker.inaccuracy.average > 0
    assert attacker.price == 0


def test_an_observation_held_impossible_leaves_the_believed_prior():
    channel = Channel([0.5, 0.25, 0.25], np.eye(3))
    attacker = wrong_prior(channel, [0, 0.75, 0.25])
    assert attacker.estimates == (1, 1, 2)
    assert attacker.error.values.tolist() == [1, 0, 0]
    assert attacker.believed_error.values.tolist() == [0.25, 0, 0]


def test_an_observation_that_cannot_occur_has_no_numbers():
    attacker = wrong_prior(Channel([0.5, 0.5], [[1, 0], [1, 0]]), [0.9, 0.1])
    assert np.isnan(attacker.error.values).tolist() == [False, True]
    assert np.isnan(attacker.distances).tolist() == [[False, False], [True, True]]
    assert attacker.estimates == (0, None)
    assert attacker.error.average == attacker.error.most == 0.5


def test_far_places_weigh_more_than_near_ones():
    places = Channel([0.5, 0.5], [[1], [1]], inputs=[(0, 0), (6, 8)])
    attacker = wrong_prior(places, [0.9, 0.1], "euclidean")
    assert attacker.distances[0] == pytest.approx([1, 9])
    assert attacker.incorrectness.average == pytest.approx(5)
    assert (attacker.error.average, attacker.believed_error.average) == (5, pytest.approx(1))


@given(channels(), st.data(), EVERY)
def test_a_wrong_prior_never_helps(channel, data, distortion):
    size = len(channel.inputs)
    believed = data.draw(st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(any))
    attacker = wrong_prior(channel, stochastic(believed), distortion)
    assert attacker.price >= -NEAR
    assert (attacker.error.values >= attacker.right.conditional - NEAR)[channel.possible].all()
    assert 0 <= attacker.inaccuracy.least <= attacker.inaccuracy.most <= 1 + NEAR
    assert attacker.uncertainty.least >= 0


@given(channels(), EVERY)
def test_with_the_true_prior_error_and_belief_are_the_privacy(channel, distortion):
    attacker = wrong_prior(channel, channel.prior, distortion)
    privacy = channel.privacy(distortion)
    for found in (attacker.error, attacker.believed_error):
        assert found.values == pytest.approx(privacy.conditional, abs=1e-11, nan_ok=True)
    # A value drawn from the posterior is never a better guess than the best one.
    assert attacker.incorrectness.average >= privacy.average - NEAR


def test_a_believed_prior_that_is_none_or_does_not_fit_is_refused():
    with pytest.raises(ParameterError, match=r"The believed prior adds up to 0.9 instead of 1"):
        wrong_prior(BIT, [0.5, 0.4])
    with pytest.raises(
        ParameterError, match="The believed prior has 1 probabilities and the channel 2 inputs"
    ):
        wrong_prior(BIT, [1])
    with pytest.raises(ParameterError, match="has no column for 2 of the estimates"):
        wrong_prior(BIT, [0.5, 0.5], Matrix([[0, 1], [1, 0]], estimates=["no", "yes"]))
