"""A connection to a database: it only reads, and sees one state throughout."""

from __future__ import annotations

import contextlib
import warnings
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from divulge.errors import SourceError
from divulge.source.relation import unreadable


class DatabaseSession:
    """A connection to a database: one's own, which sees one state of it throughout, or a user's."""

    def __init__(self, database: Any) -> None:
        self._database = database
        self.held_by: Any = None  # what has to be there as long as the connection is asked
        self._own: Any = None
        self._close: Any = None
        self._exported: str | None = None  # by which other connections see the same state

    @property
    def engine(self) -> Any:
        """What makes further connections."""
        return self._database.engine

    def same_database(self, other: DatabaseSession) -> bool:
        """Whether tables of both can be asked through either."""
        if self._database is other._database or self.engine is other.engine:
            return True
        ours, theirs = self.engine.url, other.engine.url
        return ours == theirs and ours.database not in (None, "", ":memory:")

    def close(self) -> None:
        """End the connection of one's own; what is asked later has a new one."""
        if self._close is not None:
            self._close()
        self._own = self._close = self._exported = None

    @contextmanager
    def beside(self) -> Iterator[Any]:
        """A further connection that sees the same state, for a while; None where there is none to be had."""
        other = None if self._exported is None else _sharing(self.engine, self._exported)
        if other is None:
            yield None
            return
        driver = other.connection.dbapi_connection
        try:
            yield other
        finally:
            disconnected(other, driver)

    @contextmanager
    def asking(self, what: str) -> Iterator[Any]:
        """A connection to ask; what goes wrong is told without the database's own words."""
        try:
            with self._connected() as connection, warnings.catch_warnings():
                warnings.simplefilter("ignore", sa.exc.SAWarning)  # types it does not know come as they are
                yield connection
        except sa.exc.SQLAlchemyError as error:
            raise unreadable(what, getattr(error, "orig", None) or error) from None

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        if not isinstance(self._database, sa.Connection):
            if self._own is None:
                self._own, self._exported = _snapshot(self._database)
                driver = self._own.connection.driver_connection
                self._close = weakref.finalize(self, disconnected, self._own, driver)
            yield self._own
            return
        began = self._database.in_transaction()
        try:
            yield self._database
        finally:
            if not began:
                self._database.rollback()


def _snapshot(engine: Any) -> tuple[Any, str | None]:
    """A connection that only reads, and sees the database as it is now until it is closed.

    Where the server tells, with the name of what it sees.
    """
    connection, exported = _connect(engine), None
    if engine.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN")
    elif engine.dialect.name == "postgresql":
        connection = _unchanging(connection)
        exported = _exported(connection)
    connection.detach()  # no pool's any more: closing it closes it
    return connection, exported


def _unchanging(connection: Any) -> Any:
    return connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def _exported(connection: Any) -> str | None:
    """The name of what a connection sees; asked first, since an error ends what it sees."""
    try:
        found: str | None = connection.exec_driver_sql("SELECT pg_export_snapshot()").scalar()
    except sa.exc.DBAPIError:
        connection.rollback()
        return None
    return found


def _sharing(engine: Any, exported: str) -> Any:
    """A connection that sees what another does; None where no more are to be had, or it is another server."""
    try:
        connection = _unchanging(_connect(engine))
    except (SourceError, sa.exc.SQLAlchemyError):
        return None
    connection.detach()
    try:
        connection.exec_driver_sql(f"SET TRANSACTION SNAPSHOT '{exported}'")
    except sa.exc.SQLAlchemyError:
        disconnected(connection, connection.connection.dbapi_connection)
        return None
    return connection


def disconnected(connection: Any, driver: Any) -> None:
    with contextlib.suppress(sa.exc.SQLAlchemyError):  # the server may have gone before
        connection.close()
    with contextlib.suppress(Exception):  # whatever a driver says of a connection that is gone
        driver.close()


def _connect(engine: Any) -> Any:
    try:
        return engine.connect()
    except sa.exc.OperationalError as error:
        raise SourceError(
            f"The database could not be reached: it reported {type(error.orig).__name__}.",
            hint="Check the address, the user and the password, and that the database is running.",
        ) from None
