"""One unknown observed again and again: closed forms, all sequences one by one, and laws."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.estimation.attackers import sequences
from divulge.estimation.attackers.sequences import kinds, privacy_after
from divulge.estimation.channels.channel import Channel
from estimation.channels import channels


def flip(error, one=0.5):
    return Channel([1 - one, one], [[1 - error, error], [error, 1 - error]])


def near(value):
    return pytest.approx(value, abs=1e-11, rel=1e-9)


def all_sequences(channel, observations):
    """p(x, sequence) for every sequence of outputs, one by one, a row for each x."""
    columns = [
        channel.prior * np.prod([channel.matrix[:, y] for y in sequence], axis=0)
        for sequence in product(range(len(channel.outputs)), repeat=observations)
    ]
    return Channel.of_joint(np.stack(columns, axis=1), channel.inputs)


def test_kinds_are_all_ways_to_share_places_among_letters():
    for length, letters in product(range(5), range(1, 5)):
        found = kinds(length, letters)
        assert len(found) == math.comb(length + letters - 1, letters - 1)
        assert len({tuple(row) for row in found.tolist()}) == len(found)
        assert (found.sum(axis=1) == length).all()
        assert (found >= 0).all()


@pytest.mark.parametrize("observations", [1, 3, 7, 101])
def test_the_majority_of_noisy_bits_errs_as_often_as_the_binomial_says(observations):
    error = 0.3
    wrong = sum(
        math.comb(observations, k) * error**k * (1 - error) ** (observations - k)
        for k in range((observations + 1) // 2, observations + 1)
    )
    (after,) = privacy_after(flip(error), [observations])
    assert after.average == near(wrong)
    assert after.error == 0
    assert after.worst == near(1 / (1 + (7 / 3) ** observations))
    assert after.best == near(0.3)


@given(channels(3, 3), st.integers(1, 4), st.sampled_from(["hamming", "squared", "absolute"]))
def test_kinds_of_sequences_tell_what_all_sequences_tell(channel, observations, distortion):
    (after,) = privacy_after(channel, [observations], distortion)
    every = all_sequences(channel, observations).privacy(distortion)
    assert [after.average, after.worst, after.best] == near([every.average, every.worst, every.best])


@given(channels(4, 3), st.sampled_from(["hamming", "squared"]))
def test_more_observations_never_leave_more_on_average(channel, distortion):
    averages = [after.average for after in privacy_after(channel, range(6), distortion)]
    assert averages[0] == near(channel.privacy(distortion).prior)
    assert averages[1] == near(channel.privacy(distortion).average)
    assert (np.diff(averages) <= 1e-12).all()


def test_inputs_that_look_alike_stay_alike_whatever_is_observed():
    # The second and third value show the same: between 0.3 and 0.2 the attacker stays wrong 0.2 of the time.
    channel = Channel([0.5, 0.3, 0.2], [[0.9, 0.1], [0.1, 0.9], [0.1, 0.9]])
    (after,) = privacy_after(channel, [400])
    assert after.average == near(0.2)


def test_the_worst_and_best_kinds_are_found_beyond_the_smallest_float():
    rare = Channel([0.5, 0.5], [[1 - 1e-4, 1e-4], [1 - 1e-4, 1e-4]])
    (after,) = privacy_after(rare, [500])  # one kind has the probability 10^-2000
    assert (after.worst, after.best) == (0.5, 0.5)


def test_drawn_sequences_agree_with_exact_ones_within_their_error(monkeypatch):
    channel = Channel([0.5, 0.3, 0.2], [[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5]])
    (exact,) = privacy_after(channel, [12])
    monkeypatch.setattr(sequences, "MOST_CELLS", 100)
    drawn, again = privacy_after(channel, [12, 12], draws=4000, seed=1)
    assert drawn == again
    assert drawn.average == pytest.approx(exact.average, abs=4 * drawn.error)
    assert 0 < drawn.error < 0.01
    assert (drawn.worst, drawn.best) == (None, None)
    assert privacy_after(channel, [12], draws=4000, seed=2)[0].average != drawn.average


def test_an_alphabet_too_large_to_go_through_is_drawn_from():
    letters = 200
    channel = Channel(np.full(letters, 1 / letters), 0.1 * np.eye(letters) + 0.9 / letters)
    one, many = privacy_after(channel, [1, 60], draws=200)
    assert one.worst is not None
    assert many.worst is None
    assert many.average < one.average


def test_nonsense_numbers_are_refused():
    with pytest.raises(ParameterError, match="observations must be 0 or more, not -1"):
        privacy_after(flip(0.1), [-1])
    with pytest.raises(ParameterError, match="1 draws have no standard error"):
        privacy_after(flip(0.1), [10**7], draws=1)
