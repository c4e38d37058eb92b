"""PRAM: invariant matrices keep marginals by algebra."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.mechanisms.algorithms.post_randomisation import checked, invariant, retention_matrix

COUNTS = st.integers(0, 6)


@st.composite
def matrices(draw):
    """A matrix of fractions whose rows add up to one, and frequencies of its categories."""
    categories = draw(st.integers(1, 4))
    rows = [
        draw(st.lists(COUNTS, min_size=categories, max_size=categories).filter(any))
        for _ in range(categories)
    ]
    matrix = [[Fraction(number, sum(row)) for number in row] for row in rows]
    marginal = draw(st.lists(COUNTS, min_size=categories, max_size=categories).filter(any))
    return np.array(matrix, object), np.array([Fraction(number) for number in marginal], object)


@given(given_matrix=matrices(), share=st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(0)]))
def test_invariant_pram_keeps_the_marginal_exactly(given_matrix, share):
    matrix, marginal = given_matrix
    found = invariant(matrix, marginal, share)
    assert all(one == other for one, other in zip(marginal @ found, marginal, strict=True))
    assert [sum(row) for row in found] == [1] * len(marginal)
    assert all(number >= 0 for number in found.ravel())


@given(given_matrix=matrices())
def test_invariant_pram_in_binary_numbers_keeps_it_to_the_last_digits(given_matrix):
    matrix, marginal = (part.astype(float) for part in given_matrix)
    assert marginal @ invariant(matrix, marginal) == pytest.approx(marginal, rel=1e-14, abs=1e-14)


def test_an_invariant_matrix_by_hand():
    """t = (3, 1), keeping 0.8: released (2.6, 1.4); of those released as 0, 2.4 of 2.6 were 0."""
    found = invariant(retention_matrix(2, 0.8), np.array([3, 1]))
    kept = 0.8 * 2.4 / 2.6 + 0.2 * 0.6 / 1.4
    assert found[0] == pytest.approx([kept, 1 - kept])
    assert found[1] == pytest.approx([3 * (1 - kept), 1 - 3 * (1 - kept)])


WRONG = {
    "Row 2 of the matrix adds up to 0.9": [[1.0, 0.0], [0.5, 0.4]],
    "no probabilities": [[1.5, -0.5], [0.5, 0.5]],
    "The matrix is 1 x 2, and there are 2 categories": [[0.5, 0.5]],
}


@pytest.mark.parametrize("message", WRONG)
def test_what_is_no_matrix_of_probabilities_is_refused(message):
    with pytest.raises(ParameterError, match=message):
        checked(np.array(WRONG[message]), 2)


def test_shares_beyond_one_are_refused():
    with pytest.raises(ParameterError, match="between 0 and 1"):
        retention_matrix(2, 1.5)
    with pytest.raises(ParameterError, match="The share is 2"):
        invariant(np.eye(2), np.ones(2), 2)
