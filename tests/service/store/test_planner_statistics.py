"""A server whose tables grow quickly reads what it needs, and no more."""

import psycopg
import pytest

from divulge.service.decisions.open_requests import open_query
from divulge.service.store.planner_statistics import LOOK, PlannerStatistics
from divulge.service.store.postgresql import PostgreSQL, numbered

INSERT = "INSERT INTO request VALUES (?, 'd', ?, 0, 0, ?, ?, 1, NULL)"


@pytest.fixture
def database(postgresql):
    found = PostgreSQL(postgresql.fresh(), create=True)
    yield found
    found.close()


def asked(database, first, number, status="waiting"):
    """So many requests, each for a record of its own."""
    rows = [(f"t{i}", f"r{i}", "o", status) for i in range(first, first + number)]
    database.transact("d", lambda connection: connection.write([(INSERT, rows)]))


def rows_read_for_one_record(database):
    """How many waiting requests the server goes through to find those of one record, with the plan it has."""
    sql, given = open_query("d", ["r5"])
    marks = ", ".join(f"'{one}'" for one in given)

    def explained(connection):
        return [line for (line,) in connection.rows(f"EXPLAIN (ANALYZE, TIMING OFF) EXECUTE plan({marks})")]

    database.transact("d", lambda connection: connection.rows("SET plan_cache_mode = force_generic_plan"))
    if not database.read(
        lambda connection: connection.rows("SELECT name FROM pg_prepared_statements WHERE name = 'plan'")
    ):
        database.transact("d", lambda connection: connection.rows(f"PREPARE plan AS {numbered(sql)}"))
    lines = database.transact("d", explained)
    return sum(int(line.rpartition(":")[2]) for line in lines if "Removed" in line)


def test_one_records_requests_are_found_without_reading_all_that_wait(database):
    assert rows_read_for_one_record(database) == 0  # planned while the table is empty
    asked(database, 0, 2 * LOOK)
    assert rows_read_for_one_record(database) == 0


def test_without_looking_all_that_wait_are_read(database, monkeypatch):
    """What the test above finds is due to looking: this is what a server does by itself."""
    monkeypatch.setattr(PlannerStatistics, "follow", lambda *_: None)
    database.transact(
        "d", lambda connection: connection.rows("ALTER TABLE request SET (autovacuum_enabled = off)")
    )
    assert rows_read_for_one_record(database) == 0
    asked(database, 0, 2 * LOOK)
    assert rows_read_for_one_record(database) == 2 * LOOK - 1


class Server:
    """Notes what is asked of it; so many requests wait, of so many rows."""

    def __init__(self, waiting, rows):
        self.waiting, self.rows, self.looked = waiting, rows, 0

    def ask(self, queries):
        ((sql, _),) = queries
        self.looked += sql.startswith("ANALYZE")
        return [[(self.rows if "reltuples" in sql else self.waiting,)]]


def test_it_looks_again_when_rows_have_doubled_or_twice_as_many_wait():
    statistics, server = PlannerStatistics(), Server(0, 10 * LOOK)
    statistics.follow(server, LOOK - 1)
    assert server.looked == 0
    statistics.follow(server, 1)
    assert server.looked == 1
    for _ in range(9):
        statistics.follow(server, LOOK)
    assert server.looked == 1
    statistics.follow(server, LOOK)
    assert server.looked == 2
    server.waiting = LOOK // 10 + 1
    statistics.follow(server, LOOK)
    assert server.looked == 3
    statistics.follow(server, LOOK)
    assert server.looked == 3


def test_what_was_committed_is_answered_though_the_server_cannot_look(database, monkeypatch):
    def failing(*_):
        raise psycopg.OperationalError

    monkeypatch.setattr(PlannerStatistics, "follow", failing)
    asked(database, 0, 3)
    assert database.read(lambda connection: connection.rows("SELECT COUNT(*) FROM request")) == [(3,)]
