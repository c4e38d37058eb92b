"""Reads a file in a process of its own, as a script: a damaged or hostile file can end the process.

ReadStat follows lengths that a damaged file claims. Calamine holds every cell up to the last one, so that a
few bytes may ask for a terabyte, and prints what it stumbled over. The process has a limit of memory, and
what it prints is not shown.
"""

from __future__ import annotations

import pickle
import sys
from array import array
from collections.abc import Sequence
from typing import Any


def sheet(path: str, asked: str | None = None) -> tuple[list[tuple[str, bool]], list[list[Any]]]:
    """The sheets of a workbook, and whether each is shown; the rows of the one asked for or the only one."""
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    with CalamineWorkbook.from_path(path) as book:
        known = [
            (one.name, one.visible == SheetVisibleEnum.Visible)
            for one in book.sheets_metadata
            if one.typ == SheetTypeEnum.WorkSheet
        ]
        shown = [name for name, visible in known if visible]
        name = asked if asked is not None else shown[0] if len(shown) == 1 else None
        if name not in dict(known):
            return known, []
        return known, book.get_sheet_by_name(name).to_python(skip_empty_area=False)


def statistical(
    path: str, reader: str, most_cells: str
) -> tuple[dict[str, tuple[list[Any], bytes]], dict[str, dict[Any, str]], bool, dict[str, list[str]]]:
    """The columns of a file of SPSS, Stata or SAS, and its value labels; user-missing values are missing.

    Then whether it has codes that mean missing, and what else is written in it.
    """
    import pyreadstat

    read = getattr(pyreadstat, reader)
    declared = {"user_missing": True} if reader in ("read_sav", "read_dta", "read_sas7bdat") else {}
    _, about = read(path, metadataonly=True, output_format="dict", **declared)
    coded = bool(about.missing_ranges or about.missing_user_values)
    if (about.number_rows or 0) * about.number_columns > int(most_cells):
        raise MemoryError
    columns, about = read(path, output_format="dict")
    expected = about.number_rows
    if expected is not None and any(len(column) != expected for column in columns.values()):
        raise EOFError
    found = {name: listed(column) for name, column in columns.items()}
    attached = set(about.variable_to_label.values())
    apart = [labels for name, labels in about.value_labels.items() if name not in attached]
    written = {
        "label of a variable": [label for label in about.column_labels if label],
        "note": [*(about.notes or ()), *filter(None, [about.file_label])],
        "value label": [str(label) for labels in apart for label in labels.values()],
    }
    return found, about.variable_value_labels, coded, written


def listed(column: Sequence[Any]) -> tuple[list[Any], bytes]:
    """The different values of a column, and the place of each record's among them, as 32-bit integers.

    >>> values, places = listed(["a", None, "a"])
    >>> values, list(array("I", places))
    (['a', None], [0, 1, 0])
    """
    known: dict[tuple[type, Any], int] = {}
    places = array("I", (known.setdefault((type(value), value), len(known)) for value in column))
    return [value for _, value in known], places.tobytes()


def limit_memory(most: int) -> None:
    """Let the process fail where it asks for more, as far as the system knows such limits."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (ImportError, ValueError, OSError):
        pass


if __name__ == "__main__":
    _, most_memory, task, *arguments = sys.argv
    limit_memory(int(most_memory))
    try:
        found: object = {"sheet": sheet, "statistical": statistical}[task](*arguments)  # type: ignore[operator]
    except BaseException as error:  # a panic inside calamine is no Exception
        found = type(error).__name__
    pickle.dump(found, sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
