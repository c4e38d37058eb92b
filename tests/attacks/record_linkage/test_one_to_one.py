"""One-to-one linkage by hand, with ties that do not fall to the true row."""

import itertools

import numpy as np
import pytest

from divulge.attacks.record_linkage import one_to_one as module
from divulge.attacks.record_linkage.coordinates import Coordinates
from divulge.attacks.record_linkage.one_to_one import one_to_one
from divulge.errors import TooMuch


def points(original, released):
    return Coordinates(np.array(original, float)[:, None], np.array(released, float)[:, None], {})


def same(length):
    return np.arange(length), np.arange(length)


def test_an_original_that_is_nearest_to_two_is_linked_with_one():
    """Released 1 and 2 are both nearest to original 0; assigned one to one, 2 goes to 4."""
    found = one_to_one(points([0, 4], [1, 1.9]), same(2), seed=0)
    assert found.right.tolist() == [1, 1]
    assert found.chance == 1


def test_it_is_the_best_of_all_assignments_gone_through_one_by_one():
    rng = np.random.default_rng(4)
    given = Coordinates(rng.normal(size=(6, 2)), rng.normal(size=(6, 2)), {})
    apart = ((given.original[:, None] - given.released) ** 2).sum(axis=2)
    best = min(
        itertools.permutations(range(6)), key=lambda order: sum(apart[one, order[one]] for one in range(6))
    )
    found = one_to_one(given, same(6), seed=0)
    assert found.right.tolist() == [float(best[one] == one) for one in range(6)]


def test_records_that_are_alike_share_their_links():
    """Groups of three released alike: each of nine has one chance in three, whatever the order of rows."""
    groups = [1, 1, 1, 4, 4, 4, 7, 7, 7]
    found = one_to_one(points(range(9), groups), same(9), seed=5)
    assert found.linked == pytest.approx(3)
    assert found.right.tolist() == pytest.approx([1 / 3] * 9)


def test_equally_good_assignments_do_not_fall_to_the_true_row():
    """Released values lie in the middle of two originals, so that both assignments of a pair are as good."""
    original = [value for pair in range(200) for value in (10 * pair, 10 * pair + 2)]
    released = [value for pair in range(200) for value in (10 * pair + 0.5, 10 * pair + 0.5)]
    shuffled = one_to_one(points(original, released), same(400), seed=1)
    assert shuffled.right.tolist() == [0.5] * 400
    apart = [(10 * pair, 10 * pair + 2) for pair in range(200)]
    line = Coordinates(
        np.array([[value, 0.0] for pair in apart for value in pair]),
        np.array([[pair[0] + 1, side] for pair in apart for side in (1.0, -1.0)]),
        {},
    )
    right = one_to_one(line, same(400), seed=1).linked
    assert 150 < right < 250  # in the order of the rows, SciPy links all 400 rightly
    assert right == one_to_one(line, same(400), seed=1).linked


def test_more_released_records_than_originals_leave_some_without_a_link():
    found = one_to_one(points([0, 10], [0, 10, 5]), (np.array([0, 1]), np.array([0, 1])), seed=0)
    assert found.linked == 2
    assert found.chance == pytest.approx(2 / 3)


def test_more_pairs_than_can_be_held_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_PAIRS", 8)
    with pytest.raises(TooMuch, match="would hold 9 distances, and may hold 8"):
        one_to_one(points([0, 1, 2], [0, 1, 2]), same(3), seed=0)
