"""Orders and trees of target values, worked out by hand."""

import datetime

import pytest

from divulge.counting.value_structure import levels_of, order_of, ranks_of
from divulge.errors import SchemaError
from divulge.table.hierarchy import Hierarchy

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
        ["2024-01-01", "2024-13-01"],
        ["2024-01-01", "2024-01-01T00:00"],
        ["2024-01-01T00:00Z", "2024-01-01T00:00"],
        ["31-01-2024", "01-02-2024"],
        [True, False],
        [datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 1)],
    ],
)
def test_other_values_have_no_order(values):
    assert order_of(values) is None


def test_a_number_has_one_rank_however_it_is_written():
    assert ranks_of(["100", "1e2", "7", "100.0", "-0.0", "0"]) == [2, 2, 1, 2, 0, 0]
    assert ranks_of(["9007199254740993", "9007199254740992"]) == [1, 0]  # floats would take them for one
    assert order_of(["1", "1.0"]) == [0, 1]


def test_texts_that_are_all_iso_dates_are_ordered_by_time():
    assert ranks_of(["2024-05-01", "2023-12-31", "2024-01-31"]) == [2, 0, 1]
    # By hand: half past one at +01:00 is half past midnight in Greenwich.
    assert ranks_of(["2024-01-01T01:30+01:00", "2024-01-01 00:30Z", "2023-12-31T23:59:59Z"]) == [1, 1, 0]


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
