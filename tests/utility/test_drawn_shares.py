"""Two distributions as they are drawn: round ranges, ranks for names, and never how few."""

import pytest

from divulge import read
from divulge._support.small_counts import exact_counts
from divulge.alignment.tables import align
from divulge.utility import distribution_distances


def drawn(original, released, **given):
    tables = (read({"x": original}), read({"x": released}))
    (found,) = distribution_distances(align(*tables), pairs=False, **given)
    return [(one.label, one.original, one.released) for one in found.shares]


def test_values_are_ranked_by_how_often_the_original_has_them_and_named_only_when_asked():
    original, released = ["flu"] * 50 + ["cold"] * 30 + ["gout"] * 20, ["flu"] * 40 + ["cold"] * 60
    assert drawn(original, released) == [("value 1", 0.5, 0.4), ("value 2", 0.3, 0.6), ("value 3", 0.2, 0.0)]
    named = drawn(original, released, show_values=True)
    assert [label for label, *_ in named] == ["flu", "cold", "gout"]


def test_values_beyond_the_first_eight_share_a_bar():
    values = [f"v{place}" for place in range(12) for _ in range(5 * (12 - place))]
    shares = drawn(values, values)
    assert [label for label, *_ in shares] == [*(f"value {rank}" for rank in range(1, 9)), "4 others"]
    assert sum(original for _, original, _ in shares) == pytest.approx(1)


def test_numbers_are_ranges_between_round_numbers_and_the_ends_are_open():
    ages = [*range(20, 80)] * 5 + [3, 109]
    labels = [label for label, *_ in drawn(ages, ages)]
    assert labels[0] == "below 30"
    assert labels[1:-1] == ["30 to 40", "40 to 50", "50 to 60", "60 to 70"]
    assert labels[-1] == "70 or more"
    # By hand: 20 to 29 are 50 of 302 people and one is 3; rounded down to fives, 50.
    assert drawn(ages, ages)[0][1] == pytest.approx(50 / 302)


def test_ranges_of_whole_numbers_end_at_whole_numbers():
    sexes = [1] * 60 + [2] * 40
    assert drawn(sexes, sexes) == [("below 2", 0.6, 0.6), ("2 or more", 0.4, 0.4)]


def test_groups_of_numbers_stand_in_their_order_and_take_the_original_with_them():
    original, released = ["21"] * 10 + ["35"] * 60 + ["38"] * 30, ["20-29"] * 10 + ["30-39"] * 90
    assert drawn(original, released) == [("group 1", 0.1, 0.1), ("group 2", 0.9, 0.9)]
    assert [label for label, *_ in drawn(original, released, show_values=True)] == ["20-29", "30-39"]


def test_missing_and_suppressed_cells_have_bars_of_their_own():
    shares = drawn(["a"] * 60 + ["b"] * 30 + [None] * 10, ["a"] * 60 + ["*"] * 40)
    assert shares[-2:] == [("missing", 0.1, 0.0), ("suppressed", 0.0, 0.4)]


def test_neither_few_people_nor_a_small_difference_is_drawn():
    original, released = ["a"] * 96 + ["b"] * 4, ["a"] * 97 + ["b"] * 3
    assert drawn(original, released) == [("value 1", 0.95, 0.95), ("value 2", 0.0, 0.0)]
    with exact_counts():
        assert drawn(original, released) == [("value 1", 0.96, 0.97), ("value 2", 0.04, 0.03)]


@pytest.mark.parametrize(
    "values",
    [[7.0] * 9, [5e-324, 0.0] * 9, [1e300, -1e300] * 9, [1e17, 1e17 + 16] * 9, [-0.25, 0.25] * 9],
    ids=["one", "tiny", "huge", "large", "around zero"],
)
def test_odd_numbers_are_drawn_as_well(values):
    shares = drawn(values, values)
    assert sum(original for _, original, _ in shares) <= 1
    assert len(shares) <= 13
