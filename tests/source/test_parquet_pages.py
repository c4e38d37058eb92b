"""Pages of Parquet files read straight to codes, held to what pyarrow reads."""

import itertools

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from divulge.engines.opening import open_source
from divulge.source.frames import parquet_pages
from divulge.source.frames.parquet_pages import read_codes

RECORDS = 3_000
SIZES = (1, 2, 3, 7, 12, 30, 37, 64, 200, 3_000)  # places of one to eight bits, and of twelve


def column(rng, values, missing, runs):
    """Numbers below a bound, so many in a hundred missing, alone or in runs."""
    lengths = rng.geometric(1 / runs, RECORDS)
    numbers = np.repeat(rng.integers(0, values, RECORDS), lengths)[:RECORDS]
    return numbers, rng.integers(0, 100, RECORDS) < missing


def tables(seed):
    """Columns of all widths and kinds."""
    rng = np.random.default_rng(seed)
    columns = {}
    for values, missing, runs in itertools.product(SIZES, (0, 10), (1, 20)):
        numbers, gone = column(rng, values, missing, runs)
        name = f"{values} {missing} {runs}"
        kind = pa.int64() if values > 200 else pa.int16()
        columns[f"number {name}"] = pa.array(numbers - 7, kind, mask=gone)
        columns[f"text {name}"] = pa.array([f"é{n}" * (n % 5) for n in numbers], pa.string(), mask=gone)
    columns["all missing"] = pa.nulls(RECORDS, pa.int32())
    columns["far apart"] = pa.array(rng.integers(0, 9, RECORDS) * 10**15, pa.int64())
    required = pa.array(rng.integers(-3, 30, RECORDS), pa.int32())
    table = pa.table({**columns, "required": required})
    place = table.schema.get_field_index("required")
    return table.cast(table.schema.set(place, pa.field("required", pa.int32(), nullable=False)))


def own(source):
    """What is read here of a file."""
    columns = source.written(source.attributes, source.spans(source.attributes))
    return read_codes(source.path, columns, source.records)


def values_of(path):
    return {name: codes.values_of() for name, codes in own(open_source(path)).items()}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"compression": "none", "data_page_version": "2.0"},
        {"compression": "snappy", "data_page_version": "2.0", "data_page_size": 500, "row_group_size": 700},
        {"compression": "zstd", "row_group_size": 1_000, "write_statistics": False},
        {"compression": "zstd", "max_rows_per_page": 100},
        {"compression": "zstd", "max_rows_per_page": 100, "data_page_version": "2.0"},
        {"compression": "gzip", "data_page_version": "2.0"},
        {"compression": "brotli", "max_rows_per_page": 100},
        {"compression": "lz4", "store_schema": False},
        {"use_dictionary": False},
        {"dictionary_pagesize_limit": 400, "data_page_size": 300, "row_group_size": 1_500},
        {"write_page_checksum": True, "write_page_index": True},
    ],
    ids=str,
)
def test_codes_stand_for_the_values_that_pyarrow_reads(tmp_path, options):
    table = tables(len(str(options)))
    pq.write_table(table, tmp_path / "table.parquet", **options)
    found = values_of(tmp_path / "table.parquet")
    for name, values in found.items():
        assert values == table[name].to_pylist(), name
    plain = options.get("use_dictionary") is False or "dictionary_pagesize_limit" in options
    read_here = {name for name in table.column_names if plain <= name.startswith("number")}
    # Bounds of a column without statistics are counted; one without any value has none, and is not read here.
    assert found.keys() >= read_here - {"all missing", "far apart", "required"}


@pytest.mark.parametrize("writer", ["polars", "duckdb"])
def test_files_of_other_writers_are_read_alike(tmp_path, writer):
    table, path = tables(5), tmp_path / "table.parquet"
    if writer == "polars":
        pl.from_arrow(table).write_parquet(path, row_group_size=1_000)
    else:
        duckdb.sql('SELECT * FROM "table"').write_parquet(str(path), row_group_size=2_048)
    found = values_of(path)
    for name, values in found.items():
        assert values == table[name].to_pylist(), name
    assert sum(name.startswith("text 37") for name in found) == 4
    assert sum(name.startswith("number 200 ") for name in found) == 4


@pytest.mark.parametrize("most", [1, 500, 2_000])
def test_pages_are_unpacked_one_by_one_or_several_at_a_time(tmp_path, monkeypatch, most):
    monkeypatch.setattr(parquet_pages, "_TOGETHER", most)
    table, path = tables(7), tmp_path / "table.parquet"
    pq.write_table(table, path, compression="zstd", max_rows_per_page=100, row_group_size=1_200)
    found = values_of(path)
    assert len(found) > 50
    for name, values in found.items():
        assert values == table[name].to_pylist(), name


@pytest.mark.parametrize(
    ("compression", "version"), [("none", "2.0"), ("snappy", "2.0"), ("zstd", "2.0"), ("zstd", "1.0")]
)
def test_damaged_pages_are_left_to_others_or_read_and_never_worse(tmp_path, compression, version):
    path, rng = tmp_path / "table.parquet", np.random.default_rng(3)
    numbers, gone = column(rng, 60, 10, 3)
    table = pa.table({"number": pa.array(numbers, mask=gone), "text": pa.array([f"v{n}" for n in numbers])})
    pq.write_table(table, path, compression=compression, data_page_version=version, max_rows_per_page=900)
    whole, source = path.read_bytes(), open_source(path)
    ends = max(chunk.end for chunks in source._chunks.values() for chunk in chunks)
    left = 0
    for _ in range(300):
        damaged = np.frombuffer(whole, np.uint8).copy()
        damaged[rng.integers(4, ends, rng.integers(1, 4))] = rng.integers(0, 256)
        path.write_bytes(damaged.tobytes())
        codes = own(source)
        assert all(one.codes.max() <= len(one.values) for one in codes.values())
        left += 2 - len(codes)
    assert 0 < left < 600


@pytest.mark.parametrize("records", [32, 480])  # a few, and enough to be looked up 32 at a time
def test_a_place_that_the_dictionary_does_not_have_is_not_read(tmp_path, records):
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"x": pa.array([5, 6, 7, 5] * (records // 4))}), path, compression="none")
    source = open_source(path)
    [chunk] = source._chunks["x"]
    content = bytearray(path.read_bytes())
    places = content.rindex(b"\x02", chunk.begin, chunk.end)  # the width of places, then a run of them
    content[places + 2 : chunk.end] = b"\xff" * (chunk.end - places - 2)  # place 3 of three entries
    path.write_bytes(content)
    assert own(source) == {}
