"""Parquet written straight from codes: four readers find what was written, and pyarrow the same schema."""

import datetime as dt
import math
import struct

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge._compiled import library
from divulge.engines.opening import open_source
from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.outputs import dictionary_pages, parquet
from divulge.recipes.outputs.arrow_files import write_parquet
from divulge.table.codes import Codes, narrow

DAYS = [dt.date(1969, 12, 31), dt.date(1970, 1, 1), dt.date(1, 1, 1), dt.date(9999, 12, 31)]
VALUES = {
    "integer": st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3),
    "float": st.floats(allow_nan=False) | st.sampled_from([0.5, math.inf, -math.inf]),
    "date": st.dates() | st.sampled_from(DAYS),
    "text": st.text(max_size=5) | st.sampled_from(["", "*", "Tromsø", "日本", "a\0b"]),
}


@st.composite
def tables(draw):
    rows, found = draw(st.integers(1, 40)), {}
    for place in range(draw(st.integers(1, 4))):
        some = draw(st.lists(VALUES[draw(st.sampled_from(list(VALUES)))], min_size=1, max_size=12))
        choices = st.sampled_from([None, *some] if draw(st.booleans()) else some)
        found[f"column {place}"] = draw(st.lists(choices, min_size=rows, max_size=rows))
    return found


def working(values):
    return WorkingTable.of({name: Codes.of(column) for name, column in values.items()})


def same(found, expected):
    """Equal values of equal types; 0.0 is not -0.0, and NaN is NaN."""
    return [(type(one), _bits(one)) for one in found] == [(type(one), _bits(one)) for one in expected]


def _bits(value):
    return struct.pack("<d", value) if isinstance(value, float) else value


def by_readers(path):
    """What pyarrow, Polars and DuckDB read."""
    table = pq.read_table(path)
    yield table.to_pydict()
    yield pl.read_parquet(path).to_dict(as_series=False)
    rows = duckdb.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
    yield {name: [row[place] for row in rows] for place, name in enumerate(table.column_names)}


def by_divulge(path):
    source = open_source(str(path))
    return {name: column.values_of() for name, column in source.encode(source.attributes).items()}


def check(table, folder):
    """Write a table both ways, and compare all that readers find."""
    own, arrow = folder / "own.parquet", folder / "arrow.parquet"
    assert dictionary_pages.write_from_codes(table, own)
    write_parquet(table, arrow)
    expected = next(by_readers(arrow))
    for found in by_readers(own):
        assert list(found) == list(expected)
        assert all(same(found[name], expected[name]) for name in expected)
    assert pq.ParquetFile(own).schema.equals(pq.ParquetFile(arrow).schema)
    assert by_divulge(own) == by_divulge(arrow)
    return own, expected


@pytest.fixture(params=[True, False], ids=["compiled", "NumPy"])
def loops(request, monkeypatch):
    if not request.param:
        monkeypatch.setattr(library, "built", lambda: False)


@settings(max_examples=20)
@given(values=tables(), group=st.sampled_from([3, 8, 1 << 18]))
def test_four_readers_find_what_was_written(values, group, tmp_path_factory):
    table = working(values)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dictionary_pages, "_ROW_GROUP", group)
        own, expected = check(table, tmp_path_factory.mktemp("pages"))
    for name, column in table.columns.items():
        kept = column.values_of()
        wider = any(isinstance(one, float) for one in kept)
        assert expected[name] == ([None if one is None else float(one) for one in kept] if wider else kept)
    found = pq.ParquetFile(own).metadata
    assert (found.num_rows, found.created_by) == (table.records, "divulge")
    assert found.num_row_groups == -(-table.records // group)


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize(
    ("entries", "rows"),
    [(1, 1), (1, 8), (2, 7), (3, 9), (127, 1), (129, 0), (256, 8), (257, 7), (65_535, 3)],
)
def test_places_of_every_width(rows, entries, tmp_path):
    rng = np.random.default_rng(rows * entries)
    codes = 1 + rng.integers(0, entries, rows)
    with_all = np.concatenate([codes, np.arange(1, entries + 1)])
    gone = np.where(rng.random(len(with_all)) < 0.3, 0, with_all)
    texts = [f"value {number}" for number in range(entries)]
    table = WorkingTable.of(
        {
            "all": Codes(narrow(with_all, entries), range(-5, entries - 5)),
            "some": Codes(narrow(gone, entries), texts),
            "wide": Codes(gone.astype(np.uint32), texts),
        }
    )
    own = tmp_path / "own.parquet"
    assert dictionary_pages.write_from_codes(table, own)
    found = pq.read_table(own)
    assert found["all"].to_pylist() == (with_all - 6).tolist()
    expected = [None if code == 0 else texts[code - 1] for code in gone]
    assert found["some"].to_pylist() == found["wide"].to_pylist() == expected
    assert pl.read_parquet(own).to_dict(as_series=False) == found.to_pydict()
    assert by_divulge(own) == found.to_pydict()


def odd(values, codes):
    return WorkingTable.of({"x": Codes(np.array(codes, np.uint8), values)})


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize(
    "table",
    [
        odd([math.nan, 1.5, -0.0, 0.0, math.inf], [1, 2, 3, 4, 5, 0, 0, 1, 2]),
        odd([-0.0], [1, 1]),
        odd(["", "b"], [0] * 9),
        odd([], [0]),
        odd(["never", ""], [2] * 8),
        odd([7, "never", 2**62], [1, 3, 0]),
        odd(range(10, 40, 3), [10, 1, 0, 5]),
    ],
    ids=["floats", "negative zero", "all missing", "no value", "an empty text", "unused", "steps"],
)
def test_odd_values(table, tmp_path):
    column = table.columns["x"]
    own = tmp_path / "own.parquet"
    assert dictionary_pages.write_from_codes(table, own)
    for found in by_readers(own):
        assert same(found["x"], column.values_of())
    assert pq.ParquetFile(own).schema_arrow.field("x").type == {
        float: pa.float64(),
        str: pa.string(),
        int: pa.int64(),
    }.get(type(next((one for one in column.values_of() if one is not None), "")))


def test_bounds_are_those_of_each_row_group_and_texts_have_none(tmp_path, monkeypatch):
    monkeypatch.setattr(dictionary_pages, "_ROW_GROUP", 3)
    table = working(
        {
            "n": [5, None, -2, 9, 9, 9, None],
            "x": [0.0, 1.5, 0.0, 2.5, math.inf, 2.5, None],
            "day": [DAYS[0], DAYS[1], None, DAYS[3], DAYS[2], None, None],
            "town": ["Oslo", "Rome", None, "Oslo", "Rome", "Oslo", None],
        }
    )
    dictionary_pages.write_from_codes(table, tmp_path / "own.parquet")
    metadata = pq.ParquetFile(tmp_path / "own.parquet").metadata
    parts = [[metadata.row_group(group).column(place).statistics for group in range(3)] for place in range(4)]
    told = [
        [(one.min, one.max, one.null_count) if one.has_min_max else one.null_count for one in part]
        for part in parts[:3]
    ]
    assert told[0] == [(-2, 5, 1), (9, 9, 0), 1]
    assert told[1] == [(0.0, 1.5, 0), (2.5, math.inf, 0), 1]
    assert math.copysign(1, told[1][0][0]) == -1  # the wider of the two zeros
    assert told[2] == [(DAYS[0], DAYS[1], 1), (DAYS[2], DAYS[3], 1), 1]
    assert parts[3] == [None] * 3
    query = "SELECT min(n), max(n), max(x), min(day) FROM read_parquet(?)"
    least = duckdb.execute(query, [str(tmp_path / "own.parquet")]).fetchall()
    assert least == [(-2, 9, math.inf, DAYS[2])]


def test_no_bounds_where_a_value_is_no_number(tmp_path):
    dictionary_pages.write_from_codes(odd([math.nan, 1.5], [1, 2]), tmp_path / "own.parquet")
    assert not pq.ParquetFile(tmp_path / "own.parquet").metadata.row_group(0).column(0).statistics.has_min_max


@pytest.mark.parametrize(
    "column",
    [
        Codes.of([True, False]),
        Codes.of([dt.datetime(2020, 1, 2), None]),
        Codes.of([b"a", b"b"]),
        Codes.of([2**63, 1]),
        Codes(np.array([1, 70_000], np.uint32), range(70_000)),
        Codes.of([]),
    ],
    ids=["truth values", "moments", "bytes", "large integers", "many values", "no records"],
)
def test_other_columns_are_left_to_libraries(column, tmp_path):
    table = WorkingTable.of({"plain": Codes.of(["a"] * len(column.codes)), "x": column})
    assert not dictionary_pages.write_from_codes(table, tmp_path / "own.parquet")
    assert not list(tmp_path.iterdir())
    parquet.write(table, tmp_path / "own.parquet")
    assert list(map(str, pq.read_table(tmp_path / "own.parquet")["x"].to_pylist())) == list(
        map(str, column.values_of())
    )


def test_long_lists_of_texts_are_left_to_libraries(tmp_path, monkeypatch):
    monkeypatch.setattr(dictionary_pages, "_MOST_BYTES", 20)
    assert dictionary_pages.write_from_codes(working({"x": ["a" * 16]}), tmp_path / "own.parquet")
    assert not dictionary_pages.write_from_codes(working({"x": ["a" * 17]}), tmp_path / "none.parquet")


def test_many_columns_and_odd_names(tmp_path):
    values = {f"ø {place}": [place, None, -place] for place in range(40)}
    values["a" * 300] = ["x", "y", None]
    check(working(values), tmp_path)


@pytest.mark.parametrize("entries", [1, 2, 200, 300])
def test_places_in_long_runs_take_little_room(entries, tmp_path):
    rng = np.random.default_rng(entries)
    lengths = np.array([1, 63, 64, 65, 8191, 8192, 8193, *rng.integers(1, 900, 300)])
    codes = np.repeat(1 + rng.integers(0, entries, len(lengths)), lengths)
    gone = np.where(codes == 1, 0, codes)
    ordered = np.sort(1 + rng.integers(0, entries, len(codes)))
    texts = [f"value {number}" for number in range(entries)]
    columns = {"runs": codes, "gone": gone, "ordered": ordered}
    table = WorkingTable.of({name: Codes(narrow(one, entries), texts) for name, one in columns.items()})
    own, _ = check(table, tmp_path)
    assert pq.read_table(own).to_pydict() == {
        name: [None if code == 0 else texts[code - 1] for code in one] for name, one in columns.items()
    }
    found = pq.ParquetFile(own).metadata.row_group(0)
    pages = found.column(0), found.column(2)
    assert all(one.total_compressed_size < 25 * entries + 5 * len(lengths) + 60 for one in pages)
