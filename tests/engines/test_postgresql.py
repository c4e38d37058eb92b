"""A table of a real PostgreSQL server, started for the tests and stopped after them."""

import pytest
import sqlalchemy as sa

import divulge as dv
from divulge.engines.opening import open_source
from divulge.errors import MissingSource

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
