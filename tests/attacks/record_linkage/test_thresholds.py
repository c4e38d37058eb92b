"""Precision, recall and the pairs for a person to look at, by hand."""

import numpy as np

from divulge._support.small_counts import exact_counts
from divulge.attacks.record_linkage.thresholds import bands, precision_and_recall

WEIGHT = np.array([4.0, 2.0, 1.0, 0.0])
PAIRS = np.array([6.0, 10.0, 20.0, 64.0])
RIGHT = np.array([6, 2, 0, 2])


def test_every_weight_at_which_more_right_pairs_are_found_and_the_last():
    with exact_counts():
        found = precision_and_recall(WEIGHT, PAIRS, RIGHT, of=12)
    assert found == [
        {"weight": 4, "precision": 1, "recall": 0.5},
        {"weight": 2, "precision": 0.5, "recall": 8 / 12},
        {"weight": 0, "precision": 0.1, "recall": 10 / 12},
    ]


def test_weights_that_would_tell_of_few_people_are_left_out():
    """Two more than six are found at weight 2, and of ten only two are left out at the last."""
    [first] = precision_and_recall(WEIGHT, PAIRS, RIGHT, of=16)
    assert first["weight"] == 4
    assert precision_and_recall(WEIGHT, PAIRS, np.array([3, 0, 0, 0]), of=16) == []


def test_weights_that_would_tell_of_few_wrong_links_are_left_out():
    """By hand: 1, 4 and 2 more links are wrong, then 20; beside the pairs linked, precision says how many."""
    weight, right = np.array([5.0, 4.0, 3.0, 2.0, 1.0]), np.array([70, 10, 10, 10, 10])
    pairs = right + np.array([1, 4, 2, 20, 900])
    shown = [one["weight"] for one in precision_and_recall(weight, pairs.astype(float), right, of=120)]
    assert shown == [4, 2, 1]
    with exact_counts():
        assert len(precision_and_recall(weight, pairs.astype(float), right, of=120)) == 5


def test_pairs_are_linked_looked_at_or_left():
    chance, pairs = np.array([0.95, 0.9, 0.7, 0.5, 0.1]), np.array([10.0, 1.0, 3.0, 2.0, 90.0])
    found = bands(chance, pairs)
    assert found == {"expected_links": 10 * 0.95 + 0.9, "linked_pairs": 11, "clerical": 5}


def test_without_pairs_there_is_nothing_to_say():
    assert precision_and_recall(np.zeros(0), np.zeros(0), np.zeros(0, np.int64), of=5) == []
