"""A service's database on a PostgreSQL server: serializable transactions, and a lock for each dataset."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import Any

from divulge.errors import MissingLibrary, SourceError, Unavailable
from divulge.service.store.connection import WAIT, Found, Query, Row, Transaction, Writing, prepare
from divulge.service.store.exchanges import Exchanges
from divulge.service.store.idle_connections import IdleConnections
from divulge.service.store.index_check import indexes_are_whole
from divulge.service.store.planner_statistics import PlannerStatistics
from divulge.service.store.rows_as_json import as_json, as_values

AT_ONCE = 5000  # rows that are written by one statement
RETRIES = 20  # of a transaction that could not be put in order with others
APPLICATION = "divulge"  # as the server lists its connections
logging.getLogger("psycopg").addHandler(logging.NullHandler())  # what failed is said in words of our own
UNLOCK = "SELECT pg_advisory_unlock_all()"  # a session locks nothing else
READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
LISTED = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"


class PostgreSQL:
    """A server. Transactions are serializable, and those of a chain also take turns by an advisory lock.

    The lock is taken before the transaction begins: a serializable transaction sees what was there when it
    began, and must not begin while another still writes. Its beginning goes to the server together with the
    first queries, and its end together with everything that is written.
    """

    ISOLATION = "SERIALIZABLE"
    writes_alone = False

    def __init__(self, url: str, *, create: bool = False, earlier: bool = False, wait: float = WAIT) -> None:
        try:
            import psycopg
        except ImportError:
            raise MissingLibrary("a PostgreSQL database", "psycopg", "service") from None
        self._psycopg = psycopg
        self.name = url.rpartition("@")[2]
        self._url, self._wait = url, wait
        self._connections = IdleConnections(self._connect, (psycopg.Error, OSError))
        self._statistics = PlannerStatistics()
        try:
            with self._connections.one() as connection:
                transaction = _PostgreSQL(connection, "BEGIN")
                self.version = prepare(transaction, self.name, LISTED, create=create, earlier=earlier)
                transaction.end("COMMIT")
        except psycopg.Error as error:
            self.close()
            reason = str(error).strip().splitlines()[0]
            raise SourceError(f"The database {self.name} cannot be used: {reason}.") from None
        except SourceError:
            self.close()
            raise

    def transact(self, chain: str, work: Callable[[Transaction], Found]) -> Found:
        conflict = (self._psycopg.errors.SerializationFailure, self._psycopg.errors.DeadlockDetected)
        try:
            for attempt in range(RETRIES):
                with self._connections.one() as connection:
                    try:
                        return self._in_turn(connection, chain, work)
                    except conflict:
                        pass
                time.sleep(min(0.002 * 2**attempt, 0.1))
        except (self._psycopg.Error, OSError) as error:
            raise Unavailable("The database failed, so nothing was decided.") from error
        raise Unavailable("Too many requests at once, so nothing was decided.")

    def _in_turn(self, connection: Exchanges, chain: str, work: Callable[[Transaction], Found]) -> Found:
        try:
            self._take_turn(connection, chain)
            transaction = _PostgreSQL(connection, f"BEGIN ISOLATION LEVEL {self.ISOLATION}")
            found = work(transaction)
            self._commit(transaction)
        except BaseException:
            if not connection.closed:
                connection.ask([("ROLLBACK", ())])
                connection.ask([(UNLOCK, ())])
            raise
        self._follow(connection, transaction.written)
        return found

    def _follow(self, connection: Exchanges, written: int) -> None:
        """Have the server look at tables that have grown; whatever comes of it, all is committed."""
        try:
            self._statistics.follow(connection, written)
        except (self._psycopg.Error, OSError):
            connection.close()

    def transact_alone(self, work: Callable[[Transaction], Found]) -> Found:
        def alone(connection: Transaction) -> Found:
            connection.rows("LOCK TABLE made_by IN ACCESS EXCLUSIVE MODE")  # who opens it waits, then looks
            connection.rows("SET LOCAL statement_timeout = 0")
            self._require_alone(connection)
            return work(connection)

        return self.transact("", alone)

    def _require_alone(self, connection: Transaction) -> None:
        """Refuse while others have the database open that may be services; those that just ended may go."""
        sql = """SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()
            AND pid <> pg_backend_pid() AND application_name IN ('', ?)"""
        until = time.monotonic() + self._wait
        while connection.rows(sql, (APPLICATION,)) != [(0,)]:
            if time.monotonic() > until:
                raise SourceError(
                    f"Another process has {self.name} open.", hint="Stop every service on it, then try again."
                )
            time.sleep(0.05)
            connection.rows("SELECT pg_stat_clear_snapshot()")

    def _take_turn(self, connection: Exchanges, chain: str) -> None:
        """Wait for one's turn on a chain, which lasts until ``UNLOCK`` or the end of the connection."""
        key = int.from_bytes(hashlib.sha256(chain.encode()).digest()[:8], signed=True)
        connection.ask([("SELECT pg_advisory_lock($1)", (key,))])

    def _commit(self, transaction: _PostgreSQL) -> None:
        transaction.end("COMMIT", UNLOCK)

    def read(self, work: Callable[[Transaction], Found]) -> Found:
        try:
            with self._connections.one() as connection:
                transaction = _PostgreSQL(connection, READING)
                try:
                    return work(transaction)
                finally:
                    if not connection.closed:
                        transaction.end("ROLLBACK")
        except (self._psycopg.Error, OSError) as error:
            raise Unavailable("The database cannot be read.") from error

    def look(self, queries: Sequence[Query]) -> list[list[Row]]:
        try:
            with self._connections.one() as connection:
                return _PostgreSQL(connection, READING).only(queries)
        except (self._psycopg.Error, OSError) as error:
            raise Unavailable("The database cannot be read.") from error

    def _connect(self) -> Exchanges:
        wait = int(self._wait * 1000)
        connection = self._psycopg.connect(
            self._url,
            autocommit=True,
            application_name=APPLICATION,
            cursor_factory=self._psycopg.RawCursor,  # parameters are $1, $2 and so on
            client_encoding="utf8",
            connect_timeout=max(2, int(self._wait)),
            options=f"-c lock_timeout={wait} -c statement_timeout={wait * 2} -c synchronous_commit=on",
        )
        self._require_direct(connection)
        return Exchanges(connection)

    def _require_direct(self, connection: Any) -> None:
        """Refuse a pooler in between, which may give every transaction another session.

        It names a process of its own when it answers. Locks and settings of a session would be lost, and so
        decisions would no longer take turns.
        """
        ((process,),) = connection.execute("SELECT pg_backend_pid()").fetchall()
        if process != connection.info.backend_pid:
            connection.close()
            raise SourceError(
                f"A connection pooler such as PgBouncer answers at {self.name}.",
                hint="Give the URL of the PostgreSQL server itself: locks of a session do not pass a pooler.",
            )

    def require_sound(self) -> bool:
        """Pages are checked by the server, with its checksums; indexes here, where amcheck may be used."""
        return self.read(partial(indexes_are_whole, name=self.name))

    def close(self) -> None:
        self._connections.close()


class _PostgreSQL:
    """A transaction that begins with its first statement; what is to be written is sent with the next one."""

    def __init__(self, connection: Exchanges, begin: str) -> None:
        self._connection = connection
        self._unsent: list[Query] = [(begin, ())]
        self._meanwhile: Callable[[], object] | None = None
        self.written = 0  # rows

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        return self.several([(sql, parameters)])[0]

    def several(self, queries: Sequence[Query]) -> list[list[Row]]:
        return self._asked([(numbered(sql), parameters) for sql, parameters in queries])

    def only(self, queries: Sequence[Query]) -> list[list[Row]]:
        """The same, and nothing else: the transaction begins and ends with them, in one way to the server."""
        asked = [(numbered(sql), parameters) for sql, parameters in queries]
        return self._asked([*asked, ("ROLLBACK", ())])[:-1]

    def end(self, *statements: str) -> None:
        """End the transaction, with what is still to be written before that.

        Whatever fails, nothing after it is done.
        """
        self._asked([(one, ()) for one in statements])

    def _asked(self, queries: Sequence[Query]) -> list[list[Row]]:
        """What queries find after everything that is to be sent before them."""
        unsent, self._unsent = self._unsent, []
        meanwhile, self._meanwhile = self._meanwhile, None
        return self._connection.ask([*unsent, *queries], meanwhile)[len(unsent) :]

    def meanwhile(self, work: Callable[[], object]) -> None:
        self._meanwhile = work

    def write(self, writings: Sequence[Writing]) -> None:
        for sql, rows in writings:
            self.written += len(rows)
            self._unsent += _statements(sql, rows)

    def _send_first(self) -> None:
        """Have everything sent that comes before a statement outside of a pipeline."""
        if self._unsent:
            self._asked([])

    def add_rows(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        self._send_first()
        for part in batched(rows, AT_ONCE):  # each within the time of a statement
            with (
                self._connection.connection.cursor() as cursor,
                cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy,
            ):
                for row in part:
                    copy.write_row(row)
            self.written += len(part)

    def change_rows(
        self, table: str, columns: Sequence[str], keys: Sequence[str], rows: Sequence[Sequence[Any]]
    ) -> None:
        changes = ", ".join(f"{one} = given.{one}" for one in columns)
        self._by_key(f"UPDATE {table} SET {changes} FROM", table, columns, keys, rows)

    def remove_rows(self, table: str, keys: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        self._by_key(f"DELETE FROM {table} USING", table, (), keys, rows)

    def _by_key(
        self,
        sql: str,
        table: str,
        columns: Sequence[str],
        keys: Sequence[str],
        rows: Sequence[Sequence[Any]],
    ) -> None:
        self._send_first()
        names = (*columns, *keys)
        where = " AND ".join(f"{table}.{one} = given.{one}" for one in keys)
        for part in batched(rows, AT_ONCE):
            lists = ", ".join(f"?::{'bigint' if isinstance(one, int) else 'text'}[]" for one in part[0])
            given = f"unnest({lists}) AS given({', '.join(names)})"
            values = [list(one) for one in zip(*part, strict=True)]
            self._connection.connection.execute(numbered(f"{sql} {given} WHERE {where}"), values)


def _statements(sql: str, rows: Sequence[Sequence[Any]]) -> list[Query]:
    """What is sent to write some rows: as few statements as do the same."""
    together, few = as_json(sql), as_values(sql)
    if together is not None and together.takes(rows):
        return [(together.sql, (together.parameter(part),)) for part in batched(rows, AT_ONCE)]
    if few is not None and few.takes(rows):
        sql, values = few.statement(rows)
        return [(numbered(sql), values)]
    return [(numbered(sql), row) for row in rows]


@lru_cache(512)
def numbered(sql: str) -> str:
    """A statement whose parameters have numbers, as the server wants them.

    psycopg would take its own marks apart each time where there are more than fifty.

    >>> numbered("SELECT x FROM record WHERE dataset = ? AND id IN (?, ?)")
    'SELECT x FROM record WHERE dataset = $1 AND id IN ($2, $3)'
    """
    first, *others = sql.split("?")
    return first + "".join(f"${number}{part}" for number, part in enumerate(others, 1))


def batched(rows: Iterable[Sequence[Any]], most: int) -> Iterator[list[Sequence[Any]]]:
    """Rows, so many at once."""
    left = iter(rows)
    while part := list(islice(left, most)):
        yield part
