"""pandas, Polars and Arrow tables, and plain columns."""

import decimal
from datetime import UTC, datetime, time, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from divulge.engines.opening import open_source
from divulge.errors import DuplicateAttribute, EmptySource, SourceError, UnknownAttribute


def decoded(data, attribute):
    codes = open_source(data).encode([attribute])[attribute]
    return [None if code == 0 else codes.values[code - 1] for code in codes.codes.tolist()]


@pytest.mark.parametrize(
    "index", [[2, 0, 1], [5, 5, 5], ["c", "a", "b"], pd.MultiIndex.from_product([[1], list("abc")])]
)
def test_the_index_of_a_pandas_frame_plays_no_part(index):
    frame = pd.DataFrame({"age": [3, 1, 2], "sex": ["m", "f", "m"]}, index=index)
    assert decoded(frame, "age") == [3, 1, 2]
    assert decoded(frame, "sex") == ["m", "f", "m"]


def test_a_shuffled_and_filtered_frame_keeps_its_own_order():
    frame = pd.DataFrame({"age": range(10)}).sort_values("age", ascending=False)
    assert decoded(frame[frame.age % 2 == 0], "age") == [8, 6, 4, 2, 0]


def test_mixed_objects_in_pandas_follow_python_but_keep_truth_apart():
    values = [1, 1.0, "1", True, None, np.nan, pd.NA, pd.NaT, -0.0, 0.0]
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object)})
    assert decoded(frame, "x") == [1, 1, "1", True, None, None, None, None, 0.0, 0.0]
    assert open_source(frame).encode(["x"])["x"].codes.tolist() == [1, 1, 2, 3, 0, 0, 0, 0, 4, 4]


def test_lists_in_pandas_are_refused_by_name():
    with pytest.raises(SourceError, match="'visits' holds lists"):
        open_source(pd.DataFrame({"visits": [[1], [2]]})).encode(["visits"])


@pytest.mark.parametrize(
    "values",
    [
        pd.Categorical(["b", None, "a", "b"], categories=["a", "unused", "b"]),
        pd.array(["b", None, "a", "b"], dtype="string[python]"),
        pd.array(["b", None, "a", "b"], dtype="string[pyarrow]"),
        pd.array(["b", None, "a", "b"], dtype="str"),
        np.array(["b", None, "a", "b"], dtype=object),
    ],
    ids=str,
)
def test_text_in_every_kind_of_pandas_column(values):
    assert decoded(pd.DataFrame({"x": values}), "x") == ["b", None, "a", "b"]


def test_categories_are_taken_as_they_stand():
    frame = pd.DataFrame({"x": pd.Categorical(["b", "a"], categories=["a", "unused", "b"])})
    codes = open_source(frame).encode(["x"])["x"]
    assert codes.values == ["a", "unused", "b"]
    assert codes.codes.tolist() == [3, 1]


@pytest.mark.parametrize("size", [126, 127, 128, 255, 256])
def test_categories_at_the_edge_of_a_type_do_not_overflow(size):
    frame = pd.DataFrame({"x": pd.Categorical([size - 1, None, 0], categories=range(size))})
    assert decoded(frame, "x") == [size - 1, None, 0]


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (pd.array([1, None, 3], dtype="Int8"), [1, None, 3]),
        (pd.array([1.5, None, -0.0], dtype="Float64"), [1.5, None, 0.0]),
        (pd.array([True, None, False], dtype="boolean"), [True, None, False]),
        (pd.arrays.SparseArray([0, 0, 5]), [0, 0, 5]),
        (
            pd.to_datetime(["2020-01-01", None, "2020-01-02"]),
            [datetime(2020, 1, 1), None, datetime(2020, 1, 2)],
        ),
        (pd.to_datetime(["2020-01-01", None], utc=True), [datetime(2020, 1, 1, tzinfo=UTC), None]),
        (pd.to_timedelta(["1D", None]), [timedelta(days=1), None]),
        (pd.period_range("2020-01", periods=2, freq="M"), [pd.Period("2020-01"), pd.Period("2020-02")]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_kinds_of_pandas_columns(values, found):
    assert decoded(pd.DataFrame({"x": values}), "x") == found


def test_moments_with_a_zone_and_nanoseconds_stay_apart():
    frame = pd.DataFrame({"x": pd.to_datetime([1, 2], utc=True)})
    assert len(set(decoded(frame, "x"))) == 2


def test_names_that_are_not_text_become_text():
    assert open_source(pd.DataFrame({1: [1], "b": [2]})).attributes == ("1", "b")


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2, 3]], columns=["age", "age", "sex"]),
        pa.table([[1], [2]], names=["age", "age"]),
        {1: [1], "1": [2]},
        pd.DataFrame([[1, 2]], columns=[1, "1"]),
    ],
    ids=["pandas", "arrow", "dictionary", "pandas by text"],
)
def test_a_name_that_stands_twice_is_refused(frame):
    with pytest.raises(
        DuplicateAttribute, match=r"more than one attribute called age|several attributes share"
    ):
        open_source(frame)


@pytest.mark.parametrize(
    "empty", [pd.DataFrame(), pl.DataFrame(), pa.table({}), {}], ids=lambda e: type(e).__module__
)
def test_a_table_without_attributes_is_refused(empty):
    with pytest.raises(EmptySource, match="has no attributes"):
        open_source(empty)


@pytest.mark.parametrize(
    "empty",
    [pd.DataFrame({"age": []}), pl.DataFrame({"age": []}), pa.table({"age": []}), {"age": []}],
    ids=lambda e: type(e).__module__,
)
def test_a_table_without_records_is_refused(empty):
    with pytest.raises(EmptySource, match="has a header but no records"):
        open_source(empty)


def test_an_unknown_attribute_is_named_with_its_neighbour():
    with pytest.raises(UnknownAttribute, match=r"No attribute 'zipcode'.*Did you mean 'zip_code'"):
        open_source({"zip_code": [1]}).encode(["zipcode"])


def test_an_attribute_asked_twice_comes_once():
    assert list(open_source({"a": [1], "b": [2]}).encode(["b", "a", "b"])) == ["b", "a"]


@pytest.mark.parametrize("kind", [pl.String, pl.Categorical, pl.Enum(["z", "a", "b"])])
def test_text_in_every_kind_of_polars_column(kind):
    pl.Series(["met", "before", "elsewhere"]).cast(
        pl.Categorical
    )  # categories are shared by the whole process
    codes = open_source(pl.DataFrame({"x": pl.Series(["b", None, "a", "b"], dtype=kind)})).encode(["x"])["x"]
    assert codes.codes.dtype == np.uint8
    assert [None if code == 0 else codes.values[code - 1] for code in codes.codes.tolist()] == [
        "b",
        None,
        "a",
        "b",
    ]


@pytest.mark.parametrize(
    ("series", "found"),
    [
        (pl.Series([1.5, None, float("nan"), -0.0]), [1.5, None, None, 0.0]),
        (pl.Series([decimal.Decimal("1.10"), None]), [decimal.Decimal("1.10"), None]),
        (pl.Series([datetime(2020, 1, 1, 12), None]), [datetime(2020, 1, 1, 12), None]),
        (pl.Series([time(12, 30), None]), [time(12, 30), None]),
        (pl.Series([timedelta(days=400), None]), [timedelta(days=400), None]),
        (pl.Series([2**63, None], dtype=pl.UInt64), [2**63, None]),
        (pl.Series([2**100, None], dtype=pl.Int128), [2**100, None]),
        (pl.Series([None, None]), [None, None]),
        (pl.Series([b"x", None]), [b"x", None]),
        (
            pl.concat([pl.Series([1]), pl.Series([None], dtype=pl.Int64), pl.Series([3])], rechunk=False),
            [1, None, 3],
        ),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_other_kinds_of_polars_columns(series, found):
    assert decoded(pl.DataFrame({"x": series}), "x") == found


def test_fine_moments_in_polars_stay_apart():
    frame = pl.DataFrame(
        {"x": pl.Series([1, 2]).cast(pl.Datetime("ns")), "y": pl.Series([1, 2]).cast(pl.Time)}
    )
    assert len(set(decoded(frame, "x"))) == 2
    assert len(set(decoded(frame, "y"))) == 2


@pytest.mark.parametrize(
    "data", [pl.DataFrame({"x": [[1]]}), pa.table({"x": [[1]]}), pa.table({"x": [{"a": 1}]})]
)
def test_nested_columns_are_refused_by_name(data):
    with pytest.raises(SourceError, match="'x' holds values of type"):
        open_source(data).encode(["x"])


def arrow_dictionary():
    # Arrow allows nulls and doubles inside a dictionary.
    return pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2, 3]), pa.array(["a", None, "a", "b"]))


@pytest.mark.parametrize(
    ("array", "found"),
    [
        (arrow_dictionary(), ["a", None, None, "a", "b"]),
        (pa.array(["a", "b", None], pa.string_view()), ["a", "b", None]),
        (pa.array(["a", None], pa.binary()), [b"a", None]),
        (pa.array([1, None, 3], pa.uint8()), [1, None, 3]),
        (pa.array([2**63, None], pa.uint64()), [2**63, None]),
        (pa.array([decimal.Decimal("1.10"), None]), [decimal.Decimal("1.10"), None]),
        (pa.array([1.5, None, float("nan"), -0.0], pa.float32()), [1.5, None, None, 0.0]),
        (pa.array([1.5, None], pa.float16()), [1.5, None]),
        (pa.nulls(2), [None, None]),
        (pa.array([0, 1_000], pa.timestamp("ns")), [datetime(1970, 1, 1), datetime(1970, 1, 1, 0, 0, 0, 1)]),
        (pa.RunEndEncodedArray.from_arrays([2, 3], ["a", "b"]), ["a", "a", "b"]),
        (pa.chunked_array([["b", "a"], [], ["a", None, "c"]]), ["b", "a", "a", None, "c"]),
        (pa.chunked_array([[3, None], [], [-1]], pa.int8()), [3, None, -1]),
    ],
    ids=lambda value: str(getattr(value, "type", "")),
)
def test_every_kind_of_arrow_column(array, found):
    assert decoded(pa.table({"x": array}), "x") == found


@pytest.mark.parametrize(
    "kind", [pa.timestamp("ns"), pa.timestamp("ns", "UTC"), pa.duration("ns"), pa.time64("ns")]
)
def test_fine_moments_in_arrow_stay_apart(kind):
    assert len(set(decoded(pa.table({"x": pa.array([1, 2], kind)}), "x"))) == 2


def test_columns_of_one_dictionary_must_be_equally_long():
    with pytest.raises(SourceError, match="differ in length"):
        open_source({"a": [1, 2], "b": [1]})


@pytest.mark.parametrize("column", [3, "text", None])
def test_a_single_value_is_no_column(column):
    with pytest.raises(SourceError, match="'a' is one value"):
        open_source({"a": column})


def test_columns_may_be_arrays_lists_and_tuples():
    data = {"a": np.array([1, 5]), "b": ("x", None), "c": np.ma.array([1.5, 2.5], mask=[True, False])}
    data |= {"d": pd.Series([1, 2], index=[7, 7]), "e": pa.array(["x", None])}
    assert [decoded(data, name) for name in data] == [[1, 5], ["x", None], [None, 2.5], [1, 2], ["x", None]]


def test_threads_over_many_records_change_nothing():
    count = 300_000
    frame = pl.DataFrame({f"c{i}": np.arange(count) % (i + 2) for i in range(5)})
    codes = open_source(frame).encode(frame.columns)
    assert all((codes[f"c{i}"].codes == np.arange(count) % (i + 2) + 1).all() for i in range(5))
