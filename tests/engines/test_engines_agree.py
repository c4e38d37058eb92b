"""One suite for all engines: each answers every question as the same records in memory do."""

from contextlib import contextmanager
from decimal import Decimal
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

import divulge as dv
from divulge.engines.out_of_core import opening
from questions import QUESTIONS, assert_same_documents, assert_same_readings, drawn, readings

pytest_plugins = ["spark_session"]

ENGINES = ["parquet", "out of core", "sqlite", "postgresql", "spark", "connected"]
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
        with database(request, tmp_path) as made:
            yield lambda table: (stored(made, table), {"table": "people"})
    else:
        where = {"memory": "500MB"} if request.param == "out of core" else {}
        with patch.object(opening, "_fits", lambda needed, budget: False):
            yield lambda table: (written(table, tmp_path / "people.parquet"), where)


@contextmanager
def database(request, folder):
    url = f"sqlite:///{folder / 'people.db'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgresql").fresh().replace("postgresql:", "postgresql+psycopg:")
    made = sa.create_engine(url)
    try:
        yield made
    finally:
        made.dispose()


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


def as_kept(engine_name, table):
    """The table in memory; SQLite has neither dates nor decimals of its own."""
    columns = {name: table[name].to_pylist() for name in table.column_names}
    if engine_name == "sqlite" and "day" in columns:
        columns["day"] = [day and day.isoformat() for day in columns["day"]]
        columns["fee"] = [fee if fee is None or fee % 1 else int(fee) for fee in columns["fee"]]
        columns["fee"] = [float(fee) if isinstance(fee, Decimal) else fee for fee in columns["fee"]]
    return columns


#: Spark Connect is another way to the same Spark: how values come over is what may differ.
BY_CONNECT = {"re-identification", "missing dropped", "weights", "partitions", "one class", "given roles"}


def pairs(asked):
    """Every engine with everything asked."""
    return [(e, one) for e in ENGINES for one in asked if e != "connected" or one in BY_CONNECT]


@pytest.mark.parametrize(("engine", "question"), pairs(QUESTIONS), indirect=["engine"])
def test_every_reading_is_the_same(request, engine, question):
    name = request.node.callspec.params["engine"]
    table, asked = QUESTIONS[question]
    source, where = engine(table)
    here = readings(as_kept(name, table), **asked)
    assert_same_readings(readings(source, where=where, **asked), here)


ROLES = {"quasi_identifiers": ["city", "smoker", "day"], "sensitive": ["ill"]}


ALL_ROLES = {
    "proposed roles": {},
    "given roles": ROLES,
    "people": {**ROLES, "identifiers": "person"},
    "weighted": {**ROLES, "weights": "grade"},
}


@pytest.mark.parametrize(("engine", "given"), pairs(ALL_ROLES), indirect=["engine"])
def test_an_audit_tells_the_same(request, engine, given):
    roles = ALL_ROLES[given]
    table = drawn(13, 200)
    source, where = engine(table)
    there = dv.audit(dv.read(source, **where, **roles)).to_dict()
    here = dv.audit(dv.read(as_kept(request.node.callspec.params["engine"], table), **roles)).to_dict()
    assert_same_documents(there, here)
