"""A release of a file that is larger than memory: made and written by DuckDB within the budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from divulge._support.whole_files import file_digest, whole_file
from divulge._support.wording import reported
from divulge.engines.external.workplace import HeldValues, KeepingWorkplace, ReleaseDialect, ValueMapping
from divulge.engines.out_of_core.file_rows import FileRows
from divulge.engines.out_of_core.session import InterruptibleConnection
from divulge.engines.out_of_core.table import OutOfCoreTable
from divulge.errors import ParameterError, SourceError
from divulge.source import duck

DUCKDB = ReleaseDialect(
    digits=lambda text, first: f"('0x' || substr(md5({text}), {first}, 13))::UBIGINT::DOUBLE",
    literal=duck.literal,
    text="VARCHAR",
    number="DOUBLE",
    whole="BIGINT",
    decimal="DECIMAL(38, {})",
    parsed="TRY_CAST({} AS DOUBLE)",
    spelled="printf('%.{1}f', {0})",
    point="instr({}, '.')",
)
_TYPES = {
    "boolean": "BOOLEAN",
    "integer": "BIGINT",
    "float": "DOUBLE",
    "date": "DATE",
    "moment": "TIMESTAMP",
    "instant": "TIMESTAMPTZ",
    "text": "VARCHAR",
}
_FORMS = {
    ".csv": "FORMAT csv, HEADER, DELIMITER ','",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".parquet": "FORMAT parquet",
}


class FileWorkplace(KeepingWorkplace):
    """A file on disk, and the file that its release is written to."""

    dialect = DUCKDB
    hidden = ("k", "row_number")
    row_number = "row_number"

    def __init__(self, table: OutOfCoreTable, cursor: InterruptibleConnection, out: Path) -> None:
        assert isinstance(table.rows, FileRows)
        super().__init__(table)
        self._file, self._cursor, self._out = table.rows, cursor, out

    def start(self, key: str | None) -> str:
        columns = self._file.columns
        picked = [f"{one.comparable} AS c{place}" for place, one in enumerate(columns.values())]
        drawn_by = self._file.row if key is None else columns[key].sql
        hidden = f"({drawn_by})::VARCHAR AS k, {self._file.row} AS row_number"
        return f"SELECT {hidden}, {', '.join(picked)} FROM {self._file.place}"

    def run(self, statement: str, *given: object) -> Any:
        return self._cursor.execute(statement, *given)

    def mapping(self, held: HeldValues, mapping: ValueMapping) -> str:
        kind = _TYPES.get(mapping.kind) or f"DECIMAL({', '.join(map(str, mapping.digits or (38, 0)))})"
        lists = ("BIGINT[]", "DOUBLE[]", "BIGINT[]", "DOUBLE[]", "DOUBLE[]", f"VARCHAR[]::{kind}[]")
        names = ("place", "part", "code", "low", "high", "released")
        listed = ", ".join(f"unnest(?::{one}) AS {name}" for one, name in zip(lists, names, strict=True))
        return self.keep(
            "m",
            "SELECT value, part, code, low, high, released "
            f"FROM (SELECT {listed}) AS x LEFT JOIN {held.name} AS v USING (place)",
            mapping.columns(),
        )

    def write(self, query: str, columns: Sequence[tuple[str, str]], order: str | None) -> None:
        form = _FORMS[self._out.suffix.lower()]
        picked = ", ".join(f"{column} AS {duck.quoted(name)}" for name, column in columns)
        if len(columns) == 1 and "csv" in form:  # an empty line would be no record
            [(name, column)] = columns
            picked = f"coalesce({column}::VARCHAR, '') AS {duck.quoted(name)}"
            form += ", FORCE_QUOTE *"
        last = f" ORDER BY {order}, row_number" if order else ""
        try:
            with whole_file(self._out) as made:
                self.run(
                    f"COPY (SELECT {picked} FROM ({query}) AS t{last}) TO {duck.literal(str(made))} ({form})"
                )
                self.digest = file_digest(made)
        except (duckdb.Error, OSError) as error:
            raise SourceError(
                f"{self._out} cannot be written{reported(error)}.",
                hint="The disk may be full; or give a larger budget (--memory).",
            ) from None


@contextmanager
def file_workplace(table: OutOfCoreTable, out: str) -> Iterator[FileWorkplace]:
    """Where the release of a file is made; what is written is CSV or Parquet."""
    path = Path(out).expanduser()
    if path.suffix.lower() not in _FORMS:
        raise ParameterError(
            f"The release of a file within a memory budget is written as {', '.join(_FORMS)}.",
            hint="Name such a file, or leave out --memory.",
        )
    with table.session.cursor(table.name) as cursor:
        yield FileWorkplace(table, cursor, path)
