"""What a Bayes attacker still gets wrong: closed forms, exact fractions, and laws."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import ABSOLUTE, HAMMING, SQUARED, Among
from estimation.channels import cascades, channels, weights
from estimation.rational import (
    as_floats,
    average_privacy,
    conditional_privacy,
    fractions,
    mean_squared_error,
)

NEAR = 1e-12


def near(value):
    return pytest.approx(value, abs=1e-11, rel=1e-11)


# -- closed forms -------------------------------------------------------------------------------


@pytest.mark.parametrize("flip", [0, 0.1, 0.3, 0.5])
@pytest.mark.parametrize("one", [0.5, 0.8, 0.05])
def test_a_symmetric_flip_is_believed_only_while_it_is_rarer_than_the_rarer_bit(flip, one):
    privacy = Channel([1 - one, one], [[1 - flip, flip], [flip, 1 - flip]]).privacy()
    assert privacy.average == near(min(flip, one, 1 - one))
    assert privacy.prior == near(min(one, 1 - one))


@pytest.mark.parametrize("lost", [0, 0.2, 0.6, 1])
def test_a_z_channel_leaves_the_zero_in_doubt(lost):
    # 0 arrives as it is, 1 arrives as 0 with some probability; both are equally likely.
    privacy = Channel([0.5, 0.5], [[1, 0], [lost, 1 - lost]]).privacy()
    assert privacy.average == near(lost / 2)
    assert privacy.conditional[0] == near(lost / (1 + lost))
    assert (math.isnan(privacy.conditional[1]), privacy.worst) == (lost == 1, near(0.5 if lost == 1 else 0))


@pytest.mark.parametrize("erased", [0, 0.25, 1])
def test_an_erasure_leaves_the_prior_and_everything_else_is_known(erased):
    prior = np.array([0.5, 0.3, 0.2])
    matrix = np.hstack([(1 - erased) * np.eye(3), np.full((3, 1), erased)])
    privacy = Channel(prior, matrix, outputs=["0", "1", "2", "?"]).privacy()
    assert privacy.average == near(erased * 0.5)
    assert privacy.best == near(0.5 if erased else 0)


@pytest.mark.parametrize("n", [2, 5, 30])
def test_a_symmetric_channel_of_many_letters_errs_as_often_as_it_changes_them(n):
    for error in (0.1, 1 - 1 / n):
        matrix = np.full((n, n), error / (n - 1)) + (1 - error - error / (n - 1)) * np.eye(n)
        privacy = Channel(np.full(n, 1 / n), matrix).privacy()
        assert privacy.average == near(error)
        assert privacy.worst == near(error)
    assert privacy.ties[0] == tuple(range(n))  # at 1 - 1/n nothing is told


def test_the_squared_error_of_gaussian_noise_is_the_product_over_the_sum_of_variances():
    x, y = np.linspace(-6, 6, 201), np.linspace(-9, 9, 201)
    prior, matrix = np.exp(-(x**2) / 2), np.exp(-((y - x[:, None]) ** 2) / (2 * 0.5))
    channel = Channel(prior / prior.sum(), matrix / matrix.sum(axis=1, keepdims=True), inputs=x, outputs=y)
    privacy = channel.privacy(SQUARED)
    assert privacy.average == pytest.approx(0.5 / 1.5, rel=1e-3)
    assert privacy.estimates[110] == pytest.approx(y[110] / 1.5, rel=1e-3)
    assert privacy.prior == pytest.approx(1, rel=1e-3)


# -- the parts of the answer --------------------------------------------------------------------


def test_an_observation_that_cannot_occur_has_no_privacy_no_estimate_and_no_ties():
    privacy = Channel([0.5, 0.5], [[1, 0, 0], [0, 0, 1]], outputs=["a", "b", "c"]).privacy()
    assert np.isnan(privacy.conditional).tolist() == [False, True, False]
    assert privacy.estimates == (0, None, 1)
    assert privacy.ties == ((0,), (), (1,))
    assert (privacy.worst, privacy.average, privacy.best) == (0, 0, 0)
    assert (privacy.prior, privacy.reduction) == (0.5, 0.5)


def test_a_tiny_chance_of_error_keeps_its_digits():
    assert Channel([0.5, 0.5], [[1, 0], [1e-20, 1]]).privacy().conditional[0] == pytest.approx(1e-20)


def test_it_prints_its_three_cases():
    privacy = Channel([0.5, 0.5], [[0.75, 0.25], [0.25, 0.75]]).privacy()
    assert repr(privacy) == "Privacy(worst 0.25, average 0.25, best 0.25)"


# -- exact fractions and all estimators ---------------------------------------------------------


@given(weights(3, 3), st.sampled_from([HAMMING, Among(SQUARED), ABSOLUTE]))
def test_no_rule_at_all_leaves_less_than_the_bayes_rule(given_weights, distortion):
    prior, matrix = fractions(given_weights[0]), [fractions(row) for row in given_weights[1]]
    numbers = range(len(prior))
    distances = [[Fraction(int(d)) for d in row] for row in distortion.matrix(numbers, numbers)]
    privacy = Channel([float(p) for p in prior], as_floats(matrix)).privacy(distortion)
    assert privacy.average == near(float(average_privacy(prior, matrix, distances)))
    for y, exact in enumerate(conditional_privacy(prior, matrix, distances)):
        if exact is None:
            assert math.isnan(privacy.conditional[y])
            continue
        assert privacy.conditional[y] == near(float(exact[0]))
        if distortion is ABSOLUTE:
            assert (min(privacy.ties[y]), max(privacy.ties[y])) == (exact[1][0], exact[1][-1])
        else:
            assert list(privacy.ties[y]) == exact[1]


@given(weights())
def test_a_free_estimate_has_the_exact_mean_squared_error(given_weights):
    prior, matrix = fractions(given_weights[0]), [fractions(row) for row in given_weights[1]]
    numbers = [3 * x * x - 1 for x in range(len(prior))]
    channel = Channel([float(p) for p in prior], as_floats(matrix), inputs=numbers)
    assert channel.privacy(SQUARED).average == near(float(mean_squared_error(prior, matrix, numbers)))
    assert channel.privacy(SQUARED).average <= channel.privacy(Among(SQUARED)).average + NEAR


# -- laws ---------------------------------------------------------------------------------------

EVERY = st.sampled_from(["hamming", "squared", "absolute", "euclidean"])


@given(channels(), EVERY)
def test_worst_average_and_best_come_in_this_order_and_observing_never_hurts_the_attacker(
    channel, distortion
):
    privacy = channel.privacy(distortion)
    assert 0 <= privacy.worst <= privacy.average + NEAR
    assert privacy.average <= privacy.best + NEAR
    assert privacy.average <= privacy.prior + NEAR
    assert privacy.reduction == pytest.approx(privacy.prior - privacy.average, rel=NEAR, abs=NEAR)
    assert privacy.reduction == 0 or privacy.reduction > 1e-14 * privacy.prior  # rounding is no reduction


@given(cascades(), EVERY)
def test_what_is_perturbed_once_more_is_never_less_private_on_average(cascade, distortion):
    channel, following = cascade
    assert channel.then(following).privacy(distortion).average >= channel.privacy(distortion).average - NEAR


@given(channels(), EVERY, st.randoms())
def test_relabelling_changes_nothing(channel, distortion, random):
    xs, ys = list(range(len(channel.inputs))), list(range(len(channel.outputs)))
    random.shuffle(xs)
    random.shuffle(ys)
    other = Channel(
        channel.prior[xs],
        channel.matrix[np.ix_(xs, ys)],
        inputs=[channel.inputs[x] for x in xs],
        outputs=[f"observation {y}" for y in ys],
    )
    one, two = channel.privacy(distortion), other.privacy(distortion)
    assert two.conditional == pytest.approx(one.conditional[ys], abs=NEAR, nan_ok=True)
    for place, y in enumerate(ys):
        assert sorted(two.ties[place]) == near(sorted(one.ties[y]))


@given(channels(), EVERY)
def test_an_output_that_is_split_in_two_changes_nothing(channel, distortion):
    split = np.hstack([channel.matrix[:, :1] / 3, channel.matrix[:, :1] * 2 / 3, channel.matrix[:, 1:]])
    one, two = channel.privacy(distortion), Channel(channel.prior, split).privacy(distortion)
    for case in ("worst", "average", "best", "prior"):
        assert getattr(two, case) == near(getattr(one, case))
