"""Hierarchies changed by hand stay hierarchies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import PartitionError
from divulge.explore.choosing.hierarchy_edits import (
    cut_points,
    merged,
    rows_of,
    with_cuts,
    with_level,
    without_level,
)
from divulge.table.hierarchy import Hierarchy

AGES = Hierarchy.of(
    [(str(age), f"{age // 10}x", "young" if age < 40 else "old", "*") for age in range(20, 60, 5)],
    attribute="age",
)


def again(rows):
    """The rows as a hierarchy, which refuses levels that do not get coarser."""
    return Hierarchy.of(rows, attribute="age")


@given(st.lists(st.integers(15, 65), max_size=6), st.integers(1, 3))
def test_any_cuts_give_a_hierarchy_with_groups_that_begin_there(cuts, level):
    tree = again(with_cuts(AGES, level, cuts))
    ages = [int(value) for value in tree.values]
    wanted = sorted(
        {min((age for age in ages if age >= cut), default=None) for cut in cuts} - {None, min(ages)}
    )
    here = next(place for place in range(1, tree.levels + 1) if (cut_points(tree, place) or []) == wanted)
    assert here <= level


@given(st.data(), st.integers(1, 3))
def test_merged_groups_are_one_and_the_rest_is_a_hierarchy(data, level):
    groups = sorted(set(AGES.groups[level - 1]))
    if len(groups) < 2:
        return
    chosen = data.draw(st.lists(st.sampled_from(groups), min_size=2, unique=True))
    tree = again(merged(AGES, level, chosen, "together"))
    members = {
        value for value, group in zip(AGES.values, AGES.groups[level - 1], strict=True) if group in chosen
    }
    names = {
        name for value, name in zip(tree.values, tree.groups[level - 1], strict=True) if value in members
    }
    assert names == {"together"}


def test_a_level_that_is_added_and_left_out_changes_nothing():
    assert without_level(again(with_level(AGES, 1)), 2) == rows_of(AGES)


@pytest.mark.parametrize("cuts", [[40], [22, 39], [30, 45, 70]])
def test_no_level_names_the_least_or_the_largest_value_which_is_one_persons(cuts):
    ages = [3, *range(20, 80), 104, ""]
    rows = [
        (str(age), *("-" if age == "" else f"{age // wide * wide} on" for wide in (5, 10, 20)), "*")
        for age in ages
    ]
    for level in (1, 2, 3):
        tree = again(with_cuts(again(rows), level, cuts))
        names = {name for groups in tree.groups for name in groups}
        assert not [name for name in names if {"3", "104"} & set(name.split())]
        assert names - {name for row in rows for name in row} <= RANGES[tuple(cuts)]


RANGES = {
    (40,): {"below 40", "40 or more", "(missing)"},
    (22, 39): {"below 22", "22 to below 39", "39 or more", "all values", "(missing)"},
    (30, 45, 70): {
        *("below 30", "30 to below 45", "45 to below 70", "70 or more", "30 to below 70", "all values"),
        "(missing)",
    },
}


def test_a_level_above_takes_the_name_of_what_was_merged():
    copied = again([(str(age), str(age), str(age), "*") for age in (3, 21, 25, 38)])
    assert merged(copied, 1, ["3", "21"], "young")[0] == ("3", "young", "young", "*")


def test_cut_points_are_read_back():
    assert cut_points(AGES, 2) == [40.0]
    assert cut_points(AGES, 3) == []
    assert cut_points(Hierarchy.of([("1", "a"), ("2", "b"), ("3", "a")], attribute="x"), 1) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda: with_cuts(AGES, 4, [30]),
        lambda: with_cuts(AGES, 0, [30]),
        lambda: with_cuts(Hierarchy.of([("a", "*")], attribute="x"), 1, [30]),
        lambda: merged(AGES, 1, ["2x"], "one"),
        lambda: merged(AGES, 1, ["2x", "9x"], "one"),
        lambda: merged(AGES, 1, ["2x", "3x"], " "),
        lambda: merged(AGES, 1, ["2x", "3x"], "5x"),
        lambda: with_level(AGES, 9),
        lambda: without_level(Hierarchy.of([("a", "*")], attribute="x"), 1),
    ],
)
def test_what_cannot_be_is_refused(change):
    with pytest.raises(PartitionError):
        change()
