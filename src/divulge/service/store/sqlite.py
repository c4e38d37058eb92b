"""A service's database in a file: one process, one writer."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from divulge.errors import SourceError, Unavailable
from divulge.service.store.connection import WAIT, Found, Query, Row, Transaction, Writing, prepare
from divulge.service.store.file_lock import FileLock
from divulge.service.store.per_thread import PerThread

LISTED = "SELECT name FROM sqlite_master WHERE type = 'table'"


class SQLite:
    """A file. One process holds it, one connection writes and checkpoints, readers cannot write."""

    BEGIN = "BEGIN IMMEDIATE"
    writes_alone = True

    def __init__(
        self,
        path: Path,
        *,
        create: bool = False,
        read_only: bool = False,
        earlier: bool = False,
        wait: float = WAIT,
    ) -> None:
        self.name = str(path)
        self._path, self._wait = path, wait
        self._turn = threading.Lock()
        self._readers = PerThread(self._reading)
        self._lock: FileLock | None = None
        self._writer: sqlite3.Connection | None = None
        if not read_only:
            self._lock = FileLock(path, create=create)
            try:
                self._writer = self._opened(create, earlier)
            except BaseException:
                self._lock.release()
                raise
        else:
            self._require_readable()
            self.version = self.read(partial(self._prepared, create=False, earlier=earlier))

    def _prepared(self, connection: Transaction, *, create: bool, earlier: bool) -> int:
        return prepare(connection, self.name, LISTED, create=create, earlier=earlier)

    def _opened(self, create: bool, earlier: bool) -> sqlite3.Connection:
        writer = sqlite3.connect(
            self._path, timeout=self._wait, isolation_level=None, check_same_thread=False
        )
        try:
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "mmap_size = 0", "foreign_keys = ON"):
                writer.execute(f"PRAGMA {pragma}")
            require_sound(writer, self.name)
            writer.execute("BEGIN IMMEDIATE")  # all tables are made, or none
            self.version = self._prepared(_SQLite(writer), create=create, earlier=earlier)
            writer.execute("COMMIT")
        except BaseException as error:
            writer.close()
            if isinstance(error, sqlite3.Error):
                raise _unusable(self.name, error) from None
            raise
        return writer

    def require_sound(self) -> bool:
        """Refuse a file whose pages or indexes are damaged."""
        try:
            require_sound(self._readers.get(), self.name)
        except sqlite3.Error as error:
            raise _unusable(self.name, error) from None
        return True

    def _require_readable(self) -> None:
        """Refuse a file whose last commits are beside it where nothing can be written, so not to be read."""
        if self._is_fixed() and self._beside("-wal"):
            raise SourceError(
                f"The latest commits of {self.name} are in {self.name}-wal, and the folder is read-only.",
                hint="Copy both files to a folder that can be written to.",
            )

    def _is_fixed(self) -> bool:
        """Whether nothing can be written beside the file, and nobody has it open."""
        return not os.access(self._path.parent, os.W_OK) and not self._beside("-shm")

    def _beside(self, ending: str) -> int:
        """How long a file of SQLite's beside the database is."""
        try:
            return Path(f"{self._path}{ending}").stat().st_size
        except FileNotFoundError:
            return 0

    def transact(self, chain: str, work: Callable[[Transaction], Found]) -> Found:
        if self._writer is None:
            raise Unavailable("The database is open for reading only.")
        if not self._turn.acquire(timeout=self._wait):
            raise Unavailable("Too many requests are waiting for the database.")
        try:
            self._require_in_place()
            found = self._in_transaction(self._writer, work)
            self._require_in_place()
            return found
        finally:
            self._turn.release()

    def _require_in_place(self) -> None:
        """Refuse to go on in a file that nobody finds: what is written there is gone when it is closed."""
        if self._lock is not None and not self._lock.holds(self._path):
            raise Unavailable("The file of the database was replaced or removed while it was open.")

    def transact_alone(self, work: Callable[[Transaction], Found]) -> Found:
        return self.transact("", work)  # no other process has the file

    def _in_transaction(self, writer: sqlite3.Connection, work: Callable[[Transaction], Found]) -> Found:
        try:
            if writer.in_transaction:  # what could not be rolled back before
                writer.execute("ROLLBACK")
            writer.execute(self.BEGIN)
            try:
                found = work(self._connection(writer))
                self._commit(writer)
            except BaseException:
                if writer.in_transaction:
                    writer.execute("ROLLBACK")
                raise
        except (sqlite3.Error, OSError) as error:
            raise Unavailable("The database failed, so nothing was decided.") from error
        return found

    def _connection(self, connection: sqlite3.Connection) -> Transaction:
        return _SQLite(connection)

    def _commit(self, writer: sqlite3.Connection) -> None:
        writer.execute("COMMIT")

    def read(self, work: Callable[[Transaction], Found]) -> Found:
        self._require_in_place()
        try:
            reader = self._readers.get()
            if reader.in_transaction:
                reader.execute("ROLLBACK")
            reader.execute("BEGIN")
            try:
                return work(_SQLite(reader))
            finally:
                reader.execute("ROLLBACK")
        except (sqlite3.Error, OSError) as error:
            self._readers.drop()  # a query that was begun would go on showing the state of then
            raise Unavailable("The database cannot be read.") from error

    def look(self, queries: Sequence[Query]) -> list[list[Row]]:
        return self.read(lambda connection: connection.several(queries))

    def _reading(self) -> sqlite3.Connection:
        fixed = "&immutable=1" if self._is_fixed() and not self._beside("-wal") else ""
        return sqlite3.connect(
            f"file:{quote(str(self._path))}?mode=ro{fixed}",
            uri=True,
            timeout=self._wait,
            isolation_level=None,
            check_same_thread=False,  # it is closed by another thread
        )

    def backup(self, path: Path) -> None:
        """A consistent copy, made while the service goes on."""
        with closing(self._reading()) as source, closing(sqlite3.connect(path)) as copy:
            source.backup(copy)

    def close(self) -> None:
        """Put everything into the one file, so that a copy of it is whole, and let go of it."""
        self._readers.close()
        if self._writer is not None:
            with contextlib.suppress(sqlite3.Error):  # what is committed stays so without it
                self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._writer.close()
            self._writer = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None


class _SQLite:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        return self._connection.execute(sql, parameters).fetchall()

    def several(self, queries: Sequence[Query]) -> list[list[Row]]:
        return [self.rows(sql, parameters) for sql, parameters in queries]

    def meanwhile(self, work: Callable[[], object]) -> None:
        pass  # nothing is waited for

    def write(self, writings: Sequence[Writing]) -> None:
        for sql, rows in writings:
            self._connection.executemany(sql, rows)

    def add_rows(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        marks = ", ".join("?" * len(columns))
        self._connection.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)

    def change_rows(
        self, table: str, columns: Sequence[str], keys: Sequence[str], rows: Sequence[Sequence[Any]]
    ) -> None:
        changes = ", ".join(f"{one} = ?" for one in columns)
        self._connection.executemany(f"UPDATE {table} SET {changes} WHERE {_each(keys)}", rows)

    def remove_rows(self, table: str, keys: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        self._connection.executemany(f"DELETE FROM {table} WHERE {_each(keys)}", rows)


def _each(keys: Sequence[str]) -> str:
    return " AND ".join(f"{one} = ?" for one in keys)


def require_sound(connection: sqlite3.Connection, name: str) -> None:
    """Refuse a file whose pages are damaged, or whose indexes are not what its tables have.

    The quick check leaves out the indexes, by which decisions find who waits.
    """
    ((found,),) = connection.execute("PRAGMA integrity_check(1)").fetchall()
    if found != "ok":
        raise _damaged(name, str(found).splitlines()[-1])


def _damaged(name: str, reason: str) -> SourceError:
    return SourceError(f"{name} is damaged: {reason}.", hint="Restore a backup, then reconcile it.")


def _unusable(name: str, error: sqlite3.Error) -> SourceError:
    if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CORRUPT:
        return _damaged(name, str(error))
    return SourceError(f"{name} cannot be opened as a database: {error}.")
