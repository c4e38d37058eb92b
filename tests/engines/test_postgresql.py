"""A table of a real PostgreSQL server, started for the tests and stopped after them."""

from dataclasses import replace

import pytest
import sqlalchemy as sa

import divulge as dv
from divulge.engines.base import Summary
from divulge.engines.opening import open_source
from divulge.errors import MissingSource, SourceError
from divulge.table.codes import Codes

ROWS = [("01234", 20, "flu"), ("01234", 20, "cold"), ("99999", 30, None), ("01234", None, "flu")]


@pytest.fixture(scope="module")
def url(postgresql):
    """A database with a table of people in a schema of its own."""
    address = postgresql.fresh().replace("postgresql:", "postgresql+psycopg:")
    engine = sa.create_engine(address)
    with engine.begin() as connection:
        connection.execute(sa.text('CREATE SCHEMA "health"'))
        connection.execute(sa.text('CREATE TABLE health."People" ("Zip" text, age int, ill text)'))
        statement = sa.text('INSERT INTO health."People" VALUES (:zip, :age, :ill)')
        connection.execute(statement, [dict(zip(("zip", "age", "ill"), row, strict=True)) for row in ROWS])
    engine.dispose()
    return address


def test_a_table_in_a_schema_reads_like_the_same_rows_in_memory(url):
    columns = dict(zip(("Zip", "age", "ill"), map(list, zip(*ROWS, strict=True)), strict=True))
    for target in ("ill", "@record"):
        there = dv.measure(dv.read(url, table="health.People"), keys=["Zip", "age"], target=target)
        here = dv.measure(columns, keys=["Zip", "age"], target=target)
        assert [r.name for r in there] == [r.name for r in here]
        for mine, theirs in zip(there, here, strict=True):
            assert mine.value == pytest.approx(theirs.value, rel=1e-12), mine.name


def test_text_keeps_its_zeros_and_missing_is_missing(url):
    codes = open_source(url, table="health.People").encode(["Zip", "ill"])
    assert [codes["Zip"].values[c - 1] for c in codes["Zip"].codes] == ["01234", "01234", "99999", "01234"]
    assert codes["ill"].codes.tolist() == [1, 2, 0, 1]


def test_a_table_that_is_not_there_is_named(url):
    with pytest.raises(MissingSource, match=r"No table 'health\.Persons' in the database"):
        open_source(url, table="health.Persons")


def test_what_fails_between_two_blocks_is_told_without_the_servers_words(url, monkeypatch):
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        statement = "CREATE VIEW failing AS SELECT 7 / (31 - i) AS q FROM generate_series(1, 40) AS i"
        connection.exec_driver_sql(statement)
    monkeypatch.setattr("divulge.engines.database.table._BLOCK", 10)
    source = open_source(engine, table="health.People")
    column = replace(source.columns["age"], name="q", grouped=sa.column("q").label("q"))
    broken = replace(source, attributes=("q",), place=sa.table("failing"), columns={"q": column})
    with pytest.raises(SourceError) as failed:
        broken.encode(["q"])
    assert "division" not in str(failed.value)
    source.session.close()
    engine.dispose()


def test_the_first_values_are_the_same_with_and_without_grouping(url):
    source = open_source(url, table="health.People")
    assert source.summary("Zip", 2) == Summary(4, 2, 1, ["01234", "99999"])
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE keys (id text)")
        connection.exec_driver_sql("INSERT INTO keys VALUES ('b'), ('C'), ('a'), (NULL)")
    assert open_source(engine, table="keys").summary("id", 2) == Summary(3, 3, 3, ["C", "a"])
    engine.dispose()


#: Columns of many types, as PostgreSQL names them, and two values of each as it writes them.
TYPES = {
    "text": ("''", "' é'"),
    "varchar(9)": ("'A'", "'a'"),
    "char(3)": ("'x'", "''"),
    "smallint": ("1", "-1"),
    "bigint": ("9007199254740993", "0"),
    "numeric": ("1.10", "1.1"),
    "real": ("'NaN'", "0.1"),
    "double precision": ("0.0", "-0.0"),
    "boolean": ("true", "false"),
    "date": ("'2020-02-29'", "'1999-12-31'"),
    "timestamptz": ("'2020-02-29 12:00+02'", "'2020-02-29 10:00+00'"),
    "interval": ("'1 day'", "'36 hours'"),
    "uuid": ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "'00000000-0000-0000-0000-000000000000'"),
    "inet": ("'10.0.0.1'", "'::1'"),
    "bytea": ("'\\x00ff'", "''"),
    "mood": ("'sad'", "'glad'"),
}


@pytest.fixture(scope="module")
def typed(postgresql):
    """A table of every type, with records that lack one value, all values or none."""
    engine = sa.create_engine(postgresql.fresh().replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TYPE mood AS ENUM ('sad', 'glad')")
        columns = ", ".join(f'"c%%{place}" {kind}' for place, kind in enumerate(TYPES))
        connection.exec_driver_sql(f"CREATE TABLE typed ({columns})")
        pairs = list(TYPES.values())
        lists = [[pair[0] for pair in pairs], [pair[1] for pair in pairs], ["NULL"] * len(pairs)]
        lists += [[*lists[0][:place], "NULL", *lists[0][place + 1 :]] for place in range(len(pairs))]
        for values in [*lists, lists[1]]:
            connection.exec_driver_sql(f"INSERT INTO typed VALUES ({', '.join(values)})")
    yield engine
    engine.dispose()


def read_by(lines, source, monkeypatch):
    """Records and combinations of a table, each as a list of plain rows, with or without lines."""
    if not lines:
        monkeypatch.setattr("divulge.engines.database.table.come_as_lines", lambda *_: False)
    found = [source.encode(source.attributes)]
    combinations, times = source.combinations(source.attributes)
    found.append(combinations.encode(source.attributes))
    monkeypatch.undo()
    source.session.close()
    records, grouped = (list(zip(*map(Codes.values_of, one.values()), strict=True)) for one in found)
    return records, sorted(map(repr, zip(grouped, times.tolist(), strict=True)))


def test_rows_that_come_as_lines_have_the_values_that_the_driver_gives(typed, monkeypatch):
    monkeypatch.setattr("divulge.engines.database.table._BLOCK", 7)
    lines = read_by(True, open_source(typed, table="typed"), monkeypatch)
    assert repr(lines) == repr(read_by(False, open_source(typed, table="typed"), monkeypatch))
    assert lines[0][0][:2] == ("", "A")
    assert lines[0][2] == (None,) * len(TYPES)
    assert lines[0][1][-1] == "glad"


@pytest.mark.parametrize(
    "cell", ["\n", "\na", "a\n", "a\r\nb", "\r", "\x1f", "a\x1fb\n\x1fa\x1fb", "\t", "\\N", "%s"]
)
def test_a_cell_with_what_ends_lines_is_read_whole(url, monkeypatch, cell):
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE IF EXISTS notes")
        connection.exec_driver_sql("CREATE TABLE notes (one text, other text)")
        connection.execute(sa.text("INSERT INTO notes VALUES (:c, 'x'), ('', :c), (NULL, NULL)"), {"c": cell})
    records, grouped = read_by(True, open_source(engine, table="notes"), monkeypatch)
    assert records == [(cell, "x"), ("", cell), (None, None)]
    assert grouped == sorted(repr((row, 1)) for row in records)
    engine.dispose()


def test_values_that_repeat_late_are_not_all_different(url):
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE late AS SELECT mod(i, 1500) AS who, i AS id FROM generate_series(0, 1999) i"
        )
        connection.exec_driver_sql("INSERT INTO late VALUES (NULL, NULL)")
    source = open_source(engine, table="late")
    assert source.summary("who", 1) == Summary(2000, 1500, 1000, [0])
    assert source.summary("id", 1) == Summary(2000, 2000, 2000, [0])
    assert (source.distinct(["who"]), source.distinct(["id"])) == (1501, 2001)
    source.session.close()
    engine.dispose()
