"""A table that is counted inside a database gives the numbers that the same records give in memory."""

import datetime
import math
from decimal import Decimal

import numpy as np
import pytest
import sqlalchemy as sa

import divulge as dv
from divulge.engines.database.table import DatabaseTable
from divulge.errors import SourceError
from questions import assert_same_documents

AGES = [23, 31, 31, 47, None, 52, 23, 64]
CITIES = ["Oslo", "oslo", "Œdipe", "日本", None, "", "*", "Rome "]
TYPES = {
    "name": sa.Text(),
    "age": sa.Integer(),
    "city": sa.Text(),
    "height": sa.Float(),
    "member": sa.Boolean(),
    "born": sa.Date(),
    "income": sa.Numeric(10, 2),
    "illness": sa.Text(),
}


def people(seed=0, records=400):
    """Records with missing values, odd text, numbers that look alike, dates, decimals and truth values."""
    rng = np.random.default_rng(seed)

    def pick(values):
        return [values[i] for i in rng.integers(0, len(values), records)]

    return {
        "name": [f"p{i}" for i in range(records)],
        "age": pick(AGES),
        "city": pick(CITIES),
        "height": pick([1.5, 1.75, 0.0, -0.0, math.nan, None, 2.0]),
        "member": pick([True, False, None]),
        "born": pick([datetime.date(1970, 1, 1), datetime.date(1981, 2, 3), None]),
        "income": pick([Decimal("10.00"), Decimal("20.50"), Decimal("0.00"), None]),
        "illness": pick(["flu", "cold", "asthma", "none"]),
    }


ROLES = {"quasi_identifiers": ["age", "city", "member"], "sensitive": ["illness"]}


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, empty_database):
    """An engine of SQLAlchemy over an empty database."""
    return empty_database(request.param)


def stored(engine, columns, types=TYPES):
    """The records as a table of the database."""
    table = sa.Table("people", sa.MetaData(), *(sa.Column(name, types[name]) for name in columns))
    table.create(engine)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    with engine.begin() as connection:
        connection.execute(table.insert(), rows)
    return engine


def in_memory(columns, engine):
    """The same columns; SQLite has neither dates nor decimals of its own."""
    if engine.dialect.name != "sqlite":
        return columns
    return {
        **columns,
        "born": [value and value.isoformat() for value in columns["born"]],
        "income": [None if value is None else float(value) for value in columns["income"]],
    }


def test_people_of_several_records_are_counted_as_people(database):
    columns = people()
    columns["name"] = [f"p{i // 3}" for i in range(400)]
    roles = {**ROLES, "identifiers": ["name"]}
    there = dv.audit(dv.read(stored(database, columns), table="people", **roles)).to_dict()
    here = dv.audit(dv.read(in_memory(columns, database), **roles)).to_dict()
    assert there["source"]["people"] == here["source"]["people"] == 134
    assert_same_documents(there, here)


def test_two_tables_are_compared_wherever_they_are(database):
    columns = people(records=120)
    coarse = {**columns, "age": [None if a is None else a // 10 * 10 for a in columns["age"]]}
    engine = stored(database, columns)
    there = dv.compare(dv.read(engine, table="people", **ROLES), dv.read(coarse)).to_dict()
    here = dv.compare(dv.read(in_memory(columns, database), **ROLES), dv.read(coarse)).to_dict()
    assert there["releases"][0]["checks"] == here["releases"][0]["checks"]


def test_records_do_not_come_over_when_they_can_be_counted_there(database, monkeypatch):
    def refuse(*_):
        raise AssertionError("records were brought over")

    data = dv.read(stored(database, people()), table="people", **ROLES, identifiers=["name"])
    monkeypatch.setattr(DatabaseTable, "encode", refuse)
    dv.audit(data).to_dict()
    dv.measure(data, keys=["age", "city"], target="illness").to_dict()


def test_an_audit_sees_one_state_of_the_database(database):
    """Records that come in while an audit is under way are not in some of its answers and out of others."""
    engine = stored(database, people())
    data = dv.read(engine, table="people", **ROLES)
    before = dv.measure(data, "class_count", keys=["age"]).value
    if engine.dialect.name == "postgresql":  # SQLite lets nobody write meanwhile, or shows it
        with engine.begin() as other:
            other.execute(sa.text("INSERT INTO people (age, illness) VALUES (99, 'flu')"))
    assert data.records == 400
    assert dv.measure(data, "class_count", keys=["age"]).value == before
    assert dv.measure(data, "k_anonymity", keys=["age", "city"]).question.records == 400


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_nothing_can_be_written_through_it(database):
    data = dv.read(stored(database, people()), table="people")
    with pytest.raises(SourceError), data.source.session.asking("the table") as connection:
        connection.execute(sa.text("DELETE FROM people"))


def test_names_reach_the_database_quoted(database):
    odd = {'a"b; DROP TABLE people --': ["x", "y", "x"], "select": [1, 2, 1], "ünï %(c)s": ["1", None, "1"]}
    types = dict(zip(odd, [sa.Text(), sa.Integer(), sa.Text()], strict=True))
    data = dv.read(stored(database, odd, types), table="people")
    assert dv.measure(data, "class_count", keys=list(odd)).value == 2


def test_text_that_a_column_takes_for_the_same_is_told_apart(empty_database):
    engine = empty_database("sqlite")
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE people (city TEXT COLLATE NOCASE)"))
        connection.execute(sa.text("INSERT INTO people VALUES ('Oslo'), ('oslo'), ('OSLO')"))
    assert dv.measure(dv.read(engine, table="people"), "class_count", keys="city").value == 3
