"""Sums over sets that are made of classes, against products of matrices."""

import numpy as np
import pytest

from divulge.assessment.people.class_sums import ClassSets, set_cells


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize("seed", range(20))
def test_cells_of_classes_add_up_as_a_product_of_matrices(seed, dtype):
    rng = np.random.default_rng(seed)
    sets, classes, values = rng.integers(1, 9, 3)
    inside = rng.random((sets, classes)) < 0.5
    inside[:, 0] |= ~inside.any(axis=1)
    numbers = rng.integers(0, 4, (classes, values)).astype(dtype)
    held = ClassSets.of_pairs(*np.nonzero(inside), classes)
    row, column = np.nonzero(numbers)
    found = held.joined(set_cells(row, column, numbers[row, column], values), values)
    dense = np.zeros((sets, values), dtype)
    dense[found.row, found.column] = found.number
    assert (dense == inside.astype(dtype) @ numbers).all()
    assert held.work(np.count_nonzero(numbers, axis=1)) == (inside @ np.count_nonzero(numbers, axis=1)).sum()
    some = rng.permutation(sets)[: (sets + 1) // 2]
    assert (held.taken(some).added_up(numbers[:, 0]) == inside[some].astype(dtype) @ numbers[:, 0]).all()


def test_numbers_at_the_same_place_are_added_up():
    found = set_cells(np.array([1, 0, 1]), np.array([2, 0, 2]), np.array([3, 4, 5]), 3)
    assert [one.tolist() for one in found] == [[0, 1], [0, 2], [4, 8]]
