"""A large table of a PostgreSQL server grouped in two halves at once, from one state of it."""

import threading
import time

import pytest
import sqlalchemy as sa

import divulge as dv
from divulge.engines.database.halves import at_once, halves
from divulge.engines.opening import open_source
from divulge.errors import SourceError
from divulge.table.codes import Codes

ROWS = 5000
NAMES = ("age", "ill", "left")


@pytest.fixture
def engine(postgresql):
    """A table of so many rows in some fifty blocks; each of 84 combinations is in both halves."""
    engine = sa.create_engine(postgresql.fresh().replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE SCHEMA health")
        connection.exec_driver_sql(
            'CREATE TABLE health."People" AS SELECT i AS id, mod(i, 7) AS age, '
            f"nullif(mod(i, 12), 5)::text AS ill, i < {ROWS // 2} AS left, repeat('.', 50) AS pad "
            f"FROM generate_series(0, {ROWS - 1}) AS i"
        )
    yield engine
    engine.dispose()


@pytest.fixture
def asked(engine, monkeypatch):
    """What is asked for lines of groups, where every table is large, and by how many connections."""
    monkeypatch.setattr("divulge.engines.database.table._LARGE", 1)
    found = []

    def note(connection, cursor, statement, *_):
        if "format(" in statement:
            found.append((statement, connection.connection.dbapi_connection.info.backend_pid))

    sa.event.listen(engine, "before_cursor_execute", note)
    return found


def groups(source, names=NAMES):
    found, times = source.combinations(names)
    columns = map(Codes.values_of, found.encode(names).values())
    return {row: often for *row, often in zip(*columns, times.tolist(), strict=True) for row in [tuple(row)]}


def whole(engine):
    with engine.connect() as connection:
        query = 'SELECT age, ill, "left", count(*) FROM health."People" GROUP BY 1, 2, 3'
        return {(age, ill, left): n for age, ill, left, n in connection.exec_driver_sql(query)}


def test_halves_over_two_connections_have_the_groups_of_the_whole(engine, asked):
    source = open_source(engine, table="health.People")
    assert groups(source) == whole(engine)
    assert sorted("ctid <" in statement for statement, _ in asked) == [False, True]
    assert len({process for _, process in asked}) == 2
    assert groups(source, ("ill",)) == groups(open_source(engine.connect(), table="health.People"), ("ill",))


@pytest.mark.parametrize("left", ["<", ">="])
def test_a_half_may_have_no_rows(engine, asked, left):
    with engine.begin() as connection:
        connection.exec_driver_sql(f'DELETE FROM health."People" WHERE NOT id {left} 1000')
        connection.exec_driver_sql('ALTER TABLE health."People" SET (autovacuum_enabled = false)')
    assert groups(open_source(engine, table="health.People")) == whole(engine)
    assert len(asked) == 2


def test_an_audit_by_halves_is_that_of_the_whole(engine, asked, monkeypatch):
    roles = {"identifiers": "id", "quasi_identifiers": ["age", "left"], "sensitive": "ill"}

    def checks():
        data = dv.read(engine, table="health.People", **roles)
        return repr(dv.audit(data).to_dict()["checks"])

    by_halves, halves_asked = checks(), len(asked)
    monkeypatch.setattr("divulge.engines.database.table._LARGE", ROWS + 1)
    assert checks() == by_halves
    assert halves_asked == 2 * (len(asked) - halves_asked)


def test_rows_that_come_or_move_between_the_two_questions_change_neither(engine, asked):
    before, source = whole(engine), open_source(engine, table="health.People")

    def write(connection, cursor, statement, *_):
        if "format(" in statement:
            with engine.begin() as other:  # new versions of rows are behind all others, in the second half
                other.exec_driver_sql('UPDATE health."People" SET pad = pad || age WHERE mod(id, 5) = 0')
                other.exec_driver_sql("INSERT INTO health.\"People\" VALUES (-1, 99, 'new', true, '')")
                other.exec_driver_sql('DELETE FROM health."People" WHERE mod(id, 100) = 3')

    sa.event.listen(engine, "before_cursor_execute", write)
    assert groups(source) == before
    assert len(asked) == 2
    sa.event.remove(engine, "before_cursor_execute", write)
    source.session.close()
    assert whole(engine) != before


def test_a_view_and_a_server_that_uses_one_process_for_a_query_are_asked_as_a_whole(engine, asked):
    with engine.begin() as connection:
        connection.exec_driver_sql('CREATE VIEW seen AS SELECT * FROM health."People"')
        assert halves(connection, sa.table("seen")) is None
        people = sa.table("People", schema="health")
        assert len(halves(connection, people)) == 2
        connection.exec_driver_sql("SET max_parallel_workers_per_gather = 0")
        assert halves(connection, people) is None
    assert groups(open_source(engine, table="seen")) == whole(engine)
    assert len(asked) == 1


def asks_as_a_whole(engine, user):
    """Whether a user who gets no second connection has the answer all the same."""
    alone = sa.create_engine(engine.url.set(username=user))
    source = open_source(alone, table="health.People")
    with source.session.beside() as other:
        assert other is None
    assert groups(source) == whole(engine)
    source.session.close()
    alone.dispose()


def test_without_a_further_connection_the_table_is_asked_as_a_whole(engine, asked):
    with engine.begin() as connection:
        for statement in (
            "DROP ROLE IF EXISTS one_alone",
            "CREATE ROLE one_alone LOGIN CONNECTION LIMIT 1",
            "GRANT USAGE ON SCHEMA health TO one_alone",
            'GRANT SELECT ON health."People" TO one_alone',
        ):
            connection.exec_driver_sql(statement)
    asks_as_a_whole(engine, "one_alone")


def test_without_the_right_to_share_a_state_the_table_is_asked_as_a_whole(engine, asked):
    with engine.begin() as connection:
        connection.exec_driver_sql("REVOKE EXECUTE ON FUNCTION pg_export_snapshot() FROM public")
        connection.exec_driver_sql("DROP ROLE IF EXISTS by_itself")
        connection.exec_driver_sql("CREATE ROLE by_itself LOGIN")
        connection.exec_driver_sql("GRANT USAGE ON SCHEMA health TO by_itself")
        connection.exec_driver_sql('GRANT SELECT ON health."People" TO by_itself')
    asks_as_a_whole(engine, "by_itself")


def test_a_half_whose_connection_ends_is_asked_for_over_the_first(engine, asked):
    source = open_source(engine, table="health.People")

    def end(connection, cursor, statement, *_):
        if "ctid >=" in statement and len(ended) == 0:
            ended.append(connection.connection.dbapi_connection.info.backend_pid)
            with engine.connect() as other:
                other.exec_driver_sql(f"SELECT pg_terminate_backend({ended[0]}, 1000)")

    ended = []
    sa.event.listen(engine, "before_cursor_execute", end)
    assert groups(source) == whole(engine)
    assert len(ended) == 1


def test_an_error_of_the_first_ends_the_second_and_is_raised(engine):
    source = open_source(engine, table="health.People")
    sleeping = threading.Event()

    def group(connection, part):
        if part == "second":
            sleeping.set()
            connection.exec_driver_sql("SELECT pg_sleep(600)")
        assert sleeping.wait(60)
        while not working(engine):
            time.sleep(0.01)
        return connection.exec_driver_sql("SELECT 1 / 0")

    session = source.session
    with pytest.raises(SourceError), session.asking("The table") as ours, session.beside() as other:
        at_once(group, (ours, other), ("first", "second"))
    while working(engine):
        time.sleep(0.01)


def working(engine):
    with engine.connect() as connection:
        query = (
            "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)' AND state = 'active'"
        )
        return connection.exec_driver_sql(query).scalar()
