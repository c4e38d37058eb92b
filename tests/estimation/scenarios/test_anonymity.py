import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from divulge.errors import ParameterError
from divulge.estimation.scenarios.anonymity import (
    Innocence,
    LocalAnonymity,
    berthold,
    clauss_schiffner,
    diaz,
    edman,
    edman_possible,
    innocence,
    reiter_rubin,
    serjantov_danezis,
    toth,
)

posteriors = arrays(float, st.integers(1, 8), elements=st.floats(0.01, 1)).map(lambda a: a / a.sum())
SKEWED = [0.5, 0.25, 0.125, 0.125]  # H = 1.75 bits


@st.composite
def doubly_stochastic(draw):
    """A mixture of permutations."""
    size = draw(st.integers(2, 5))
    orders = draw(st.lists(st.permutations(range(size)), min_size=1, max_size=5))
    return sum(np.eye(size)[list(order)] for order in orders) / len(orders)


def test_every_degree_of_a_skewed_posterior_by_hand():
    assert reiter_rubin(SKEWED).tolist() == [0.5, 0.75, 0.875, 0.875]
    assert berthold(len(SKEWED)) == 2
    assert serjantov_danezis(SKEWED) == pytest.approx(1.75)
    assert diaz(SKEWED) == pytest.approx(0.875)
    assert toth(SKEWED) == LocalAnonymity(0.5, 1, 2)
    # Squares add up to 1/4 + 1/16 + 1/32 = 11/32.
    assert clauss_schiffner(SKEWED, 2) == pytest.approx(math.log2(32 / 11))


@given(posteriors)
def test_the_entropies_lie_between_those_of_toth(posterior):
    local = toth(posterior)
    assert local.min_entropy <= serjantov_danezis(posterior) + 1e-9 <= local.max_entropy + 2e-9
    assert local.max_entropy <= berthold(len(posterior)) + 1e-9
    assert 0 <= diaz(posterior) <= 1 + 1e-12


@given(posteriors)
def test_the_best_guess_is_wrong_as_often_as_the_least_degree_of_reiter_and_rubin(posterior):
    assert reiter_rubin(posterior).min() == pytest.approx(1 - 2 ** -toth(posterior).min_entropy)


def test_the_likeliest_user_can_be_badly_hidden_where_the_entropy_is_high():
    # Half the suspicion on one user, the rest spread over 1024: six bits on average, one for that user.
    posterior = [0.5, *[0.5 / 1024] * 1024]
    assert serjantov_danezis(posterior) == pytest.approx(6)
    assert toth(posterior).source_hiding == 0.5


def test_innocence_goes_from_beyond_suspicion_to_exposed():
    assert innocence([0.25] * 4) == (Innocence.BEYOND_SUSPICION,) * 4
    assert innocence([0.5, 0.3, 0.2])[0] == Innocence.PROBABLE
    assert innocence([0.9, 0.1])[0] == Innocence.POSSIBLE
    assert innocence([0.0, 1.0]) == (Innocence.BEYOND_SUSPICION, Innocence.EXPOSED)


def test_one_user_has_no_anonymity():
    assert [diaz([1.0]), berthold(1), edman([[1.0]]), edman_possible([[1]])] == [0, 0, 0, 0]
    assert innocence([1.0]) == (Innocence.EXPOSED,)


@given(doubly_stochastic())
def test_the_combinatorial_degree_is_zero_for_one_correspondence_and_never_above_one(links):
    size = len(links)
    assert 0 <= edman(links) <= 1
    assert edman(np.eye(size)) == 0
    assert edman(np.full((size, size), 1 / size)) == pytest.approx(1)


def test_the_combinatorial_degree_of_two_messages_by_hand():
    # per = 0.9^2 + 0.1^2 = 0.82, against 2!/2^2 = 1/2.
    assert edman([[0.9, 0.1], [0.1, 0.9]]) == pytest.approx(math.log(0.82) / math.log(0.5))


def test_the_combinatorial_degree_of_possible_links_by_hand():
    # Three of the six correspondences are possible.
    assert edman_possible([[1, 1, 0], [1, 1, 1], [0, 1, 1]]) == pytest.approx(math.log(3) / math.log(6))


@pytest.mark.parametrize(
    ("degree", "matrix", "sentence"),
    [
        (edman, [[0.5, 0.5], [0.4, 0.6]], "2 of the rows and columns do not add up to 1"),
        (edman, [[0.5, 0.5]], "1 rows and 2 columns"),
        (edman, np.full((25, 25), 1 / 25), "25 inputs cannot be summed over"),
        (edman_possible, [[1, 0.5], [0, 1]], "other than 0 and 1"),
        (edman_possible, [[1, 0], [1, 0]], "its own output"),
    ],
)
def test_links_without_a_combinatorial_degree_are_refused(degree, matrix, sentence):
    with pytest.raises(ParameterError, match=sentence):
        degree(matrix)
