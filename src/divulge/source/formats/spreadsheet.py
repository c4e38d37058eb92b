"""Excel and OpenDocument spreadsheets, through calamine: one sheet, its first row the names of columns."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from typing import Any

from divulge._support.header import names_look_like_values
from divulge.errors import DivulgeError, MissingSource, SourceError, counted, listing, suggestion
from divulge.limits.sizes import require_memory
from divulge.source.base import Columns, check_names, check_width
from divulge.source.beside.unread import note_unread, of_texts
from divulge.source.dialect import LINES, named_columns, refuse_title
from divulge.source.dictionary import encode_objects
from divulge.source.files import DataFile, unreadable_as
from divulge.source.formats.own_process import read_apart
from divulge.source.formats.recognition import OLE
from divulge.source.formats.statistical import whole
from divulge.source.formats.workbook_parts import beside_cells
from divulge.source.options import SourceOptions

_LOCKED = "EncryptedPackage".encode("utf-16-le")


def open_spreadsheet(file: DataFile, options: SourceOptions, called: str) -> Columns:
    """A sheet of a workbook, held as values; a blank row is no record, an empty cell is missing."""
    try:
        _refuse_locked(file)
        sheets, rows = _cells(file, options.table, called)
        beside = beside_cells(file.path, sheets)
    except (DivulgeError, MemoryError):
        raise
    except Exception as error:
        raise unreadable_as(file.name, called, error) from None
    kept = [place for place, row in enumerate(rows) if any(cell is not None for cell in row)]
    above = ["\t".join(map(str, filter(None, rows[place]))) for place in kept if place < options.skip]
    kept = [place for place in kept if place >= options.skip]
    rows = [rows[place] for place in kept]
    width = max((place for row in rows for place, cell in enumerate(row, 1) if cell is not None), default=0)
    rows = [row[:width] for row in rows]
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows[: LINES + 1]]
    refuse_title(file.name, texts, [place + 1 for place in kept], options)
    names = named_columns(file.name, texts[0] if texts else [], texts[1:], options)
    rows = rows if options.no_header else rows[1:]
    check_names(file.name, names)
    check_width(file.name, width)
    columns = dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(names, ())
    source = Columns(file.name, tuple(names), len(rows), lambda one: encode_objects(one, columns[one]))
    note_unread(source, [*of_texts("line before the header", "written", above), *beside])
    return source


def _cells(file: DataFile, sheet: str | None, called: str) -> tuple[int, list[list[Any]]]:
    """How many sheets there are, and the cells of the one that was asked for, or of the only one.

    They are read in a process of its own.
    """
    if file.head.startswith(b"PK"):
        with zipfile.ZipFile(file.path) as archive:
            require_memory(sum(one.file_size for one in archive.infolist()), f"Unpacking {file.name}")
    asked = [] if sheet is None else [sheet]
    known, rows = read_apart(file, called, "sheet", *asked, PasswordError=_locked(file.name))
    _check_sheet(file.name, known, sheet)
    return len(known), [[None if cell == "" else whole(cell) for cell in row] for row in rows]


def _check_sheet(name: str, sheets: Sequence[tuple[str, bool]], asked: str | None) -> None:
    """Stop where there is no such sheet, or where none was asked for of several, hidden ones too."""
    known = [one for one, _ in sheets]
    shown = sum(visible for _, visible in sheets)
    said = counted(len(known), "sheet") if names_look_like_values(known) else listing(known)
    if asked is not None and asked not in known:
        raise MissingSource(f"No sheet '{asked}' in {name}, which has {said}.", hint=suggestion(asked, known))
    if asked is None and not shown:
        raise SourceError(f"{name} has no sheet that holds a table.")
    if asked is None and shown > 1:
        raise SourceError(
            f"{name} has several sheets: {said}.",
            hint=f"Name one after #, such as '{name}#SHEET', or with --table.",
        )
    if asked is None and len(known) > 1:
        hidden = counted(len(known) - 1, "hidden sheet")
        raise SourceError(
            f"{name} has {hidden}, which would go out with the file and would not be looked at: {said}.",
            hint=f"Remove what is hidden, or name the sheet that is meant after #, such as '{name}#SHEET'.",
        )


def _refuse_locked(file: DataFile) -> None:
    if not file.head.startswith(OLE):
        return
    with file.path.open("rb") as opened:
        if _LOCKED in opened.read(1 << 24):
            raise _locked(file.name)


def _locked(name: str) -> SourceError:
    return SourceError(
        f"{name} is protected by a password.", hint="Open it, and save a copy without the password."
    )
