"""A release as a Parquet file, straight from codes, by pyarrow or by DuckDB: values are given once."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.outputs.column_kinds import Kind, decimal_digits, kind_of, occurring
from divulge.recipes.outputs.csv_lines import spelled
from divulge.recipes.outputs.dictionary_pages import write_from_codes
from divulge.source import duck
from divulge.table.codes import MISSING, Codes

Array = npt.NDArray[Any]
_WORTH_ARROW = 2_000_000  # cells from which on importing pyarrow takes less than it saves
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
    """Write the table in the quickest way at hand; numbers, dates and truth values keep their types."""
    if write_from_codes(table, path):
        return
    large = table.records * len(table.attributes) >= _WORTH_ARROW
    if find_spec("pyarrow") and ("pyarrow" in sys.modules or large):
        from divulge.recipes.outputs.arrow_files import write_parquet

        write_parquet(table, path)
    else:
        write_by_duckdb(table, path)


def write_by_duckdb(table: WorkingTable, path: Path) -> None:
    """Write the table without any other library."""
    with duck.connect() as connection:
        arrays, terms = {}, []
        for place, (name, column) in enumerate(table.columns.items()):
            arrays[f"c{place}"], term = _listed(connection, column, place) or row_values(column, place)
            terms.append(f"{term} AS {duck.quoted(name)}")
        connection.register("released", arrays)
        query = f"SELECT {', '.join(terms)} FROM released"
        connection.execute(f"COPY ({query}) TO {duck.literal(str(path))} (FORMAT parquet)")


def _listed(connection: Any, column: Codes, place: int) -> tuple[Array, str] | None:
    """The codes of a column, and their value in SQL: from a list of few values; None where they are many."""
    kind, code = kind_of(column), f"c{place}"
    if kind == "integer" and isinstance(column.values, range) and column.values.step == 1:
        return column.codes, f"nullif({code}, {MISSING})::BIGINT + {column.values.start - 1}"
    if column.cardinality > _FEW:
        return None
    given = "BLOB[]" if kind == "binary" else f"VARCHAR[]::{sql_type(column, kind)}[]"
    connection.execute(f"SET VARIABLE v{place} = ?::{given}", [_told(column, kind)])
    return column.codes, f"list_extract(getvariable('v{place}'), {code}::BIGINT + 1)"


def row_values(column: Codes, place: int) -> tuple[Array, str]:
    """The value of each row of a column as DuckDB reads it from an array c0, c1, ..., and its type in SQL."""
    kind, code = kind_of(column), f"c{place}"
    values = _told(column, kind)
    if kind in ("integer", "float"):
        numbers = np.zeros(len(values), np.int64 if kind == "integer" else np.float64)
        present = [one for one, value in enumerate(values) if value is not None]
        numbers[present] = np.asarray([column.value(one) for one in present], numbers.dtype)
        return np.ma.masked_array(numbers[column.codes], column.codes == MISSING), code
    return np.array(values, object)[column.codes], f"{code}::{sql_type(column, kind)}"


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
