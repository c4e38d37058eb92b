import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from divulge.errors import ParameterError
from divulge.estimation.scenarios.correspondence import LARGEST, Correspondence, permanent


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


@given(weights())
def test_everything_about_a_correspondence_follows_from_listing_all(matrix):
    found, listed = Correspondence(matrix), products(matrix)
    total = sum(listed.values())
    shares = {ways: product / total for ways, product in listed.items()}
    links = np.zeros_like(matrix)
    for ways, share in shares.items():
        links[list(ways), range(len(ways))] += share
    assert all(found.probability(ways) == pytest.approx(share) for ways, share in shares.items())
    assert found.links == pytest.approx(links)
    assert found.privacy == pytest.approx(1 - max(shares.values()))
    assert found.link_privacy == pytest.approx(1 - links.max(axis=0).mean())
    entropy = -sum(share * math.log2(share) for share in shares.values() if share > 0)
    assert found.entropy == pytest.approx(entropy, abs=1e-9)


def test_all_correspondences_of_sixteen_alike_are_counted_without_a_digit_lost():
    assert permanent(np.full((16, 16), 1 / 16)) == pytest.approx(math.factorial(16) / 16**16, rel=1e-13)


def test_the_permanent_of_a_triangle_of_ones_is_one_at_the_largest_size():
    assert permanent(np.tri(LARGEST)) == 1


def test_links_that_leave_one_way_are_certain():
    found = Correspondence(np.tri(5))
    assert found.links == pytest.approx(np.eye(5))
    assert found.entropy == 0
    assert found.privacy == 0


@pytest.mark.parametrize(
    ("given_weights", "sentence"),
    [
        (np.ones((21, 21)), r"cannot be summed over: it takes 21 \* 2\^21 steps"),
        (np.ones((2, 3)), "3 outputs and only 2 inputs"),
        ([[1, 1], [0, 0]], "rule out every way"),
        ([[1, -1], [0, 1]], "1 negative entries"),
    ],
)
def test_weights_that_cannot_be_are_refused(given_weights, sentence):
    with pytest.raises(ParameterError, match=sentence):
        Correspondence(given_weights)


def test_a_correspondence_that_names_an_input_twice_is_refused():
    with pytest.raises(ParameterError, match="names 2 different inputs"):
        Correspondence(np.ones((2, 2))).probability([0, 0])
