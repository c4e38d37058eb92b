"""The same table from every kind of source gives the same readings, in whatever order its rows come."""

import csv
import math

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

import divulge as dv

KEYS = ["city", "age"]
TARGETS = ["ill", "@record", "grade"]


@st.composite
def tables(draw):
    """Texts, whole numbers and a target; empty text is left out, which CSV cannot tell from missing."""
    n = draw(st.integers(1, 25))

    def column(pool):
        return draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n))

    return {
        "city": column(["Oslo", "Zürich", "東京", "*", 'a "quoted", one', None]),
        "age": column([20, 30, 41, None]),
        "ill": column(["flu", "cold", "NaN", "null", None]),
        "grade": column([1, 2, 3, 10]),
        "w": column([1, 2, 5]),
    }


def readings(source, target, **given):
    """Every reading that applies: its value and those of its classes, keys as text."""
    data = dv.read(source, weights="w", **given) if target == "grade" else dv.read(source, **given)
    try:
        found = dv.measure(data, keys=KEYS, target=target)
    except dv.DivulgeError as error:
        return type(error)
    return {reading.name: (reading.value, by_value(reading)) for reading in found}


def by_value(reading):
    return {tuple(map(spelled, one.key.values())): (one.records, one.value) for one in reading.by_value}


def spelled(value):
    """A key as its text: whole numbers may come as floats where some are missing."""
    return None if value is None else str(int(value)) if isinstance(value, float) else str(value)


def assert_same(found, expected):
    if isinstance(expected, type):
        assert found is expected
        return
    assert found.keys() == expected.keys()
    for name, (value, classes) in expected.items():
        assert found[name][0] == near(value), name
        assert found[name][1].keys() == classes.keys(), name
        for key, (records, of_class) in classes.items():
            assert found[name][1][key] == (records, near(of_class)), name


def near(value):
    return value if value is None or math.isinf(value) else pytest.approx(value, rel=1e-12, abs=1e-12)


# -- the sources -------------------------------------------------------------------------------------


def as_csv(table, folder):
    path = folder / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    return path


def arrow(table):
    text, whole = pa.string(), pa.int64()
    kinds = {"city": text, "age": whole, "ill": text, "grade": whole, "w": whole}
    return pa.table({name: pa.array(values, kinds[name]) for name, values in table.items()})


def as_parquet(table, folder):
    pq.write_table(arrow(table), folder / "table.parquet", row_group_size=4)
    return folder / "table.parquet"


def as_arrow_dictionaries(table, folder):
    whole = arrow(table)
    columns = [
        column.dictionary_encode() if pa.types.is_string(column.type) else column for column in whole.columns
    ]
    return pa.table(columns, names=whole.column_names)


def as_pandas(table, folder):
    return pd.DataFrame(table)


def as_pandas_objects(table, folder):
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in table.items()})


def as_pandas_reindexed(table, folder):
    frame = pd.DataFrame(table)
    return frame.set_axis([f"r{i % 3}" for i in range(len(frame))])


def as_pandas_shuffled(table, folder):
    frame = pd.DataFrame(table)
    return frame.iloc[np.random.default_rng(5).permutation(len(frame))]


def as_pandas_categories(table, folder):
    frame = pd.DataFrame(table)
    for name in ("city", "ill"):
        known = ["unused", *sorted({value for value in table[name] if value is not None})]
        frame[name] = pd.Categorical(table[name], categories=known)
    return frame


def as_polars(table, folder):
    return pl.from_arrow(arrow(table))


def as_polars_categories(table, folder):
    return pl.from_arrow(arrow(table)).lazy().with_columns(pl.col("city", "ill").cast(pl.Categorical))


FRAMES = {
    "Arrow": lambda table, folder: arrow(table),
    **{
        make.__name__.removeprefix("as_").replace("_", " "): make
        for make in (
            *(as_csv, as_parquet, as_arrow_dictionaries, as_pandas, as_pandas_objects, as_pandas_reindexed),
            *(as_pandas_shuffled, as_pandas_categories, as_polars, as_polars_categories),
        )
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("sources")


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@settings(max_examples=8)
@given(table=tables(), target=st.sampled_from(TARGETS))
def test_files_and_frames_agree_with_a_dictionary(folder, make, table, target):
    assert_same(readings(make(table, folder), target), readings(table, target))


@settings(max_examples=8)
@given(table=tables(), target=st.sampled_from(TARGETS))
def test_a_duckdb_relation_and_table_agree_with_a_dictionary(table, target):
    expected = readings(table, target)
    known = arrow(table)
    with duckdb.connect() as connection:
        connection.register("known", known)
        assert_same(readings(connection.sql("SELECT * FROM known"), target), expected)
        connection.execute("CREATE TABLE patients AS SELECT * FROM known")
        assert_same(readings(connection, target, table="patients"), expected)


@settings(max_examples=8)
@given(table=tables(), target=st.sampled_from(TARGETS))
def test_a_sqlite_table_through_sqlalchemy_agrees_with_a_dictionary(table, target):
    engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE patients (city TEXT, age INT, ill TEXT, grade INT, w INT)")
        rows = list(zip(*table.values(), strict=True))
        connection.exec_driver_sql("INSERT INTO patients VALUES (?, ?, ?, ?, ?)", rows)
    try:
        assert_same(readings(engine, target, table="patients"), readings(table, target))
    finally:
        engine.dispose()


@settings(max_examples=20)
@given(table=tables(), target=st.sampled_from(TARGETS), seed=st.integers(0, 99))
def test_the_order_of_rows_and_of_columns_changes_nothing(table, target, seed):
    order = np.random.default_rng(seed).permutation(len(table["w"]))
    shuffled = {name: [table[name][row] for row in order] for name in reversed(table)}
    assert_same(readings(shuffled, target), readings(table, target))
