"""Databases of which one call fails, before or after it took effect."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

from divulge.service.store.connection import Query, Row
from divulge.service.store.database import is_server
from divulge.service.store.exchanges import Exchanges
from divulge.service.store.postgresql import PostgreSQL
from divulge.service.store.sqlite import SQLite


def _dropped(connection: Any) -> Exception:
    connection.close()
    return psycopg.OperationalError("server closed the connection unexpectedly")


ERRORS: dict[str, list[Callable[[Any], Exception]]] = {
    "sqlite": [
        lambda _: sqlite3.OperationalError("disk I/O error"),
        lambda _: sqlite3.OperationalError("database or disk is full"),
        lambda _: sqlite3.OperationalError("database is locked"),
        lambda _: OSError(errno.EIO, "Input/output error"),
    ],
    "postgresql": [
        _dropped,
        lambda _: psycopg.errors.IoError("could not read block"),
        lambda _: psycopg.errors.DiskFull("could not extend file"),
        lambda _: psycopg.errors.LockNotAvailable("canceling statement due to lock timeout"),
    ],
}


class Plan:
    """Which call is to fail, counted from now on; before and after it everything works."""

    def __init__(self) -> None:
        self.works()

    def works(self) -> None:
        self.fails(-1, _dropped)

    def fails(self, call: int, error: Callable[[Any], Exception], *, after: bool = False) -> None:
        self._call, self._error, self._after = call, error, after
        self._calls = 0
        self.struck = False

    @property
    def is_due(self) -> bool:
        """Whether the next call fails."""
        return self._calls == self._call

    def carry_out(self, connection: Any, work: Callable[[], Any]) -> Any:
        self.struck |= (strikes := self._calls == self._call)
        self._calls += 1
        if strikes and not self._after:
            raise self._error(connection)
        found = work()
        if strikes:
            raise self._error(connection)
        return found


class Faulty:
    """A connection whose statements follow a plan; everything else is the connection's."""

    def __init__(self, connection: Any, plan: Plan, inner: Any = None) -> None:
        self._connection, self._plan = connection, plan
        self._inner = connection if inner is None else inner  # the connection, or a cursor of it

    def execute(self, *given: Any) -> Any:
        return self._plan.carry_out(self._connection, lambda: self._inner.execute(*given))

    def executemany(self, *given: Any) -> Any:
        return self._plan.carry_out(self._connection, lambda: self._inner.executemany(*given))

    def cursor(self) -> Faulty:
        return Faulty(self._connection, self._plan, self._connection.cursor())

    def __enter__(self) -> Faulty:
        self._inner.__enter__()
        return self

    def __exit__(self, *given: Any) -> Any:
        return self._inner.__exit__(*given)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class FaultySQLite(SQLite):
    def __init__(self, *given: Any, **options: Any) -> None:
        self.plan = Plan()
        super().__init__(*given, **options)

    def _opened(self, *given: bool) -> Any:
        return Faulty(super()._opened(*given), self.plan)

    def _reading(self) -> Any:
        return Faulty(super()._reading(), self.plan)


class FaultyExchanges(Exchanges):
    """Statements that follow a plan; those before one that fails are carried out."""

    def __init__(self, connection: Any, plan: Plan) -> None:
        super().__init__(Faulty(connection, plan))
        self._plan = plan

    def ask(self, queries: Sequence[Query], meanwhile: Callable[[], object] | None = None) -> list[list[Row]]:
        for place, one in enumerate(queries):
            if self._plan.is_due:
                super().ask(queries[:place])
                self._plan.carry_out(self.connection, partial(super().ask, [one]))  # and fails
            self._plan.carry_out(self.connection, lambda: None)
        return super().ask(queries, meanwhile)


class FaultyPostgreSQL(PostgreSQL):
    def __init__(self, *given: Any, **options: Any) -> None:
        self.plan = Plan()
        super().__init__(*given, **options)

    def _connect(self) -> FaultyExchanges:
        return FaultyExchanges(super()._connect().connection, self.plan)


def open_faulty(url: str) -> FaultySQLite | FaultyPostgreSQL:
    return FaultyPostgreSQL(url) if is_server(url) else FaultySQLite(Path(url))
