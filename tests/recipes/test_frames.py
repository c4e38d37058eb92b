"""A frame in, a frame of the same kind out: untouched columns keep their types exactly."""

import datetime as dt

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import divulge as dv

ROUNDING = [{"mechanism": "rounding", "attributes": ["age"], "base": 10}]
AGES, ROUNDED = [31, 38, 55, 31], [30, 40, 60, 30]
DAYS = [dt.date(2020, 1, day) for day in (1, 2, 3, 4)]


def frame():
    return pd.DataFrame(
        {
            "age": np.array(AGES, np.int16),
            "zip": pd.Categorical(["b", "a", "b", None], categories=["b", "a", "c"], ordered=True),
            "small": np.array([1.5, np.nan, 0.1, 2], np.float32),
            "count": pd.array([1, None, 3, 4], "UInt8"),
            "when": pd.to_datetime(["2020-01-01", None, "2021-01-01", "2020-01-01"]).as_unit("ns"),
            "odd": [(1, 2), "x", None, 3.5],
        },
        index=["ann", "bob", "cy", "dee"],
    ).drop(columns="odd")


def test_pandas_gives_pandas_and_the_labels_of_rows_stay_behind():
    before = frame()
    released, manifest, _ = dv.transform(before, ROUNDING, keep_order=True)
    assert released["age"].tolist() == ROUNDED
    before["zip"] = before["zip"].cat.remove_unused_categories()  # which could be values of who left
    assert released.dtypes.to_dict() == before.dtypes.to_dict()
    others = [name for name in before if name != "age"]
    pd.testing.assert_frame_equal(released[others], before[others].reset_index(drop=True))
    assert released.index.tolist() == [0, 1, 2, 3]
    assert before["age"].tolist() == AGES
    assert manifest.to_dict()["steps"][0]["cells_changed"] == {"age": "<5"}


def test_rows_of_a_frame_stay_together_when_they_are_shuffled():
    before = frame().assign(was=AGES)
    released, *_ = dv.transform(before, ROUNDING, seed=3)
    rows = [(round(age / 10 + 1e-9) * 10, age) for age in AGES]
    assert sorted(zip(released["age"], released["was"], strict=True)) == sorted(rows)
    assert released["when"].dtype == before["when"].dtype


def test_a_number_that_no_longer_fits_gets_a_wider_type():
    before = pd.DataFrame({"age": np.array([120, 127], np.int8)})
    released, *_ = dv.transform(before, ROUNDING, keep_order=True)
    assert (released["age"].dtype, released["age"].tolist()) == (np.int64, [120, 130])


@pytest.mark.parametrize("kind", [pl.Int16, pl.Float32, pl.Int64])
def test_polars_gives_polars(kind):
    before = pl.DataFrame(
        {
            "age": pl.Series(AGES, dtype=kind),
            "zip": pl.Series(["b", "a", None, "b"], dtype=pl.Categorical),
            "day": DAYS,
            "seen": pl.Series([1, 2, 3, 4], dtype=pl.UInt8),
        }
    )
    released, *_ = dv.transform(before, ROUNDING, keep_order=True)
    assert released.equals(before.with_columns(age=pl.Series(ROUNDED, dtype=kind)))
    assert released.schema == before.schema
    lazy, *_ = dv.transform(before.lazy(), ROUNDING, keep_order=True)
    assert isinstance(lazy, pl.LazyFrame)
    assert lazy.collect().equals(released)


def test_arrow_gives_arrow():
    before = pa.table(
        {
            "age": pa.array([*AGES[:3], None], pa.int16()),
            "zip": pa.array(["b", "a", None, "b"]).dictionary_encode(),
            "day": DAYS,
        }
    )
    expected = before.set_column(0, "age", pa.array([*ROUNDED[:3], None], pa.int16()))
    released, *_ = dv.transform(before, ROUNDING, keep_order=True)
    assert released.equals(expected)
    batch, *_ = dv.transform(before.combine_chunks().to_batches()[0], ROUNDING, keep_order=True)
    assert isinstance(batch, pa.RecordBatch)
    assert pa.table(batch).equals(expected)
    reader, *_ = dv.transform(before.to_reader(), ROUNDING, keep_order=True)
    assert reader.equals(expected)


def test_a_duckdb_relation_gives_one_of_the_same_connection():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE cities AS SELECT 'a' AS zip, 'Oslo' AS city")
    relation = connection.sql(
        "FROM (VALUES (31::SMALLINT, 'a', 1.50::DECIMAL(6,2)), (38, NULL, 2.25)) AS t(age, zip, paid)"
    )
    released, *_ = dv.transform(relation, ROUNDING, keep_order=True)
    assert [str(kind) for kind in released.types] == ["BIGINT", "VARCHAR", "DECIMAL(6,2)"]
    joined = released.query("r", "SELECT age, city, paid::VARCHAR FROM r JOIN cities USING (zip)")
    assert joined.fetchall() == [(30, "Oslo", "1.50")]


def test_columns_by_name_give_columns_by_name():
    before = {
        "age": np.array(AGES, np.int16),
        "zip": ["a", None, "b", "b"],
        "x": np.array([1, 2, 3, 4], np.uint8),
    }
    released, *_ = dv.transform(before, ROUNDING, keep_order=True)
    assert released["age"].tolist() == ROUNDED
    assert released["zip"] == ["a", None, "b", "b"]
    assert released["x"].dtype == np.uint8


def test_a_path_or_data_gives_data_that_can_be_audited(tmp_path):
    (tmp_path / "people.csv").write_text("id,age,ill\n" + "".join(f"{n},{20 + n},flu\n" for n in range(20)))
    steps = [{"mechanism": "remove", "attributes": ["id"]}, *ROUNDING]
    released, *_ = dv.transform(tmp_path / "people.csv", steps)
    assert isinstance(released, dv.Data)
    assert sorted(released.column("age").values_of()) == sorted(["20"] * 5 + ["30"] * 10 + ["40"] * 5)
    data = dv.read(
        tmp_path / "people.csv",
        identifiers="id",
        quasi_identifiers="age",
        sensitive="ill",
        missing_values="?",
    )
    released, *_ = dv.transform(data, steps)
    assert released.schema.quasi_identifiers == ("age",)
    assert released.schema.identifiers == ()
    assert dv.measure(released, "k_anonymity", keys="age").value == 5


def test_a_release_can_be_written_at_once(tmp_path):
    dv.transform({"age": AGES}, ROUNDING, keep_order=True, out=tmp_path / "released.csv")
    assert (tmp_path / "released.csv").read_text() == "age\n30\n40\n60\n30\n"
    with pytest.raises(dv.DivulgeError, match="is there already"):
        dv.transform({"age": AGES}, ROUNDING, out=tmp_path / "released.csv")
    manifest = dv.transform({"age": AGES}, ROUNDING, out=tmp_path / "released.csv", overwrite=True).manifest
    assert manifest.output_digest.startswith("sha256:")


def test_texts_that_mean_missing_are_missing():
    released, *_ = dv.transform({"age": ["31", "?"]}, ROUNDING, keep_order=True, missing_values="?")
    assert released == {"age": ["30", None]}


def test_values_of_records_that_left_do_not_go_out_as_categories():
    pd, pa, pl = (pytest.importorskip(name) for name in ("pandas", "pyarrow", "polars"))
    values = ["01", "01", "02", "02", "99"]
    steps = [{"mechanism": "suppress_records", "attributes": ["zip"], "k": 2}]
    for extra in ("zip", "other"):
        frame = pd.DataFrame({"zip": values, "other": values}).astype({extra: "category"})
        assert "99" not in dv.transform(frame, steps).data[extra].cat.categories
        table = pa.table({"zip": values, "other": values})
        column = table.column(extra).dictionary_encode()
        table = table.set_column(table.schema.get_field_index(extra), extra, column)
        found = dv.transform(table, steps).data.column(extra).combine_chunks()
        assert "99" not in found.dictionary.to_pylist()
        frame = pd.DataFrame({"zip": values, "other": values})
        listed = pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
        found = dv.transform(frame.astype({extra: listed}), steps, keep_order=True).data
        assert "99" not in pa.array(found[extra]).dictionary.to_pylist()
        assert found[extra].tolist()[:4] == values[:4]
        assert extra == "zip" or found[extra].dtype == listed
        kind = pl.Enum(["01", "02", "99"])
        frame = pl.DataFrame({"zip": values, "other": values}).with_columns(pl.col(extra).cast(kind))
        assert "99" not in str(dv.transform(frame, steps).data.schema)


def test_means_of_whole_numbers_keep_their_decimals():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": [21, 22, 40, 41, 60, 61]})
    steps = [{"mechanism": "microaggregation", "attributes": ["x"], "k": 2}]
    assert dv.transform(frame, steps, keep_order=True).data["x"].tolist() == [
        21.5,
        21.5,
        40.5,
        40.5,
        60.5,
        60.5,
    ]
    assert (
        dv.transform(frame, [{"mechanism": "rounding", "attributes": ["x"], "base": 10}]).data["x"].dtype
        == "int64"
    )
