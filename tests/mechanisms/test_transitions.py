"""What becomes of each value, as a matrix and as a draw."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from divulge.mechanisms.draws import Draws
from divulge.mechanisms.transitions import Transition, recoded
from divulge.table.codes import Codes


@st.composite
def matrices(draw):
    size = draw(st.integers(1, 5))
    rows = []
    for _ in range(size + 1):
        weights = draw(st.lists(st.integers(0, 5), min_size=size, max_size=size).filter(any))
        rows.append({code: weight / sum(weights) for code, weight in enumerate(weights, 1) if weight})
    return size, rows


@given(matrices())
def test_a_drawn_column_agrees_with_its_matrix(given_matrix):
    size, rows = given_matrix
    values = [f"v{code}" for code in range(1, size + 1)]
    made = Transition.of_rows(values, rows)
    matrix = made.matrix()
    np.testing.assert_allclose(matrix.sum(axis=1), 1)
    records = 2_000
    codes = np.arange((size + 1) * records) % (size + 1)
    column = Codes(codes.astype(np.uint8), values)
    drawn = made.apply(column, lambda: Draws(1, 1).uniforms("x", np.arange(len(codes))))
    for code in range(size + 1):
        shares = np.bincount(drawn.codes[codes == code], minlength=size + 1) / records
        spread = np.sqrt(matrix[code] * (1 - matrix[code]) / records)
        assert (np.abs(shares - matrix[code]) <= 5 * spread + 1e-12).all()
        assert (shares[matrix[code] == 0] == 0).all()


def test_nothing_is_drawn_where_all_is_certain():
    made = recoded(["a", "b"], str.upper)
    column = Codes(np.array([0, 1, 2, 1], np.uint8), ["a", "b"])

    def never():
        raise AssertionError

    assert made.apply(column, never).values_of() == [None, "A", "B", "A"]


def test_values_that_become_the_same_are_one():
    made = recoded([1, 2, 3], lambda value: value // 2)
    assert made.released == [0, 1]
    assert made.matrix()[1:].tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 1]]
