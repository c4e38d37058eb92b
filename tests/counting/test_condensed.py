"""Large Parquet files are counted by combinations of values: the same readings, no columns in memory."""

from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import divulge as dv
from divulge.engines.memory import parquet

ROWS = {
    "age": [20, 20, None, 30, 30, 30, 20, None, 41, 20],
    "zip": ["01", "01", "02", "*", None, "02", "*", "02", "*", "01"],
    "ill": ["flu", "cold", None, "flu", "flu", "ulcer", "cold", "flu", "flu", "flu"],
    "smokes": [True, True, False, None, True, False, True, True, False, True],
}


@pytest.fixture
def path(tmp_path):
    place = tmp_path / "people.parquet"
    pq.write_table(pa.table(ROWS), place, row_group_size=3)
    return place


@pytest.fixture(autouse=True, params=["pages", "duckdb"])
def by(request, monkeypatch):
    """Who counts the combinations: the table filled from pages, or DuckDB."""
    if request.param == "duckdb":
        monkeypatch.setattr(parquet, "_LARGEST_TABLE", 0)
    return request.param


def readings(path, *, condensed, keys, target, partitions=None, **conventions):
    with (
        patch.object(parquet, "CONDENSED", 1 if condensed else 1 << 60),
        patch.object(parquet, "_FEW", 1),
    ):
        question = dv.ask(dv.read(path, **conventions), keys=keys, target=target, partitions=partitions)
        assert (question.counted.table.times is not None) == condensed
        found = dv.measure(question.data, keys=keys, target=target, partitions=partitions)
        left_out = (question.records, question.suppressed_records, question.dropped_records)
        lines = sorted((str(v.key), v.records, v.value) for v in found["worst_posterior"].by_value)
        missing = [question.missing_records(key) for key in keys]
        values = {r.name: [v for v in (r.value, r.chance) if v is not None] for r in found}
        return values, left_out, lines, missing


QUESTIONS = {
    "an attribute": {"keys": ["age"], "target": "ill"},
    "two keys": {"keys": ["age", "zip"], "target": "ill"},
    "re-identification": {"keys": ["age", "zip"], "target": "@record"},
    "truth values": {"keys": ["smokes", "age"], "target": "ill"},
    "missing dropped": {"keys": ["age", "zip"], "target": "ill", "missing": "drop"},
    "missing as wildcard": {"keys": ["age", "zip"], "target": "ill", "missing": "wildcard"},
    "suppressed records": {"keys": ["zip"], "target": "ill"},
    "a marker for missing": {"keys": ["zip"], "target": "age", "missing_values": ["02", "41"]},
    "a partition": {
        "keys": ["age"],
        "target": "ill",
        "partitions": {"ill": {"mild": ["flu", "cold"], "severe": ["ulcer"]}, "age": {"bins": [30]}},
    },
}


@pytest.mark.parametrize("asked", QUESTIONS.values(), ids=QUESTIONS)
def test_readings_are_those_of_the_columns(path, asked):
    plain = readings(path, condensed=False, **asked)
    condensed = readings(path, condensed=True, **asked)
    assert condensed[1:] == plain[1:]
    assert condensed[0].keys() == plain[0].keys()
    for name, expected in plain[0].items():
        assert condensed[0][name] == pytest.approx(expected, rel=1e-9, abs=1e-12), name


def test_no_column_is_read_whole(path):
    with patch.object(parquet, "CONDENSED", 1), patch.object(parquet, "_FEW", 1):
        data = dv.read(path)
        dv.measure(data, "itpr", keys="age", target="ill").value  # noqa: B018
        assert data.engine._columns == {}


def test_columns_that_are_read_already_are_used(path):
    with patch.object(parquet, "CONDENSED", 1):
        data = dv.read(path)
        data.load(["age", "ill"])
        table = dv.ask(data, keys="age", target="ill").counted.table
        assert [table.column(name) is data.column(name) for name in ("age", "ill")] == [True, True]


@pytest.mark.parametrize("conventions", [{"weights": "age"}, {"identifiers": "zip"}])
def test_weights_and_identifiers_need_the_records_themselves(path, conventions):
    with patch.object(parquet, "CONDENSED", 1):
        data = dv.read(path, **conventions)
        request = dv.ask(data, keys="smokes", target="ill").request
        assert data.engine.condensed(request) is data.engine


@pytest.mark.parametrize(("limit", "value"), [("_FEW", 0.2), ("_MOST", 2)])
def test_many_combinations_are_left_to_the_columns(path, limit, value, monkeypatch):
    monkeypatch.setattr(parquet, "_LARGEST_TABLE", 11)  # of twelve cells
    with patch.object(parquet, "CONDENSED", 1), patch.object(parquet, limit, value):
        data = dv.read(path)
        request = dv.ask(data, keys="age", target="ill").request
        assert data.engine.condensed(request) is data.engine


@pytest.mark.parametrize("by", ["duckdb"], indirect=True)  # pages are counted without a look at the beginning
@pytest.mark.parametrize("name", ["file_row_number", "File_Row_Number", "number"])
@pytest.mark.parametrize("records", [1, 3, 4])
def test_the_beginning_is_the_first_records_whatever_a_column_is_called(tmp_path, name, records):
    """Two different records among the first three, and three among the first four, in row groups of two."""
    place = tmp_path / "numbered.parquet"
    pq.write_table(pa.table({name: [7, 7, 8, 9], "ill": ["flu"] * 4}), place, row_group_size=2)
    different = {1: 1, 3: 2, 4: 3}[records]
    for few, enough in (((different - 0.5) / records, False), (different / records, True)):
        with (
            patch.object(parquet, "CONDENSED", 1),
            patch.object(parquet, "_BEGINNING", records),
            patch.object(parquet, "_FEW", few),
        ):
            data = dv.read(place)
            request = dv.ask(data, keys=name, target="ill").request
            assert (data.engine.condensed(request) is not data.engine) == enough
