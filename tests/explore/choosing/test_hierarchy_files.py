"""Hierarchies come in as files of ARX and ARGUS, and go out as such."""

import pytest

from divulge.errors import DivulgeError
from divulge.explore.choosing.hierarchy_edits import rows_of
from divulge.explore.choosing.hierarchy_files import rows_from_files, written_file
from divulge.table.hierarchy import Hierarchy

AGES = Hierarchy.of([(str(age), f"{age // 10}0s", "*") for age in range(10, 40)], attribute="age")


def given(name, text):
    return [{"name": name, "text": text}]


@pytest.mark.parametrize("form", [".csv", ".hrc"])
def test_what_goes_out_comes_in_the_same(form):
    file = written_file(AGES, form)
    assert file["name"] == f"hierarchy-age{form}"
    assert rows_from_files(AGES, [file]) == rows_of(AGES)


def test_several_recodings_are_levels_the_finest_first():
    files = [
        {"name": "AGE2.GRC", "text": "young: -29\nold: 30-"},
        {"name": "age1.grc", "text": "1: 10-19\n2: 20-29\n3: 30-"},
    ]
    rows = {value: groups for value, *groups in rows_from_files(AGES, files)}
    assert rows["29"] == ["2", "young", "*"]
    assert rows["30"] == ["3", "old", "*"]
    recoding = written_file(AGES, ".grc", 1)
    assert recoding["name"] == "recoding-age-1.grc"
    assert rows_from_files(AGES, [recoding]) == rows_of(AGES)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([], "No file was given"),
        (given("a.csv", ""), "is empty"),
        (given("a.csv", "10;x;*\n11;x;*"), "lacks 28 values of the 30"),
        (given("a.csv", "10;x;*\n11;y"), "row 2"),
        (given("a.hrc", "x\n@@10"), "Line 2"),
        (given("a.grc", "x 10"), "Line 1"),
        ([*given("a.csv", "10;x"), *given("b.csv", "10;x")], "Several files"),
        (given("a.grc", "x: 10-25\ny: 26-") + given("b.grc", "u: 10-20\nv: 21-"), "does not get coarser"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(files, words):
    with pytest.raises(DivulgeError, match=words):
        rows_from_files(AGES, files)


@pytest.mark.parametrize(("form", "level"), [(".xls", 1), (".grc", 0), (".grc", 9), (".grc", "1")])
def test_what_cannot_be_written_is_refused(form, level):
    with pytest.raises(DivulgeError):
        written_file(AGES, form, level)
