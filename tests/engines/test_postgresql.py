"""A table of a real PostgreSQL server, started for the tests and stopped after them."""

from dataclasses import replace

import pytest
import sqlalchemy as sa

import divulge as dv
from divulge.engines.base import Summary
from divulge.engines.opening import open_source
from divulge.errors import MissingSource, SourceError

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
