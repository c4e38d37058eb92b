"""Releases may be named, and files are read as the keywords say."""

import pandas
import pytest

import divulge as dv
from divulge.errors import ParameterError, SchemaError, SourceError

TABLE = {"age": ["21", "22", "35", "36"], "ill": ["flu", "cold", "flu", "flu"]}
COARSE = {**TABLE, "age": ["2*", "2*", "3*", "3*"]}
ROLES = {"quasi_identifiers": "age", "sensitive": "ill"}


def names(*released, **more):
    return [one.name for one in dv.compare(TABLE, *released, **ROLES, **more).releases]


def test_a_mapping_of_tables_names_them_in_its_order():
    assert names({"noise": pandas.DataFrame(TABLE), "k5": COARSE}) == ["noise", "k5"]
    assert names({"read": dv.read(COARSE)}, COARSE) == ["read", "a dictionary of columns"]
    assert names({"same": COARSE}, {"same": TABLE}) == ["same", "same (2)"]


PERSON = {name: [1, 2, 2, 1] for name in ("sex", "age", "town", "pay", "rent", "id")}


def refused(released, **more):
    dv.compare(PERSON, released, quasi_identifiers=["sex", "age", "town"], sensitive="pay", **more)


def test_a_table_that_shares_a_few_names_is_no_release():
    other = {name: [1, 2, 3] for name in ("SEX", "colour", "size", "weight")}
    said = "does not look like a release of .*: 1 of its 4 attributes are in .*, and it has 1 of the 4 attr"
    with pytest.raises(SchemaError, match=said):
        refused(other)
    refused(other, columns={"age": "colour"})  # half of its attributes


def test_a_release_may_lack_most_attributes_or_have_many_of_its_own():
    refused({"rent": [1, 2, 2, 1]})
    added = {name: [1, 2, 1, 2] for name in "abcdef"}
    refused({"sex": PERSON["sex"], "age": PERSON["age"], **added})
    refused({"id": PERSON["id"], **added}, by="id")


def test_tables_and_columns_in_one_mapping_are_refused():
    with pytest.raises(ParameterError, match="dictionary of releases holds tables only"):
        names({"k5": COARSE, "age": ["1", "2"]})


@pytest.mark.parametrize("released", [[], [{}]])
def test_no_release_is_refused(released):
    with pytest.raises(dv.DivulgeError, match="No release was given"):
        dv.compare(TABLE, *released, **ROLES)


def test_how_files_are_written_holds_for_all_of_them(tmp_path):
    for name, table in {"a.csv": TABLE, "b.csv": COARSE}.items():
        rows = ["age~ill", *map("~".join, zip(*table.values(), strict=True))]
        (tmp_path / name).write_text("\n".join(rows) + "\n")
    found = dv.compare(tmp_path / "a.csv", {"k2": tmp_path / "b.csv"}, COARSE, **ROLES, separator="~")
    assert [(one.name, one.readings["k"]) for one in found.releases] == [
        ("k2", 2),
        ("a dictionary of columns", 2),
    ]


@pytest.mark.parametrize("given", [{"k5": None}, {"noise": TABLE, "k5": 3}], ids=["alone", "beside a table"])
def test_a_release_that_is_no_table_is_named(given):
    with pytest.raises(ParameterError, match=r"^The release 'k5' is no table"):
        names(given)


def test_a_column_of_one_value_is_still_a_column():
    with pytest.raises(SourceError, match="'k' is one value, not a column"):
        names({"age": [1, 2], "k": 3})
