"""Coarser groups: bands that fit the numbers, months and years of dates, prefixes of codes."""

from datetime import date

import pytest

from divulge.assessment.remedies.groupings import groupings
from scenes import scope


def ways(values, name="x", **reading):
    table = {name: values, "ill": ["flu", "cold"] * (len(values) // 2)}
    return groupings(scope(table, keys=(name,), **reading), name)


def grouped(values, way, name="x"):
    """The group of each value."""
    asked = scope({name: values, "ill": ["flu"] * len(values)}, keys=(name,)).grouped(name, way.partition)
    return asked.question([name]).column(name).codes.tolist()


def test_ages_go_in_bands_of_5_10_and_20():
    ages = list(range(17, 91)) * 2
    found = ways(ages, "age")
    assert [one.words for one in found] == [
        "putting age in bands of 5",
        "putting age in bands of 10",
        "putting age in bands of 20",
    ]
    by_ten = grouped(ages, found[1], "age")
    assert by_ten == [1 + (age // 10 - 1) for age in ages]


def test_texts_that_are_numbers_are_banded_and_codes_for_missing_stay_apart():
    ages = [str(age) for age in range(20, 60)] + ["?", "?"]
    first = ways(ages)[0]
    found = grouped(ages, first)
    assert found[-1] == found[-2] not in found[:-2]
    assert len(set(found[:-2])) <= 20


def test_skewed_numbers_go_in_bands_with_as_many_records_each():
    incomes = [1.5**n for n in range(100)]
    found = ways(incomes)
    assert [(one.action, one.detail) for one in found] == [("equal groups", 10), ("equal groups", 5)]
    groups = grouped(incomes, found[0])
    assert sorted(groups.count(group) for group in set(groups)) == [10] * 10


@pytest.mark.parametrize(
    "spelled", [date.isoformat, lambda day: day, lambda day: f"{day.day}.{day.month}.{day.year}"]
)
def test_dates_are_reduced_to_month_quarter_year_and_decade(spelled):
    days = [date(2008 + n % 4, 1 + n % 12, 1 + n % 28) for n in range(200)]
    found = ways([spelled(day) for day in days])
    assert [one.detail for one in found] == ["month", "quarter", "year", "decade"]
    assert found[0].words == "reducing x to the month"
    for way, groups in zip(found, (12, 12, 4, 2), strict=True):
        assert len(set(grouped([spelled(day) for day in days], way))) == groups


def test_of_dates_that_can_be_read_in_two_ways_the_year_is_kept():
    found = ways([f"0{1 + n % 9}/0{1 + n % 7}/{1990 + n % 20}" for n in range(100)])
    assert [one.detail for one in found] == ["year", "decade"]


def test_codes_lose_their_last_characters():
    codes = [f"{10 + n % 3}{n // 3 % 3}{n // 9 % 3}{n // 27 % 3}" for n in range(162)]
    found = ways(codes, "zip")
    assert [one.detail for one in found] == [4, 3, 2]  # one character is the same for all
    assert found[1].words == "keeping the first 3 characters of zip"
    assert len(set(grouped(codes, found[1], "zip"))) == len({code[:3] for code in codes})


def test_letters_and_digits_are_a_code_whatever_the_name():
    found = ways([f"{'ABC'[n % 3]}{n % 10}{n % 7}.{n % 5}" for n in range(200)])
    assert found[0].action == "prefix"


def test_a_handful_of_postcodes_is_shortened_too_and_other_codes_are_not():
    few = ["80331", "80333", "80469", "10115"] * 10
    assert [one.detail for one in ways(few, "zip")] == [4, 2]
    assert [one.detail for one in ways([int(code) for code in few], "zip")] == [4, 2]
    assert ways(["A1.0", "A1.1", "B2.0"] * 10, "icd") == []


def test_digits_that_begin_with_zeros_are_no_amounts():
    found = ways([f"{n * 37 % 9000:05}" for n in range(400)], "town_code")
    assert [one.action for one in found] == ["prefix"] * 3  # the first is 0 for all


@pytest.mark.parametrize("values", [["a", "b"] * 20, list("abcdefghij") * 2, [1, 2, 3] * 10])
def test_other_values_and_few_ones_have_no_groups_of_their_own(values):
    assert ways(values) == []


def test_what_a_policy_groups_stays_as_it_is():
    ages = list(range(20, 60))
    way = ways(ages, "age")[0]
    assert ways(ages, "age", partitions={"age": way.partition}) == []
