"""Hierarchies and partition files: what is read, and what is refused with which words."""

import numpy as np
import pytest

from divulge.errors import PartitionError
from divulge.table.codes import Codes
from divulge.table.hierarchy import Hierarchy
from divulge.table.partition_files import read_partitions

MARKER = "XYZZY-marker"
ZIPS = [("47677", "476**", "*"), ("47602", "476**", "*"), ("47905", "479**", "*")]


def domains(partition, values):
    coarse = partition.apply(Codes.of(values), attribute="a")
    return [None if code == 0 else coarse.values[code - 1] for code in coarse.codes]


def write(path, text, encoding="utf-8"):
    path.write_text(text, encoding=encoding)
    return path


def test_each_level_is_a_partition():
    zips = Hierarchy.of(ZIPS, attribute="zip")
    assert zips.levels == 2
    data = ["47905", "47602", None]
    assert domains(zips.level(0), data) == data
    assert domains(zips.level(1), data) == ["479**", "476**", None]
    assert domains(zips.level(2), data) == ["*", "*", None]


@pytest.mark.parametrize("n", [-1, 3, "1", 1.0])
def test_a_level_outside_the_range_is_refused(n):
    with pytest.raises(PartitionError, match=r"'zip' has no level .* from 0 .* to 2"):
        Hierarchy.of(ZIPS, attribute="zip").level(n)


def groups(hierarchy, codes, attribute):
    """Level by level the group number of each value, -1 for one that no record has."""
    levels = range(1, hierarchy.levels + 1)
    return [(hierarchy.level(n).locate(codes, attribute=attribute) - 1).tolist() for n in levels]


def test_values_are_located_in_their_groups_level_by_level():
    zips = Hierarchy.of(ZIPS, attribute="zip")
    assert groups(zips, Codes.of([47905, 47602, 47677]), "zip") == [[1, 0, 0], [0, 0, 0]]


def test_values_that_no_record_has_are_in_no_group():
    codes = Codes(np.array([1, 3, 3], dtype=np.uint8), range(10, 13))
    ages = Hierarchy.of([("10", "young"), ("12", "old")], attribute="age")
    assert groups(ages, codes, "age") == [[0, -1, 1]]


def test_values_outside_the_hierarchy_are_counted():
    with pytest.raises(PartitionError, match=r"leave out fewer than 5 values of") as error:
        groups(Hierarchy.of(ZIPS, attribute="zip"), Codes.of([MARKER, MARKER]), "zip")
    assert MARKER not in str(error.value)


def test_a_row_for_the_empty_text_places_missing_values():
    sex = Hierarchy.of([("f", "known", "*"), ("", "unknown", "*")], attribute="sex")
    assert domains(sex.level(0), ["f", None]) == ["f", None]
    assert domains(sex.level(1), ["f", None]) == ["known", "unknown"]


@pytest.mark.parametrize(
    "text",
    [
        "29;[20,30[;*\n43;[40,50[;*\n",
        '29,"[20,30[",*\r\n43,"[40,50[",*\r\n',
        "29\t[20,30[\t*\n\n43\t[40,50[\t*",
        "\ufeff29;[20,30[;*;\n43;[40,50[;*;\n",
    ],
)
def test_a_file_is_read_whatever_its_separator(tmp_path, text):
    path = tmp_path / "age.csv"
    path.write_bytes(text.encode())
    ages = Hierarchy.read(path, attribute="age")
    assert ages.values == ("29", "43")
    assert ages.groups == (("[20,30[", "[40,50["), ("*", "*"))


def test_one_short_row_does_not_mislead_the_search_for_the_separator(tmp_path):
    path = write(tmp_path / "age.csv", "21;[20,30[;*\n22;[20,30[;*\n43;[40,50[\n")
    with pytest.raises(PartitionError, match=r"have 3 columns.*1 row, first row 3"):
        Hierarchy.read(path, attribute="age")


def test_a_given_separator_is_obeyed(tmp_path):
    path = write(tmp_path / "age.csv", "a|b;c\nd|e;f\n")
    assert Hierarchy.read(path, attribute="x", separator="|").groups == (("b;c", "e;f"),)


def test_a_separator_is_one_character(tmp_path):
    with pytest.raises(PartitionError, match="not one character"):
        Hierarchy.read(write(tmp_path / "age.csv", "a||b\n"), attribute="x", separator="||")


def test_text_beyond_ascii_is_kept(tmp_path):
    path = write(tmp_path / "city.csv", "Zürich;Schweiz;☃\n東京;日本;☃\n", encoding="utf-8-sig")
    assert domains(Hierarchy.read(path, attribute="city").level(1), ["東京"]) == ["日本"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        (" \n\n", "is empty"),
        (";;\n;;\n", "is empty"),
        ("a\nb\n", "has only one column"),
        ("a;b;*\nb;*\nc;;*\nd;b;*\n", "2 rows, first row 2"),
        (f"{MARKER};b\n{MARKER};c\n{MARKER};d\ne;b\n", "has 1 value on several rows with different groups"),
        (
            f"{MARKER};b;x\nd;b;y\ne;c;y\n",
            r"not get coarser at each level: level 2 splits 1 group of level 1 \(2 values\)",
        ),
        (f'a;"{MARKER}\nb;c\n', "cannot be split into columns"),
    ],
)
def test_a_file_that_is_no_hierarchy_is_refused(tmp_path, text, words):
    with pytest.raises(PartitionError, match=words) as error:
        Hierarchy.read(write(tmp_path / "h.csv", text), attribute="zip")
    assert "'zip'" in str(error.value)
    assert MARKER not in str(error.value)


def test_the_same_row_twice_does_no_harm():
    assert Hierarchy.of([*ZIPS, ZIPS[0]], attribute="zip") == Hierarchy.of(ZIPS, attribute="zip")


def test_files_that_cannot_be_read_are_named(tmp_path):
    latin = tmp_path / "latin.csv"
    latin.write_bytes("Zürich;CH\n".encode("latin-1"))
    for path, words in [
        (tmp_path / "none.csv", "no file"),
        (tmp_path, "folder"),
        (latin, "not UTF-8.*byte 1"),
    ]:
        with pytest.raises(PartitionError, match=words):
            Hierarchy.read(path, attribute="city")
        with pytest.raises(PartitionError, match=words):
            read_partitions(path)


def test_what_a_hierarchy_does_not_cover_is_said_of_the_hierarchy():
    level = Hierarchy.of(ZIPS, attribute="zip").level(1)
    with pytest.raises(PartitionError) as caught:
        level.apply(Codes.of(["47677", MARKER]), attribute="zip")
    assert str(caught.value) == (
        "The hierarchy of 'zip' has 2 domains, which leave out fewer than 5 values of the data "
        "(fewer than 5 records). "
        "They may already be generalized: then give this table no hierarchy for the attribute, or check it "
        "before it is generalized. Otherwise add them to its file."
    )
