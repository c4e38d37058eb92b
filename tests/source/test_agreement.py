"""One small table through every door gives the same values."""

import csv
import math
from datetime import date

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from databases import sqlite_file
from divulge.engines.opening import open_source

TABLE = {
    "city": ["Oslo", None, "Łódź", "Oslo", ""],
    "zip": ["01234", "01234", "1234", None, " 1234"],
    "age": [30, None, -2, 30, 2**40],
    "share": [0.0, -0.0, math.nan, 0.5, None],
    "smoker": [True, False, None, True, True],
    "born": [date(1990, 1, 31), None, date(1890, 12, 1), date(1990, 1, 31), date(2020, 2, 29)],
}
EXPECTED = TABLE | {"share": [0.0, 0.0, None, 0.5, None]}
TYPES = {
    "city": "VARCHAR",
    "zip": "VARCHAR",
    "age": "BIGINT",
    "share": "DOUBLE",
    "smoker": "BOOLEAN",
    "born": "DATE",
}
ARROW = pa.schema(
    [
        ("city", pa.string()),
        ("zip", pa.large_string()),
        ("age", pa.int64()),
        ("share", pa.float64()),
        ("smoker", pa.bool_()),
        ("born", pa.date32()),
    ]
)


def as_csv(folder):
    path = folder / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(TABLE)
        writer.writerows(zip(*EXPECTED.values(), strict=True))
    return open_source(path)


def as_arrow():
    return pa.table(TABLE, schema=ARROW)


def as_parquet(folder):
    path = folder / "table.parquet"
    pq.write_table(as_arrow(), path, row_group_size=2)
    return open_source(str(path))


def as_parquet_without_pyarrow(folder, monkeypatch):
    source = as_parquet(folder)
    monkeypatch.setattr("divulge.source.parquet.written_columns", lambda *_: {})
    monkeypatch.setattr("divulge.source.parquet.find_spec", lambda name: None)
    return source


def as_pandas():
    frame = pd.DataFrame(TABLE, index=[7, 7, -1, 0, 3])
    return frame.astype({"age": "Int64", "smoker": "boolean"})


def as_duckdb():
    connection = duckdb.connect()
    columns = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
    connection.execute(f"CREATE TABLE people ({columns})")
    connection.executemany(
        "INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", list(zip(*TABLE.values(), strict=True))
    )
    return connection


def relation_without_pyarrow(monkeypatch):
    monkeypatch.setattr("divulge.source.relation.find_spec", lambda name: None)
    return open_source(as_duckdb().sql("FROM people"))


def as_sqlite(folder):
    kinds = ["TEXT", "TEXT", "BIGINT", "FLOAT", "BOOLEAN", "TEXT"]
    columns = ", ".join(f"{name} {kind}" for name, kind in zip(TABLE, kinds, strict=True))
    rows = [(*row, born and str(born)) for *row, born in zip(*EXPECTED.values(), strict=True)]
    return open_source(sqlite_file(folder / "people.db", {"people": (columns, rows)}), table="people")


DOORS = {
    "csv": lambda folder, patch: as_csv(folder),
    "parquet": lambda folder, patch: as_parquet(folder),
    "parquet by duckdb": as_parquet_without_pyarrow,
    "pandas": lambda folder, patch: open_source(as_pandas()),
    "pandas over arrow": lambda folder, patch: open_source(as_arrow().to_pandas(types_mapper=pd.ArrowDtype)),
    "pandas objects": lambda folder, patch: open_source(pd.DataFrame(TABLE, dtype=object)),
    "polars": lambda folder, patch: open_source(pl.DataFrame(TABLE, strict=False)),
    "polars lazy": lambda folder, patch: open_source(pl.LazyFrame(TABLE)),
    "arrow": lambda folder, patch: open_source(as_arrow()),
    "arrow batch": lambda folder, patch: open_source(as_arrow().to_batches()[0]),
    "arrow reader": lambda folder, patch: open_source(as_arrow().to_reader(max_chunksize=2)),
    "duckdb relation": lambda folder, patch: open_source(as_duckdb().sql("FROM people")),
    "duckdb relation by numpy": lambda folder, patch: relation_without_pyarrow(patch),
    "duckdb connection": lambda folder, patch: open_source(as_duckdb(), table="people"),
    "sqlite": lambda folder, patch: as_sqlite(folder),
    "dictionary": lambda folder, patch: open_source(TABLE),
}


@pytest.fixture(params=DOORS)
def door(request, tmp_path, monkeypatch):
    return request.param, DOORS[request.param](tmp_path, monkeypatch)


def decoded(codes):
    return [None if code == 0 else codes.values[code - 1] for code in codes.codes.tolist()]


def expected(door, attribute):
    values = EXPECTED[attribute]
    if door == "csv":
        return [None if value in (None, "") else str(value) for value in values]
    if door == "sqlite" and attribute == "born":  # SQLite has no dates, only text
        return [value and str(value) for value in values]
    return values


@pytest.mark.parametrize("attribute", TABLE)
def test_every_door_gives_the_same_values(door, attribute):
    name, source = door
    found = decoded(source.encode([attribute])[attribute])
    assert found == expected(name, attribute)
    assert [type(value) for value in found] == [type(value) for value in expected(name, attribute)]
    assert not any(isinstance(value, float) and math.copysign(1, value) < 0 for value in found)


def test_every_door_tells_names_and_size_and_keeps_its_order(door):
    _, source = door
    assert source.attributes == tuple(TABLE)
    assert source.records == 5
    together = source.encode(source.attributes)
    assert list(together) == list(TABLE)
    for attribute in TABLE:
        assert decoded(source.encode([attribute])[attribute]) == decoded(together[attribute])


def test_codes_come_in_the_narrowest_type(door):
    _, source = door
    assert {codes.codes.dtype for codes in source.encode(source.attributes).values()} == {np.dtype(np.uint8)}
