"""The records of a file as DuckDB groups them: what is equal is equal, and narrow where it can be."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Protocol

from divulge.engines.out_of_core.sampled_sizes import FIELD, Sampled
from divulge.engines.out_of_core.session import InterruptibleConnection
from divulge.source import duck
from divulge.source.base import not_a_value
from divulge.source.parquet import Parquet
from divulge.table.codes import Codes

_FEW = 1 << 16  # different texts that are grouped by number and not letter by letter


class Rows(Protocol):
    """Records that can be selected, and codes of what was kept of them."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the columns, in order."""

    def select(self, cursor: InterruptibleConnection, wanted: Sequence[str]) -> str:
        """A query for attributes as columns c0, c1, ... and for the number of each record as r."""

    def codes(self, cursor: InterruptibleConnection, column: str, attribute: str, rows: int) -> Codes:
        """The codes of a column of the table ``kept``, which has so many rows."""

    def reads(self, attribute: str, column: str, mark: str) -> str | None:
        """The condition that a value, selected as ``column``, reads like a mark; None if none can."""

    def sampled(self, attribute: str) -> Sampled:
        """What some values tell about all."""

    def values(self, attribute: str) -> float:
        """How many different values there are, about, missing among them; infinity where nobody looked."""

    def width(self, attribute: str) -> float:
        """Bytes of a value where DuckDB groups by it."""


@dataclass(frozen=True)
class FileColumn:
    """A column: SQL, DuckDB's name of its type, and what some of its values tell."""

    sql: str
    kind: str
    sampled: Sampled

    @property
    def comparable(self) -> str:
        """The column so that equal values are equal, and what is no number is missing."""
        if self.kind in {"FLOAT", "DOUBLE"}:
            return f"CASE WHEN isnan({self.sql}) THEN NULL ELSE {self.sql} + 0 END"  # -0.0 + 0 is 0.0
        return self.sql


@dataclass(frozen=True, eq=False)
class FileRows:
    """The records of a file, from where it is or from where it was read to."""

    place: str  # what stands behind FROM
    row: str  # the column that numbers records
    columns: Mapping[str, FileColumn]
    file: Parquet | None = None  # where pages may be read straight to codes
    _values: dict[str, int] = field(default_factory=dict, repr=False)  # of texts, about

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(self.columns)

    def select(self, cursor: InterruptibleConnection, wanted: Sequence[str]) -> str:
        self._enumerate(cursor, wanted)
        picked = [f"{self._grouped(one)} AS c{i}" for i, one in enumerate(wanted)]
        return f"SELECT {', '.join([*picked, f'{self.row} AS r'])} FROM {self.place}"

    def codes(self, cursor: InterruptibleConnection, column: str, attribute: str, rows: int) -> Codes:
        if find_spec("pyarrow"):
            from divulge.source.frames.arrow import encode_chunks

            return encode_chunks(attribute, cursor.arrow(f"SELECT {column} FROM kept")[column])
        kind = "ENUM" if self._is_listed(attribute) else self.columns[attribute].kind
        return duck.encode_sql(cursor, duck.DuckTable("kept", "kept.rowid", rows), column, attribute, kind)

    def reads(self, attribute: str, column: str, mark: str) -> str | None:
        if self.columns[attribute].kind != "VARCHAR" and not mark.lstrip("-").isdigit():
            return None
        return f"{column}::VARCHAR = {duck.literal(mark)}"

    def sampled(self, attribute: str) -> Sampled:
        return self.columns[attribute].sampled

    def values(self, attribute: str) -> float:
        return self._values.get(attribute, math.inf) + 1

    def width(self, attribute: str) -> float:
        if self._is_listed(attribute):
            return 2
        column = self.columns[attribute]
        return FIELD + column.sampled.length if column.kind in {"VARCHAR", "BLOB"} else 8

    def _grouped(self, attribute: str) -> str:
        """A column so that equal values are equal."""
        column = self.columns[attribute]
        if duck.is_nested(column.kind):
            raise not_a_value(attribute, f"values of type {column.kind}")
        if self._is_listed(attribute):
            return f"({column.sql})::{self._type(attribute)}"
        return column.comparable

    def _type(self, attribute: str) -> str:
        return f"listed{self.attributes.index(attribute)}"

    def _is_listed(self, attribute: str) -> bool:
        return 0 < self._values.get(attribute, 0) <= _FEW

    def _enumerate(self, cursor: InterruptibleConnection, wanted: Sequence[str]) -> None:
        """Make types of the texts that have few values, for numbers are narrower and quicker to group."""
        columns = self.columns
        texts = [one for one in wanted if columns[one].kind == "VARCHAR" and one not in self._values]
        if not texts:
            return
        asked = ", ".join(f"approx_count_distinct({columns[one].sql})" for one in texts)
        [found] = cursor.execute(f"SELECT {asked} FROM {self.place}").fetchall()
        for one, values in zip(texts, found, strict=True):
            if 0 < values <= _FEW:
                listed = f"SELECT DISTINCT {columns[one].sql} AS v FROM {self.place} WHERE v IS NOT NULL"
                cursor.execute(f"CREATE OR REPLACE TYPE {self._type(one)} AS ENUM ({listed} ORDER BY v)")
            self._values[one] = values
