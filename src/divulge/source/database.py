"""Database tables through SQLAlchemy: counted inside the database, from one state of it."""

from __future__ import annotations

import contextlib
import warnings
import weakref
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from divulge.codes import Codes
from divulge.errors import MissingLibrary, MissingSource, SourceError
from divulge.source.base import Columns, Summary, check_asked, check_names, check_table
from divulge.source.dictionary import Dictionary
from divulge.source.relation import unknown_table, unreadable, which_table

_BLOCK = 50_000


def open_url(url: str, table: str | None) -> DatabaseTable:
    """A table of the database at a URL."""
    backend = url.partition("://")[0]
    if backend in ("http", "https", "ftp", "s3", "gs"):
        raise SourceError(
            "divulge reads nothing from the network.", hint="Download the file first, then name its path."
        )
    try:
        engine = sa.create_engine(url)
    except ModuleNotFoundError as error:
        raise MissingLibrary(f"a {backend} database", error.name or backend, "database") from None
    except (sa.exc.ArgumentError, ValueError):  # their words would repeat the password
        raise SourceError(
            f"'{backend}://...' is not an address of a database that can be opened.",
            hint="One looks like sqlite:///file.db or postgresql+psycopg://user@host/database.",
        ) from None
    if engine.dialect.name == "sqlite" and engine.url.database not in (None, "", ":memory:"):
        path = Path(str(engine.url.database))
        if not path.is_file():  # SQLite would make one
            raise MissingSource(f"No file {path} to open as a SQLite database.")
    return open_database(engine, table)


def open_database(database: Any, table: str | None) -> DatabaseTable:
    """A table of the database behind an engine or a connection."""
    session = _Session(database)
    label = "The database" if table is None else f"Table {table}"
    with session.asking(label) as connection:
        schema, name, columns = _described(connection, table)
        names = tuple(column["name"] for column in columns)
        check_names(f"table {table}", names)
        picked = {column["name"]: _Column.of(column, connection.dialect.name) for column in columns}
        place = sa.table(name, *(sa.column(one) for one in names), schema=schema)
        [(records,)] = connection.execute(sa.select(sa.func.count()).select_from(place)).all()
    check_table(f"table {table}", names, records)
    return DatabaseTable(f"table {table}", names, records, session, place, picked)


@dataclass(frozen=True, eq=False)
class _Column:
    """A column as it is asked for and as it is grouped by."""

    name: str
    truth: bool  # kept as 0 and 1
    grouped: Any

    @classmethod
    def of(cls, described: Any, dialect: str) -> _Column:
        # Columns without a type: values come as the driver gives them, never through a conversion that
        # could fail on one of them and say so in its own words.
        column = sa.column(described["name"])
        kind = described["type"]
        grouped: Any = column
        if dialect == "sqlite":  # a column may say that A and a are the same
            grouped = sa.collate(column, "BINARY")
        elif dialect == "postgresql" and isinstance(kind, sa.String):
            grouped = sa.collate(column, "C")
        elif dialect == "postgresql" and isinstance(kind, sa.Float):
            grouped = sa.func.nullif(column, sa.literal_column("'NaN'"))
        return cls(described["name"], isinstance(kind, sa.Boolean), grouped.label(described["name"]))


@dataclass(frozen=True, eq=False)
class DatabaseTable:
    """A table that is counted where it is; its records come over only if there is no other way."""

    name: str
    attributes: tuple[str, ...]
    records: int
    session: _Session
    place: Any
    columns: Mapping[str, _Column]
    _read: dict[str, Codes] = field(default_factory=dict, repr=False)
    _summed: dict[str, tuple[int, int, int]] = field(default_factory=dict, repr=False)

    distant: ClassVar[bool] = True

    def condensed(self, attributes: Sequence[str]) -> tuple[Columns, npt.NDArray[np.int64]]:
        """The combinations of values that occur, and how many records have each, by one grouped query."""
        wanted = check_asked(attributes, self.attributes)
        picked = [self.columns[one].grouped for one in wanted]
        query = sa.select(*picked, sa.func.count()).select_from(self.place).group_by(*picked)
        codes, [times] = self._fetched(query, wanted)
        source = Columns(self.name, tuple(wanted), len(times), codes.__getitem__)
        return source, times

    def distinct(self, attributes: Sequence[str]) -> int:
        """How many combinations of values occur."""
        if len(attributes) == 1:
            present, distinct, _ = self._sums(attributes[0])
            return distinct + (present < self.records)
        picked = [self.columns[one].grouped for one in check_asked(attributes, self.attributes)]
        inner = sa.select(*picked).select_from(self.place).group_by(*picked).subquery()
        [[(found,)]] = [self._rows(sa.select(sa.func.count()).select_from(inner))]
        return int(found)

    def summary(self, attribute: str, most: int) -> Summary:
        """How many values an attribute has and on how many records, and some of them."""
        sample: list[Any] = []
        if most:
            value = self._grouped(attribute).c[attribute]
            sample = self._rows(sa.select(value).where(value.is_not(None)).order_by(value).limit(most))
        return Summary(*self._sums(attribute), [one for (one,) in sample])

    def _sums(self, attribute: str) -> tuple[int, int, int]:
        """Records with a value, different values, and values on one record only, asked for once."""
        if attribute not in self._summed:
            grouped = self._grouped(attribute)
            value, times = grouped.c[attribute], grouped.c.often
            there = [sa.func.sum(times), sa.func.count(), sa.func.sum(sa.case((times == 1, 1), else_=0))]
            [found] = self._rows(sa.select(*there).where(value.is_not(None)))
            present, distinct, lone = (int(one or 0) for one in found)
            self._summed[attribute] = present, distinct, lone
        return self._summed[attribute]

    def _grouped(self, attribute: str) -> Any:
        """The values of an attribute, and how often each occurs."""
        column = self.columns[attribute].grouped
        often = sa.func.count().label("often")
        return sa.select(column, often).select_from(self.place).group_by(column).subquery()

    def encode(self, attributes: Sequence[str]) -> dict[str, Codes]:
        """The codes of records: all columns are read at once, since the order of two queries may differ."""
        wanted = check_asked(attributes, self.attributes)
        if not self._read:
            picked = [sa.column(one) for one in self.attributes]
            codes, _ = self._fetched(sa.select(*picked).select_from(self.place), self.attributes)
            self._read.update(codes)
        return {one: self._read[one] for one in wanted}

    def _rows(self, query: Any) -> list[Any]:
        with self.session.asking(f"T{self.name[1:]}") as connection:
            return list(connection.execute(query).all())

    def _fetched(
        self, query: Any, names: Sequence[str]
    ) -> tuple[dict[str, Codes], list[npt.NDArray[np.int64]]]:
        """Columns of a query as codes, block by block, and whatever comes after them as numbers."""
        dictionaries = [Dictionary(one) for one in names]
        parts: list[list[Any]] = [[] for _ in names]
        numbers: list[list[Any]] = []

        def encode(block: Sequence[Any]) -> None:
            columns = list(zip(*block, strict=True))
            for dictionary, part, values in zip(dictionaries, parts, columns, strict=False):
                part.append(dictionary.codes(values))
            numbers.append([np.asarray(one, np.int64) for one in columns[len(names) :]])

        # One block is made codes while the database is at the next.
        with self.session.asking(f"T{self.name[1:]}") as connection, ThreadPoolExecutor(1) as encoder:
            before: Future[None] | None = None
            for block in connection.execute(query, execution_options={"yield_per": _BLOCK}).partitions():
                if before is not None:
                    before.result()
                before = encoder.submit(encode, block)
            if before is not None:
                before.result()
        codes = {d.attribute: d.gather(part) for d, part in zip(dictionaries, parts, strict=True)}
        for one in names:
            if self.columns[one].truth:
                codes[one] = _truth(codes[one])
        return codes, [np.concatenate(one) for one in zip(*numbers, strict=True)]


def _described(connection: Any, table: str | None) -> tuple[str | None, str, list[Any]]:
    """Schema, name and columns of the table, or an error that lists the tables there are."""
    inspector = sa.inspect(connection)
    if table is None:
        raise which_table("a database", _tables(inspector, None))
    before, dot, after = table.partition(".")
    places: list[tuple[str | None, str]] = [(None, table), *([(before, after)] if dot else [])]
    for schema, name in places:
        try:
            return schema, name, inspector.get_columns(name, schema=schema)
        except (sa.exc.NoSuchTableError, sa.exc.OperationalError):  # SQLite: no such schema
            continue
    names = _tables(inspector, None)
    raise unknown_table(table, names)


def _tables(inspector: Any, schema: str | None) -> list[str]:
    return sorted([*inspector.get_table_names(schema), *inspector.get_view_names(schema)])


def _truth(codes: Codes) -> Codes:
    """Truth values that the database keeps as 0 and 1."""
    if not {0, 1}.issuperset(codes.values):
        return codes
    return Codes(codes.codes, [bool(value) for value in codes.values])


class _Session:
    """A connection to a database: one's own, which sees one state of it throughout, or a user's."""

    def __init__(self, database: Any) -> None:
        self._database = database
        self._own: Any = None

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
                self._own = _snapshot(self._database)
                weakref.finalize(self, _closed, self._own, self._own.connection.driver_connection)
            yield self._own
            return
        began = self._database.in_transaction()
        try:
            yield self._database
        finally:
            if not began:
                self._database.rollback()


def _snapshot(engine: Any) -> Any:
    """A connection that only reads, and sees the database as it is now until it is closed."""
    connection = _connect(engine)
    if engine.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN")
    elif engine.dialect.name == "postgresql":
        connection = connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    connection.detach()  # no pool's any more: closing it closes it
    return connection


def _closed(connection: Any, driver: Any) -> None:
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
