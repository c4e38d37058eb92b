from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.estimation.channels.channel import Channel
from divulge.estimation.information.entropy import conditional_entropy, min_entropy, shannon_entropy
from divulge.estimation.information.leakage import (
    maximal_leakage,
    min_entropy_leakage,
    mutual_information,
    shannon_leakage,
)


@st.composite
def channels(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    outputs = draw(st.integers(1, 5))
    sharpness = draw(st.sampled_from([0.05, 0.5, 5]))
    return Channel(rng.dirichlet([sharpness] * 4), rng.dirichlet([sharpness] * outputs, 4))


@st.composite
def cascades(draw):
    channel = draw(channels())
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    return channel, channel.then(rng.dirichlet([0.5] * 3, len(channel.outputs)))


def test_a_symmetric_channel_with_a_fair_secret():
    channel = Channel([0.5, 0.5], [[0.75, 0.25], [0.25, 0.75]])
    shannon, guess = shannon_leakage(channel), min_entropy_leakage(channel)
    assert shannon.additive == pytest.approx(0.18872187554086717)
    assert (shannon.prior, shannon.posterior) == pytest.approx((1, 0.8112781244591328))
    assert shannon.multiplicative == pytest.approx(1 / 0.8112781244591328)
    assert (guess.prior, guess.posterior, guess.additive, guess.multiplicative) == (0.5, 0.75, 0.25, 1.5)
    assert guess.bits == pytest.approx(math.log2(1.5))
    assert maximal_leakage(channel) == pytest.approx(math.log2(1.5))


def test_a_secret_that_is_known_before_has_nothing_to_leak():
    joint = [[0.5, 0.5]]
    for leakage in (shannon_leakage(joint), min_entropy_leakage(joint)):
        assert (leakage.additive, leakage.multiplicative, leakage.bits) == (0, 1, 0)


def test_telling_everything_is_infinitely_much_of_the_entropy():
    leakage = shannon_leakage(np.eye(4) / 4)
    assert (leakage.additive, leakage.multiplicative) == (2, math.inf)
    assert min_entropy_leakage(np.eye(4) / 4).multiplicative == 4
    assert maximal_leakage(np.eye(4)) == 2


def test_a_small_information_keeps_its_digits():
    e = 1e-7
    joint = np.array([[0.25 + e, 0.25 - e], [0.25 - e, 0.25 + e]])
    # By the expansion of the divergence: sum of (4 e)^2 / (2 ln 2) over cells of a quarter each.
    assert mutual_information(joint) == pytest.approx((4 * e) ** 2 / (2 * math.log(2)), rel=1e-6)


def test_inputs_that_never_occur_do_not_count_for_maximal_leakage_of_a_channel():
    matrix = [[0.5, 0.5], [0.5, 0.5], [1, 0]]
    assert maximal_leakage(Channel([0.5, 0.5, 0], matrix)) == 0
    assert maximal_leakage(matrix) == pytest.approx(math.log2(1.5))


@given(channels())
def test_the_leakages_are_differences_of_entropies(channel):
    shannon, guess = shannon_leakage(channel), min_entropy_leakage(channel)
    assert shannon.additive == pytest.approx(
        shannon_entropy(channel.prior) - conditional_entropy(channel, 1), abs=1e-9
    )
    assert guess.bits == pytest.approx(
        min_entropy(channel.prior) - conditional_entropy(channel, math.inf), abs=1e-9
    )


@given(cascades())
def test_processing_an_observation_never_raises_a_leakage(cascade):
    before, after = cascade
    for leakage in (shannon_leakage, min_entropy_leakage):
        assert leakage(after).additive <= leakage(before).additive + 1e-12
        if leakage(after).posterior > 1e-6:  # a ratio of entropies next to nothing is rounding
            assert leakage(after).multiplicative <= leakage(before).multiplicative * (1 + 1e-9)
    assert maximal_leakage(after) <= maximal_leakage(before) + 1e-12


@given(channels())
def test_no_leakage_is_above_maximal_leakage(channel):
    most = maximal_leakage(channel)
    assert min_entropy_leakage(channel).bits <= most + 1e-9
    assert mutual_information(channel) <= most + 1e-9
    assert most <= math.log2(min(channel.matrix.shape)) + 1e-9


@given(channels())
def test_one_guess_at_a_uniform_secret_leaks_the_maximum(channel):
    uniform = Channel([0.25] * 4, channel.matrix)
    assert min_entropy_leakage(uniform).bits == pytest.approx(maximal_leakage(channel.matrix), abs=1e-9)
