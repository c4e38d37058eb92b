"""Tables of a database, by its URL or by an engine or connection of SQLAlchemy."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from divulge.engines.database.column import DatabaseColumn
from divulge.engines.database.session import DatabaseSession
from divulge.engines.database.table import DatabaseTable
from divulge.errors import EmptySource, MissingLibrary, MissingSource, SourceError
from divulge.source.base import check_names
from divulge.source.relation import unknown_table, which_table

_ADDRESS = "An address looks like sqlite:///file.db or postgresql+psycopg://user@host/database."
SQLITE = b"SQLite format 3\0"  # how such a file begins
#: The driver that a kind of database is read through beside those of the extra, and how its URL begins.
DRIVERS = {
    "mysql": ("pymysql", "mysql+pymysql"),
    "mariadb": ("pymysql", "mariadb+pymysql"),
    "mssql": ("pyodbc", "mssql+pyodbc"),
    "oracle": ("oracledb", "oracle+oracledb"),
    "snowflake": ("snowflake-sqlalchemy", "snowflake"),
    "bigquery": ("sqlalchemy-bigquery", "bigquery"),
    "redshift": ("sqlalchemy-redshift", "redshift+psycopg2"),
    "databricks": ("databricks-sqlalchemy", "databricks"),
    "trino": ("trino[sqlalchemy]", "trino"),
    "clickhouse": ("clickhouse-sqlalchemy", "clickhouse"),
    "db2": ("ibm-db-sa", "db2+ibm_db"),
    "hana": ("sqlalchemy-hana", "hana"),
    "duckdb": ("duckdb-engine", "duckdb"),
}


def open_url(url: str, table: str | None) -> DatabaseTable:
    """A table of the database at a URL."""
    backend = url.partition("://")[0]
    if backend in ("http", "https", "ftp", "s3", "gs"):
        raise SourceError(
            "divulge does not read from the network.", hint="Download the file first, then name its path."
        )
    try:
        engine = sa.create_engine(url)
    except (ModuleNotFoundError, sa.exc.NoSuchModuleError) as error:
        raise _without_driver(backend, getattr(error, "name", None)) from None
    except (sa.exc.ArgumentError, ValueError):  # their words would repeat the password
        raise SourceError(
            f"'{backend}://...' is not an address of a database that can be opened.",
            hint=_ADDRESS,
        ) from None
    if engine.dialect.name == "sqlite" and engine.url.database not in (None, "", ":memory:"):
        path = Path(str(engine.url.database))
        if not path.is_file():  # SQLite would make one
            raise MissingSource(f"No file {path} to open as a SQLite database.")
        _refuse_other_file(path)
    return open_database(engine, table)


def _without_driver(backend: str, package: str | None) -> SourceError:
    """The error for a database whose driver is not there, with the driver's name."""
    kind = backend.partition("+")[0].lower()
    if kind in DRIVERS:
        package, begins = DRIVERS[kind]
        return SourceError(
            f"Reading a {kind} database needs the driver '{package}', which is not installed.",
            hint=f"Install it with: pip install '{package}'. Then write {begins}://...",
        )
    if package is not None:
        return MissingLibrary(f"a {kind} database", package, "database")
    return SourceError(f"No driver is known for '{kind}://...'.", hint=_ADDRESS)


def open_database(database: Any, table: str | None) -> DatabaseTable:
    """A table of the database behind an engine or a connection."""
    session = DatabaseSession(database)
    label = "The database" if table is None else f"Table {table}"
    with session.asking(label) as connection:
        schema, name, columns = _described(connection, table)
        names = tuple(column["name"] for column in columns)
        check_names(f"table {table}", names)
        picked = {column["name"]: DatabaseColumn.of(column, connection.dialect.name) for column in columns}
        place = sa.table(name, *(sa.column(one) for one in names), schema=schema)
        [(records,)] = connection.execute(sa.select(sa.func.count()).select_from(place)).all()
    if not records:
        raise EmptySource(f"Table {table} has no records.", hint="Name another, or fill it first.")
    return DatabaseTable(f"table {table}", names, records, session, place, picked)


def _refuse_other_file(path: Path) -> None:
    """A file that is no SQLite database is refused by its first bytes; an empty one is a database."""
    with contextlib.suppress(OSError), path.open("rb") as file:  # what cannot be read, SQLite says
        if file.read(len(SQLITE)) not in (b"", SQLITE):
            raise SourceError(
                f"{path} is not a SQLite database.", hint="Give a file of records as FILE, without sqlite://."
            )


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
