"""Columns of a PostgreSQL server in which no value occurs twice, by its own promise or by counting."""

import pytest
import sqlalchemy as sa

from divulge.engines.base import Summary
from divulge.engines.database.unique_columns import is_unique
from divulge.engines.opening import open_source


@pytest.fixture
def engine(postgresql):
    engine = sa.create_engine(postgresql.fresh().replace("postgresql:", "postgresql+psycopg:"))
    yield engine
    engine.dispose()


def made(engine, *statements):
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


PROMISED = {
    "a primary key": ('CREATE TABLE "K" ("Id" int PRIMARY KEY)', True),
    "a unique column": ('CREATE TABLE "K" ("Id" int UNIQUE)', True),
    "a part of a key": ('CREATE TABLE "K" ("Id" int, b int DEFAULT 1, PRIMARY KEY ("Id", b))', False),
    "a key that is looked at when all is written": (
        'CREATE TABLE "K" ("Id" int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)',
        False,
    ),
    "no key": ('CREATE TABLE "K" ("Id" int)', False),
}


@pytest.mark.parametrize(("statement", "promised"), PROMISED.values(), ids=PROMISED)
def test_a_key_of_one_column_is_promised_and_found_either_way(engine, statement, promised):
    made(engine, statement, 'INSERT INTO "K" ("Id") SELECT generate_series(1, 1500)')
    with engine.connect() as connection:
        assert is_unique(connection, sa.table("K"), "Id") is promised
    asked, source = [], open_source(engine, table="K")
    sa.event.listen(engine, "before_cursor_execute", lambda c, cursor, statement, *_: asked.append(statement))
    assert source.summary("Id", 2) == Summary(1500, 1500, 1500, [1, 2])
    assert any("DISTINCT" in statement for statement in asked) is not promised


@pytest.mark.parametrize("index", ["(mod(id, 10000))", "(id) WHERE id > 5", "(who, id)"])
def test_an_index_of_something_else_promises_nothing(engine, index):
    made(engine, "CREATE TABLE k (id int, who int)", f"CREATE UNIQUE INDEX ON k {index}")
    made(engine, "INSERT INTO k VALUES (1, 1), (2, 1), (3, 2)")
    with engine.connect() as connection:
        assert not any(is_unique(connection, sa.table("k"), one) for one in ("id", "who"))
    assert open_source(engine, table="k").distinct(["who"]) == 2


def test_missing_values_of_a_unique_column_are_many(engine):
    made(engine, "CREATE TABLE k (id int UNIQUE)", "INSERT INTO k VALUES (1), (7), (NULL), (NULL)")
    source = open_source(engine, table="k")
    assert source.summary("id", 5) == Summary(2, 2, 2, [1, 7])
    assert source.distinct(["id"]) == 3


def test_the_key_of_a_table_does_not_reach_those_that_inherit_from_it(engine):
    made(engine, "CREATE TABLE k (id int PRIMARY KEY)", "CREATE TABLE more () INHERITS (k)")
    made(engine, "INSERT INTO k VALUES (1), (2)", "INSERT INTO more VALUES (2), (3)")
    assert open_source(engine, table="k").distinct(["id"]) == 3


def test_a_not_a_number_is_missing_in_a_key_as_elsewhere(engine):
    made(engine, "CREATE TABLE k (id float PRIMARY KEY)", "INSERT INTO k VALUES (1.5), ('NaN')")
    source = open_source(engine, table="k")
    assert source.summary("id", 5) == Summary(1, 1, 1, [1.5])
    assert source.distinct(["id"]) == 2
