"""A table that is counted inside a database gives the numbers that the same records give in memory."""

import datetime
import math
from decimal import Decimal

import numpy as np
import pytest
import sqlalchemy as sa

import divulge as dv
from divulge.errors import SourceError
from divulge.source.database import DatabaseTable

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
def database(request, tmp_path):
    """An engine of SQLAlchemy over an empty database."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'people.db'}"
    else:
        url = request.getfixturevalue("postgresql").fresh().replace("postgresql:", "postgresql+psycopg:")
    engine = sa.create_engine(url)
    yield engine
    engine.dispose()


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


def differences(one, other, path=""):
    """Where two documents differ, numbers to twelve digits."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in {*one, *other}:
            yield from differences(one.get(key), other.get(key), f"{path}/{key}")
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        for place, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{path}[{place}]")
    elif isinstance(one, float) and isinstance(other, float):
        if not math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12):
            yield path, one, other
    elif one != other:
        yield path, one, other


@pytest.mark.parametrize("keys", [["age"], ["city", "height", "born", "income", "member"]])
@pytest.mark.parametrize("target", ["illness", "@record"])
@pytest.mark.parametrize("missing", ["value", "drop", "wildcard"])
def test_all_measures_agree(database, keys, target, missing):
    columns = people()
    there = dv.read(stored(database, columns), table="people", missing=missing)
    here = dv.read(in_memory(columns, database), missing=missing)
    found = [dv.measure(data, keys=keys, target=target).to_dict(by_value=True) for data in (there, here)]
    for one in found:
        one["data"].pop("source")
        for reading in one["readings"]:
            reading.get("by_value", []).sort(key=str)
    assert list(differences(*found)) == []


def test_partitions_and_hierarchies_apply_to_what_the_database_counted(database):
    columns = people()
    bins = {"age": {"bins": [30, 50]}, "illness": {"lungs": ["flu", "asthma"], "else": ["cold", "none"]}}
    asked = {"keys": ["age", "city"], "target": "illness", "partitions": bins}
    there = dv.measure(dv.read(stored(database, columns), table="people"), **asked).to_dict()
    here = dv.measure(dv.read(in_memory(columns, database)), **asked).to_dict()
    assert list(differences(there["readings"], here["readings"])) == []


@pytest.mark.parametrize("roles", [{}, ROLES, {**ROLES, "identifiers": ["name"]}])
def test_an_audit_tells_the_same(database, roles):
    columns = people(records=600)
    there = dv.audit(dv.read(stored(database, columns), table="people", **roles)).to_dict()
    here = dv.audit(dv.read(in_memory(columns, database), **roles)).to_dict()
    unlike = [one for one in differences(there, here) if one[0] not in ("/source/name", "/roles/explicit")]
    assert unlike == []


def test_people_of_several_records_are_counted_as_people(database):
    columns = people()
    columns["name"] = [f"p{i // 3}" for i in range(400)]
    roles = {**ROLES, "identifiers": ["name"]}
    there = dv.audit(dv.read(stored(database, columns), table="people", **roles)).to_dict()
    here = dv.audit(dv.read(in_memory(columns, database), **roles)).to_dict()
    assert there["source"]["people"] == here["source"]["people"] == 134
    unlike = [one for one in differences(there, here) if one[0] not in ("/source/name", "/roles/explicit")]
    assert unlike == []


def test_weights_are_read_with_the_records(database):
    columns = {**people(), "weight": [1.0 + i % 3 for i in range(400)]}
    types = {**TYPES, "weight": sa.Float()}
    asked = {"keys": ["age"], "target": "illness"}
    there = dv.read(stored(database, columns, types), table="people", weights="weight")
    here = dv.read(in_memory(columns, database), weights="weight")
    found = [dv.measure(data, **asked).to_dict()["readings"] for data in (there, here)]
    assert list(differences(*found)) == []


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


def test_text_that_a_column_takes_for_the_same_is_told_apart(tmp_path):
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'people.db'}")
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE people (city TEXT COLLATE NOCASE)"))
        connection.execute(sa.text("INSERT INTO people VALUES ('Oslo'), ('oslo'), ('OSLO')"))
    assert dv.measure(dv.read(engine, table="people"), "class_count", keys="city").value == 3
    engine.dispose()
