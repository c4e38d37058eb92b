"""Reads a workbook in a process of its own, as a script: a sheet of a hostile file can end the process.

Calamine holds every cell up to the last one, so a file of a few bytes may ask for a terabyte; and where it
gives up, it prints what it stumbled over. The process has a limit of memory, and what it prints is not shown.
"""

from __future__ import annotations

import pickle
import sys
from typing import Any


def sheets(book: Any) -> list[tuple[str, bool]]:
    """The sheets that hold cells, and whether each is shown."""
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    return [
        (one.name, one.visible == SheetVisibleEnum.Visible)
        for one in book.sheets_metadata
        if one.typ == SheetTypeEnum.WorkSheet
    ]


def main(path: str, most_memory: int, asked: str | None) -> tuple[list[tuple[str, bool]], list[list[Any]]]:
    """The sheets of a workbook, and the rows of the one asked for, or of the only one that is shown."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most_memory, most_memory))
    except (ImportError, ValueError, OSError):  # a system without such limits
        pass
    from python_calamine import CalamineWorkbook

    with CalamineWorkbook.from_path(path) as book:
        known = sheets(book)
        shown = [name for name, visible in known if visible]
        name = asked if asked is not None else shown[0] if len(shown) == 1 else None
        if name not in dict(known):
            return known, []
        return known, book.get_sheet_by_name(name).to_python(skip_empty_area=False)


if __name__ == "__main__":
    try:
        found: object = main(sys.argv[1], int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None)
    except BaseException as error:  # a panic inside calamine is no Exception
        found = type(error).__name__
    pickle.dump(found, sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
