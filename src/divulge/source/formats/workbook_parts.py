"""What a workbook holds beside the cells of a sheet: other sheets, comments, properties, pictures."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from divulge.source.beside.unread import Unread, of_texts

_MOST = 1 << 24  # bytes of a part that are looked at
_BLOCK = 1 << 16
_CELL = re.compile(rb"<(?:\w+:)?c[ >/]")
_TAG = re.compile(r"<[^>]*>")
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_COMMENTS = re.compile(r"xl/(?:comments\d*|comments/[^/]+|threadedComments/[^/]+)\.xml")
_COMMENT = re.compile(r"<(?:\w+:)?(comment|threadedComment|annotation)[ >].*?</(?:\w+:)?\1>", re.DOTALL)
_PROPERTIES = re.compile(r"docProps/[^/]+\.xml|meta\.xml")
_PROPERTY = re.compile(
    r"<(?:\w+:)?(title|subject|description|keywords?|category|Manager|Company|creator|lastModifiedBy"
    r"|initial-creator|property|user-defined)(?: [^>]*)?>(.*?)</(?:\w+:)?\1>",
    re.DOTALL,
)
_OF_PROGRAMS = re.compile(r'name="(?:MSIP_Label_|ContentTypeId|Info \d)')  # of Office and LibreOffice
_OTHERS = {  # parts by where they are
    "picture": re.compile(r"xl/media/.+|Pictures/.+"),
    "embedded document": re.compile(r"xl/embeddings/.+"),
    "copy of records for a pivot table": re.compile(r"xl/pivotCache/pivotCacheRecords[^/]*\.xml"),
    "copy of cells of another workbook": re.compile(r"xl/externalLinks/externalLink[^/]*\.xml"),
    "program": re.compile(r"xl/vbaProject\.bin|Basic/.+/(?!script-lb)[^/]+\.xml"),
}


def beside_cells(path: Path, sheets: int) -> list[Unread]:
    """What is in a workbook beside a sheet of it that was read, of so many; old ones (.xls) say only that."""
    if not zipfile.is_zipfile(path):
        return _counted("other sheet", sheets - 1)
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        parts = [name for name in names if _SHEET.fullmatch(name)]
        filled = sum(_has_cells(archive, name) for name in parts) if parts else sheets
        properties = [*_properties(archive, names)]
        return [
            *_counted("other sheet", filled - 1),
            *_counted("cell comment", _comments(archive, names)),
            *of_texts("document property", "written", (text for kind, text in properties if kind)),
            *of_texts("name of who made the file", "usual", (text for kind, text in properties if not kind)),
            *(
                one
                for what, where in _OTHERS.items()
                for one in _counted(what, sum(where.fullmatch(name) is not None for name in names))
            ),
        ]


def _counted(what: str, count: int) -> list[Unread]:
    return [Unread(what, count, "data")] if count > 0 else []


def _has_cells(archive: zipfile.ZipFile, name: str) -> bool:
    """Whether a sheet has a cell, read no further than to the first."""
    with archive.open(name) as part:
        before = b""
        while block := part.read(_BLOCK):
            if _CELL.search(before + block):
                return True
            before = block[-32:]
    return False


def _text(archive: zipfile.ZipFile, name: str) -> str:
    with archive.open(name) as part:
        return part.read(_MOST).decode("utf-8", "replace")


def _comments(archive: zipfile.ZipFile, names: list[str]) -> int:
    """How many comments cells have; one in the new form is also there in the old one."""
    found = {"comment": 0, "threadedComment": 0, "annotation": 0}
    for name in names:
        if _COMMENTS.fullmatch(name) or name == "content.xml":
            for one in _COMMENT.finditer(_text(archive, name)):
                found[one[1]] += 1
    return max(found.values())


def _properties(archive: zipfile.ZipFile, names: list[str]) -> Iterator[tuple[bool, str]]:
    """What properties of the document say, and whether it is more than who made it."""
    for name in names:
        if _PROPERTIES.fullmatch(name):
            for one in _PROPERTY.finditer(_text(archive, name)):
                if not _OF_PROGRAMS.search(one[0]):
                    made_by = one[1] in ("creator", "lastModifiedBy", "initial-creator", "Company")
                    yield not made_by, unescape(_TAG.sub(" ", one[2])).strip()
