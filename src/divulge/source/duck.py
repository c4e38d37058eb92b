"""DuckDB as a reader: a connection of our own that stays off the network, and codes made in SQL."""

from __future__ import annotations

import glob
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from divulge.source.base import not_a_value
from divulge.source.integers import Span, all_missing
from divulge.table.codes import MISSING, Codes, code_type

INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
# An enumeration of so many texts is quicker than a join with them.
_FEW = 1 << 16
_WIDTHS = {"uint8": "UTINYINT", "uint16": "USMALLINT", "uint32": "UINTEGER", "uint64": "UBIGINT"}


def connect() -> Any:
    """An empty database in memory that never downloads an extension."""
    quiet = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    return duckdb.connect(":memory:", config=quiet | {"temp_directory": tempfile.gettempdir()})


@cache
def shared() -> Any:
    """One connection for questions about files, since making one takes longer than the answers."""
    return connect()


def quoted(name: str) -> str:
    """A name as an identifier in SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as a literal in SQL."""
    return "'" + text.replace("'", "''") + "'"


def file_literal(path: Path) -> str:
    """A path as a literal in SQL, its stars and brackets not taken for a pattern."""
    return literal(glob.escape(str(path)) if glob.has_magic(str(path)) else str(path))


def is_nested(kind: str) -> bool:
    """Whether a type is made of other types: lists, structs, maps."""
    return kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION"))


@dataclass(frozen=True)
class DuckTable:
    """Something that stands behind FROM, and the column that numbers its rows from 0."""

    sql: str
    row: str
    records: int


def encode_sql(connection: Any, table: DuckTable, column: str, attribute: str, kind: str) -> Codes:
    """Codes of one column, which is SQL itself; ``kind`` is DuckDB's name of its type."""
    if is_nested(kind):
        raise not_a_value(attribute, f"values of type {kind}")
    if kind in INTEGERS:
        low, high = connection.execute(f"SELECT min({column}), max({column}) FROM {table.sql}").fetchone()
        if low is None:
            return all_missing(table.records)
        if Span(low, high).is_dense(table.records):
            codes = _in_order(connection, table, f"{column}::HUGEINT - {low} + 1", high - low + 1)
            return Codes(codes, range(low, high + 1))
    if kind in {"FLOAT", "DOUBLE"}:
        column = f"CASE WHEN isnan({column}) THEN NULL ELSE {column} + 0 END"  # -0.0 + 0 is 0.0
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE dictionary AS "
        f"SELECT DISTINCT {column} AS v FROM {table.sql} WHERE ({column}) IS NOT NULL ORDER BY v"
    )
    values = [v for (v,) in connection.execute("SELECT v FROM dictionary ORDER BY rowid").fetchall()]
    if not values:
        return all_missing(table.records)
    if kind != "VARCHAR" or len(values) > _FEW:
        return Codes(_joined(connection, table, column, len(values)), values)
    connection.execute("CREATE OR REPLACE TEMP TYPE listed AS ENUM (SELECT v FROM dictionary ORDER BY rowid)")
    place = f"enum_code({column}::listed)::UINTEGER + 1"
    return Codes(_in_order(connection, table, place, len(values)), values)


def _in_order(connection: Any, table: DuckTable, place: str, largest: int) -> Any:
    width = _WIDTHS[code_type(largest).__name__]
    found = connection.execute(f"SELECT coalesce({place}, {MISSING})::{width} AS c FROM {table.sql}")
    return found.fetchnumpy()["c"]


def _joined(connection: Any, table: DuckTable, column: str, largest: int) -> Any:
    """Codes from the dictionary; a join may answer in any order, hence the numbers of the rows."""
    kind = code_type(largest)
    found = connection.execute(
        f"SELECT {table.row} AS r, (dictionary.rowid + 1)::{_WIDTHS[kind.__name__]} AS c "
        f"FROM {table.sql} JOIN dictionary ON ({column}) = dictionary.v"
    ).fetchnumpy()
    codes = np.full(table.records, MISSING, dtype=kind)
    codes[found["r"]] = found["c"]
    return codes


def describe(connection: Any, table: str) -> dict[str, str]:
    """The columns of a table and DuckDB's names of their types."""
    return {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {table}").fetchall()}
