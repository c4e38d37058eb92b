"""A table of a database counted query by query, in temporary tables of a connection of its own."""

from __future__ import annotations

import math
import weakref
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from divulge.counting.statistics_sql import POSTGRESQL, SQLITE
from divulge.engines.database.opening import open_database
from divulge.engines.database.release import SQLITE_FUNCTIONS, DatabaseWorkplace
from divulge.engines.database.session import disconnected
from divulge.engines.database.table import DatabaseTable
from divulge.engines.external.counting_place import Columns, CountingPlace, as_columns
from divulge.errors import SourceError
from divulge.source.relation import unreadable

_STATISTICS = {"postgresql": POSTGRESQL, "sqlite": SQLITE}
_BLOCK = 10_000


class DatabaseCounting(DatabaseWorkplace, CountingPlace):
    """One state of a database, and temporary tables beside it that end with the connection."""

    def __init__(self, table: DatabaseTable) -> None:
        engine = table.session.engine
        name = engine.dialect.name
        if name not in _STATISTICS:
            raise SourceError(
                f"The search is not made inside a {name} database.",
                hint="Write the attributes that are needed to a file, and read that.",
            )
        connection = engine.connect()
        if name == "sqlite":
            driver = connection.connection.driver_connection
            for called, (count, function) in {**SQLITE_FUNCTIONS, "log2": (1, _log2)}.items():
                driver.create_function(called, count, function, deterministic=True)
            connection.exec_driver_sql("BEGIN")
        else:
            connection = connection.execution_options(isolation_level="REPEATABLE READ")
        connection.detach()  # no pool's any more: closing it closes it
        super().__init__(table, connection, (), overwrite=False)
        self.statistics = _STATISTICS[name]
        self._end = weakref.finalize(self, disconnected, connection, connection.connection.driver_connection)

    def put(self, columns: Columns) -> str:
        name = self.new_name("t")
        kinds = {
            one: sa.Double if np.issubdtype(values.dtype, np.floating) else sa.BigInteger
            for one, values in columns.items()
        }
        made = sa.Table(
            name,
            sa.MetaData(),
            *(sa.Column(one, kind) for one, kind in kinds.items()),
            prefixes=["TEMPORARY"],
        )
        made.create(self._connection)
        rows = list(zip(*(values.tolist() for values in columns.values()), strict=True))
        for first in range(0, len(rows), _BLOCK):
            block = [dict(zip(columns, row, strict=True)) for row in rows[first : first + _BLOCK]]
            self._connection.execute(sa.insert(made), block)
        return self._known(name)

    def hold(self, query: str) -> str:
        return self._known(self.keep("h", query))

    def _known(self, name: str) -> str:
        """A table that the database knows the size of: PostgreSQL would take a new one for large."""
        if self._connection.dialect.name == "postgresql":
            self.run(f"ANALYZE {name}")
        return name

    def drop(self, held: str) -> None:
        self.run(f"DROP TABLE {held}")

    def numbers(self, query: str) -> list[npt.NDArray[Any]]:
        found, parts = self.run(query), []
        width = len(found.keys())
        while block := found.fetchmany(_BLOCK):
            parts.append(as_columns([tuple(row) for row in block]))
        if not parts:
            return [np.zeros(0, np.int64)] * width
        return [np.concatenate(one) for one in zip(*parts, strict=True)]

    def run(self, statement: str, *given: object) -> Any:
        try:
            return super().run(statement, *given)
        except sa.exc.SQLAlchemyError as error:  # its own words may quote records
            raise unreadable(f"T{self.name[1:]}", getattr(error, "orig", None) or error) from None

    def released(self, query: str, columns: Mapping[str, str]) -> DatabaseTable:
        quote = self._connection.dialect.identifier_preparer.quote
        picked = ", ".join(f"{column} AS {quote(name)}" for name, column in columns.items())
        name = self.keep("r", f"SELECT {picked} FROM ({query}) AS t")
        self._connection.commit()  # temporary tables stay, and the others may be written to again
        found = open_database(self._connection, name)
        found.session.held_by = self  # whose connection closes with it
        return replace(found, name="the release")

    def close(self) -> None:
        self._end()


def _log2(value: float | None) -> float | None:
    return None if value is None else math.log2(value)
