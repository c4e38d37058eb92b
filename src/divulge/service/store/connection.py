"""What the service needs of a database: a transaction that nothing runs beside, and snapshots to read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from divulge.errors import SourceError
from divulge.service.store.schema import LATER, TABLES, VERSION

Row = tuple[Any, ...]
Found = TypeVar("Found")
Query = tuple[str, Sequence[Any]]  # a statement and its parameters
Writing = tuple[str, Sequence[Sequence[Any]]]  # a statement and the parameters of every row
WAIT = 5.0  # seconds to wait for one's turn


class Transaction(Protocol):
    """A transaction under way. Statements mark parameters with question marks."""

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]: ...

    def several(self, queries: Sequence[Query]) -> list[list[Row]]:
        """The rows of several queries, asked for together."""

    def write(self, writings: Sequence[Writing]) -> None:
        """Everything to be written, together."""


class Database(Protocol):
    """Where the service keeps everything."""

    name: str
    tables: frozenset[str]  # that were there when it was opened, or were made

    def transact(self, chain: str, work: Callable[[Transaction], Found]) -> Found:
        """Do some work in one transaction that no other on the chain runs beside, durable on return.

        Work may be done again if it could not be put in order with others. ``Unavailable``: nothing was
        written, or it is not known whether it was.
        """

    def read(self, work: Callable[[Transaction], Found]) -> Found:
        """Read from a consistent snapshot."""

    def require_sound(self) -> None:
        """Refuse a database that is damaged, as far as a quick look shows."""

    def close(self) -> None: ...


def prepare(connection: Transaction, name: str, create: bool) -> None:
    """Make the tables, or make sure that they are of this version."""
    if create:
        for statement in TABLES:
            connection.rows(statement)
        if not connection.rows("SELECT version FROM made_by"):
            connection.rows("INSERT INTO made_by (version) VALUES (?)", (VERSION,))
    found = connection.rows("SELECT version FROM made_by")
    if found != [(VERSION,)]:
        raise SourceError(
            f"{name} was created by another version of divulge.",
            hint="Make a new one with: divulge release init",
        )


def present(connection: Transaction, listed: str, *, writing: bool) -> frozenset[str]:
    """Which tables there are; those that came later and are made from others are made where they are missing.

    ``listed`` is what to ask for their names.
    """
    there = frozenset(table for (table,) in connection.rows(listed))
    for table, statement in LATER.items():
        if writing and table not in there:
            connection.rows(statement)
            there |= {table}
    return there
