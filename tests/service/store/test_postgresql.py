"""A server: transactions that could have happened one after the other, and turns on each chain."""

import logging
import socket
import struct
import threading
from contextlib import closing, suppress

import psycopg
import pytest

from divulge.errors import SourceError, Unavailable
from divulge.service.store.postgresql import RETRIES, PostgreSQL
from service.many_rows import add_change_and_remove


@pytest.fixture
def database(postgresql):
    found = PostgreSQL(postgresql.fresh(), create=True, wait=1)
    yield found
    found.close()


def chains(connection):
    return [chain for (chain,) in connection.rows("SELECT chain FROM head ORDER BY chain")]


def add(connection):
    insert = "INSERT INTO head (chain, epoch, idx, hash) VALUES (?, 0, 0, '')"
    connection.write([(insert, [("a",), ("b",)]), (insert, [])])


def in_a_thread(work, *given):
    thread = threading.Thread(target=work, args=given)
    thread.start()
    return thread


def test_what_was_done_is_seen_by_others(database):
    database.transact("any", add)
    other = PostgreSQL(database._url)
    assert other.read(chains) == ["a", "b"]
    other.close()


def test_nothing_is_done_by_halves(database):
    def work(connection):
        add(connection)
        assert chains(connection) == ["a", "b"]  # what is to be written is, before anything is read
        raise KeyError

    with pytest.raises(KeyError):
        database.transact("any", work)
    assert database.read(chains) == []


def test_what_fails_at_the_end_leaves_nothing_behind_and_its_turn_to_others(database):
    def work(connection):
        add(connection)
        add(connection)  # the same again

    with pytest.raises(Unavailable, match="nothing was decided"):
        database.transact("any", work)
    other = PostgreSQL(database._url, wait=1)
    assert other.read(chains) == []
    other.transact("any", add)
    database.transact(
        "any", lambda connection: connection.write([("DELETE FROM head WHERE chain = ?", [("a",)])])
    )
    assert database.read(chains) == ["b"]
    other.close()


def test_what_cannot_be_put_in_order_is_found_at_the_end_and_done_again(database):
    other, seen = PostgreSQL(database._url, wait=1), []
    insert = "INSERT INTO head (chain, epoch, idx, hash) VALUES (?, 0, 0, '')"

    def add_one(connection, name):
        found = chains(connection)
        connection.write([(insert, [(name,)])])
        return found

    def work(connection):
        found = add_one(connection, "mine")
        seen.append(found)
        if len(seen) == 1:  # another transaction has read the same, and writes first
            in_a_thread(other.transact, "another", lambda connection: add_one(connection, "theirs")).join()

    database.transact("one", work)
    assert seen == [[], ["theirs"]]
    assert database.read(chains) == ["mine", "theirs"]
    other.close()


def test_several_queries_are_answered_in_their_order(database):
    asked = [("SELECT ?::int", (one,)) for one in (3, 1, 2)]
    found = database.transact("any", lambda connection: connection.several(asked))
    assert found == [[(3,)], [(1,)], [(2,)]]


def test_transactions_are_serializable_and_on_disk_when_they_end(database):
    def work(connection):
        return [connection.rows(f"SHOW {one}") for one in ("transaction_isolation", "synchronous_commit")]

    assert database.transact("any", work) == [[("serializable",)], [("on",)]]
    assert database.read(work)[0] == [("repeatable read",)]


def test_one_chain_takes_turns_and_others_do_not_wait(database):
    begun = []

    def work(_):
        begun.append("first")
        waiting = in_a_thread(database.transact, "same", lambda _: begun.append("same"))
        other = in_a_thread(database.transact, "other", lambda _: begun.append("other"))
        other.join()
        waiting.join(0.2)
        assert begun == ["first", "other"]
        return waiting

    database.transact("same", work).join()
    assert begun == ["first", "other", "same"]


def test_a_reading_cannot_write(database):
    with pytest.raises(Unavailable, match="cannot be read"):
        database.read(add)
    assert database.read(chains) == []


def test_a_look_is_one_way_to_the_server_and_leaves_no_transaction_behind(database):
    database.transact("any", add)
    asked = [("SELECT chain FROM head WHERE chain = ?", (one,)) for one in "ba"]
    with database._connections.one() as held:
        pass  # the one that is taken next, as nobody else takes any
    assert database.look([*asked, ("SHOW transaction_isolation", ())]) == [
        [("b",)],
        [("a",)],
        [("repeatable read",)],
    ]
    assert held.idle
    with pytest.raises(Unavailable, match="cannot be read"):
        database.look([("DELETE FROM head", ())])
    assert database.look(asked) == [[("b",)], [("a",)]]


def test_work_that_collides_is_done_again_and_given_up_in_the_end(database):
    def work(_):
        attempts.append(1)
        if len(attempts) <= collisions:
            raise psycopg.errors.SerializationFailure

    attempts, collisions = [], 2
    database.transact("any", work)
    assert len(attempts) == 3
    attempts.clear()
    collisions = RETRIES
    with pytest.raises(Unavailable, match="Too many"):
        database.transact("any", work)


def test_a_server_that_is_not_there_is_named_without_its_password():
    url = "postgresql://postgres:secret@/nothing?host=/tmp/nowhere"
    with pytest.raises(SourceError, match="cannot be used") as raised:
        PostgreSQL(url)
    assert "secret" not in str(raised.value)


def test_what_is_no_database_of_this_version_is_refused(postgresql, database):
    with pytest.raises(SourceError, match="cannot be used"):
        PostgreSQL(postgresql.fresh())
    database.transact("any", lambda connection: connection.rows("UPDATE made_by SET version = 99"))
    with pytest.raises(SourceError, match="version 99, made by a newer divulge"):
        PostgreSQL(database._url, earlier=True)


def test_tables_are_changed_while_nobody_else_has_them_open(database):
    def work(connection):
        connection.rows("ALTER TABLE head ADD COLUMN more TEXT")

    other = PostgreSQL(database._url)
    quick = PostgreSQL(database._url, wait=0.1)
    with pytest.raises(SourceError, match="Another process has"):
        quick.transact_alone(work)
    database.close()
    other.close()
    quick._wait = 5
    quick.transact_alone(work)
    assert quick.read(lambda connection: connection.rows("SELECT more FROM head")) == []
    quick.close()


class Pooler:
    """Passes everything on, but names a process of its own to who connects, as PgBouncer does."""

    def __init__(self, server):
        self._server = server
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = self._door.getsockname()[1]
        self._thread = in_a_thread(self._serve)

    def _serve(self):
        client, _ = self._door.accept()
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(self._server)
            forth = in_a_thread(self._pass, client, server)
            self._pass(server, client, rewritten=True)
            forth.join()

    def _pass(self, source, target, rewritten=False):
        while data := source.recv(1 << 16):
            place = data.find(b"K\x00\x00\x00\x0c") if rewritten else -1
            if place >= 0:  # the key with which to cancel: a process, a secret
                data = data[: place + 5] + struct.pack(">i", 7) + data[place + 9 :]
                rewritten = False
            target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def close(self):
        self._thread.join()
        self._door.close()


def test_a_pooler_in_between_is_refused(database):
    with closing(psycopg.connect(database._url)) as connection:
        info = connection.info
        server, named = f"{info.host}/.s.PGSQL.{info.port}", (info.user, info.dbname)
    with closing(Pooler(server)) as door:
        url = f"postgresql://{named[0]}@127.0.0.1:{door.port}/{named[1]}?sslmode=disable"
        with pytest.raises(SourceError, match="pooler such as PgBouncer") as raised:
            PostgreSQL(url)
        assert "server itself" in str(raised.value)


def test_many_rows_are_added_changed_and_removed_at_once(database):
    add_change_and_remove(database)


def test_the_driver_says_nothing_of_its_own_where_nobody_listens():
    told = logging.getLogger("psycopg").handlers
    assert any(isinstance(one, logging.NullHandler) for one in told)  # else it would go to standard error
