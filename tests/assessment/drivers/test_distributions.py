"""How risk is spread, counted by hand."""

import pytest

from divulge.assessment.drivers.distributions import (
    class_sizes,
    homogeneous,
    record_risk,
    smallest_classes,
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
