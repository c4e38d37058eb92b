"""Data: columns read once, and what missing, suppressed and weighted mean."""

import gc
import math
import re
import weakref

import pytest

import divulge as dv
from divulge.errors import PartitionError, SchemaError, UnknownAttribute
from divulge.questions.data import read
from divulge.table.codes import as_number

TABLE = {"zip": ["1", "?", "*", None], "n": [1, 2.5, "3", "x"], "w": [1, 2, 3, 4]}


def test_a_column_is_read_once():
    data = read(TABLE)
    assert data.column("zip") is data.column("zip")
    data.load(["zip", "zip", "n"])
    assert data.column("zip").codes.tolist() == [1, 2, 3, 0]


def test_data_says_how_much_it_holds_and_nothing_of_what():
    assert repr(read(TABLE)) == "Data(a dictionary of columns: 4 records, 3 attributes)"


def test_texts_that_mean_missing_join_the_missing():
    assert read(TABLE, missing_values="?").column("zip").codes.tolist() == [1, 0, 3, 0]
    assert read(TABLE, missing_values=["?", "1", "never"]).column("zip").codes.tolist() == [0, 0, 3, 0]


def test_the_suppression_mark_is_found_where_it_occurs():
    data = read(TABLE)
    assert data.suppressed_code("zip") == 3
    assert data.suppressed_code("n") is None
    assert data.suppressed_code("w") is None
    assert read(TABLE, suppressed=None).suppressed_code("zip") is None
    assert read(TABLE, suppressed="?").suppressed_code("zip") == 2


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (3, 3),
        ("3", 3),
        (" 4.5 ", 4.5),
        ("1e3", 1000),
        ("1_000", None),
        ("inf", None),
        ("", None),
        (True, None),
        ("x", None),
    ],
)
def test_what_reads_as_a_number(value, number):
    assert as_number(value) == number if number is not None else math.isnan(as_number(value))


def test_numbers_of_a_column_are_nan_where_there_is_none():
    assert [None if n != n else n for n in read(TABLE).numbers("n").tolist()] == [1, 2.5, 3, None]


def test_weights_are_numbers_one_for_each_record():
    assert read(TABLE, weights="w").record_weights().tolist() == [1, 2, 3, 4]
    assert read(TABLE).record_weights() is None


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1e308, 1e308], "must be between 1e-100 and 1e+100"),
        ([1, 1e-300], "must be between 1e-100 and 1e+100"),
        ([1e16, 1], "differ too much"),
        ([10**400, 1], "must be positive numbers; fewer than 5 are not"),
    ],
)
def test_weights_that_cannot_be_added_up_are_refused(weights, said):
    with pytest.raises(SchemaError, match=re.escape(said)):
        read({"a": [1, 2], "w": weights}, weights="w").record_weights()


def test_weights_that_differ_by_many_powers_of_ten_give_finite_readings():
    data = read({"a": [1, 1, 2], "x": ["p", "q", "p"], "w": [1e12, 1, 1]}, weights="w")
    readings = dv.measure(data, keys="a", target="x")
    assert all(one.value is None or one.value == one.value for one in readings)
    # By hand: q has one of 10^12 + 2 in the table, and the class of a = 2 has none.
    assert dv.measure(data, "t_closeness", keys="a", target="x").value == pytest.approx(1e-12, rel=1e-3)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1, 0], "fewer than 5"),  # not "fewer than 5 of 2"
        ([-1, -2], "fewer than 5"),
        ([1, None], "fewer than 5"),
        ([1, "x"], "fewer than 5"),
        ([float("inf"), 1], "fewer than 5"),
        ([1, 0] * 10, "10 of 20"),
        ([1] * 16 + [0] * 4, "fewer than 5 of 20"),
    ],
)
def test_weights_that_are_not_positive_numbers_are_counted_and_refused(weights, said):
    with pytest.raises(SchemaError, match=f"must be positive numbers; {said} are not"):
        dv.measure(dv.read({"a": weights, "w": weights}, weights="w"), "entropy", keys="a").value  # noqa: B018


def test_missing_means_one_of_three_things():
    with pytest.raises(
        SchemaError,
        match=r"Unknown way to treat missing values: 'ignore'. Choose value, drop or wildcard",
    ):
        read(TABLE, missing="ignore")


@pytest.mark.parametrize(
    "conventions",
    [
        {"identifiers": "age"},
        {"sensitive": ["age"]},
        {"weights": "age"},
        {"orders": {"age": [1]}},
        {"hierarchies": {"age": "x"}},
    ],
)
def test_conventions_name_attributes_that_are_there(conventions):
    with pytest.raises(UnknownAttribute):
        read(TABLE, **conventions)


def test_a_hierarchy_is_given_as_one_or_as_its_file(tmp_path):
    (tmp_path / "zip.csv").write_text("1;all\n?;all\n*;all\n")
    data = read(TABLE, hierarchies={"zip": tmp_path / "zip.csv"})
    assert data.hierarchies["zip"].levels == 1
    assert read(TABLE, hierarchies=data.hierarchies).hierarchies["zip"] is data.hierarchies["zip"]
    with pytest.raises(PartitionError, match="no file"):
        read(TABLE, hierarchies={"zip": tmp_path / "none.csv"})


def test_columns_go_with_their_table_whatever_was_asked_of_them():
    data = dv.read({"age": [20, 20, 30], "job": ["a", "b", "b"]})
    columns = [weakref.ref(data.column(name)) for name in ("age", "job")]
    dv.measure(data, keys=["age"], target="job")
    dv.measure(data, keys=["age", "job"])
    gc.disable()  # for large arrays it comes late, since it counts objects and not their size
    try:
        del data
        assert [column() for column in columns] == [None, None]
    finally:
        gc.enable()
