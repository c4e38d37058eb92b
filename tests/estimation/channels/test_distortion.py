"""Distances between what is so and what was taken for it, and the estimates that are best under each."""

import numpy as np
import pytest
from hypothesis import given

from divulge.errors import ParameterError
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import (
    ABSOLUTE,
    EUCLIDEAN,
    HAMMING,
    SQUARED,
    Among,
    Function,
    Matrix,
    as_distortion,
)
from estimation.channels import channels

SQUARE = [(0, 0), (3, 4), (0, 4)]


def blind(prior, inputs=None):
    """A channel that shows nothing, so that the attacker decides on the prior."""
    return Channel(prior, np.ones((len(prior), 1)), inputs)


def test_hamming_tells_right_from_wrong_by_name():
    assert HAMMING.matrix(["a", "b"], ["b", "c", "a"]).tolist() == [[1, 1, 0], [0, 1, 1]]


def test_hamming_estimates_the_most_probable_value_and_returns_all_that_are():
    privacy = blind([0.4, 0.2, 0.4], ["a", "b", "c"]).privacy(HAMMING)
    assert (privacy.estimates, privacy.ties) == (("a",), (("a", "c"),))
    assert privacy.average == pytest.approx(0.6)


def test_probabilities_within_rounding_of_each_other_are_ties():
    assert blind([0.5 + 1e-13, 0.5 - 1e-13]).privacy().ties == ((0, 1),)
    assert blind([0.5 + 1e-11, 0.5 - 1e-11]).privacy().ties == ((0,),)


def test_squared_error_is_least_at_the_mean_which_need_not_be_a_value():
    privacy = blind([0.5, 0.25, 0.25], [0, 4, 8]).privacy(SQUARED)
    assert (privacy.estimates, privacy.ties) == ((3.0,), ((3.0,),))
    assert privacy.average == 0.5 * 9 + 0.25 * 1 + 0.25 * 25


def test_squared_error_from_a_list_is_least_at_the_value_next_to_the_mean():
    channel = blind([0.5, 0.25, 0.25], [0, 4, 8])
    assert channel.privacy(Among(SQUARED)).estimates == (4,)
    assert channel.privacy(Among(SQUARED, (2, 5))).ties == ((2,),)
    assert channel.privacy(Among(SQUARED, (2, 4))).ties == ((2, 4),)  # as far from the mean 3


def test_absolute_error_is_least_at_the_median_whatever_the_order_of_the_values():
    privacy = blind([0.2, 0.5, 0.3], [9, 1, 4]).privacy(ABSOLUTE)
    assert privacy.ties == ((1.0, 4.0),)
    assert blind([0.2, 0.4, 0.4], [9, 1, 4]).privacy(ABSOLUTE).ties == ((4.0,),)


def test_a_median_that_is_an_interval_gives_its_lower_end_and_both_ends_as_ties():
    channel = blind([0.5, 0, 0.5], [0, 3, 10])
    privacy = channel.privacy(ABSOLUTE)
    assert (privacy.estimates, privacy.ties, privacy.average) == ((0.0,), ((0.0, 10.0),), 5)
    for between in (0, 3, 7.25, 10):
        assert channel.privacy(Among(ABSOLUTE, (between,))).average == 5


def test_points_in_the_plane_have_a_distance_and_a_mean():
    assert EUCLIDEAN.matrix(SQUARE, SQUARE).tolist() == [[0, 5, 4], [5, 0, 3], [4, 3, 0]]
    assert SQUARED.matrix(SQUARE, [(0, 0)]).ravel().tolist() == [0, 25, 16]
    channel = blind([0.5, 0.25, 0.25], SQUARE)
    assert channel.privacy(SQUARED).estimates == ((0.75, 2.0),)
    assert channel.privacy(EUCLIDEAN).ties == (((0, 0),),)
    assert channel.privacy(EUCLIDEAN).average == 0.25 * 5 + 0.25 * 4


def test_texts_of_numbers_and_of_points_are_read_as_such():
    assert ABSOLUTE.matrix(["1.5", "2"], [0]).ravel().tolist() == [1.5, 2]
    assert EUCLIDEAN.matrix(["3;4", "(0, 1)", "0 2"], [(0, 0)]).ravel().tolist() == [5, 1, 2]
    with pytest.raises(ParameterError, match="1 of 2 names are not"):
        SQUARED.matrix(["1,5", "2"], [0])  # one number with a decimal comma, or a point


def test_a_matrix_brings_its_own_list_of_estimates():
    loss = Matrix([[0, 1, 0.2], [5, 0, 0.2]], estimates=["well", "ill", "unsure"])
    privacy = blind([0.5, 0.5], ["well", "ill"]).privacy(loss)
    assert (privacy.estimates, privacy.average) == (("unsure",), 0.2)
    assert loss.matrix(["well", "ill"], ["ill"]).ravel().tolist() == [1, 0]


def test_a_function_is_asked_for_every_pair():
    overshoot = Function(lambda x, estimate: max(estimate - x, 0) + 3 * max(x - estimate, 0))
    privacy = blind([0.25] * 4, [0, 1, 2, 3]).privacy(overshoot)
    # By hand: the best estimate is a three-quarter quantile; 2 costs (2 + 1 + 0 + 3) / 4 and 3 costs 6/4.
    assert (privacy.ties, privacy.average) == (((2, 3),), 1.5)
    assert blind([1.0], [2]).privacy(Function(lambda x, e: abs(x - e), (0, 5))).estimates == (0,)


@given(channels())
def test_the_same_distortion_as_name_matrix_or_function_leaves_the_same(channel):
    by_name = channel.privacy("hamming")
    for other in (Matrix(1 - np.eye(len(channel.inputs))), Function(lambda x, e: float(x != e))):
        assert channel.privacy(other).conditional == pytest.approx(
            by_name.conditional, abs=1e-12, nan_ok=True
        )
        assert channel.privacy(other).ties == by_name.ties


def test_average_distortion_is_the_distance_of_the_output_from_the_input():
    channel = Channel([0.5, 0.5], [[0.75, 0.25], [0.5, 0.5]], [0, 10], [0, 10])
    assert channel.distortion() == 0.5 * 0.25 + 0.5 * 0.5
    assert channel.distortion("squared") == 37.5


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: as_distortion("haming"), "Unknown distortion: 'haming'. Did you mean 'hamming'?"),
        (lambda: as_distortion("x"), "Choose from hamming, squared, absolute, euclidean"),
        (lambda: blind([1.0], ["flu"]).privacy("squared"), "needs numbers or points; 1 of 1 names are not"),
        (
            lambda: blind([0.5, 0.5], [(0, 1), (2, 3)]).privacy("absolute"),
            "these are points of 2 coordinates",
        ),
        (lambda: blind([0.5, 0.5], [(0, 1), 2]).privacy("euclidean"), "do not all have the same number"),
        (lambda: EUCLIDEAN.matrix([(0, 1)], [2]), "The inputs have 2 coordinates and the estimates 1"),
        (lambda: blind([1.0]).privacy(Matrix([[0, 1]])), "1 rows and 2 columns where there are 1 inputs"),
        (lambda: Matrix([[0, -1]]), "The matrix of distortions has 1 negative entries"),
        (lambda: Matrix([[0]]).matrix([0], ["a"]), "has no column for 1 of the estimates"),
    ],
)
def test_what_no_distortion_can_be_made_of_is_refused(ask, sentence):
    with pytest.raises(ParameterError, match=sentence):
        ask()
