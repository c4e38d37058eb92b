import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from divulge.errors import ParameterError
from divulge.estimation.scenarios.correspondence import LARGEST, permanent


@st.composite
def weights(draw):
    columns = draw(st.integers(1, 4))
    rows = columns + draw(st.integers(0, 2))
    matrix = draw(arrays(float, (rows, columns), elements=st.sampled_from([0, 0.2, 0.5, 1, 3])))
    matrix[:columns] += 0.1 * np.eye(columns)
    return matrix


def products(matrix):
    """Every way to give each output an input of its own, with its product."""
    rows, columns = matrix.shape
    return {
        ways: math.prod(matrix[row, column] for column, row in enumerate(ways))
        for ways in permutations(range(rows), columns)
    }


@given(weights())
def test_the_permanent_is_the_sum_over_all_correspondences(matrix):
    assert permanent(matrix) == pytest.approx(sum(products(matrix).values()))


def test_all_correspondences_of_sixteen_alike_are_counted_without_a_digit_lost():
    assert permanent(np.full((16, 16), 1 / 16)) == pytest.approx(math.factorial(16) / 16**16, rel=1e-13)


def test_the_permanent_of_a_triangle_of_ones_is_one_at_the_largest_size():
    assert permanent(np.tri(LARGEST)) == 1


@pytest.mark.parametrize(
    ("given_weights", "sentence"),
    [
        (np.ones((21, 21)), r"cannot be summed over: it takes 21 \* 2\^21 steps"),
        (np.ones((2, 3)), "3 outputs and only 2 inputs"),
        ([[1, -1], [0, 1]], "1 negative entries"),
    ],
)
def test_weights_that_cannot_be_are_refused(given_weights, sentence):
    with pytest.raises(ParameterError, match=sentence):
        permanent(given_weights)
