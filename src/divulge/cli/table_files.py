"""Tables of results as files: small ones as CSV, records as CSV or Parquet."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from divulge.errors import ParameterError, SourceError
from divulge.readings.frames import FrameColumn, handed_out
from divulge.report.shared.writing import reason
from divulge.source import duck

_SQL = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}
_WORDS = {True: "true", False: "false"}


def csv_text(columns: Mapping[str, FrameColumn]) -> str:
    """A small table as CSV, with the columns of its frame; what is missing is empty."""
    out, shown = io.StringIO(), handed_out(columns)
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(shown)
    rows.writerows(zip(*(_cells(one) for one in shown.values()), strict=True))
    return out.getvalue()


def csv_rows(rows: Sequence[Sequence[object]]) -> str:
    """Rows as CSV, the first of them the head."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _cells(column: FrameColumn) -> list[Any]:
    return [_WORDS.get(value) for value in column.values] if column.type is bool else list(column.values)


def folder_files(folder: str | None, names: Sequence[str]) -> list[Path]:
    """The files that tables would have in a folder that exists; refused where it can be none."""
    if folder is None:
        return []
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise ParameterError(f"{path} is a file, not a folder.", hint="Name a folder for --csv-folder.")
    if path.suffix.lower() == ".csv" and not path.is_dir():
        raise ParameterError(
            f"{path} would be a folder, and its name ends like that of a file.",
            hint="--csv-folder writes several tables: name a folder for them, such as tables.",
        )
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
    """Write records to a file for nobody else to read, which is there whole or not at all."""
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".divulge-records-") as private:
            made = Path(private, f"records{path.suffix.lower()}")
            _copy(columns, made)
            made.chmod(0o600)
            os.replace(made, path)
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {reason(error)}.", hint="Name another file.") from None


def _copy(columns: Mapping[str, FrameColumn], to: Path) -> None:
    """Have DuckDB write arrays where they are, bit by bit and in their order."""
    arrays, shown = dict[str, Any](), []
    for place, (name, one) in enumerate(columns.items()):
        arrays[f"c{place}"], value = np.asarray(one.values), f"c{place}::{_SQL[one.type]}"
        if one.missing is not None:
            arrays[f"m{place}"], value = one.missing, f"CASE WHEN NOT m{place} THEN {value} END"
        shown.append(f"{value} AS {duck.quoted(name)}")
    form = "FORMAT parquet" if to.suffix == ".parquet" else "FORMAT csv, HEADER"
    try:
        with duck.connect() as connection:
            connection.register("records", arrays)
            query = f"SELECT {', '.join(shown)} FROM records"
            connection.execute(f"COPY ({query}) TO {duck.literal(str(to))} ({form})")
    except Exception as error:  # its own words may quote what it read
        raise OSError(0, f"DuckDB ended with {type(error).__name__}") from None
