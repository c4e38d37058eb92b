"""Databases with a protection taken away, to see that the tests notice."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from divulge.service.store.connection import Database, Found, Transaction
from divulge.service.store.database import is_server
from divulge.service.store.exchanges import Exchanges
from divulge.service.store.postgresql import PostgreSQL
from divulge.service.store.sqlite import SQLite


class Hasty(SQLite):
    """Answers first: what was decided is committed when the next request comes."""

    def _in_transaction(self, writer: sqlite3.Connection, work: Callable[[Transaction], Found]) -> Found:
        if writer.in_transaction:
            writer.execute("COMMIT")
        writer.execute(self.BEGIN)
        return work(self._connection(writer))

    def read(self, work: Callable[[Transaction], Found]) -> Found:
        return work(self._connection(self._writer)) if self._writer is not None else super().read(work)


class Piecemeal(SQLite):
    """Commits every statement by itself."""

    BEGIN = "SELECT 1"

    def _commit(self, writer: sqlite3.Connection) -> None:
        pass


class Slow(SQLite):
    """Takes its time between what is decided, its commit, and its checkpoint: as safe, and easier to hit."""

    def _commit(self, writer: sqlite3.Connection) -> None:
        time.sleep(0.004)
        super()._commit(writer)
        time.sleep(0.004)


class Trampled(Piecemeal):
    """Commits every statement by itself, and nobody waits for their turn."""

    def __init__(self, path: Path, **options: Any) -> None:
        super().__init__(path, **options)
        self._turn = threading.Semaphore(1000)  # type: ignore[assignment]


class Unsynced(SQLite):
    """Does not wait until a commit is on disk."""

    def _opened(self, *given: bool) -> sqlite3.Connection:
        writer = super()._opened(*given)
        writer.execute("PRAGMA synchronous = OFF")
        return writer


class Forgetful(PostgreSQL):
    """Does not wait until a commit is on disk."""

    def _connect(self) -> Exchanges:
        connection = super()._connect()
        connection.ask([("SET synchronous_commit = off", ())])
        return connection


class Unguarded(PostgreSQL):
    """Transactions see what others commit meanwhile, and do not take turns."""

    ISOLATION = "READ COMMITTED"

    def _take_turn(self, connection: Exchanges, chain: str) -> None:
        pass


def loosen(database: Database) -> None:
    """Let the log have two entries of the same index."""

    def work(connection: Transaction) -> None:
        connection.rows("CREATE TABLE loose AS SELECT * FROM entry")
        connection.rows("DROP TABLE entry")
        connection.rows("ALTER TABLE loose RENAME TO entry")

    database.transact("entry", work)


KINDS = {kind.__name__: kind for kind in (Hasty, Piecemeal, Slow, Trampled, Unsynced, Forgetful, Unguarded)}


def open_as(kind: str | None, url: str) -> Database:
    """A database of some kind; the real one, if none is named."""
    if is_server(url):
        return (PostgreSQL if kind is None else KINDS[kind])(url)
    return (SQLite if kind is None else KINDS[kind])(Path(url))
