"""Releases beside each other: words agree with numbers, what belongs together stands together."""

import pytest

from divulge.report.comparison.side_by_side import (
    ORIGINAL,
    ShownCell,
    ShownRow,
    SideBySide,
    changed,
    first_releases,
    matched,
    missing,
    names,
    short_names,
)
from report.comparison_document import document, many_releases


@pytest.mark.parametrize(
    ("before", "after", "larger_is_better", "sign", "word", "tone"),
    [
        (1, 5, True, "↑", "better", "pass"),
        (5, 1, True, "↓", "worse", "fail"),
        (1, 5, False, "↑", "worse", "fail"),
        (5, 1, False, "↓", "better", "pass"),
        (5, 5, False, "=", "same", ""),
    ],
)
def test_an_arrow_says_where_a_number_went_and_a_word_whether_that_is_good(
    before, after, larger_is_better, sign, word, tone
):
    found = changed(before, after, "count", larger_is_better=larger_is_better)
    assert found == ShownCell(str(after), sign, word, tone)


def test_what_is_not_quite_nothing_is_not_the_same_as_nothing():
    assert changed(0.0, 0.00001, "rate", larger_is_better=False) == ShownCell("<0.001", "↑", "worse", "fail")


def test_without_a_number_on_one_side_there_is_no_arrow():
    assert changed(0.5, None, "rate", larger_is_better=True) == ShownCell("–", word="no value")
    assert changed(None, 0.5, "rate", larger_is_better=True) == ShownCell("0.500")


def test_items_are_matched_by_name_and_two_of_one_name_are_two():
    one, two, again = {"name": "a", "n": 1}, {"name": "b", "n": 2}, {"name": "a", "n": 3}
    found = matched([[one, again], [two, one]], lambda item: item["name"])
    assert found == [(one, [one, one]), (again, [again, None]), (two, [None, two])]


def side(columns):
    return SideBySide("reading", columns, [ShownRow("k", [ShownCell(name) for name in columns], group="one")])


def test_wide_tables_are_cut_into_parts_that_all_have_the_original():
    found = side((ORIGINAL, *"abcde")).parts(2)
    assert [part.columns for part in found] == [(ORIGINAL, "a", "b"), (ORIGINAL, "c", "d"), (ORIGINAL, "e")]
    assert [cell.text for cell in found[1].rows[0].cells] == [ORIGINAL, "c", "d"]
    assert [part.columns for part in side(tuple("abc")).parts(2)] == [("a", "b"), ("c",)]
    assert [part.columns for part in side(tuple("abcde")).parts(4)] == [("a", "b", "c"), ("d", "e")]


def test_a_table_without_rows_has_no_parts():
    assert SideBySide("reading", ("a",), []).parts(3) == []


def test_a_reason_is_given_once_with_the_columns_it_is_about():
    rows = [
        ShownRow("k", [missing("no key"), ShownCell("1"), missing("no key")]),
        ShownRow("l", [missing("no key")] * 3),
    ]
    assert SideBySide("reading", ("a", "b", "c"), rows).reasons == [("a, b, c not measured", "no key")]


def test_releases_of_one_name_are_told_apart():
    found = document()
    for release in found["releases"]:
        release["name"] = "released.csv"
    assert names(found) == ("released.csv", "released.csv (2)", "released.csv (3)")
    assert len(set(short_names(found).values())) == 3


def test_of_many_releases_the_first_are_kept_and_the_recommended_one():
    kept = [release["name"] for release in first_releases(many_releases(9), 4)["releases"]]
    assert kept == [*(f"clinic_level_{place}.csv" for place in range(3)), "clinic_level_8.csv"]
    assert first_releases(document(), 4)["releases"] == document()["releases"]
    found = many_releases(9)
    found["recommendation"]["release"] = None
    assert len(first_releases(found, 4)["releases"]) == 4
