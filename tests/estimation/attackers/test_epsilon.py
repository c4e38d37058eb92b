"""Epsilon as an attacker's error, and back."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.estimation.attackers.epsilon import epsilon_for, error_left
from divulge.estimation.channels.channel import Channel

SHARES = st.floats(0.01, 0.99)


@given(epsilon=st.floats(0, 8), prior=SHARES)
def test_the_two_directions_undo_each_other(epsilon, prior):
    assert epsilon_for(error_left(epsilon, prior), prior) == pytest.approx(epsilon, abs=1e-6)


@given(epsilon=st.floats(0.01, 5), prior=SHARES)
def test_randomized_response_with_two_answers_leaves_exactly_that(epsilon, prior):
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    channel = Channel([prior, 1 - prior], [[keep, 1 - keep], [1 - keep, keep]])
    # The observation that points at the likelier value leaves the error of that value, if it is guessed.
    after = channel.posterior[0][0] if prior >= 0.5 else channel.posterior[1][1]
    assert 1 - after == pytest.approx(error_left(epsilon, max(prior, 1 - prior)), abs=1e-9)


@given(epsilon=st.floats(0.01, 4), letters=st.integers(2, 6), seed=st.integers(0, 100))
def test_no_private_channel_leaves_less(epsilon, letters, seed):
    rng = np.random.default_rng(seed)
    rows = rng.uniform(1, math.exp(epsilon / 2), (letters, 4))
    matrix = rows / rows.sum(axis=1, keepdims=True)  # within e^epsilon: at most e^(eps/2) twice over
    prior = rng.dirichlet(np.ones(letters))
    privacy = Channel(prior, matrix).privacy("hamming")
    assert privacy.worst >= error_left(epsilon, float(prior.max())) - 1e-12


@pytest.mark.parametrize(("epsilon", "error"), [(100.0, math.exp(-100)), (710.0, 0.0), (1e308, 0.0)])
def test_an_epsilon_too_large_for_its_exponential_leaves_next_to_nothing(epsilon, error):
    assert error_left(epsilon, 0.5) == pytest.approx(error, rel=1e-9, abs=1e-300)
    assert epsilon_for(1e-300, 1e-300) == pytest.approx(600 * math.log(10))


@pytest.mark.parametrize(
    "call",
    [
        lambda: error_left(-1, 0.5),
        lambda: error_left(math.nan, 0.5),
        lambda: error_left(math.inf, 0.5),
        lambda: error_left(1, 0),
        lambda: epsilon_for(0.9, 0.5),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    with pytest.raises(ParameterError):
        call()
