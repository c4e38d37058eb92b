"""How risk is spread, counted by hand."""

import pytest

from divulge._support.small_counts import exact_counts
from divulge.assessment.drivers.distributions import (
    class_sizes,
    homogeneous,
    record_risk,
    smallest_classes,
    without_few,
    worst_values,
)
from divulge.assessment.drivers.rates import all_rates
from scenes import PEOPLE, scope


def test_class_sizes_of_a_table_counted_by_hand():
    found = class_sizes(scope().question(("zip", "age", "job")).counts)
    # zip 1: age 20 twice, 30, 40; zip 2: age 20, 30, and 40 as cook and as nurse.
    assert [(one.label, one.classes, one.records) for one in found[:2]] == [("1", 6, 6), ("2", 1, 2)]
    assert sum(one.records for one in found) == 8
    assert found[0].share == 0.75


def test_the_bins_reach_from_one_to_any_size():
    sizes = {"a": ["x"] * 1000 + ["y"] * 999 + ["z"] * 4 + ["u"]}
    found = {
        one.label: one.records
        for one in class_sizes(scope(sizes, keys="a", sensitive=()).question("a").counts)
    }
    assert {label: n for label, n in found.items() if n} == {"1": 1, "3-4": 4, "100-999": 999, "1000+": 1000}


def test_a_bin_begins_at_a_size_that_is_required():
    sizes = {"a": ["x"] * 11 + ["y"] * 10 + ["z"] * 4}
    counts = scope(sizes, keys="a", sensitive=()).question("a").counts
    assert {one.label: one.records for one in class_sizes(counts) if one.records} == {"3-4": 4, "10-19": 21}
    found = {one.label: one.records for one in class_sizes(counts, at=[11]) if one.records}
    assert found == {"3-4": 4, "10": 10, "11-19": 11}


def test_risk_is_one_over_the_size():
    found = record_risk(class_sizes(scope().question(("zip", "age")).counts))
    assert [(one.label, one.records, one.high) for one in found[:2]] == [
        ("1 (alone)", 4, 1.0),
        ("1/2", 4, 0.5),
    ]


def test_homogeneous_classes_have_several_records_and_one_value():
    found = homogeneous("ill", scope().question(("zip", "age"), "ill").counts)
    # Of the classes of two, zip 1 age 20 is all flu; zip 2 age 40 is mixed.
    assert (found.classes, found.records, found.share) == (1, 2, 0.25)


@pytest.mark.parametrize("show", [False, True])
def test_values_are_named_only_when_they_may_be_shown(show):
    asked = scope(PEOPLE)
    rates = all_rates(asked)
    labels = {line.label for block in worst_values(asked, rates, show_values=show) for line in block.lines}
    assert ("20" in labels) is show
    assert ("value 1" in labels) is not show


def test_the_smallest_classes_hide_counts_below_five():
    table = {"a": ["x"] * 7 + ["y"] * 2}
    question = scope(table, keys="a", sensitive=()).question("a")
    assert [(one.records, one.key) for one in smallest_classes(question, show_values=False)] == [
        ("<5", None),
        ("~10", None),
    ]
    assert [one.key for one in smallest_classes(question, show_values=True)] == [{"a": "y"}, {"a": "x"}]


def test_groups_of_bins_put_together_are_not_said():
    """Three people alone, 40 pairs, 5 groups of 3 and 30 of 6: groups and records would say how many."""
    sizes = [1] * 3 + [2] * 40 + [3] * 5 + [6] * 30 + [12] * 4
    table = {"a": [str(group) for group, size in enumerate(sizes) for _ in range(size)]}
    found = without_few(class_sizes(scope(table, keys="a", sensitive=()).question("a").counts))
    said = {one.label: (one.classes, one.records) for one in found if one.records}
    assert said == {"1-4": (None, 98), "5-9": (None, 180), "10-19": (4, 48)}
    with exact_counts():
        shown = without_few(class_sizes(scope(table, keys="a", sensitive=()).question("a").counts))
    assert [one.classes for one in shown][:5] == [3, 40, 5, 30, 4]
