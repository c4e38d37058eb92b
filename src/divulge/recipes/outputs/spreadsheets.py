"""A release as a sheet of Excel (.xlsx) or OpenDocument (.ods), written as the XML that it is."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from divulge.errors import SourceError
from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.outputs.csv_lines import record_lines, spelled

MOST_ROWS, MOST_COLUMNS, LONGEST = 1_048_576, 16_384, 32_767  # of Excel, and OpenDocument is read with it
_EXACT = 2**53  # numbers of a sheet are floats
_SHEET = "release"
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns"
Cell = Callable[[object], str]


def write_xlsx(table: WorkingTable, path: Path) -> None:
    """Write the table as the only sheet of an Excel workbook."""
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{types}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{types}.styles+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{types}.worksheet+xml"/></Types>',
        "_rels/.rels": _relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_LINKS}"><sheets>'
        f'<sheet name="{_SHEET}" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _relations(
            ("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml")
        ),
        "xl/styles.xml": _STYLES,
    }
    sheet = (
        "xl/worksheets/sheet1.xml",
        f'<worksheet xmlns="{_MAIN}"><sheetData>\n',
        "</sheetData></worksheet>",
    )
    _write(path, parts, sheet, _rows(table, excel_cell, "<row>", "</row>"))


def write_ods(table: WorkingTable, path: Path) -> None:
    """Write the table as the only sheet of an OpenDocument spreadsheet."""
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    parts = {
        "mimetype": kind,
        "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{_OFFICE}:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
        "</manifest:manifest>",
    }
    names = "".join(f' xmlns:{one}="{_OFFICE}:{one}:1.0"' for one in ("office", "table", "text"))
    begun = (
        f'<office:document-content{names} office:version="1.2"><office:body><office:spreadsheet>'
        f'<table:table table:name="{_SHEET}">\n'
    )
    ended = "</table:table></office:spreadsheet></office:body></office:document-content>"
    rows = _rows(table, ods_cell, "<table:table-row>", "</table:table-row>")
    _write(path, parts, ("content.xml", begun, ended), rows)


def _write(
    path: Path, parts: dict[str, str], sheet: tuple[str, str, str], rows: Iterator[bytes | memoryview]
) -> None:
    name, begun, ended = sheet
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, text in parts.items():
            head = "" if member == "mimetype" else _HEAD
            archive.writestr(
                _dated(member), f"{head}{text}", compress_type=None if head else zipfile.ZIP_STORED
            )
        with archive.open(_dated(name), "w", force_zip64=True) as file:
            file.write(f"{_HEAD}{begun}".encode())
            for block in rows:
                file.write(block)
            file.write(ended.encode())


def _dated(member: str) -> zipfile.ZipInfo:
    """A member dated 1980, so that the day of writing changes nothing."""
    found = zipfile.ZipInfo(member)
    found.compress_type = zipfile.ZIP_DEFLATED
    return found


def _rows(table: WorkingTable, cell: Cell, begun: str, ended: str) -> Iterator[bytes | memoryview]:
    """The names and the records as rows of XML, a line for each."""
    _refuse_large(table)
    yield (begun + "".join(cell(name) for name in table.attributes) + ended + "\n").encode()
    columns = []
    for place, (name, column) in enumerate(table.columns.items()):
        for value in column.values:
            _refuse_long(name, value)
        after = ended if place == len(table.columns) - 1 else ""
        texts = [f"{begun if place == 0 else ''}{cell(value)}{after}" for value in (None, *column.values)]
        # What parts cells is the first letter of the next one, for nothing may stand between them.
        columns.append((column.codes, [text.encode()[place > 0 :] for text in texts]))
    yield from record_lines(columns, b"<")


def _refuse_large(table: WorkingTable) -> None:
    if table.records >= MOST_ROWS or len(table.attributes) > MOST_COLUMNS:
        raise SourceError(
            f"A sheet has room for {MOST_ROWS - 1:,} records and {MOST_COLUMNS:,} columns, and the release "
            "has more.",
            hint="Write Parquet or CSV.",
        )


def _refuse_long(name: str, value: object) -> None:
    if isinstance(value, str) and len(value) > LONGEST:
        raise SourceError(
            f"A cell of a sheet has room for {LONGEST:,} characters, and '{name}' has longer texts.",
            hint="Write Parquet or CSV.",
        )


def excel_cell(value: object) -> str:
    """A value as a cell of Excel; days and times are numbers of days with a format.

    >>> excel_cell(35), excel_cell(date(2020, 1, 1)), excel_cell(None)
    ('<c><v>35</v></c>', '<c s="1"><v>43831</v></c>', '<c/>')
    """
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if _is_number(value):
        return f"<c><v>{value}</v></c>"
    days = _days(value)
    if days is not None:
        return f'<c s="{2 if isinstance(value, datetime) else 1}"><v>{days}</v></c>'
    return f'<c t="inlineStr"><is><t xml:space="preserve">{_text(value)}</t></is></c>'


def ods_cell(value: object) -> str:
    """A value as a cell of OpenDocument."""
    if value is None:
        return "<table:table-cell/>"
    kind, held = "string", ""
    if isinstance(value, bool):
        kind, held = "boolean", f' office:boolean-value="{spelled(value)}"'
    elif _is_number(value):
        kind, held = "float", f' office:value="{value}"'
    elif _days(value) is not None:
        kind, held = "date", f" office:date-value={quoteattr(value.isoformat())}"  # type: ignore[attr-defined]
    lines = "".join(f"<text:p>{_spaced(_text(line))}</text:p>" for line in spelled(value).split("\n"))
    return f'<table:table-cell office:value-type="{kind}"{held}>{lines}</table:table-cell>'


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    return isfinite(value) and not (isinstance(value, int) and abs(value) > _EXACT)


def _days(value: object) -> int | float | None:
    """Days from the end of 1899 on, by which sheets count; None for what is no day after February 1900."""
    if isinstance(value, datetime):
        if value.tzinfo is not None or value < datetime(1900, 3, 1):
            return None
        since = value - datetime(1899, 12, 30)
        return since.days + (since.seconds + since.microseconds / 1e6) / 86400
    if isinstance(value, date) and value >= date(1900, 3, 1):
        return (value - date(1899, 12, 30)).days
    return None


def _text(value: object) -> str:
    """A text as XML may hold it; characters that it may not are shown by their number, as Excel does."""
    return _UNWRITABLE.sub(lambda found: f"_x{ord(found[0]):04X}_", escape(spelled(value)))


def _spaced(text: str) -> str:
    """A text of OpenDocument, in which several blanks would otherwise be one."""
    found = re.sub(r"^ | $| {2,}", lambda blanks: f'<text:s text:c="{len(blanks[0])}"/>', text)
    return found.replace("\t", "<text:tab/>")


def _relations(*parts: tuple[str, str]) -> str:
    inside = "".join(
        f'<Relationship Id="rId{place}" Type="{_LINKS}/{kind}" Target="{target}"/>'
        for place, (kind, target) in enumerate(parts, 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inside}</Relationships>'


_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
    '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>'
    '<fonts count="1"><font/></fonts><fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders>'
    '<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/>'
    '<xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)
