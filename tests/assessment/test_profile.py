"""Types of attributes, and distributions that count nobody out."""

from datetime import date, timedelta

import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.assessment.profile import profile


def one(values, **asked):
    return profile(dv.read({"x": list(values)}), **asked)[0]


def shares(found):
    return [bar.share for bar in found.distribution.bars]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("number", [1, 2, 3] * 40),
        ("number", ["1,200.50", "7", "8"] * 40),
        ("date", [date(2020, 1, 1) + timedelta(days=n % 50) for n in range(120)]),
        ("category", ["a", "b"] * 60),
        ("category", [0, 1] * 60),
        ("identifier-like", [f"p{n}@example.org" for n in range(120)]),
        ("text", [f"came in with a cough on day {n}" for n in range(120)]),
    ],
)
def test_each_attribute_has_a_type(kind, values):
    assert one(values).type == kind


def test_a_postcode_is_no_number():
    assert profile(dv.read({"zip": ["13053", "13068", "13070"] * 40}))[0].type == "category"


def test_shares_of_categories_are_those_of_values_on_five_records_or_more():
    found = one(["a"] * 600 + ["b"] * 400 + ["c"] * 4)
    assert found.distribution.form == "groups"
    assert shares(found) == [0.6, 0.4]
    assert (found.distribution.step, found.distribution.values, found.values) == (0.01, 1, 3)


def test_bars_do_not_change_with_how_many_few_are():
    few = [one(["a"] * 600 + ["b"] * 400 + ["c"] * n).distribution for n in (1, 2, 3, 4)]
    assert all(found == few[0] for found in few)


def test_a_share_is_rounded_to_at_least_ten_records():
    found = one(["a"] * 65 + ["b"] * 29 + ["c"] * 6)
    assert found.distribution.step == 0.1  # ten of a hundred
    assert shares(found) == [0.7, 0.3, 0.1]
    assert shares(one(["a"] * 96 + ["b"] * 1000)) == [0.91, 0.09]


def test_the_smaller_groups_are_one_bar():
    values = [letter for letter in "abcdefghijkl" for _ in range(100)]
    found = one(values, show_values=True)
    assert [bar.label for bar in found.distribution.bars] == [*"abcdefghi", "other values"]
    assert shares(found)[-1] == 0.25  # three hundred of twelve hundred
    assert all(bar.label in (None, "other values") for bar in one(values).distribution.bars)


def test_a_histogram_has_round_bins_of_equal_width_and_bounds_for_few():
    values = [age for age in range(20, 70) for _ in range(20)] + [99]
    found = one(values, show_values=True)
    assert found.distribution.form == "histogram"
    assert [bar.label for bar in found.distribution.bars] == [
        *(f"{low} to {low + 10}" for low in range(20, 100, 10)),
    ]
    assert shares(found) == [0.2, 0.2, 0.2, 0.2, 0.2, 0.0, 0.0, "<0.01"]
    assert [bar.label for bar in one(values).distribution.bars] == [None] * 8


def test_days_are_binned_and_their_ends_are_days():
    days = [date(2020, 1, 1) + timedelta(days=n % 5) for n in range(100)]
    labels = [bar.label for bar in one(days, show_values=True).distribution.bars]
    assert labels[0] == "2020-01-01 to 2020-01-02"


def test_few_records_have_no_distribution_and_a_reason():
    found = one(["a"] * 20 + ["b"] * 10)
    assert found.distribution is None
    assert found.undefined == "fewer than 50 records have a value that others share"


def test_exact_counts_give_exact_shares():
    with exact_counts():
        assert shares(one(["a"] * 600 + ["b"] * 396 + ["c"] * 4)) == [0.6, 0.396, 0.004]


def test_values_of_identifiers_are_never_shown():
    found = one([f"p{n}@example.org" for n in range(120)], show_values=True)
    assert found.distribution is None
    assert found.undefined


def test_missing_values_are_counted_and_hidden_in_a_document():
    table = {"sex": ["f", "m"] * 60 + [None] * 3, "ill": ["a", "b", "c"] * 41}
    document = dv.audit(dv.read(table, quasi_identifiers="sex", sensitive="ill")).to_dict()
    assert [(one["name"], one["missing"]) for one in document["profile"]] == [("sex", "<5"), ("ill", 0)]
