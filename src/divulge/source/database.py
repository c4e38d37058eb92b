"""Database tables through SQLAlchemy, read in one query so that the order of records holds."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from divulge.codes import Codes
from divulge.errors import MissingLibrary, MissingSource, SourceError
from divulge.source.base import Columns, check_names
from divulge.source.dictionary import Dictionary
from divulge.source.relation import unknown_table, unreadable, which_table

_BLOCK = 50_000


def open_url(url: str, table: str | None) -> Columns:
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
    try:
        return open_database(engine, table)
    finally:
        engine.dispose()


def open_database(database: Any, table: str | None) -> Columns:
    """A table of the database behind an engine or a connection."""
    try:
        with _connected(database) as connection, warnings.catch_warnings():
            warnings.simplefilter("ignore", sa.exc.SAWarning)  # types it does not know come as they are
            schema, name, columns = _described(connection, table)
            label = f"table {table}"
            names = tuple(column["name"] for column in columns)
            check_names(label, names)
            codes, records = _encoded(connection, schema, name, columns)
    except sa.exc.SQLAlchemyError as error:
        what = "The database" if table is None else f"Table {table}"
        raise unreadable(what, getattr(error, "orig", None) or error) from None
    return Columns(label, names, records, codes.__getitem__)


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


def _encoded(
    connection: Any, schema: str | None, name: str, columns: list[Any]
) -> tuple[dict[str, Codes], int]:
    # Columns without a type: values come as the driver gives them, never through a conversion that
    # could fail on one of them and say so in its own words.
    picked = [sa.column(column["name"]) for column in columns]
    query = sa.select(*picked).select_from(sa.table(name, *picked, schema=schema))
    dictionaries = [Dictionary(column["name"]) for column in columns]
    parts: list[list[Any]] = [[] for _ in columns]
    records = 0
    for block in connection.execute(query, execution_options={"yield_per": _BLOCK}).partitions():
        records += len(block)
        for dictionary, part, values in zip(dictionaries, parts, zip(*block, strict=True), strict=True):
            part.append(dictionary.codes(values))
    if not records:
        return {}, 0
    codes = {d.attribute: d.gather(part) for d, part in zip(dictionaries, parts, strict=True)}
    for column in columns:
        if isinstance(column["type"], sa.Boolean):
            codes[column["name"]] = _truth(codes[column["name"]])
    return codes, records


def _truth(codes: Codes) -> Codes:
    """Truth values that the database keeps as 0 and 1."""
    if not {0, 1}.issuperset(codes.values):
        return codes
    return Codes(codes.codes, [bool(value) for value in codes.values])


@contextmanager
def _connected(database: Any) -> Iterator[Any]:
    if not isinstance(database, sa.Connection):
        with _connect(database) as connection:
            yield connection
        return
    began = database.in_transaction()
    try:
        yield database
    finally:
        if not began:
            database.rollback()


def _connect(engine: Any) -> Any:
    try:
        return engine.connect()
    except sa.exc.OperationalError as error:
        raise SourceError(
            f"The database could not be reached: it reported {type(error.orig).__name__}.",
            hint="Check the address, the user and the password, and that the database is running.",
        ) from None
