"""Orders and trees of target values, worked out by hand."""

import datetime

import pytest

from divulge.errors import SchemaError
from divulge.ground import levels_of, order_of
from divulge.hierarchy import Hierarchy

TREE = Hierarchy.of([("a", "left", "*"), ("b", "left", "*"), ("c", "right", "*")], attribute="x")


def test_numbers_and_texts_of_numbers_are_ordered_by_size():
    assert order_of([10, 9.5, -1]) == [2, 1, 0]
    assert order_of(["10", "9.5", "-1"]) == [2, 1, 0]


def test_days_are_ordered_by_time_and_moments_by_the_instant():
    day = datetime.date
    assert order_of([day(2024, 5, 1), day(2023, 12, 31)]) == [1, 0]
    east, west = (datetime.timezone(datetime.timedelta(hours=h)) for h in (9, 0))
    # 08:00 in the east is 23:00 of the day before in the west.
    early, late = datetime.datetime(2024, 1, 2, 8, tzinfo=east), datetime.datetime(2024, 1, 2, 7, tzinfo=west)
    assert order_of([late, early]) == [1, 0]


@pytest.mark.parametrize(
    "values",
    [
        ["low", "high"],
        [1, None],
        ["1", "1.0"],
        [True, False],
        [datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 1)],
    ],
)
def test_other_values_have_no_order(values):
    assert order_of(values) is None


def test_a_declared_order_matches_text_and_numbers():
    assert order_of(["high", "low"], ["low", "mid", "high"]) == [1, 0]
    assert order_of([4.0, 3.0], [3, 4]) == [1, 0]
    with pytest.raises(SchemaError, match="leaves out 1 of its 2 values"):
        order_of(["low", "marker"], ["low"])


def test_levels_stop_below_the_root():
    assert levels_of(["a", "b", "c"], TREE, attribute="x").tolist() == [[0, 1, 2], [0, 0, 1]]


def test_missing_has_a_branch_of_its_own_unless_the_tree_places_it():
    assert levels_of([None, "a", "b"], TREE, attribute="x")[1].tolist() == [0, 1, 1]
    placed = Hierarchy.of([("a", "left", "*"), ("", "left", "*"), ("c", "right", "*")], attribute="x")
    assert levels_of([None, "a", "c"], placed, attribute="x")[1].tolist() == [0, 0, 1]
