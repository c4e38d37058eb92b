"""Tables that Spark reads: how their values come over, what stays there, and what is refused."""

import datetime as dt
from decimal import Decimal
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest

from divulge.engines.external.table import ExternalTable, ValueRecoding
from divulge.engines.opening import open_source
from divulge.engines.spark import class_sql, classes, querying, session, sql
from divulge.engines.spark.opening import open_spark
from divulge.engines.spark.table import SparkTable
from divulge.errors import (
    DuplicateAttribute,
    EmptySource,
    MissingLibrary,
    MissingSource,
    SourceError,
    Undefined,
    UnknownAttribute,
)

pytest_plugins = ["spark_session"]

PATIENTS = {
    "zip": ["01", "01", "1", None, "01", "É"],
    "age": [30, 30, None, 1, 30, 30],
    "score": [1.5, 1.5, float("nan"), -0.0, 1.5, 0.0],
    "ill": ["flu", "cold", "flu", None, "flu", "flu"],
}


@pytest.fixture(scope="module")
def table(spark):
    return open_source(spark.createDataFrame(pa.table(PATIENTS)))


def values(codes):
    return [None if code == 0 else codes.values[code - 1] for code in codes.codes.tolist()]


def rows(source, attributes):
    return list(zip(*(values(codes) for codes in source.encode(attributes).values()), strict=True))


def counted(found):
    source, times = found
    return dict(zip(rows(source, source.attributes), times.tolist(), strict=True))


# -- what comes over ---------------------------------------------------------------------------------


def test_a_frame_is_counted_where_it_is(table):
    assert isinstance(table, ExternalTable)
    assert (table.name, table.attributes, table.records) == ("a Spark frame", tuple(PATIENTS), 6)


def test_combinations_come_with_how_many_records_have_them(table):
    assert counted(table.combinations(["zip", "age"])) == {
        ("01", 30): 3,
        ("1", None): 1,
        (None, 1): 1,
        ("É", 30): 1,
    }


def test_nan_is_missing_and_minus_zero_is_zero(table):
    assert counted(table.combinations(["score"])) == {(1.5,): 3, (None,): 1, (0.0,): 2}


def test_records_come_over_as_they_are(table):
    assert sorted(map(str, rows(table, ["zip", "age"]))) == sorted(
        map(str, zip(PATIENTS["zip"], PATIENTS["age"], strict=True))
    )
    assert table.encode(["age"])["age"] is table.encode(["age"])["age"]


def test_a_summary_counts_values_and_shows_some(table):
    found = table.summary("zip", 2)
    assert (found.present, found.distinct, found.lone) == (5, 3, 2)
    assert len(found.sample) == 2
    assert set(found.sample) < {"01", "1", "É"}
    assert table.summary("zip", 10).sample == ["01", "1", "É"]
    assert table.summary("age", 0).sample == []


def test_different_combinations_are_counted_missing_among_them(table):
    assert table.distinct(["zip", "age"]) == 4
    assert table.distinct(["zip"]) == 4


KINDS = {
    "true": True,
    "7Y": 7,
    "-3S": -3,
    "9223372036854775807L": 2**63 - 1,
    "CAST(0.1 AS FLOAT)": float(np.float32(0.1)),
    "1.10BD": Decimal("1.10"),
    "''": "",
    "X'00ff'": b"\x00\xff",
    "DATE'2020-02-29'": dt.date(2020, 2, 29),
    "TIMESTAMP_NTZ'2020-01-01 10:00:00.000001'": dt.datetime(2020, 1, 1, 10, 0, 0, 1),
    "TIMESTAMP'2020-01-01 10:00:00Z'": dt.datetime(2020, 1, 1, 10, tzinfo=dt.UTC),
    "INTERVAL '1 02' DAY TO HOUR": dt.timedelta(days=1, hours=2),
    "INTERVAL '1-2' YEAR TO MONTH": "INTERVAL '1-2' YEAR TO MONTH",
    "NULL": None,
}


def test_values_keep_their_kinds(spark):
    picked = ", ".join(f"{term} AS `{place}`" for place, term in enumerate(KINDS))
    source = open_source(spark.sql(f"SELECT {picked}"))
    [found] = rows(source, source.attributes)
    assert found == tuple(KINDS.values())
    assert list(map(type, found)) == list(map(type, KINDS.values()))
    assert list(counted(source.combinations(source.attributes))) == [found]


def test_text_is_compared_exactly_whatever_its_collation_says(spark):
    source = open_source(spark.sql("SELECT collate(a, 'UTF8_LCASE') AS a FROM VALUES ('x'), ('X') AS t(a)"))
    assert source.distinct(["a"]) == 2
    assert counted(source.combinations(["a"])) == {("x",): 1, ("X",): 1}
    assert source.class_kinds(["a"], None).times.tolist() == [2]


def test_names_may_hold_anything_and_differ_by_case_only(spark):
    names = ["a", "A", "a.b", "od`d {x}; --", "c0"]
    frame = spark.sql("SELECT 1, 2, 3, 4, 5").toDF(*names)
    source = open_source(frame)
    assert source.attributes == tuple(names)
    assert rows(source, ["A", "c0", "od`d {x}; --", "a.b", "a"]) == [(2, 5, 4, 3, 1)]
    assert source.class_kinds(["A", "c0"], "a.b").values == (3,)


# -- classes that stay where they are ----------------------------------------------------------------


def test_classes_that_look_alike_come_as_kinds(table):
    found = table.class_kinds(["zip", "age"], "ill")
    looks = {}
    for kind, times in enumerate(found.times.tolist()):
        own = slice(found.start[kind], found.start[kind + 1])
        cells = zip(found.place[own].tolist(), found.count[own].tolist(), strict=True)
        looks[frozenset((found.values[place], count) for place, count in cells)] = times
    assert looks == {
        frozenset({("flu", 2), ("cold", 1)}): 1,
        frozenset({("flu", 1)}): 2,
        frozenset({(None, 1)}): 1,
    }


def test_without_a_target_kinds_are_sizes(table):
    found = table.class_kinds(["zip", "age"], None)
    assert dict(zip(found.count.tolist(), found.times.tolist(), strict=True)) == {3: 1, 1: 3}
    assert found.start is None


def test_it_matters_which_key_is_missing(spark):
    gaps = {"a": [1, None, 1, None], "b": [None, 1, 1, None], "c": [None] * 4}
    frame = spark.createDataFrame(pa.table({name: pa.array(gaps[name], pa.int64()) for name in gaps}))
    assert open_source(frame).class_kinds(["a", "b", "c"], None).times.tolist() == [4]


def test_flags_of_many_missing_values_take_several_numbers():
    columns = [f"c{place}" for place in range(130)]
    assert sql.hashed(columns, 1).count(f"{1 << 61}L") == 2
    assert f"{1 << 62}L" not in sql.hashed(columns, 1)


def test_too_many_combinations_are_not_brought_over(table):
    with patch.object(querying, "MOST", 5), patch.object(querying, "SAMPLE", 1):
        assert table.combinations(["zip", "age"]) is None
        assert table.combinations(["zip", "age", "ill"]) is None
        assert table._estimates == {frozenset({"zip", "age"}): 4}  # what holds of some holds of more
        assert table.combinations(["ill"]) is not None
        assert table.class_kinds(["zip", "age"], "ill") is not None
        with pytest.raises(SourceError, match="too large to fetch: 6 records of 4 attributes"):
            open_source(table.frame).encode(["c0"])


def test_too_many_kinds_or_target_values_are_not_brought_over(spark):
    table = open_source(spark.createDataFrame(pa.table(PATIENTS)))
    few = patch.object(querying, "MOST", 3), patch.object(classes, "KINDS", 3)
    with few[0], few[1], patch.object(querying, "SAMPLE", 1):
        assert table.class_kinds(["zip", "age"], "ill") is None
        assert table.class_kinds(["age"], "zip") is None
        assert table.aggregates(["age"], "zip") is None
        assert table.worst(["age"], "zip", "size", 3, highest=False) is None
        grouped = ValueRecoding(["01", "1", "É"], np.array([0, 1, 1, 2]), ["low", "high"])
        with pytest.raises(Undefined, match="'zip' has too many different values to be grouped"):
            table.prepared({"zip": grouped})


def test_kinds_are_counted_before_they_come_over(spark):
    mostly = {"key": list(range(20)), "ill": ["flu"] * 17 + ["cold", "gout", "cough"]}
    table = open_source(spark.createDataFrame(pa.table(mostly)))
    with patch.object(querying, "SAMPLE", 1), patch.object(classes, "KINDS", 3):
        assert table._may_be_few(class_sql.kinds(table.asked(["key"], "ill")))
        assert table.class_kinds(["key"], "ill") is None
    with patch.object(querying, "SAMPLE", 1), patch.object(classes, "KINDS", 4):
        assert sorted(table.class_kinds(["key"], "ill").times) == [1, 1, 1, 17]
    assert spark.sparkContext._jsc.getPersistentRDDs().isEmpty()


def test_values_in_domains_and_records_left_out(table):
    grouped = ValueRecoding(["01", "1", "É"], np.array([0, 1, 1, 2]), ["low", "high"])
    there = table.prepared({"zip": grouped}, without_missing=["ill"], suppressed={"zip": "É", "ill": "flu"})
    assert there.records == 4
    assert counted(there.combinations(["zip", "age"])) == {("low", 30): 3, ("low", None): 1}
    assert table.prepared({}, suppressed={"zip": "*", "age": "*"}) is table  # no number reads so
    assert table.prepared({}, suppressed={"zip": "{'\\}"}).records == 6
    again = there.prepared({"zip": ValueRecoding(["low"], np.array([0, 0]), [])})
    assert counted(again.combinations(["zip"])) == {(None,): 4}


def test_nothing_is_left_in_the_session(spark, table):
    table.class_kinds(["zip"], "ill")
    assert not spark.catalog.listTables()
    assert spark.sparkContext._jsc.getPersistentRDDs().isEmpty()


# -- Spark Connect -----------------------------------------------------------------------------------


def test_a_frame_of_spark_connect_gives_the_same(connected, table):
    there = open_source(connected.createDataFrame(pa.table(PATIENTS)))
    assert isinstance(there, SparkTable)
    assert counted(there.combinations(["zip", "age"])) == counted(table.combinations(["zip", "age"]))
    assert sorted(there.class_kinds(["zip", "age"], "ill").count) == sorted(
        table.class_kinds(["zip", "age"], "ill").count
    )
    assert there.summary("zip", 3) == table.summary("zip", 3)
    sizes = [one.aggregates(["zip"], "ill").by_size["size"].tolist() for one in (there, table)]
    assert sorted(sizes[0]) == sorted(sizes[1])


def test_an_address_where_nobody_listens_is_told_at_once(spark):
    with pytest.raises(SourceError, match=r"Spark cannot be reached \(ConnectionRefusedError\)"):
        open_spark("x.parquet", remote="sc://127.0.0.1:9/;token=MARKER")


# -- files and tables --------------------------------------------------------------------------------

CSV = {
    "plain": 'name;zip\nAnn;01234\n"B;o""b";\n"";7\n',
    "with lines in values": 'a,b\n"x\ny",1\nz,2\n',
    "spaced": "a, b\n1, 2\n3, 4\n",
    "with a mark": "\ufeffa,b\n1,é\n",
    "of one column": "a\n1\n\n2\n",
    "with blank lines": "\n\na,b\n 1 ,2\n",
    "in single quotes": "a,b\n'x,1',y\n'z',q\n",
}


@pytest.mark.parametrize("text", CSV.values(), ids=CSV)
def test_a_csv_file_reads_as_it_does_without_spark(spark, tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8", newline="")
    there, here = open_spark(str(path)), open_source(path)
    assert (there.name, there.attributes) == (here.name, here.attributes)
    assert rows(there, there.attributes) == rows(here, here.attributes)


def test_parquet_and_orc_files_and_tables(spark, tmp_path):
    frame = spark.createDataFrame(pa.table({"a": [1, None]}))
    frame.write.parquet(str(tmp_path / "x.parquet"))
    frame.write.orc(str(tmp_path / "x.orc"))
    frame.createOrReplaceTempView("people")
    spark.conf.set("spark.sql.codegen.factoryMode", "FALLBACK")  # a list of tables cannot be read otherwise
    try:
        for place in (str(tmp_path / "x.parquet"), str(tmp_path / "x.orc"), "people"):
            assert sorted(rows(open_spark(place, master="local[2]"), ["a"]), key=str) == [(1,), (None,)]
        assert open_spark("people").name == "table people"
        with pytest.raises(MissingSource, match=r"No table 'peopl' in .* which has people\. Did you mean"):
            open_spark("peopl")
    finally:
        spark.catalog.dropTempView("people")
        spark.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")


REFUSED = {
    "ragged": ("a,b\n1,2\nMARKER\n", SourceError, r"Spark could not read table\.csv"),
    "empty": ("a,b\n", EmptySource, "has a header but no records"),
    "a record first": ("1,1\n1,2\n", SourceError, "seems to be a record"),
}


@pytest.mark.parametrize(("text", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_a_csv_file_that_is_none_is_refused(spark, tmp_path, text, error, message):
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(error, match=message) as caught:
        open_spark(str(path)).combinations(["b"])
    assert "MARKER" not in str(caught.value)


def test_a_csv_file_in_another_encoding_is_refused(spark, tmp_path):
    (tmp_path / "x.csv").write_bytes(b"a\n\xe9\n")
    with pytest.raises(SourceError, match="not written in utf-8"):
        open_spark(str(tmp_path / "x.csv"))


def test_a_file_that_is_not_there_or_not_parquet_is_named(spark, tmp_path):
    with pytest.raises(MissingSource, match=r"No file .*nowhere\.parquet"):
        open_spark(str(tmp_path / "nowhere.parquet"))
    (tmp_path / "x.parquet").write_text("MARKER, but no Parquet")
    with pytest.raises(SourceError, match=r"x\.parquet cannot be read by Spark") as caught:
        open_spark(str(tmp_path / "x.parquet"))
    assert "MARKER" not in str(caught.value)


# -- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "term",
    ["array(1)", "map(1, 2)", "struct(1)", "parse_json('1')", "make_interval(1, 2, 3)"],
)
def test_compound_values_are_refused_when_asked_for(spark, term):
    source = open_source(spark.sql(f"SELECT {term} AS a, 1 AS b"))
    for ask in (source.encode, source.combinations, lambda one: source.class_kinds(["b"], *one)):
        with pytest.raises(
            SourceError, match=r"'a' holds values of type .*, which cannot be compared as values"
        ):
            ask(["a"])
    assert rows(source, ["b"]) == [(1,)]


def test_an_unknown_attribute_is_named(table):
    for ask in (table.combinations, table.encode, table.distinct, lambda one: table.class_kinds(one, None)):
        with pytest.raises(UnknownAttribute, match="Did you mean 'age'"):
            ask(["agee"])


def test_a_name_that_stands_twice_is_refused(spark):
    with pytest.raises(DuplicateAttribute):
        open_source(spark.sql("SELECT 1 AS a, 2 AS a"))


def test_a_frame_without_records_is_refused(spark):
    with pytest.raises(EmptySource):
        open_source(spark.sql("SELECT 1 AS a WHERE false"))


def test_a_stream_is_refused(spark):
    with pytest.raises(SourceError, match="A stream cannot be counted"):
        open_source(spark.readStream.format("rate").load())


@pytest.mark.parametrize("given", ["spark", "connected"])
def test_what_fails_on_the_cluster_is_told_without_its_words(request, capfd, given):
    session = request.getfixturevalue(given)
    with pytest.raises(SourceError, match=r"not read a Spark frame \(CAST_INVALID_INPUT\)") as caught:
        open_source(session.sql("SELECT CAST(a AS INT) AS a FROM VALUES ('MARKER') AS t(a)")).combinations(
            ["a"]
        )
    assert "MARKER" not in str(caught.value)
    assert caught.value.__suppress_context__
    assert capfd.readouterr() == ("", "")


def test_a_second_master_is_refused(spark):
    with pytest.raises(SourceError, match=r"runs already with the master local\[2\]"):
        open_spark("people", master="local[1]")


def test_a_pandas_frame_on_spark_is_to_be_turned_round():
    kind = type("DataFrame", (), {"__module__": "pyspark.pandas.frame"})
    with pytest.raises(SourceError, match=r"Give frame\.to_spark\(\)"):
        open_source(kind())


@pytest.mark.parametrize("package", ["pyspark", "pyarrow"])
def test_a_library_that_is_not_installed_is_named(monkeypatch, package):
    monkeypatch.setattr(session, "find_spec", lambda name: None if name == package else name)
    with pytest.raises(MissingLibrary, match=rf"'{package}'.*divulge\[spark\]"):
        open_spark("people")


def test_without_java_it_is_said_what_to_install(spark, monkeypatch):
    monkeypatch.setattr("pyspark.SparkContext._active_spark_context", None)
    monkeypatch.setattr(session.shutil, "which", lambda program: None)
    with pytest.raises(SourceError, match=r"no Java here.* default-jre-headless, or set JAVA_HOME"):
        open_spark("people")


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_spark_that_does_not_start_is_told(spark, monkeypatch, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/java").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "bin/java").chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setattr("pyspark.SparkContext._active_spark_context", None)
    with pytest.raises(SourceError, match=r"cannot be started \(JAVA_GATEWAY_EXITED\).*Java 17"):
        open_spark("people")
