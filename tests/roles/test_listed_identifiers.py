"""Identifiers that a regulation lists are found by the names and the values of attributes."""

import pytest

import divulge as dv
from divulge.roles.listed_identifiers import TITLES, listed_identifiers
from divulge.roles.patterns import is_german_health_number

MANY = range(40)


def found(**columns):
    """The letters of the list under which attributes were found, each with how."""
    lines = listed_identifiers(dv.read(columns))
    return {(line.letter, one.attribute, one.by) for line in lines for one in line.found}


def letters(name, values):
    return {letter for letter, _, _ in found(**{name: list(values)})}


@pytest.mark.parametrize(
    ("letter", "name"),
    [
        ("A", "patient name"),
        ("D", "home_phone"),
        ("E", "FaxNumber"),
        ("F", "e-mail"),
        ("G", "SSN"),
        ("H", "medical_record_no"),
        ("I", "beneficiary_number"),
        ("J", "account_number"),
        ("K", "driver license"),
        ("L", "license_plate"),
        ("M", "serialNumber"),
        ("N", "web_site"),
        ("O", "IPAddress"),
        ("P", "fingerprint"),
        ("Q", "photo"),
    ],
)
def test_a_name_says_which_identifier_it_is(letter, name):
    values = [f"x{''.join(chr(97 + int(d)) for d in str(n))}" for n in MANY]
    assert letters(name, values) == {letter}


@pytest.mark.parametrize(
    ("letter", "values"),
    [
        ("A", [f"{first} Meier" for first in ("Anna", "David", "Maria", "Peter", "Lena") for _ in range(8)]),
        ("C", [f"2020-01-{1 + n % 28:02}" for n in MANY]),
        ("C", [f"2020-{1 + n % 12:02}" for n in MANY]),
        ("D", [f"+49 30 12345{n:03}" for n in MANY]),
        ("F", [f"p{n}@example.org" for n in MANY]),
        ("G", [f"078-05-1{n:03}" for n in MANY]),
        ("L", ["1M8GDM9AXKP042788"] * 3),
        ("M", [f"00:1b:63:84:45:{n:02x}" for n in MANY]),
        ("N", [f"https://example.org/{n}" for n in MANY]),
        ("O", [f"10.0.0.{n}" for n in MANY]),
        ("R", [f"{n:08x}-0000-4000-8000-000000000000" for n in MANY]),
    ],
)
def test_values_say_it_whatever_the_attribute_is_called(letter, values):
    if letter == "A":
        values = [f"{value.split()[0]} {chr(65 + n % 26)}{chr(97 + n % 7)}" for n, value in enumerate(values)]
    assert letter in letters("q7", values)


def test_places_but_not_states_and_zip_codes_beyond_three_digits():
    assert letters("zip", ["13053", "13068"]) == {"B"}
    assert letters("zip", ["130", "131"]) == set()
    assert letters("zip", ["130**", "131**"]) == set()
    assert letters("city", ["Rome", "Oslo"]) == {"B"}
    assert letters("state", ["NY", "CA"]) == set()


def test_dates_but_not_years_and_ages_over_eighty_nine():
    assert letters("birth_year", [1950, 1960, 1970]) == set()
    assert letters("admission date", ["2001", "2002"]) == set()
    assert letters("admission date", ["May", "June"]) == {"C"}
    assert letters("age", [17, 45, 89]) == set()
    assert letters("age", [17, 45, 93]) == {"C"}
    assert ("C", "age", "values") in found(age=[17, 93])
    lines = listed_identifiers(dv.read({"age": [17, 45, 90]}))
    said = [one.why for line in lines for one in line.found if line.letter == "C"]
    assert said == ["ages of 90: fine if they mean 90 or older"]  # it may be a top code


def test_a_telephone_that_says_yes_or_no_is_none():
    assert letters("telephone", ["yes", "no"] * 20) == set()


def test_a_longer_run_of_words_holds_a_shorter_one():
    assert letters("ip address", [f"host {n}" for n in MANY]) & {"B", "O"} == {"O"}


def test_whatever_else_identifies_is_in_the_last_line():
    lines = listed_identifiers(
        dv.read({"badge": ["a", "b", "a"], "sex": ["f", "m", "f"]}, identifiers="badge")
    )
    assert [(one.attribute, one.by) for one in lines[-1].found] == [("badge", "role")]
    assert [line.letter for line in lines] == list(TITLES) == list("ABCDEFGHIJKLMNOPQR")


def test_no_reason_names_a_value():
    lines = listed_identifiers(dv.read({"contact": [f"secret{n}@example.org" for n in MANY]}))
    assert "secret" not in repr(lines)


def test_a_few_first_and_last_names_are_names():
    assert "A" in letters("Vorname", ["Ute", "Käthe", "Sören"] * 20)
    assert "A" in letters("surname", ["Weber", "Lang"] * 30)
    assert letters("first_name_known", ["yes", "no"] * 30) == set()


@pytest.mark.parametrize("name", ["KVNR", "Versichertennummer", "x"])
def test_health_insurance_numbers_are_those_of_a_health_plan(name):
    valid = [f"{letter}123456{n}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for n in range(100, 1000)]
    assert "I" in letters(name, [one for one in valid if is_german_health_number(one)][:200])
