"""Several guesses, a tolerance, abstaining at a cost, and a predicate of the secret."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import SQUARED, Among, Function, Matrix
from divulge.estimation.channels.guess import ABSTAIN
from estimation.channels import channels

NEAR = 1e-12


def blind(prior, inputs=None):
    return Channel(prior, np.ones((len(prior), 1)), inputs)


# -- several guesses ----------------------------------------------------------------------------


def test_several_guesses_name_the_most_probable_values():
    privacy = blind([0.1, 0.4, 0.2, 0.3], list("abcd")).privacy(guesses=2)
    assert (privacy.estimates, privacy.ties) == ((("b", "d"),), (("b", "d"),))
    assert privacy.average == pytest.approx(0.3)
    assert blind([0.5, 0.25, 0.25]).privacy(guesses=2).ties == ((0, 1, 2),)


def test_guesses_enough_for_all_values_leave_nothing_wrong():
    for guesses in (2, 7):
        assert blind([0.3, 0.7]).privacy(guesses=guesses).average == 0
        assert blind([0.3, 0.7]).privacy("absolute", guesses=guesses).average == 0


def test_with_a_distance_the_nearest_guess_counts():
    privacy = blind([0.25] * 4, [0, 1, 10, 11]).privacy("absolute", guesses=2)
    assert privacy.average == 0.5
    assert privacy.estimates == ((0, 10),)
    assert privacy.ties == ((0, 1, 10, 11),)


@given(channels(), st.integers(1, 4))
def test_the_sets_of_guesses_are_the_best_there_are(channel, guesses):
    seen = channel.posterior[channel.possible]
    sets = list(combinations(range(len(channel.inputs)), min(guesses, len(channel.inputs))))
    expected = [min(1 - sum(row[i] for i in one) for one in sets) for row in seen]
    wrong = Matrix(1 - np.eye(len(channel.inputs)))
    for distortion in ("hamming", wrong):
        privacy = channel.privacy(distortion, guesses=guesses)
        assert privacy.conditional[channel.possible] == pytest.approx(expected, abs=NEAR)
    named, tried = channel.privacy(guesses=guesses), channel.privacy(wrong, guesses=guesses)
    assert [set(tie) for tie in named.ties] == [set(tie) for tie in tried.ties]


def test_free_guesses_under_squared_error_are_the_means_of_groups():
    privacy = blind([0.25] * 4, [11, 0, 1, 10]).privacy("squared", guesses=2)
    assert (privacy.estimates, privacy.ties) == (((0.5, 10.5),), ((0.5, 10.5),))
    assert privacy.average == 0.25
    assert blind([0.5, 0, 0.5], [0, 5, 9]).privacy("squared", guesses=3).average == 0
    far = blind([0.25] * 4, [1e9, 1e9 + 1, 0, 1]).privacy("squared", guesses=2)
    assert far.average == 0.25


@given(channels(), st.integers(2, 4))
def test_no_grouping_has_nearer_means(channel, guesses):
    numbers = np.array([x * x for x in channel.inputs], dtype=float)
    squares = Channel(channel.prior, channel.matrix, numbers)
    privacy = squares.privacy("squared", guesses=guesses)
    for y in np.flatnonzero(channel.possible):
        row = channel.posterior[y]
        groupings = product(range(guesses), repeat=len(numbers))
        expected = min(
            sum(_variance(row, numbers, np.array(groups) == g) for g in range(guesses))
            for groups in groupings
        )
        assert privacy.conditional[y] == pytest.approx(expected, abs=1e-11)
    fewer = squares.privacy("squared", guesses=guesses - 1)
    assert privacy.average <= fewer.average + NEAR


def _variance(row, numbers, group):
    mass = row[group].sum()
    mean = (row[group] @ numbers[group]) / mass if mass else 0
    return row[group] @ (numbers[group] - mean) ** 2


def test_several_free_guesses_of_a_point_are_refused_and_those_from_a_list_are_not():
    channel = blind([0.5, 0.25, 0.25], [(0, 0), (3, 4), (3, 5)])
    with pytest.raises(ParameterError, match="Several free guesses of a point"):
        channel.privacy("squared", guesses=2)
    assert channel.privacy(Among(SQUARED), guesses=2).average == 0.25


def test_too_many_sets_of_guesses_are_refused():
    channel = blind(np.full(60, 1 / 60))
    assert channel.privacy(guesses=30).average == pytest.approx(0.5)
    with pytest.raises(ParameterError, match="30 guesses among 60 estimates make 118264581564861424 sets"):
        channel.privacy("absolute", guesses=30)
    with pytest.raises(ParameterError, match="The number of guesses must be 1 or more, not 0"):
        channel.privacy(guesses=0)


# -- tolerance ----------------------------------------------------------------------------------


def test_within_the_tolerance_an_estimate_is_right_and_beyond_it_wrong():
    channel = blind([0.25] * 4, [0, 2, 4, 100])
    assert channel.privacy("absolute", tolerance=0).average == 0.75
    assert channel.privacy("absolute", tolerance=2).average == 0.25
    assert channel.privacy("absolute", tolerance=2).ties == ((2,),)
    assert channel.privacy("absolute", tolerance=100).average == 0


def test_an_estimate_between_two_values_may_be_right_about_both():
    channel = blind([0.5, 0.5], [0, 2])
    assert (
        channel.privacy("absolute", tolerance=1).average,
        channel.privacy("absolute", tolerance=1).estimates,
    ) == (0, (1.0,))
    assert channel.privacy("squared", tolerance=1).estimates == (1.0,)
    assert channel.privacy(Among(as_absolute()), tolerance=1).average == 0.5


def test_a_tolerance_is_as_fine_among_large_numbers():
    channel = blind([0.5, 0.25, 0.25], [1e9, 1e9 + 1, 0])
    assert channel.privacy("squared", tolerance=0).average == 0.5
    assert channel.privacy("squared", tolerance=0.25).average == 0.25


def as_absolute():
    return Function(lambda x, estimate: abs(x - estimate))


@given(channels(), st.integers(0, 6))
def test_no_window_holds_more_than_the_one_chosen(channel, halves):
    tolerance = halves / 2
    privacy = channel.privacy("absolute", tolerance=tolerance)
    centres = np.arange(-2, 8, 0.25)
    inside = np.abs(np.array(channel.inputs)[:, None] - centres) <= tolerance
    expected = 1 - (channel.posterior[channel.possible] @ inside).max(axis=1)
    assert privacy.conditional[channel.possible] == pytest.approx(expected, abs=NEAR)


def test_points_within_reach_of_each_other_are_as_good_as_right():
    channel = blind([0.4, 0.3, 0.3], [(0, 0), (3, 4), (3, 5)])
    assert channel.privacy("euclidean", tolerance=1).average == pytest.approx(0.4)
    assert channel.privacy("squared", tolerance=1).ties == (((3, 4), (3, 5)),)


def test_several_guesses_within_a_tolerance_cover_more():
    channel = blind([0.2] * 5, [0, 1, 2, 10, 20])
    assert channel.privacy("absolute", tolerance=1, guesses=2).average == pytest.approx(0.2)


# -- abstaining ---------------------------------------------------------------------------------


def test_an_attacker_abstains_where_guessing_would_cost_more():
    channel = Channel([0.5, 0.5], [[0.9, 0.1, 0], [0.1, 0.1, 0.8]])
    privacy = channel.privacy(abstain=0.25)
    assert privacy.estimates == (0, ABSTAIN, 1)
    assert privacy.conditional == pytest.approx([0.1, 0.25, 0])
    assert (privacy.prior, privacy.ties[1]) == (0.25, (ABSTAIN,))


def test_abstaining_at_the_cost_of_guessing_is_a_tie():
    privacy = blind([0.5, 0.5]).privacy(abstain=0.5)
    assert (privacy.estimates, privacy.ties) == ((0,), ((0, 1, ABSTAIN),))


@given(channels(), st.floats(0, 1))
def test_abstaining_caps_what_each_observation_leaves(channel, cost):
    plain, capped = channel.privacy(), channel.privacy(abstain=cost)
    assert capped.conditional == pytest.approx(np.minimum(plain.conditional, cost), nan_ok=True)


@pytest.mark.parametrize("given_value", [-1, float("nan"), float("inf")])
def test_a_cost_or_tolerance_that_is_no_number_from_zero_on_is_refused(given_value):
    for option, what in (("abstain", "cost of abstaining"), ("tolerance", "tolerance")):
        with pytest.raises(
            ParameterError, match=f"The {what} must be a number of at least 0, not {given_value}"
        ):
            blind([1.0]).privacy("absolute", **{option: given_value})


# -- a predicate of the secret ------------------------------------------------------------------


def test_a_predicate_is_easier_to_tell_than_the_secret():
    channel = Channel([0.25] * 4, np.eye(4)[[0, 0, 1, 1]][:, :2], inputs=[1, 2, 3, 4])
    assert channel.privacy().average == 0.5
    small = channel.privacy(predicate=lambda x: x < 3)
    assert (small.average, small.prior, small.estimates) == (0, 0.5, (True, False))
    assert channel.privacy(predicate=lambda x: x % 2).average == 0.5


@given(channels())
def test_what_is_wrong_about_a_predicate_is_never_more_than_what_is_wrong_about_the_secret(channel):
    assert channel.privacy(predicate=lambda x: x > 1).average <= channel.privacy().average + NEAR


def test_a_predicate_may_be_a_number_with_a_distance():
    privacy = blind([0.5, 0.25, 0.25], ["a", "bb", "bbb"]).privacy("squared", predicate=len)
    assert privacy.estimates == (1.75,)
