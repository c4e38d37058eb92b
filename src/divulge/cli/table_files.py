"""Tables of results as files: CSV, and Parquet by way of it."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from divulge.errors import ParameterError, SourceError
from divulge.readings.frames import FrameColumn, handed_out
from divulge.report.shared.writing import reason
from divulge.source import duck

AT_ONCE = 1 << 16  # records that are written together
_SQL = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}
_WORDS = {True: "true", False: "false"}


def csv_text(columns: Mapping[str, FrameColumn]) -> str:
    """A small table as CSV, with the columns of its frame; what is missing is empty."""
    out = io.StringIO()
    _write_csv(handed_out(columns), out)
    return out.getvalue()


def folder_files(folder: str | None, names: Sequence[str]) -> list[Path]:
    """The files that tables would have in a folder that exists; refused where it can be none."""
    if folder is None:
        return []
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise ParameterError(f"{path} is a file, not a folder.", hint="Name a folder for --csv.")
    if not path.parent.is_dir():
        raise ParameterError(
            f"{path} cannot be written: there is no folder {path.parent}.", hint="Make it first."
        )
    return [path / f"{name}.csv" for name in names] if path.is_dir() else []


def csv_files(folder: str | None, tables: Mapping[str, Mapping[str, FrameColumn]]) -> dict[Path, str]:
    """Tables as the files of a folder, each by its name; the folder is made where there is none."""
    if folder is None:
        return {}
    path = Path(folder)
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise SourceError(f"{path} cannot be made: {reason(error)}.", hint="Name another folder.") from None
    return {path / f"{name}.csv": csv_text(columns) for name, columns in tables.items()}


def refuse_records(path: Path, *, overwrite: bool) -> None:
    """Refuse a file for records that has no form, or that is there already."""
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise ParameterError(
            f"The ending of {path.name} says no form for records.", hint="Write .csv or .parquet."
        )
    if path.exists() and not overwrite:
        raise ParameterError(
            f"{path} is there already.", hint="Name another file, or allow it with --overwrite."
        )


def write_records(path: Path, columns: Mapping[str, FrameColumn]) -> None:
    """Write records bit by bit to a file for nobody else to read, which is there whole or not at all."""
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".divulge-records-") as private:
            made = Path(private, "records.csv")
            with made.open("w", encoding="utf-8", newline="") as file:
                _write_csv(columns, file)
            if path.suffix.lower() == ".parquet":
                made = _to_parquet(made, columns)
            made.chmod(0o600)
            os.replace(made, path)
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {reason(error)}.", hint="Name another file.") from None


def _write_csv(columns: Mapping[str, FrameColumn], file: TextIO) -> None:
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(columns)
    rows.writerows(_rows(columns))


def _rows(columns: Mapping[str, FrameColumn]) -> Iterator[tuple[Any, ...]]:
    many = min((len(one.values) for one in columns.values()), default=0)
    for start in range(0, many, AT_ONCE):
        yield from zip(*(_cells(one, slice(start, start + AT_ONCE)) for one in columns.values()), strict=True)


def _cells(column: FrameColumn, rows: slice) -> list[Any]:
    values = column.part(rows)
    return [_WORDS.get(value) for value in values] if column.type is bool else values


def _to_parquet(made: Path, columns: Mapping[str, FrameColumn]) -> Path:
    """A CSV file as Parquet, its columns of the types they have here."""
    text, parquet = duck.literal, made.with_suffix(".parquet")
    types = ", ".join(f"{text(name)}: {text(_SQL[one.type])}" for name, one in columns.items())
    form = f"header = true, delim = ',', quote = '\"', columns = {{{types}}}"
    query = (
        f"COPY (FROM read_csv({duck.file_literal(made)}, {form})) TO {text(str(parquet))} (FORMAT parquet)"
    )
    try:
        with duck.shared().cursor() as connection:
            connection.execute(query)
    except Exception as error:  # its own words may quote what it read
        raise OSError(0, f"DuckDB ended with {type(error).__name__}") from None
    return parquet
