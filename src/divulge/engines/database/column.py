"""A column of a database: how it is asked for, and how it is grouped by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

_SORTED = (sa.String, sa.Integer, sa.Numeric, sa.Date, sa.DateTime, sa.Uuid)  # some types are not ordered


@dataclass(frozen=True, eq=False)
class DatabaseColumn:
    """A column as it is asked for and as it is grouped by."""

    name: str
    truth: bool  # kept as 0 and 1
    grouped: Any
    sorts: bool = False  # whether a sort of all values is asked for, to see that no two are the same

    @classmethod
    def of(cls, described: Any, dialect: str) -> DatabaseColumn:
        # Columns without a type: values come as the driver gives them, never through a conversion that
        # could fail on one of them and say so in its own words.
        column = sa.column(described["name"])
        kind = described["type"]
        grouped: Any = column
        if dialect == "sqlite":  # a column may say that A and a are the same
            grouped = sa.collate(column, "BINARY")
        elif dialect == "postgresql" and isinstance(kind, sa.String) and not isinstance(kind, sa.Enum):
            grouped = sa.collate(column, "C")
        elif dialect == "postgresql" and isinstance(kind, sa.Float):
            grouped = sa.func.nullif(column, sa.literal_column("'NaN'"))
        sorts = dialect == "postgresql" and isinstance(kind, _SORTED)
        return cls(described["name"], isinstance(kind, sa.Boolean), grouped.label(described["name"]), sorts)
