"""One suite for all engines: each answers every question as the same records in memory do."""

import functools
from decimal import Decimal
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

import divulge as dv
from array_modules import counted_by
from divulge.engines.out_of_core import opening
from questions import QUESTIONS, assert_same_documents, assert_same_readings, drawn, readings

pytest_plugins = ["spark_session"]

ENGINES = ["parquet", "gpu", "out of core", "sqlite", "postgresql", "spark", "connected"]
COLUMNS = {
    pa.bool_(): sa.Boolean,
    pa.float64(): sa.Float,
    pa.date32(): sa.Date,
    pa.decimal128(10, 2): lambda: sa.Numeric(10, 2),
    pa.string(): sa.Text,
}


@pytest.fixture
def engine(request, tmp_path):
    """What puts a table where an engine counts it: gives the source, and how it is opened."""
    if request.param in ("spark", "connected"):
        session = request.getfixturevalue(request.param)
        yield lambda table: (session.createDataFrame(table), {})
    elif request.param in ("sqlite", "postgresql"):
        made = request.getfixturevalue("empty_database")(request.param)
        yield lambda table: (stored(made, table), {"table": "people"})
    elif request.param == "gpu":
        with counted_by(np):
            yield lambda table: (written(table, tmp_path / "people.parquet"), {"engine": "gpu"})
    else:
        where = {"memory": "500MB"} if request.param == "out of core" else {}
        with patch.object(opening, "_fits", lambda needed, budget: False):
            yield lambda table: (written(table, tmp_path / "people.parquet"), where)


def stored(made, table):
    """The records as a table of a database."""
    columns = [sa.Column(one.name, COLUMNS.get(one.type, sa.BigInteger)()) for one in table.schema]
    people = sa.Table("people", sa.MetaData(), *columns)
    people.create(made)
    with made.begin() as connection:
        connection.execute(people.insert(), table.to_pylist())
    return made


def written(table, path):
    pq.write_table(table, path, row_group_size=7)
    return path


def as_kept(sqlite, table):
    """The table in memory; SQLite has neither dates nor decimals of its own."""
    columns = {name: table[name].to_pylist() for name in table.column_names}
    if sqlite and "day" in columns:
        columns["day"] = [day and day.isoformat() for day in columns["day"]]
        columns["fee"] = [fee if fee is None or fee % 1 else int(fee) for fee in columns["fee"]]
        columns["fee"] = [float(fee) if isinstance(fee, Decimal) else fee for fee in columns["fee"]]
    return columns


#: Spark Connect is another way to the same Spark: how values come over is what may differ.
BY_CONNECT = {"re-identification", "missing dropped", "weights", "partitions", "one class", "given roles"}


def pairs(asked):
    """Every engine with everything asked."""
    return [(e, one) for e in ENGINES for one in asked if e != "connected" or one in BY_CONNECT]


@functools.cache
def read_here(sqlite, question):
    """What the same records read in memory, once for all engines that keep them alike."""
    table, asked = QUESTIONS[question]
    return readings(as_kept(sqlite, table), **asked)


@pytest.mark.parametrize(("engine", "question"), pairs(QUESTIONS), indirect=["engine"])
def test_every_reading_is_the_same(request, engine, question):
    name = request.node.callspec.params["engine"]
    table, asked = QUESTIONS[question]
    source, where = engine(table)
    assert_same_readings(readings(source, where=where, **asked), read_here(name == "sqlite", question))


ROLES = {"quasi_identifiers": ["city", "smoker", "day"], "sensitive": ["ill"]}


AUDITED = drawn(13, 200)
FEW = AUDITED.select(["city", "smoker", "ill"])  # on Spark each attribute takes a second
ALL_ROLES = {
    "proposed roles": {},
    "proposed roles of few": {},
    "given roles": ROLES,
    "people": {**ROLES, "identifiers": "person"},
    "weighted": {**ROLES, "weights": "grade"},
}


@functools.cache
def audited_here(sqlite, given):
    table = FEW if given == "proposed roles of few" else AUDITED
    return dv.audit(dv.read(as_kept(sqlite, table), **ALL_ROLES[given])).to_dict()


#: Where an audit that proposes roles usually reads a small table: Spark, and what others do as these do.
SMALL = {"spark", "parquet", "sqlite"}
#: What of an audit an engine for cards does otherwise than the one in memory.
ON_A_CARD = {"given roles", "people"}


def audits():
    """Every engine with all roles; an audit that proposes them reads many attributes."""
    return [
        pytest.param(
            engine, given, marks=[pytest.mark.slow] * (engine in SMALL and given == "proposed roles")
        )
        for engine, given in pairs(ALL_ROLES)
        if (engine in SMALL or given != "proposed roles of few") and (engine != "gpu" or given in ON_A_CARD)
    ]


@pytest.mark.parametrize(("engine", "given"), audits(), indirect=["engine"])
def test_an_audit_tells_the_same(request, engine, given):
    roles = ALL_ROLES[given]
    source, where = engine(FEW if given == "proposed roles of few" else AUDITED)
    there = dv.audit(dv.read(source, **where, **roles)).to_dict()
    assert_same_documents(there, audited_here(request.node.callspec.params["engine"] == "sqlite", given))
