"""A service's database in a file: one process, one writer."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from divulge.errors import SourceError, Unavailable
from divulge.service.store.connection import WAIT, Found, Query, Row, Transaction, Writing, prepare
from divulge.service.store.per_thread import PerThread

LISTED = "SELECT name FROM sqlite_master WHERE type = 'table'"


class SQLite:
    """A file. One process holds it, one connection writes and checkpoints, readers cannot write."""

    BEGIN = "BEGIN IMMEDIATE"

    def __init__(
        self, path: Path, *, create: bool = False, read_only: bool = False, wait: float = WAIT
    ) -> None:
        self.name = str(path)
        self._path, self._wait = path, wait
        self._turn = threading.Lock()
        self._readers = PerThread(self._reading)
        self._lock: int | None = None
        self._writer: sqlite3.Connection | None = None
        if not read_only:
            self._lock = _only_process(path)
            try:
                self._writer = self._opened(create)
            except BaseException:
                os.close(self._lock)
                raise
        else:
            self.tables = self.read(
                lambda connection: prepare(connection, self.name, False, LISTED, writing=False)
            )

    def _opened(self, create: bool) -> sqlite3.Connection:
        try:
            if create:  # every record is in it: nobody else's to read
                os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
            writer = sqlite3.connect(
                self._path, timeout=self._wait, isolation_level=None, check_same_thread=False
            )
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "mmap_size = 0", "foreign_keys = ON"):
                writer.execute(f"PRAGMA {pragma}")
            self.tables = prepare(_SQLite(writer), self.name, create, LISTED)
        except OSError as error:
            raise SourceError(f"{self._path} cannot be created: {error.strerror}.") from None
        except sqlite3.Error as error:
            raise SourceError(f"{self._path} cannot be opened as a database: {error}.") from None
        return writer

    def transact(self, chain: str, work: Callable[[Transaction], Found]) -> Found:
        if self._writer is None:
            raise Unavailable("The database is open for reading only.")
        if not self._turn.acquire(timeout=self._wait):
            raise Unavailable("Too many requests are waiting for the database.")
        try:
            return self._in_transaction(self._writer, work)
        finally:
            self._turn.release()

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
            raise Unavailable("The database cannot be read.") from error

    def _reading(self) -> sqlite3.Connection:
        return sqlite3.connect(
            f"file:{self._path}?mode=ro",
            uri=True,
            timeout=self._wait,
            isolation_level=None,
            check_same_thread=False,  # it is closed by another thread
        )

    def backup(self, path: Path) -> None:
        """A consistent copy, made while the service goes on."""
        with sqlite3.connect(f"file:{self._path}?mode=ro", uri=True) as source, sqlite3.connect(path) as copy:
            source.backup(copy)
        source.close()
        copy.close()

    def close(self) -> None:
        """Put everything into the one file, so that a copy of it is whole, and let go of it."""
        self._readers.close()
        if self._writer is not None:
            with contextlib.suppress(sqlite3.Error):  # what is committed stays so without it
                self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._writer.close()
            self._writer = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


class _SQLite:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        return self._connection.execute(sql, parameters).fetchall()

    def several(self, queries: Sequence[Query]) -> list[list[Row]]:
        return [self.rows(sql, parameters) for sql, parameters in queries]

    def write(self, writings: Sequence[Writing]) -> None:
        for sql, rows in writings:
            self._connection.executemany(sql, rows)


def _only_process(path: Path) -> int:
    """Hold a lock beside the database for as long as this process lives."""
    try:
        handle = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise SourceError(f"{path} cannot be opened: {error.strerror}.") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise SourceError(
            f"Another process has {path} open.",
            hint="A SQLite database can serve one process. Stop the other one, or use PostgreSQL.",
        ) from None
    return handle
