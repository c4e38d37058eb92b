"""The first line of a table: names, a record, or not sure."""

import pytest

from divulge._support.header import DoubtfulName, first_line, names_below
from divulge.errors import UnknownAttribute, suggestion

ILLNESSES = [(f"Bo {i:b}", f"Rome {i:b}", ("flu", "cold")[i % 2]) for i in range(1, 200)]


@pytest.mark.parametrize(("line", "rows"), {
    ("White", "*"): [("Black", "*"), ("Other", "*")],  # a hierarchy: its last level recurs
    ("Ann", "*", "flu"): ILLNESSES,
    ("From: ann@example.org",): [("To: bo",), ("hello",)],
    ("call +49 30 1234567", "flu"): [("call +49 30 7654321", "cold")],
    ("Ann Lee <ann@example.org>", "flu"): [("Bo Li <bo@example.org>", "cold")],
    ("Ann", "51", "flu"): [("Bo", "34", "cold"), ("Cy", "29", "flu")],
}.items())  # fmt: skip
def test_a_first_line_that_is_a_record(line, rows):
    assert first_line(line, rows) == "record"


@pytest.mark.parametrize(("line", "rows"), {
    ("Ann", "Oslo", "hiv"): ILLNESSES,  # one column of words that recur proves little
    ("MARKER",): [("Bo",), ("Cy",)],
    ("Ann", "5a"): [("Bo", "7"), ("Cy", "8b"), ("Di", "9")],
    ("other", "age", "place"): [("other", "30", "Rome"), ("flu", "31", "Bern")],
}.items())  # fmt: skip
def test_a_first_line_that_may_be_a_record(line, rows):
    assert first_line(line, rows) == "unclear"


@pytest.mark.parametrize(("line", "rows"), {
    ("name", "place", "age"): [("Ann", "Oslo", "34"), ("Bo", "Rome", "51")],
    ("*", "age", "illness", "dose"): [("1", "34", "flu", "2"), ("2", "51", "cold", "3")],
    ("name", "born"): [("Ann", "1985-03-02"), ("Bo", "1990-12-24")],
    ("sex", "illness", "place"): [("m", "flu", "Rome"), ("f", "cold", "Bern")] * 30,
    ("1", "2", "3"): [("7", "8", "x"), ("5", "5", "y")],
}.items())  # fmt: skip
def test_a_first_line_that_has_names(line, rows):
    # In the third, a record with three new words has a chance of (1/61)**3.
    assert first_line(line, rows) == "names"


def test_a_doubtful_name_is_neither_listed_nor_suggested():
    names = [DoubtfulName("Anna"), DoubtfulName("flu")]
    told = "which has 2 attributes, whose names may be values and are not shown."
    assert str(UnknownAttribute("Ana", names)) == f"No attribute 'Ana' in the source, {told}"
    assert suggestion("Ana", names) is None
    assert suggestion("agee", ["age", *names]) == "Did you mean 'age'?"


ROWS = [["50667", "m", "E11"], ["02826", "w", "I10"]] * 5
NAMES = ["PLZ", "Geschlecht", "Diagnose"]


@pytest.mark.parametrize("above", [
    [["Extract 2025"]],
    [["Extract 2025", "", ""]],
    [["Extract 2025", "", ""], [], ["as of May", "", ""]],
])  # fmt: skip
def test_names_of_columns_below_a_title(above):
    assert names_below([*above, NAMES, *ROWS]) == len(above)


@pytest.mark.parametrize("rows", [
    [NAMES, *ROWS],
    [["PLZ", "Geschlecht", ""], *ROWS],
    [["PLZ", "", ""], *ROWS],
    [["PLZ", "", ""], ["Ann", "Oslo", "flu"], ["Bo", "Rome", "cold"]],
    [["Extract 2025"], ["a note"]],
    [[""] * 3, ["", "", ""]],
    [],
])  # fmt: skip
def test_where_no_names_are_below_a_title(rows):
    assert names_below(rows) is None
