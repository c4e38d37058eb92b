"""A release as a file of SPSS, Stata or SAS, through pyreadstat."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from divulge._support.wording import capitalized
from divulge.errors import MissingLibrary, SourceError
from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.outputs.column_kinds import Kind, kind_of, occurring
from divulge.recipes.outputs.csv_lines import spelled
from divulge.table.codes import Codes

#: What each program allows for the name of a variable, and in how many characters.
_NAMES = {
    "an SPSS file": (re.compile(r"[^\W\d_][\w.$#@]*"), 64),
    "a Stata file": (re.compile(r"[^\W\d]\w*"), 32),
    "a SAS transport file": (re.compile(r"[A-Za-z_][A-Za-z0-9_]*"), 32),
}
_EXACT = 2**53  # numbers of these files are floats
_NUMBERS: tuple[Kind, ...] = ("integer", "float", "decimal", "boolean")


def write_sav(table: WorkingTable, path: Path) -> None:
    """Write the table for SPSS; a missing text is an empty one."""
    import pyreadstat

    pyreadstat.write_sav(_frame(table, "an SPSS file"), path, row_compress=True)


def write_zsav(table: WorkingTable, path: Path) -> None:
    """Write the table for SPSS, compressed."""
    import pyreadstat

    pyreadstat.write_sav(_frame(table, "an SPSS file"), path, compress=True)


def write_dta(table: WorkingTable, path: Path) -> None:
    """Write the table for Stata."""
    import pyreadstat

    pyreadstat.write_dta(_frame(table, "a Stata file"), path)


def write_xpt(table: WorkingTable, path: Path) -> None:
    """Write the table for SAS, as a transport file of version 8."""
    import pyreadstat

    pyreadstat.write_xport(_frame(table, "a SAS transport file"), path, table_name="RELEASE")


def _frame(table: WorkingTable, called: str) -> Any:
    """The table as a frame that pyreadstat takes: numbers, days and texts."""
    for name in table.attributes:
        _refuse_name(name, called)
    columns = {name: _values(column) for name, column in table.columns.items()}
    if find_spec("polars") is not None:
        import polars as pl

        return pl.DataFrame(columns, strict=False, infer_schema_length=None)
    if find_spec("pandas") is None:
        raise MissingLibrary(called, "pandas", "frames", doing="Writing")
    import pandas as pd

    return pd.DataFrame(columns)


def _values(column: Codes) -> list[Any]:
    kind = kind_of(column)
    exact = kind != "integer" or all(abs(one) <= _EXACT for one in occurring(column))  # type: ignore[arg-type]
    if kind in _NUMBERS and exact:
        return [None if one is None else float(one) for one in column.values_of()]
    if kind in ("date", "moment"):
        return column.values_of()
    texts = ["", *map(spelled, column.values)]
    return [texts[code] for code in column.codes.tolist()]


def _refuse_name(name: str, called: str) -> None:
    form, longest = _NAMES[called]
    if form.fullmatch(name) is None or len(name) > longest:
        raise SourceError(
            f"{capitalized(called)} cannot have a column called '{name}': names have letters, digits and "
            f"underscores, begin with a letter, and have {longest} characters at most.",
            hint="Rename it in the data, or write Parquet or CSV.",
        )
