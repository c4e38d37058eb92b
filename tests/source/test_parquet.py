"""Parquet files by each of their readers."""

from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from divulge.engines.opening import open_source
from divulge.errors import DuplicateAttribute, EmptySource, SourceError, UnknownAttribute
from divulge.source.integers import Span
from divulge.source.parquet import Parquet

READERS = ("our own", "pyarrow", "duckdb")


@pytest.fixture(params=READERS)
def reader(request, monkeypatch):
    if request.param != "our own":
        monkeypatch.setattr("divulge.source.parquet.written_columns", lambda *_: {})
        monkeypatch.setattr("divulge.source.parquet.find_spec", lambda name: request.param == "pyarrow")
    return request.param


@pytest.fixture
def written(tmp_path):
    def write(table, **options):
        pq.write_table(pa.table(table), tmp_path / "table.parquet", **options)
        return open_source(tmp_path / "table.parquet")

    return write


def decoded(source, attribute):
    codes = source.encode([attribute])[attribute]
    return [None if code == 0 else codes.values[code - 1] for code in codes.codes.tolist()]


COLUMNS = {
    "int8": pa.array([-128, 127, None, 5], pa.int8()),
    "uint64": pa.array([2**63, None, 2**63, 2**63 + 5], pa.uint64()),
    "far": pa.array([2**60, -(2**60), None, 0]),
    "none": pa.array([None, None, None, None], pa.int32()),
    "nothing": pa.nulls(4),
    "text": pa.array(["b", None, "a", ""]),
    "listed": pa.array(["b", None, "a", "b"]).dictionary_encode(),
    "bytes": pa.array([b"b", None, b"a", b"b"]),
    "bool": pa.array([True, None, False, True]),
    "double": pa.array([0.5, None, 0.25, 0.0]),
    "date": pa.array([date(2020, 1, 1), None, date(1900, 1, 1), date(2020, 1, 1)]),
    "moment": pa.array([datetime(2020, 1, 1, 12), None, datetime(1900, 1, 1), datetime(2020, 1, 1)]),
    "decimal": pa.array([Decimal("1.10"), None, Decimal("2.00"), Decimal("1.10")]),
    'with.dot and "quote"': pa.array([1, 2, 3, 4]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_every_reader_gives_the_values_across_row_groups(written, reader, name):
    source = written(COLUMNS, row_group_size=2)
    assert decoded(source, name) == COLUMNS[name].to_pylist()


def test_every_reader_treats_nan_and_negative_zero_alike(written, reader):
    values = decoded(written({"x": [float("nan"), -0.0, 0.0, None]}), "x")
    assert str(values) == "[None, 0.0, 0.0, None]"


def test_every_reader_gives_all_columns_in_the_order_asked(written, reader):
    source = written(COLUMNS)
    assert list(source.encode(["text", "int8", "text"])) == ["text", "int8"]
    assert source.attributes == tuple(COLUMNS)
    assert source.records == 4


@pytest.mark.parametrize("statistics", [True, False])
def test_integers_with_and_without_statistics(written, reader, statistics):
    source = written(
        {"x": pa.array([7, None, 9, 8], pa.int16())}, row_group_size=2, write_statistics=statistics
    )
    codes = source.encode(["x"])["x"]
    assert codes.values == range(7, 10)
    assert codes.codes.tolist() == [1, 0, 3, 2]


def test_dictionaries_of_row_groups_are_merged(written):
    texts = [f"value {i % 300}" for i in range(1000)]
    source = written({"x": texts}, row_group_size=100)
    codes = source.encode(["x"])["x"]
    assert len(codes.values) == 300
    assert codes.codes.dtype == np.uint16
    assert decoded(source, "x") == texts


def test_names_that_differ_by_case_are_two_attributes(written, reader):
    source = written({"Age": [1, 2], "age": [3, 4]})
    assert (decoded(source, "Age"), decoded(source, "age")) == ([1, 2], [3, 4])


def test_lists_and_structs_are_refused_by_name_when_asked_for(written, reader):
    source = written({"visits": [[1], [2]], "home": [{"a": 1}, {"a": 2}], "age": [1, 2]})
    assert source.attributes == ("visits", "home", "age")
    assert decoded(source, "age") == [1, 2]
    for name in ("visits", "home"):
        with pytest.raises(SourceError, match=f"'{name}' holds"):
            source.encode([name])


def test_a_parquet_file_of_another_name_is_known_by_its_first_bytes(tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "table.data")
    assert open_source(tmp_path / "table.data").attributes == ("a",)


def test_a_folder_that_looks_like_a_partition_adds_no_attribute(tmp_path):
    folder = tmp_path / "year=2020"
    folder.mkdir()
    pq.write_table(pa.table({"a": [1]}), folder / "it's [1].parquet")
    source = open_source(folder / "it's [1].parquet")
    assert source.attributes == ("a",)
    assert decoded(source, "a") == [1]


def test_a_name_that_stands_twice_is_refused(tmp_path):
    pq.write_table(pa.table([[1], [2]], names=["age", "age"]), tmp_path / "table.pq")
    with pytest.raises(DuplicateAttribute, match="called age"):
        open_source(tmp_path / "table.pq")


def test_a_file_without_records_is_refused(written):
    with pytest.raises(EmptySource, match="has a header but no records"):
        written({"age": pa.array([], pa.int8())})


def test_an_unknown_attribute_is_named(written):
    with pytest.raises(UnknownAttribute):
        written({"age": [1]}).encode(["sex"])


@pytest.mark.parametrize("content", [b"PAR1 MARKER", b"MARKER,1\n2,3\n"])
def test_a_file_that_is_not_parquet_after_all_is_refused(tmp_path, content):
    (tmp_path / "table.parquet").write_bytes(content)
    with pytest.raises(SourceError, match="cannot be read as a Parquet file") as caught:
        open_source(tmp_path / "table.parquet")
    assert "MARKER" not in str(caught.value)


def test_a_file_damaged_in_the_middle_is_refused_without_quoting_it(tmp_path, reader):
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"a": ["MARKER"] * 10, "b": range(10)}), path, compression="zstd")
    source = open_source(path)
    content = bytearray(path.read_bytes())
    content[4:60] = b"\xff" * 56
    path.write_bytes(content)
    with pytest.raises(SourceError, match="cannot be read as a Parquet file") as caught:
        source.encode(["a"])
    assert "MARKER" not in str(caught.value)


NUMBERS = {"age": [31, None, -4, 60], "far": [2**62, -(2**62), 0, 0], "text": ["a", "b", "c", "d"]}


def test_bounds_are_those_that_the_file_says_of_all_groups_of_rows(written, monkeypatch):
    source = written(NUMBERS, row_group_size=2)
    monkeypatch.setattr(Parquet, "_counted_spans", lambda source, attributes: dict.fromkeys(attributes))
    assert source.spans(["age", "far"]) == {"age": Span(-4, 60), "far": Span(-(2**62), 2**62)}


@pytest.mark.parametrize(
    ("numbers", "options"),
    [
        ([None, None, -4, 60], {"row_group_size": 2}),
        ([31, -4, 60], {"write_statistics": False}),
        (pa.array([31, 0, 2**63], pa.uint64()), {}),
    ],
)
def test_bounds_that_the_file_does_not_say_of_all_are_looked_for(written, numbers, options):
    source = written({"age": numbers}, **options)
    present = [one for one in pa.array(numbers).to_pylist() if one is not None]
    assert source.spans(["age"]) == {"age": Span(min(present), max(present))}


def test_bounds_that_do_not_hold_change_nothing(written, reader, monkeypatch):
    source = written(NUMBERS)
    monkeypatch.setattr(Parquet, "stated_spans", lambda *_: {"age": Span(30, 31)})
    assert decoded(source, "age") == NUMBERS["age"]
