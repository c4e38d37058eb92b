"""Statements that go to a server together: their order, their errors, and what the server keeps of them."""

import threading
from datetime import UTC, datetime

import psycopg
import pytest

from divulge.service.store.exchanges import AFTER, KEPT, Exchanges


@pytest.fixture
def connection(postgresql):
    found = Exchanges(psycopg.connect(postgresql.url(), autocommit=True))
    yield found
    found.close()


def now():
    return str(datetime.now(UTC))


def prepared(connection):
    (found,) = connection.ask([("SELECT statement FROM pg_prepared_statements", ())])
    return [statement for (statement,) in found]


def test_values_come_back_as_they_were_given(connection):
    texts = ["", "ä\u2028\U0001f600", "'; --", "\\x00", None]
    asked = "SELECT $1::text, $2::text, $3::text, $4::text, $5::text"
    numbers = (0, -1, 1 << 62, None, True)
    others = "SELECT $1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint"
    assert connection.ask([(asked, texts), (others, numbers)]) == [[(*texts,)], [(*numbers,)]]


@pytest.mark.parametrize(("value", "error"), [("a\0b", psycopg.DataError), (1.5, TypeError)])
def test_what_would_be_another_value_there_is_refused(connection, value, error):
    with pytest.raises(error):
        connection.ask([("SELECT $1::text", (value,))])
    assert connection.idle
    assert connection.ask([("SELECT 1", ())]) == [[(1,)]]


def test_nothing_after_the_first_error_is_done(connection):
    connection.ask([("CREATE TEMPORARY TABLE t (n BIGINT PRIMARY KEY)", ())])
    insert = "INSERT INTO t VALUES ($1)"
    with pytest.raises(psycopg.errors.UniqueViolation, match="already exists"):
        connection.ask([("BEGIN", ()), *[(insert, (one,)) for one in (1, 1, 2)], ("COMMIT", ())])
    assert not connection.idle  # it waits to be rolled back
    assert connection.ask([("ROLLBACK", ()), ("SELECT n FROM t", ())]) == [[], []]


def test_a_statement_is_prepared_once_it_was_used_some_times_also_after_an_error(connection):
    asked = ("SELECT $1::bigint / $2::bigint", (4, 2))
    for _ in range(AFTER + 1):
        assert not any(asked[0] in one for one in prepared(connection))
        assert connection.ask([asked]) == [[(2,)]]
    assert any(asked[0] in one for one in prepared(connection))
    failing, fresh = (asked[0], (1, 0)), ("SELECT 'fresh'", ())
    for _ in range(AFTER):
        connection.ask([fresh])
    with pytest.raises(psycopg.errors.DivisionByZero):
        connection.ask([failing, fresh])  # it is not prepared, since the server did not come to it
    assert connection.ask([fresh, asked]) == [[("fresh",)], [(2,)]]


def test_statements_that_were_used_long_ago_are_forgotten(connection):
    for _ in range(AFTER + 1):
        connection.ask([("SELECT 'old'", ())])
    assert prepared(connection) == ["SELECT 'old'"]
    connection.ask([(f"SELECT {number}", ()) for number in range(KEPT)])
    assert prepared(connection) == []
    assert connection.ask([("SELECT 'old'", ())]) == [[("old",)]]


def test_more_than_fits_on_its_way_goes_to_the_server_while_it_answers(connection):
    asked = [("SELECT repeat($1, 100)", ("x" * 1000,))] * 300  # 30 MB back, before all has gone there
    given = [("SELECT length($1)", ("y" * 100_000,))] * 300
    found = connection.ask([one for both in zip(asked, given, strict=True) for one in both])
    assert {len(rows[0][0]) for rows in found[::2]} == {100_000}
    assert {rows[0][0] for rows in found[1::2]} == {100_000}


def test_a_lost_connection_is_an_error_and_closed(connection, postgresql):
    ((process,),) = connection.ask([("SELECT pg_backend_pid()", ())])
    with psycopg.connect(postgresql.url(), autocommit=True) as other:
        end = threading.Timer(0.1, other.execute, ("SELECT pg_terminate_backend(%s)", process))
        end.start()
        with pytest.raises(psycopg.OperationalError):
            connection.ask([("SELECT pg_sleep(10)", ())])
        end.join()
    with pytest.raises(psycopg.OperationalError):
        connection.ask([("SELECT 1", ())])
    assert (connection.closed, connection.idle) == (True, False)


def test_something_is_done_while_an_answer_is_waited_for_and_its_errors_are_its_own(connection):
    done = []
    ended = connection.ask(
        [("SELECT pg_sleep(0.1), timezone('UTC', clock_timestamp())::text", ())], lambda: done.append(now())
    )
    assert done[0] < ended[0][0][1]
    assert connection.ask([("SELECT 1", ())], lambda: done[1]) == [[(1,)]]


def test_an_interrupt_meanwhile_closes_the_connection_whose_answer_is_lost(connection):
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        connection.ask([("SELECT 1", ())], interrupted)
    assert connection.closed
