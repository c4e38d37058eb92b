"""Tables that stay on a cluster or in a database are compared by a join, and give what records here give."""

import json
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

import divulge as dv
from divulge.alignment import elsewhere
from divulge.alignment.tables import align
from divulge.attacks.record_linkage import account
from divulge.cli.app import app
from divulge.engines.database.table import DatabaseTable
from divulge.engines.external import brought_over as external
from divulge.errors import TooMuch
from questions import assert_same_documents

pytest_plugins = ["spark_session"]

ENGINES = ["sqlite", "postgresql", pytest.param("spark", marks=pytest.mark.slow)]
ROLES = {"quasi_identifiers": ["age", "city"], "sensitive": ["ill"]}


def people(records=240):
    """A table with a key in no order, gaps and a value that no release has."""
    rng = np.random.default_rng(5)
    return {
        "id": rng.permutation(10 * records)[:records].tolist(),
        "age": rng.integers(20, 30, records).tolist(),
        "city": [[None, "Oslo", "Rome", "Bern"][place] for place in rng.integers(0, 4, records)],
        "ill": [["flu", "cold", None][place] for place in rng.integers(0, 3, records)],
        "pay": (rng.integers(1, 9, records) * 100).tolist(),
    }


def decades(table):
    """A release in decades without some records, in another order and with one record of nobody."""
    rng = np.random.default_rng(6)
    order = rng.permutation(len(table["id"]))[: len(table["id"]) - 20].tolist()
    found = {name: [column[row] for row in order] for name, column in table.items()}
    found["age"] = ["20-24" if age < 25 else "25-29" for age in found["age"]]
    found["city"] = ["*" if row % 9 == 0 else city for row, city in enumerate(found["city"])]
    return {
        name: [*column, extra]
        for (name, column), extra in zip(found.items(), (-1, "20-24", "Rome", "flu", 100), strict=True)
    }


def noisy(table):
    """A release of other numbers and exchanged sensitive values."""
    rng = np.random.default_rng(7)
    found = dict(table)
    found["age"] = (np.array(table["age"]) + rng.integers(-4, 5, len(table["age"]))).tolist()
    found["pay"] = (np.array(table["pay"]) + rng.integers(-50, 51, len(table["pay"]))).tolist()
    found["ill"] = [table["ill"][row] for row in rng.permutation(len(table["ill"]))]
    return found


KEYS = ["age", "city", "ill", "pay"]
RELEASES = {"in decades": decades, "with noise": noisy}


@pytest.fixture
def put(request):
    """What puts tables where an engine counts them: gives sources, and how each is opened."""
    if request.param == "spark":
        import pyarrow as pa

        session = request.getfixturevalue("spark")
        return lambda **tables: {
            name: (session.createDataFrame(pa.table(table)), {}) for name, table in tables.items()
        }
    return storing(request.getfixturevalue("empty_database")(request.param))


def storing(made):
    """What puts tables into a database."""

    def stored(**tables):
        for name, table in tables.items():
            kinds = [
                sa.BigInteger if isinstance(next(v for v in one if v is not None), int) else sa.Text
                for one in table.values()
            ]
            columns = [sa.Column(one, kind()) for one, kind in zip(table, kinds, strict=True)]
            place = sa.Table(name, sa.MetaData(), *columns)
            place.create(made)
            with made.begin() as connection:
                connection.execute(
                    place.insert(),
                    [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)],
                )
        return {name: (made, {"table": name}) for name in tables}

    return stored


@pytest.fixture
def put_sqlite(empty_database):
    """The same for a test of one engine."""
    return storing(empty_database("sqlite"))


def opened(placed, **roles):
    source, where = placed
    return dv.read(source, **where, **roles)


UNLIKE = (".provenance", ".original.name", ".methods")
DRAWN = {"linked_distance": ("linked_values",), "linked_interval": ("chance", "intervals")}


def told(comparison):
    """A comparison as a document, without what is drawn record by record and so depends on their order."""
    document = json.loads(json.dumps(comparison.to_dict()))
    for release in document["releases"]:
        for attack in release["attacks"]:
            for name in DRAWN.get(attack["attack"], ()):
                if attack["details"].pop(name, None) is not None:
                    attack["sentence"] = attack["sentence"].partition(";")[0]
    return document


def compared_there(placed, *, by):
    """A comparison of tables of which no cell may be fetched but in combinations."""
    with patch.object(elsewhere, "MOST_CELLS", 0):
        data = opened(placed["original"], **ROLES)
        return told(dv.compare(data, {"r": opened(placed["released"])}, by=by))


@pytest.mark.parametrize(
    ("put", "release"),
    [
        pytest.param(engine, name, marks=[pytest.mark.slow] * (engine == "spark"))
        for engine in ("sqlite", "postgresql", "spark")
        for name in RELEASES
    ],
    indirect=["put"],
)
def test_a_comparison_by_a_key_tells_the_same(put, release):
    original = people()
    released = RELEASES[release](original)
    there = compared_there(put(original=original, released=released), by="id")
    here = told(dv.compare(dv.read(original, **ROLES), {"r": dv.read(released)}, by="id"))
    assert there["releases"][0]["alignment"]["how"] == "by id"
    assert_same_documents(there, here, unlike=UNLIKE)


@pytest.mark.parametrize("put", ENGINES, indirect=True)
def test_a_comparison_without_a_key_tells_the_same(put):
    original = people()
    released = decades(original)
    there = compared_there(put(original=original, released=released), by=())
    here = told(dv.compare(dv.read(original, **ROLES), {"r": dv.read(released)}))
    [said] = there["releases"]
    [alone] = here["releases"]
    assert said["alignment"]["notes"].pop(0) == elsewhere.NO_ORDER
    assert alone["alignment"]["notes"].pop(0).startswith("Rows cannot be aligned")
    assert_same_documents(there, here, unlike=UNLIKE)


def twice(table):
    """A table in which a key stands on three records."""
    return {**table, "id": [*table["id"][:-2], *table["id"][:1] * 2]}


@pytest.mark.parametrize("put", ENGINES, indirect=True)
@pytest.mark.parametrize("where", ["original", "release"])
def test_a_key_that_repeats_aligns_nobody_and_the_note_says_where(put, where):
    tables = {"original": people(40), "released": people(40)}
    if where == "original":
        tables["original"] = twice(tables["original"])
    else:
        tables["released"] = twice(tables["released"])
    there = compared_there(put(**tables), by="id")
    here = told(dv.compare(dv.read(tables["original"], **ROLES), {"r": tables["released"]}, by="id"))
    [note] = [one for one in there["releases"][0]["alignment"]["notes"] if "repeats" in one]
    assert f"in the {where} it repeats" in note
    assert there["releases"][0]["alignment"] == here["releases"][0]["alignment"]


@pytest.mark.parametrize("put", ENGINES, indirect=True)
def test_keys_that_mean_missing_are_nobodys(put):
    tables = {"original": people(40), "released": people(40)}
    tables["original"]["id"][:3] = [-1, -1, -1]
    tables["released"]["id"][5:9] = [-1, -1, -1, -1]
    with patch.object(elsewhere, "MOST_CELLS", 0):
        placed = put(**tables)
        original, released = (opened(placed[name], missing_values="-1", **ROLES) for name in tables)
        there = align(original, released, by="id")
    here = align(*(dv.read(table, missing_values="-1", **ROLES) for table in tables.values()), by="id")
    assert (there.aligned, there.notes) == (here.aligned, here.notes) == (33, here.notes)


@pytest.mark.parametrize("put", ENGINES, indirect=True)
def test_records_are_linked_by_what_was_joined(put):
    original = people()
    released = noisy(original)
    placed = put(original=original, released=released)
    with patch.object(elsewhere, "MOST_CELLS", 0):
        there = dv.link(opened(placed["original"]), opened(placed["released"]), by="id", keys=["age", "city"])
    here = dv.link(original, released, by="id", keys=["age", "city"])
    assert there.model.m == pytest.approx(here.model.m, rel=1e-12)
    assert there.to_dict()["probabilistic"] == here.to_dict()["probabilistic"]
    assert there.distance.linked == pytest.approx(here.distance.linked, rel=1e-12)


def linked_by_combinations(placed, **how):
    """A linkage of tables of which no record may be held here."""
    with patch.object(elsewhere, "MOST_CELLS", 0), patch.object(external, "half_of_memory", lambda: 100):
        return dv.link(opened(placed["original"], **ROLES), opened(placed["released"]), **how)


@pytest.mark.parametrize("put", ENGINES, indirect=True)
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("by", ["id", ()])
def test_agreement_is_counted_by_combinations_as_by_records(put, release, by):
    original = people()
    released = RELEASES[release](original)
    there = linked_by_combinations(put(original=original, released=released), by=by, keys=KEYS)
    here = dv.link(dv.read(original, **ROLES), released, by=by, keys=KEYS)
    assert there.alignment.original.times is not None
    if not by:  # as records of a cluster have no order
        here = replace(here, alignment=replace(here.alignment, rows=None))
    assert there.model.counts.tolist() == here.model.counts.tolist()
    mine, theirs = (json.loads(json.dumps(one.to_dict())) for one in (there, here))
    assert_same_documents(mine["probabilistic"], theirs["probabilistic"])
    if release == "in decades":
        assert ("curve" in mine["probabilistic"]) == bool(by)
    assert mine["records"] == theirs["records"]
    assert mine["distance"]["undefined"] == mine["interval"]["undefined"] == account.STAYED
    assert mine["inference"] == [{"target": "ill", "undefined": account.STAYED}]


def test_agreement_is_counted_of_tables_whose_values_side_by_side_are_too_many(put_sqlite, monkeypatch):
    original = people()
    released = decades(original)
    counted = DatabaseTable.combinations

    def few(table, attributes):
        return None if elsewhere.IN_ORIGINAL in attributes else counted(table, attributes)

    monkeypatch.setattr(DatabaseTable, "combinations", few)
    there = linked_by_combinations(put_sqlite(original=original, released=released), by="id", keys=KEYS)
    assert there.rows is None
    assert elsewhere.NOT_JOINED in there.alignment.notes
    here = dv.link(dv.read(original, **ROLES), released, by="id", keys=KEYS)
    assert there.model.m == pytest.approx(here.model.m, rel=1e-12)
    found = there.to_dict()["probabilistic"]
    assert found["undefined"] == here.to_dict()["probabilistic"]["undefined"]
    assert "curve" not in found


def test_linking_by_text_without_records_here_is_refused(put_sqlite):
    placed = put_sqlite(original=people(40), released=people(40))
    places = [f"{source.url}#{where['table']}" for source, where in placed.values()]
    with patch.object(elsewhere, "MOST_CELLS", 0), patch.object(external, "half_of_memory", lambda: 100):
        found = CliRunner().invoke(app, ["link", *places, "--by", "id", "--fuzzy", "city"])
    assert isinstance(found.exception, TooMuch)
    assert "Holding 80 records of" in str(found.exception)


def test_sqlite_joins_by_an_index_and_not_each_record_with_each(put_sqlite):
    original = people(60)
    placed = put_sqlite(original=original, released=decades(original))
    made, joins = placed["original"][0], []

    @sa.event.listens_for(made, "before_cursor_execute")
    def listen(_connection, _cursor, statement, parameters, *_):
        if " JOIN " in statement:
            joins.append((statement, parameters))

    compared_there(placed, by="id")
    with made.connect() as connection:
        for statement, parameters in list(joins):
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
            searched = sum("USING AUTOMATIC" in line[3] for line in plan)
            assert searched == statement.count(" JOIN ")
    assert joins


def test_what_would_not_fit_is_refused_with_the_estimate(empty_database):
    made = empty_database("sqlite")
    with made.begin() as connection:
        for name in ("original", "released"):
            connection.exec_driver_sql(f"CREATE TABLE {name} (id INTEGER, age INTEGER, ill TEXT)")
            connection.exec_driver_sql(f"INSERT INTO {name} VALUES (1, 30, 'flu'), (2, 31, 'flu')")
    tables = [dv.read(made, table=name, quasi_identifiers="age") for name in ("original", "released")]
    said = "Holding 4 records of table original beside table released as codes would need about"
    with (
        patch.object(elsewhere, "MOST_CELLS", 0),
        patch.object(external, "half_of_memory", lambda: 100),
        pytest.raises(TooMuch, match=said),
    ):
        dv.compare(*tables, by="id")
