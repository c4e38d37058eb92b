"""A DuckDB file or a PostgreSQL database, opened to read only, each statement within a time limit."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from divulge.errors import MissingLibrary, MissingSource, SchemaError, SourceError
from divulge.queries.query import quoted
from divulge.source.duck import literal
from divulge.source.relation import unreadable

Array = np.ndarray[Any, Any]
MARK = "\0"  # of a bound value: no name and no other part of SQL has it
# What PostgreSQL notes of a table and its parts, and in which change it noted that. VACUUM and ANALYZE write
# to pg_class and pg_statistic alone, so this has of pg_class only what they leave as it is.
_NOTED = """WITH RECURSIVE part(oid) AS (
    SELECT {table}::regclass::oid UNION SELECT inhrelid FROM pg_inherits JOIN part ON inhparent = part.oid
), noted(said) AS (
    SELECT concat_ws(' ', oid, relkind, pg_relation_filenode(oid), relrowsecurity, relforcerowsecurity)
    FROM pg_class JOIN part USING (oid)
    UNION ALL
    SELECT concat_ws(' ', 'part', oid, inhrelid, i.xmin) FROM pg_inherits i JOIN part ON inhparent = oid
    UNION ALL
    SELECT concat_ws(' ', 'column', oid, attnum, a.xmin) FROM pg_attribute a JOIN part ON attrelid = oid
    UNION ALL
    SELECT concat_ws(' ', 'default', d.oid, adnum, d.xmin) FROM pg_attrdef d JOIN part ON adrelid = part.oid
    UNION ALL
    SELECT concat_ws(' ', 'policy', p.oid, p.xmin) FROM pg_policy p JOIN part ON polrelid = part.oid
)
SELECT md5(string_agg(said, ', ' ORDER BY said)),
    (SELECT string_agg(relkind::text, '') FROM pg_class JOIN part USING (oid))
FROM noted"""
_COLLATIONS = """
SELECT attname::text, concat_ws(' ', collname, collprovider, to_jsonb(c) ->> 'collisdeterministic')
FROM pg_attribute JOIN pg_collation c ON c.oid = attcollation
WHERE attrelid = {table}::regclass AND collname <> 'default'"""


class ReadDatabase(Protocol):
    """What a guarded table needs of its database."""

    longest_decimal: int | None  # digits up to which comparing decimals never fails; None: any

    def columns(self, sql: str, values: Sequence[Any] = ()) -> list[Array]:
        """The columns of a result; floats not a number and objects None where a value is missing.

        ``sql`` has a ``MARK`` for each of the values.
        """
        ...

    def digest(self, row: str) -> str:
        """SQL for a number that the text of a row decides."""
        ...

    def version(self, table: str) -> str:
        """What changes whenever the table may have, its rows or what its columns mean, in little time."""
        ...

    def collations(self, name: str) -> dict[str, str]:
        """By which rules columns of text are compared, where those are not the usual ones."""
        ...

    def close(self) -> None: ...


def open_database(source: str, timeout: float) -> ReadDatabase:
    """The database at an address, or in a file."""
    if source.startswith(("postgresql:", "postgres:")):
        return PostgreSQLReader(source, timeout)
    return DuckDBReader(Path(source), timeout)


class DuckDBReader:
    """A DuckDB file; while it is open to read, no other process can write to it."""

    longest_decimal: int | None = 18  # a condition with 18 decimals makes a longer one overflow

    def __init__(self, path: Path, timeout: float) -> None:
        import duckdb

        if not path.is_file():
            raise MissingSource(f"No DuckDB file {path}.", hint="Check source in [table] of the policy.")
        self._name, self._timeout = str(path), timeout
        settings: dict[str, Any] = {"autoload_known_extensions": False, "autoinstall_known_extensions": False}
        try:
            # Attached to a database of its own: settings would be those of every other use of the file.
            self._connection = duckdb.connect(":memory:", config=settings)
            self._connection.execute(f"ATTACH {literal(str(path))} AS guarded (READ_ONLY, TYPE duckdb)")
            self._connection.execute("USE guarded")
            self._connection.execute("SET enable_external_access = false")
            self._connection.execute("SET lock_configuration = true")
        except duckdb.Error as error:
            raise SourceError(
                f"{path} could not be opened to read: DuckDB reported {type(error).__name__}.",
                hint="Check that it is a DuckDB file, and that no other process writes to it.",
            ) from None

    def columns(self, sql: str, values: Sequence[Any] = ()) -> list[Array]:
        import duckdb

        clock = threading.Timer(self._timeout, self._connection.interrupt)
        clock.start()
        try:
            found = self._connection.execute(sql.replace(MARK, "?"), list(values)).fetchnumpy()
        except duckdb.InterruptException:
            raise _too_long(self._name, self._timeout) from None
        except duckdb.Error as error:
            raise unreadable(self._name, error) from None
        finally:
            clock.cancel()
        return [_filled(column) for column in found.values()]

    def digest(self, row: str) -> str:
        return f"md5_number_lower({row})::HUGEINT"

    def version(self, table: str) -> str:
        return ""  # nothing writes while this is open

    def collations(self, name: str) -> dict[str, str]:
        *schema, table = name.split(".", 1)
        where = f"table_name = {MARK} AND schema_name = {MARK if schema else 'current_schema()'}"
        sql = f"SELECT sql FROM duckdb_tables() WHERE database_name = 'guarded' AND {where}"
        made = "\n".join(self.columns(sql, [table, *schema])[0])
        found = re.findall(r'("(?:[^"]|"")*"|\w+) VARCHAR COLLATE ([\w.]+)', made)
        return {column.removeprefix('"').removesuffix('"').replace('""', '"'): rule for column, rule in found}

    def close(self) -> None:
        self._connection.close()


class PostgreSQLReader:
    """A PostgreSQL database; each statement reads one state of it."""

    longest_decimal: int | None = None

    def __init__(self, address: str, timeout: float) -> None:
        try:
            import psycopg
        except ModuleNotFoundError:
            raise MissingLibrary("PostgreSQL", "psycopg", "service") from None
        self._name, self._timeout = "the PostgreSQL database", timeout
        try:
            self._connection = psycopg.connect(address, connect_timeout=10, autocommit=True)
            self._connection.execute("SET default_transaction_read_only = on")
            self._connection.execute(f"SET statement_timeout = {int(timeout * 1000)}")
        except psycopg.Error as error:
            raise SourceError(
                f"{self._name} could not be opened: PostgreSQL reported {type(error).__name__}.",
                hint="Check the address, and that the user may connect.",
            ) from None

    def columns(self, sql: str, values: Sequence[Any] = ()) -> list[Array]:
        import psycopg

        if values:  # without them, psycopg takes a % for itself
            sql = sql.replace("%", "%%").replace(MARK, "%s")
        try:
            cursor = self._connection.execute(sql, list(values) or None)
            rows, names = cursor.fetchall(), cursor.description or ()
        except psycopg.errors.QueryCanceled:
            raise _too_long(self._name, self._timeout) from None
        except psycopg.Error as error:
            raise unreadable(self._name, error) from None
        return [_typed([row[place] for row in rows]) for place in range(len(names))]

    def digest(self, row: str) -> str:
        return f"('x' || substr(md5({row}), 1, 16))::bit(64)::bigint::numeric"

    def version(self, table: str) -> str:
        noted, kinds = self.columns(_NOTED.format(table=literal(table)))
        if not {*kinds[0]} <= {"r", "p"}:
            raise a_view(table)
        row = "tableoid::text || ' ' || ctid::text || ' ' || xmin::text"  # where it is and what wrote it
        rows = f"SELECT COUNT(*), SUM(hashtextextended({row}, 0))::text FROM {table}"
        return ", ".join(str(column[0]) for column in (noted, *self.columns(rows)))

    def collations(self, name: str) -> dict[str, str]:
        names, rules = self.columns(_COLLATIONS.format(table=literal(table_name(name))))
        return dict(zip(names, rules, strict=True))

    def close(self) -> None:
        self._connection.close()


def table_name(name: str) -> str:
    """A table's name as SQL has it, with its schema where it is given."""
    return ".".join(map(quoted, name.split(".", 1)))


def a_view(table: str) -> SchemaError:
    """The error for what is no table: time, lots or other tables may decide what is in it."""
    return SchemaError(
        f"{table} is a view or a foreign table, and whether one has changed cannot be seen.",
        hint="Guard a table: CREATE TABLE ... AS SELECT * FROM the view.",
    )


def _too_long(name: str, timeout: float) -> SourceError:
    return SourceError(
        f"{name} took longer than {timeout:g} seconds.", hint="Ask for less, or set timeout in [table]."
    )


def _filled(column: Any) -> Array:
    """A column of DuckDB without a mask: missing is not a number, or None."""
    if not isinstance(column, np.ma.MaskedArray):
        return np.asarray(column)
    missing = np.ma.getmaskarray(column)
    if column.dtype.kind == "f":
        return np.where(missing, np.nan, column.data)
    if not missing.any():
        return column.data
    found = column.data.astype(object)
    found[missing] = None
    return found


def _typed(values: list[Any]) -> Array:
    for kind, dtype in ((int, np.int64), (float, np.float64)):
        if values and all(type(value) is kind for value in values):
            return np.array(values, dtype)
    found = np.empty(len(values), object)
    found[:] = values
    return found
