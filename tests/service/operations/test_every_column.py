"""Verifying covers every column of every table: a row that is changed, put in or taken out is found."""

from contextlib import suppress

import pytest

from divulge.errors import SourceError, Unavailable
from divulge.service.identities.subjects import Subject
from divulge.service.ledger.secrets import Secrets
from divulge.service.operations.retention import remove_answers
from divulge.service.operations.verifying import LogCheck
from divulge.service.store.connection import prepare
from divulge.service.store.database import is_server, open_database
from service.history import TABLES, Requester, at_work, lived
from service.queries_scene import answering, ask, guarded
from service.scene import NAME

ALL = ("made_by", *TABLES)
PARTS_OF_A_KEY = {("policy", "version"), ("cell", "x"), ("cell", "y"), ("entry", "idx"), ("tree_node", "idx")}


class Undone(Exception):
    """Nothing of it stays."""


class Changed:
    """A database as it would be after a statement."""

    def __init__(self, database, sql, parameters=()):
        self.name, self._database = database.name, database
        self._change, self.applied = (sql, parameters), False

    def read(self, work):
        found = []

        def changed(connection):
            connection.rows(*self._change)
            self.applied = True
            found.append(work(connection))
            raise Undone

        with suppress(Undone):
            self._database.transact("change", changed)
        return found[0]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def scene(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("columns")
    sqlite = request.param == "sqlite"
    url = str(folder / "service.db") if sqlite else request.getfixturevalue("postgresql").fresh()
    found = lived(url, folder, requests=18, records=24)
    with at_work(found.place) as decider:
        for name in ("ann", "bob"):
            _, key = decider.make_key(role="auditor", name=name, by="me", expires="2999-01-01")
        decider.revoke_key(key.id, "me")
        scope = {"datasets": [NAME], "records": [found.ids[0]], "subject": Subject("issuer", "somebody")}
        decider.make_key(role="requester", name="eve", by="me", **scope)
        decider.clock = lambda: "2998-01-01T00:00:00.000000+00:00"
        assert remove_answers(decider, NAME, 90, "me") > 1
        Requester(decider, seed=3).ask(found.ids[5:], 6)
    guarded(url, folder)
    with answering(found.place) as (_, queries):
        for text in ("SELECT SUM(cost) FROM patients", "SELECT COUNT(*) FROM patients WHERE age > 40", "?"):
            ask(queries, text, text)
    return found


@pytest.fixture(scope="module")
def database(scene):
    found = open_database(scene.place.url)
    yield found
    found.close()


@pytest.fixture(scope="module")
def check(scene):
    secrets = Secrets.read(scene.place.keys)
    return LogCheck(secrets.digest, secrets.public)


def stays_whole(check, database, sql, parameters=()):
    """Whether verifying finds nothing of a change, which can be made."""
    changed = Changed(database, sql, parameters)
    found = whole(check, changed)
    assert changed.applied, sql
    return found


def whole(check, database):
    """Whether verifying finds nothing; what cannot be read at all is found as well."""
    try:
        database.read(lambda connection: prepare(connection, database.name, "", create=False, earlier=False))
        return all(one.fault is None for one in check.database(database))
    except (SourceError, Unavailable):
        return False


def columns(database, url, table):
    """The columns of a table with their types, and whether they may be empty."""
    if is_server(url):
        sql = """SELECT column_name, data_type, is_nullable = 'YES' FROM information_schema.columns
            WHERE table_name = ? ORDER BY ordinal_position"""
        return database.read(lambda connection: connection.rows(sql, (table,)))
    rows = database.read(lambda connection: connection.rows(f"PRAGMA table_info({table})"))
    return [(row[1], row[2].lower(), not row[3] and not row[5]) for row in rows]


def alterations(database, url):
    """For every column of every table a statement for each way in which one value can be another."""
    for table in ALL:
        for column, kind, nullable in columns(database, url, table):
            more = 1000 if (table, column) in PARTS_OF_A_KEY else 1
            other = f"{column} + {more}" if kind == "bigint" else f"{column} || 'x'"
            fresh = "7" if kind == "bigint" else "'x'"
            yield table, column, f"{other} WHERE {column} IS NOT NULL"
            if nullable:
                yield table, column, f"NULL WHERE {column} IS NOT NULL"
                yield table, column, f"{fresh} WHERE {column} IS NULL"


def one_row(database, url, table, where):
    """A condition that one row has."""
    return next(iter(rows(database, url, table, where)), None)


def rows(database, url, table, where):
    """For each row a condition that it alone has."""
    place = "ctid" if is_server(url) else "rowid"
    sql = f"SELECT {place} FROM {table} WHERE {where} ORDER BY 1"
    found = database.read(lambda connection: connection.rows(sql))
    return [f"{place} = '{one}'" if is_server(url) else f"{place} = {one}" for (one,) in found]


def test_what_nobody_touched_is_whole(check, database):
    assert whole(check, database)


def test_every_value_of_every_column_that_is_changed_is_found(check, database, scene):
    missed, tried = [], set()
    for table, column, change in alterations(database, scene.place.url):
        value, _, where = change.partition(" WHERE ")
        row = one_row(database, scene.place.url, table, where)
        if row is not None:
            tried.add((table, column))
            sql = f"UPDATE {table} SET {column} = {value} WHERE {row}"
            if stays_whole(check, database, sql):
                missed.append(sql)
    assert missed == []
    assert len(tried) == sum(len(columns(database, scene.place.url, table)) for table in ALL) > 50


@pytest.mark.slow
def test_every_value_of_every_row_that_is_changed_is_found(check, database, scene):
    tried = 0
    for table, column, change in alterations(database, scene.place.url):
        value, _, where = change.partition(" WHERE ")
        for row in rows(database, scene.place.url, table, where):
            tried += 1
            sql = f"UPDATE {table} SET {column} = {value} WHERE {row}"
            assert not stays_whole(check, database, sql), sql
    assert tried > 800


@pytest.mark.parametrize("table", ALL)
def test_a_row_that_is_taken_out_is_found(check, database, scene, table):
    row = one_row(database, scene.place.url, table, "1 = 1")
    assert not stays_whole(check, database, f"DELETE FROM {table} WHERE {row}")


@pytest.mark.parametrize("table", ALL)
def test_a_row_that_is_put_in_is_found(check, database, scene, table):
    """A copy of another under a name of its own."""
    names = [column for column, *_ in columns(database, scene.place.url, table)]
    named = {"cell": "x", "policy": "version", "entry": "idx", "answer": "key", "made_by": "version"}
    named |= {"request": "ticket", "head": "chain", "dataset": "name", "tree_node": "idx"}
    named |= {"removed_answer": "digest", "guarded_table": "name", "query": "repeat"}
    own = named.get(table, "id")
    values = ", ".join(
        (f"{name} + 1000" if own in ("x", "version", "idx") else f"{name} || 'x'") if name == own else name
        for name in names
    )
    row = one_row(database, scene.place.url, table, "1 = 1")
    assert not stays_whole(check, database, f"INSERT INTO {table} SELECT {values} FROM {table} WHERE {row}")


def test_two_rows_that_changed_their_contents_are_found(check, database):
    """Each has a content that some row had."""
    for table, name, columns_ in (("record", "id", "body, seal"), ("request", "ticket", "owner, record")):
        for column in columns_.split(", "):
            sql = f"SELECT {name}, {column} FROM {table} WHERE dataset = ? ORDER BY {column}, {name}"
            rows = database.read(lambda connection, sql=sql: connection.rows(sql, (NAME,)))
            (one, first), (_, last) = rows[0], rows[-1]
            change = f"UPDATE {table} SET {column} = ? WHERE {name} = ?"
            assert first == last or not stays_whole(check, database, change, (last, one))
