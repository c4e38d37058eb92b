"""Columns of PostgreSQL in which no value occurs twice, as a primary key: the server sees to that itself."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

#: Unique indexes of one column and all rows; they do not reach rows of tables that inherit from this one.
_INDEXES = sa.text("""
    SELECT count(*)
    FROM pg_catalog.pg_index AS i
        JOIN pg_catalog.pg_class AS t ON t.oid = i.indrelid
        JOIN pg_catalog.pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
    WHERE t.oid = to_regclass(:name) AND a.attname = :column AND (t.relkind = 'p' OR NOT t.relhassubclass)
        AND i.indisunique AND i.indisvalid AND i.indimmediate
        AND i.indnkeyatts = 1 AND i.indpred IS NULL AND i.indexprs IS NULL
""")
_LEAST_VERSION = (11,)


def is_unique(connection: Any, table: Any, column: str) -> bool:
    """Whether the server has promised that no value of a column occurs twice."""
    dialect = connection.dialect
    if dialect.name != "postgresql" or dialect.server_version_info < _LEAST_VERSION:
        return False
    name = dialect.identifier_preparer.format_table(table)
    return bool(connection.execute(_INDEXES, {"name": name, "column": column}).scalar())
