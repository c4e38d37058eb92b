"""DuckDB relations and tables of the user's own connection, fetched once so that their order holds."""

from __future__ import annotations

import shlex
from datetime import datetime
from decimal import Decimal
from importlib.util import find_spec
from typing import Any

import numpy as np

from divulge.errors import MissingSource, SourceError, listing, suggestion
from divulge.source.base import Columns, check_names, not_a_value
from divulge.source.duck import is_nested, quoted
from divulge.source.frames.numpy import encode_array
from divulge.table.codes import Codes

_KEPT = (
    *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
    *("VARCHAR", "ENUM", "BLOB", "DATE", "TIMESTAMP"),
)


def open_relation(relation: Any, name: str = "a DuckDB relation") -> Columns:
    """A source over a relation: through Arrow where pyarrow is installed, else through NumPy."""
    names = tuple(relation.columns)
    check_names(name, names)
    kinds = {column: str(kind) for column, kind in zip(names, relation.types, strict=True)}
    arrow = find_spec("pyarrow") is not None
    picked = ", ".join(_as_fetched(column, kind, arrow) for column, kind in kinds.items())
    try:
        fetched = relation.project(picked)
        fetched = fetched.to_arrow_table() if arrow else fetched.fetchnumpy()
    except Exception as error:
        raise unreadable(name, error) from None
    records = fetched.num_rows if arrow else len(fetched[names[0]])

    def encoder(attribute: str) -> Codes:
        kind = kinds[attribute]
        if is_nested(kind):
            raise not_a_value(attribute, f"values of type {kind}")
        if arrow:
            from divulge.source.frames.arrow import encode_chunks

            codes = encode_chunks(attribute, fetched[attribute])
        else:
            codes = encode_array(attribute, np.ma.asarray(fetched[attribute]))
        return Codes(codes.codes, _restored(codes.values, kind))

    return Columns(name, names, records, encoder)


def open_table(connection: Any, table: str | None) -> Columns:
    """A source over a table or view that the connection knows."""
    # Looked up in the catalogue: in a query DuckDB would also accept the name of any Python variable.
    known = connection.sql(
        "SELECT table_catalog, table_schema, table_name FROM information_schema.tables "
        "ORDER BY table_schema = current_schema()"
    )
    places = {".".join(row[from_:]): row for row in known.fetchall() for from_ in (0, 1, 2)}
    names = sorted({row[2] for row in places.values()})
    if table is None:
        raise which_table("a DuckDB connection", names)
    if table not in places:
        raise unknown_table(table, names)
    where = ".".join(map(quoted, places[table]))
    return open_relation(connection.sql(f"SELECT * FROM {where}"), f"table {table}")


def which_table(what: str, names: list[str]) -> SourceError:
    """The error for a database without a word about the table."""
    found = f"It has {listing(names)}." if names else "It has none."
    hint = f"Name one with --table {shlex.quote(names[0])}, in Python with table=..." if names else None
    return SourceError(f"Reading {what} needs the name of a table. {found}", hint=hint)


def unknown_table(table: str, names: list[str]) -> MissingSource:
    """The error for a table that is not there."""
    found = f"which has {listing(names)}" if names else "which has none"
    return MissingSource(f"No table '{table}' in the database, {found}.", hint=suggestion(table, names))


def unreadable(name: str, error: Exception) -> SourceError:
    """The error for a query that failed; a database's own words may quote records, so they stay out."""
    return SourceError(
        f"{name} could not be read: the database reported {type(error).__name__}.",
        hint="Run the query by itself to see why.",
    )


def _as_fetched(column: str, kind: str, arrow: bool) -> str:
    name = quoted(column)
    exact = kind.startswith(_KEPT) or is_nested(kind)
    if not arrow and kind.startswith(("DECIMAL", "HUGE", "UHUGE", "BLOB", "ENUM")):
        exact = False  # NumPy would make them floats or objects without a hash
    return name if exact else f"{name}::VARCHAR AS {name}"


def _restored(values: Any, kind: str) -> Any:
    if kind in {"HUGEINT", "UHUGEINT"}:
        return [int(value) for value in values]
    if kind.startswith("DECIMAL"):
        return [Decimal(value) for value in values]
    if kind == "DATE":
        return [value.date() if isinstance(value, datetime) else value for value in values]
    return values
