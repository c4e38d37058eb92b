"""What the service needs of a database: a transaction that nothing runs beside, and snapshots to read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from divulge.errors import SourceError
from divulge.service.store.schema import FIRST, TABLES, VERSION

Row = tuple[Any, ...]
Found = TypeVar("Found")
Query = tuple[str, Sequence[Any]]  # a statement and its parameters
Writing = tuple[str, Sequence[Sequence[Any]]]  # a statement and the parameters of every row
WAIT = 5.0  # seconds to wait for one's turn


def padded(values: Sequence[Any]) -> tuple[str, tuple[Any, ...]]:
    """Marks for some values, of which there is one or more, and the values themselves.

    The last is repeated up to a power of two, so that few different statements have to be prepared.

    >>> padded(["a", "b", "c"])
    ('?, ?, ?, ?', ('a', 'b', 'c', 'c'))
    """
    more = (1 << (len(values) - 1).bit_length()) - len(values)
    return ", ".join("?" * (len(values) + more)), (*values, *[values[-1]] * more)


def any_of(columns: Sequence[str], rows: Sequence[Row]) -> tuple[str, tuple[Any, ...]]:
    """A condition for rows that have one of these combinations of values, by an index over the columns.

    SQLite goes through the whole table for ``(a, b) IN (VALUES ...)``, and not for this.

    >>> any_of(("a", "b"), [(1, 2), (3, 4)])
    ('((a = ? AND b = ?) OR (a = ? AND b = ?))', (1, 2, 3, 4))
    """
    one = " AND ".join(f"{column} = ?" for column in columns)
    marks, given = padded(rows)
    number = marks.count("?")
    return f"({' OR '.join([f'({one})'] * number)})", tuple(value for row in given for value in row)


class Transaction(Protocol):
    """A transaction under way. Statements mark parameters with question marks."""

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]: ...

    def several(self, queries: Sequence[Query]) -> list[list[Row]]:
        """The rows of several queries, asked for together."""

    def meanwhile(self, work: Callable[[], object]) -> None:
        """Something that may be done while an answer to what is asked next is waited for.

        It may be left out, also by an error of its own: it only makes things ready that are needed later.
        """

    def write(self, writings: Sequence[Writing]) -> None:
        """Everything to be written, together."""

    def add_rows(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Many new rows, never all in memory."""

    def change_rows(
        self, table: str, columns: Sequence[str], keys: Sequence[str], rows: Sequence[Sequence[Any]]
    ) -> None:
        """Many rows changed at once: each has the values of the columns, then those of the key."""

    def remove_rows(self, table: str, keys: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Many rows removed at once, by the values of their key."""


class MoreWanted(Exception):
    """What was looked up beforehand is not all that is needed."""


class _LookedUp:
    """In place of a transaction, where everything was looked up that is nearly always needed."""

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        raise MoreWanted

    def several(self, queries: Sequence[Query]) -> list[list[Row]]:
        raise MoreWanted


LOOKED_UP: Transaction = _LookedUp()  # type: ignore[assignment]


class Database(Protocol):
    """Where the service keeps everything."""

    name: str
    version: int  # of its tables
    writes_alone: bool  # whether nobody else writes while a transaction is under way

    def transact(self, chain: str, work: Callable[[Transaction], Found]) -> Found:
        """Do some work in one transaction that no other on the chain runs beside, durable on return.

        Work may be done again if it could not be put in order with others. ``Unavailable``: nothing was
        written, or it is not known whether it was.
        """

    def transact_alone(self, work: Callable[[Transaction], Found]) -> Found:
        """Change the tables themselves in one transaction, while no service has the database open."""

    def read(self, work: Callable[[Transaction], Found]) -> Found:
        """Read from a consistent snapshot."""

    def look(self, queries: Sequence[Query]) -> list[list[Row]]:
        """The rows of several queries from a consistent snapshot, when all of them are known before."""

    def require_sound(self) -> bool:
        """Refuse a database whose pages or indexes are damaged; False where it cannot tell of indexes."""

    def close(self) -> None: ...


def prepare(connection: Transaction, name: str, listed: str, *, create: bool, earlier: bool) -> int:
    """Make the tables if there are none, and say of which version they are; others are refused.

    ``listed`` is what to ask for the names of tables. Those of an earlier version are refused as well, unless
    it is said that they will do.
    """
    if create and not _is_made(connection, listed):
        for statement in TABLES:
            connection.rows(statement)
        connection.rows("INSERT INTO made_by (version) VALUES (?)", (VERSION,))
    rows = connection.rows("SELECT version FROM made_by")
    found = rows[0][0] if len(rows) == 1 else None
    if not isinstance(found, int) or found < FIRST:
        raise SourceError(
            f"{name} does not have the tables of a release service.",
            hint="Make a new one with: divulge release init",
        )
    if found > VERSION:
        raise SourceError(
            f"{name} has tables of version {found}, made by a newer divulge.",
            hint=f"Use the newer one. This divulge has version {VERSION}.",
        )
    if found < VERSION and not earlier:
        raise SourceError(
            f"{name} has tables of version {found}, and this divulge needs version {VERSION}.",
            hint="Stop every service on it, make a copy (divulge release backup), then run: "
            "divulge release migrate",
        )
    return found


def _is_made(connection: Transaction, listed: str) -> bool:
    """Whether the tables were made to the end."""
    there = ("made_by",) in connection.rows(listed)
    return there and bool(connection.rows("SELECT version FROM made_by"))
