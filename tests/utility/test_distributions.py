"""Distances between distributions, by hand and as SciPy has them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import wasserstein_distance

import divulge as dv
from divulge.alignment.tables import align
from divulge.utility import distribution_distances

VALUES = st.lists(st.sampled_from("abcde"), min_size=1, max_size=40)


def distances(original, released, pairs=True, **reading):
    found = distribution_distances(align(dv.read(original, **reading), dv.read(released)), pairs=pairs)
    return {one.attributes: one for one in found}


def distance(original, released, **reading):
    return distances({"a": original}, {"a": released}, **reading)[("a",)]


def test_a_half_moved_to_one_side():
    found = distance(["x", "x", "y", "y"], ["x", "x", "x", "x"])
    assert found.total_variation == 0.5
    # Halfway lies (3/4, 1/4): (1/2 log2 2/3 + 1/2 log2 2 + log2 4/3) / 2.
    assert found.jensen_shannon == pytest.approx((0.5 * math.log2(2 / 3) + 0.5 + math.log2(4 / 3)) / 2)
    assert found.hellinger == pytest.approx(math.sqrt(1 - math.sqrt(1 / 2)))
    assert found.earth_mover is None


def test_values_unseen_on_one_side_count_fully():
    for released in (["2*", "2*"], ["*", "*"], [None, None]):
        found = distance(["21", "22"], released)
        assert (found.total_variation, found.jensen_shannon, found.hellinger) == (1, 1, pytest.approx(1))
        assert found.earth_mover is None


def test_the_same_distribution_in_another_order_and_size_is_no_distance():
    found = distance([1, 2, 3], [3, 1, 2, 2, 3, 1])
    assert (found.total_variation, found.jensen_shannon, found.hellinger, found.earth_mover) == (0, 0, 0, 0)


def test_numbers_are_moved_by_how_far_they_differ():
    # A third of the records moves from 10 to 40, over a range of 30.
    assert distance([10, 10, 40], [10, 40, 40]).earth_mover == pytest.approx(1 / 3)
    assert distance([10, 11, 40], [11, 11, 40]).earth_mover == pytest.approx(1 / 90)


def test_declared_values_are_moved_by_steps():
    order = {"orders": {"a": ["I", "II", "III", "IV"]}}
    # One of two records moves two of three steps.
    assert distance(["I", "II"], ["III", "II"], **order).earth_mover == pytest.approx(1 / 3)


def test_gaps_have_no_place_on_the_line():
    found = distance([10, 20, None], ["10", "20", "*"])
    assert found.earth_mover == 0
    assert found.total_variation == pytest.approx(1 / 3)


def test_one_number_on_both_sides_is_no_distance():
    assert distance([5, 5], [5, 5]).earth_mover == 0


def test_pairs_show_what_single_attributes_hide():
    original = {"a": ["x", "x", "y", "y"], "b": ["p", "q", "p", "q"]}
    released = {"a": ["x", "x", "y", "y"], "b": ["p", "p", "q", "q"]}
    found = distances(original, released)
    assert list(found) == [("a",), ("b",), ("a", "b")]
    assert found["a", "b"].total_variation == 0.5
    assert found["a",].total_variation == found["b",].total_variation == 0
    assert list(distances(original, released, pairs=False)) == [("a",), ("b",)]


@given(VALUES, VALUES)
def test_distances_are_those_of_scipy_and_bounded(one, other):
    alignment = align(dv.read({"a": one}), dv.read({"a": other}))
    (found,) = distribution_distances(replace(alignment, rows=None))  # so that a value is its spelling
    p, q = (np.array([side.count(value) for value in "abcde"]) / len(side) for side in (one, other))
    assert found.total_variation == pytest.approx(np.abs(p - q).sum() / 2)
    assert found.jensen_shannon == pytest.approx(jensenshannon(p, q, base=2) ** 2, abs=1e-9)
    assert 0 <= found.hellinger <= 1
    assert found.hellinger**2 <= found.total_variation + 1e-12 <= math.sqrt(2) * found.hellinger + 2e-12


@given(
    st.lists(st.integers(-5, 50), min_size=1, max_size=30),
    st.lists(st.integers(-5, 50), min_size=1, max_size=30),
)
def test_the_earth_mover_is_that_of_scipy_over_the_range(one, other):
    reach = max(one + other) - min(one + other)
    expected = wasserstein_distance(one, other) / reach if reach else 0
    assert distance(one, other).earth_mover == pytest.approx(expected)
