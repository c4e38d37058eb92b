"""A release as a Parquet file, by DuckDB: values are given once, and rows as codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.outputs.column_kinds import Kind, decimal_digits, kind_of, occurring
from divulge.recipes.outputs.csv_lines import spelled
from divulge.source import duck
from divulge.table.codes import MISSING, Codes

_FEW = 4096  # values up to which looking one up in a list is quicker than copying it for each row
_TYPES: dict[Kind, str] = {
    "boolean": "BOOLEAN",
    "integer": "BIGINT",
    "float": "DOUBLE",
    "date": "DATE",
    "moment": "TIMESTAMP",
    "instant": "TIMESTAMPTZ",
    "binary": "BLOB",
    "text": "VARCHAR",
}


def write(table: WorkingTable, path: Path) -> None:
    """Write the table; columns of numbers, dates and truth values keep their types."""
    with duck.connect() as connection:
        query = released_query(connection, table)
        connection.execute(f"COPY ({query}) TO {duck.literal(str(path))} (FORMAT parquet)")


def released_query(connection: Any, table: WorkingTable) -> str:
    """A query for the records of a table, which the connection is given."""
    arrays, picked = {}, []
    for place, (name, column) in enumerate(table.columns.items()):
        array, term = _column(connection, column, place)
        arrays[f"c{place}"] = array
        picked.append(f"{term} AS {duck.quoted(name)}")
    connection.register("released", arrays)
    return f"SELECT {', '.join(picked)} FROM released"


def _column(connection: Any, column: Codes, place: int) -> tuple[np.ndarray, str]:
    """What DuckDB is given for each row of a column, and the value of that in SQL."""
    kind, code = kind_of(column), f"c{place}"
    if kind == "integer" and isinstance(column.values, range) and column.values.step == 1:
        return column.codes, f"nullif({code}, {MISSING})::BIGINT + {column.values.start - 1}"
    type_name = sql_type(column, kind)
    values = _told(column, kind)
    if len(values) <= _FEW:
        given = "BLOB[]" if kind == "binary" else f"VARCHAR[]::{type_name}[]"
        connection.execute(f"SET VARIABLE v{place} = ?::{given}", [values])
        return column.codes, f"list_extract(getvariable('v{place}'), {code}::BIGINT + 1)"
    if kind in ("integer", "float"):
        numbers = np.zeros(len(values), np.int64 if kind == "integer" else np.float64)
        present = [code for code, value in enumerate(values) if value is not None]
        numbers[present] = np.asarray([column.value(code) for code in present], numbers.dtype)
        return np.ma.masked_array(numbers[column.codes], column.codes == MISSING), code
    return np.array(values, object)[column.codes], f"{code}::{type_name}"


def sql_type(column: Codes, kind: Kind) -> str:
    """The type of a column as DuckDB calls it."""
    if kind != "decimal":
        return _TYPES[kind]
    digits, after = decimal_digits(occurring(column)) or (38, 0)
    return f"DECIMAL({digits}, {after})"


def _told(column: Codes, kind: Kind) -> list[Any]:
    """The value of each code as DuckDB is told it; None for missing, and for values that no record has."""
    found: list[Any] = [None] * column.cardinality
    for code in column.used().tolist():
        if code != MISSING:
            value = column.values[code - 1]
            found[code] = value if kind == "binary" else spelled(value)
    return found
