"""One small table written in every format that is read, by the libraries that people write it with."""

import bz2
import csv
import datetime as dt
import gzip
import io
import json
import lzma
import struct
import zipfile
from xml.sax.saxutils import escape

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq
import pyreadstat
import zstandard
from pyarrow import feather

MARKER = "ZQPLANTED"
CITIES = [f"{MARKER} Oslo", "Zürich", f"Tromsø {MARKER}", None]
RECORDS = 24
#: Texts, digits with leading zeros, whole numbers, decimals, days, truth values, and missing values.
TABLE = {
    "zip": [f"{place * 7 % 9:05d}" for place in range(RECORDS)],
    "city": [CITIES[place % 4] for place in range(RECORDS)],
    "age": [20 + place % 5 if place % 11 else None for place in range(RECORDS)],
    "income": [1000.25 + place % 3 / 2 if place % 13 else None for place in range(RECORDS)],
    "born": [dt.date(1990 + place % 3, 2, 3) if place % 7 else None for place in range(RECORDS)],
    "member": [place % 3 == 0 if place % 10 else None for place in range(RECORDS)],
    "illness": [("flu", "cold", "naïve")[place * place % 3] for place in range(RECORDS)],
}


def spelled(value):
    """A value as CSV has it."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def rows(table):
    return zip(*table.values(), strict=True)


def csv_text(table, names=True, **how):
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\n", **how)
    writer.writerows([list(table)] if names else [])
    writer.writerows([spelled(value) for value in row] for row in rows(table))
    return held.getvalue()


def as_csv(folder, table=TABLE):
    return put(folder / "table.csv", csv_text(table))


def put(path, content):
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def arrow(table=TABLE):
    return pa.table(table)


def as_parquet(folder):
    pq.write_table(arrow(), folder / "table.parquet")
    return folder / "table.parquet"


def as_feather(folder):
    feather.write_feather(arrow(), folder / "table.feather", chunksize=10)
    return folder / "table.feather"


def as_arrow_stream(folder):
    with pa.ipc.new_stream(folder / "table.arrows", arrow().schema) as writer:
        writer.write_table(arrow(), max_chunksize=7)
    return folder / "table.arrows"


def as_orc(folder):
    pa.orc.write_table(arrow(), folder / "table.orc")
    return folder / "table.orc"


def numbers_for_truth(table=TABLE):
    """SPSS, Stata and SAS have no truth values: they are numbers with labels."""
    return {**table, "member": [None if value is None else int(value) for value in table["member"]]}


TRUTH = {"member": {0: "false", 1: "true"}}


def as_spss(folder, name="table.sav", **how):
    frame = pd.DataFrame(numbers_for_truth())
    pyreadstat.write_sav(frame, folder / name, variable_value_labels=TRUTH, **how)
    return folder / name


def as_spss_compressed(folder):
    return as_spss(folder, "table.zsav", compress=True)


def as_stata(folder):
    pyreadstat.write_dta(pd.DataFrame(numbers_for_truth()), folder / "table.dta", variable_value_labels=TRUTH)
    return folder / "table.dta"


def as_sas(folder):
    """A transport file, in which truth values are texts."""
    frame = pd.DataFrame({**TABLE, "member": [spelled(value) for value in TABLE["member"]]})
    pyreadstat.write_xport(frame, folder / "table.xpt", file_format_version=8)
    return folder / "table.xpt"


def as_excel(folder):
    book = openpyxl.Workbook()
    book.active.append(list(TABLE))
    for row in rows(TABLE):
        book.active.append(row)
    book.save(folder / "table.xlsx")
    return folder / "table.xlsx"


def as_opendocument(folder):
    return put(folder / "table.ods", ods([list(TABLE), *rows(TABLE)]))


def ods(lines):
    """A spreadsheet of OpenDocument, as far as a table needs it."""

    def cell(value):
        match value:
            case None:
                return "<table:table-cell/>"
            case bool():
                kind, held = "boolean", f'office:boolean-value="{spelled(value)}"'
            case int() | float():
                kind, held = "float", f'office:value="{value}"'
            case dt.date():
                kind, held = "date", f'office:date-value="{value}"'
            case _:
                kind, held = "string", ""
        text = escape(str(value))
        return (
            f'<table:table-cell office:value-type="{kind}" {held}><text:p>{text}</text:p></table:table-cell>'
        )

    body = "".join(f"<table:table-row>{''.join(map(cell, line))}</table:table-row>" for line in lines)
    return ods_of(f'<table:table table:name="people">{body}</table:table>')


def ods_of(tables):
    spaces = " ".join(
        f'xmlns:{one}="urn:oasis:names:tc:opendocument:xmlns:{one}:1.0"'
        for one in ("office", "table", "text")
    )
    content = f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>"
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet", zipfile.ZIP_STORED)
        archive.writestr(
            "content.xml", f"<office:document-content {spaces}>{content}</office:document-content>"
        )
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    return held.getvalue()


def as_old_excel(folder):
    return put(folder / "table.xls", xls([list(TABLE), *rows(TABLE)]))


def xls(lines):
    """A workbook as Excel wrote it before 2007, as far as a table needs it: one stream in a compound file."""

    def record(kind, content=b""):
        return struct.pack("<HH", kind, len(content)) + content

    def text(value):
        return struct.pack("<HB", len(value), 1) + value.encode("utf-16-le")

    def cell(row, column, value):
        at = struct.pack("<HHH", row, column, isinstance(value, dt.date))
        if isinstance(value, bool):
            return record(0x205, at + struct.pack("<BB", value, 0))
        if isinstance(value, dt.date):
            value = (value - dt.date(1899, 12, 30)).days
        if isinstance(value, int | float):
            return record(0x203, at + struct.pack("<d", value))
        return record(0x204, at + text(value))

    begin, end = struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 6), record(0x0A)
    formats = b"".join(record(0xE0, struct.pack("<HHH14x", 0, kind, 0)) for kind in (0, 14))
    name = struct.pack("<BB", 6, 0) + b"people"
    start = record(0x809, begin) + formats
    offset = len(start) + len(record(0x85, b"\0" * 6 + name)) + len(end)
    book = start + record(0x85, struct.pack("<IH", offset, 0) + name) + end
    cells = [
        cell(row, column, value)
        for row, line in enumerate(lines)
        for column, value in enumerate(line)
        if value is not None
    ]
    sheet = struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 6)
    return compound(b"Workbook".decode(), book + record(0x809, sheet) + b"".join(cells) + end)


def compound(name, stream):
    """A compound file of Microsoft that holds one stream: header, directory, stream, allocation table."""
    stream = stream.ljust(max(4096, -(-len(stream) // 512) * 512), b"\0")
    sectors = len(stream) // 512
    chain = [-2, *range(2, sectors + 1), -2, -3]  # the directory, the stream, the table itself
    table = struct.pack(f"<{len(chain)}i", *chain).ljust(512, b"\xff")
    assert len(table) == 512

    def entry(called, kind, child, first, size):
        letters = called.encode("utf-16-le")
        tail = struct.pack("<iii36xiII", -1, -1, child, first, size, 0)
        return (
            letters.ljust(64, b"\0") + struct.pack("<HBB", len(letters) + 2 if called else 0, kind, 1) + tail
        )

    directory = (
        entry("Root Entry", 5, 1, -2, 0) + entry(name, 2, -1, 1, len(stream)) + 2 * entry("", 0, -1, 0, 0)
    )
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    head += struct.pack("<HHHHH6xIIiIIiIiI", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 0, 0, 4096, -2, 0, -2, 0)
    head += struct.pack("<i", sectors + 1) + b"\xff" * 432
    return head + directory + stream + table


def objects(table=TABLE):
    found = [dict(zip(table, row, strict=True)) for row in rows(table)]
    return [
        {name: str(value) if isinstance(value, dt.date) else value for name, value in one.items()}
        for one in found
    ]


def as_json(folder):
    return put(folder / "table.json", json.dumps(objects(), indent=1, ensure_ascii=False))


def as_json_lines(folder):
    sparse = [{name: value for name, value in one.items() if value is not None} for one in objects()]
    first = [objects()[0], *sparse[1:]]
    return put(folder / "table.jsonl", "".join(json.dumps(one) + "\n" for one in first))


def as_fixed_width(folder):
    lines, layout = fixed_width(TABLE)
    put(folder / "table.rda", layout)
    return put(folder / "table.asc", lines)


def fixed_width(table):
    """Lines, and a layout of µ-ARGUS in which 99 means a missing age."""
    table = {name: [spelled(value) for value in column] for name, column in table.items()}
    table["age"] = [value or "99" for value in table["age"]]
    widths = {name: max(map(len, column)) for name, column in table.items()}
    lines = [
        "".join(f"{text:>{width}}" for text, width in zip(row, widths.values(), strict=True))
        for row in rows(table)
    ]
    first, layout = 1, []
    for name, width in widths.items():
        layout.append(f"{name} {first} {width} {'99' if name == 'age' else ''}\n  <RECODABLE>\n")
        first += width
    return "".join(line + "\n" for line in lines), "".join(layout)


def as_folder_of_csv(folder):
    parts = folder / "csvs"
    parts.mkdir()
    for place in range(3):
        part = {name: column[place * 8 : place * 8 + 8] for name, column in TABLE.items()}
        put(parts / f"part-{place}.csv", csv_text(part))
    return parts


def as_pattern(folder):
    return as_folder_of_csv(folder) / "part-*.csv"


def as_partitions(folder):
    pq.write_to_dataset(arrow(), folder / "parts", partition_cols=["illness"])
    return folder / "parts"


def zipped(**members):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return held.getvalue()


PACKED = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.compress,
    "zip": lambda content: zipped(table_csv=content),
}


def packed_as(ending):
    return lambda folder: put(folder / f"table.csv.{ending}", PACKED[ending](csv_text(TABLE).encode()))


#: How the table is written, and what has to be said to read it.
FORMATS = {
    "Parquet": (as_parquet, {}),
    "Feather": (as_feather, {}),
    "an Arrow stream": (as_arrow_stream, {}),
    "ORC": (as_orc, {}),
    "SPSS": (as_spss, {}),
    "SPSS, compressed": (as_spss_compressed, {}),
    "Stata": (as_stata, {}),
    "SAS": (as_sas, {}),
    "Excel": (as_excel, {}),
    "old Excel": (as_old_excel, {}),
    "OpenDocument": (as_opendocument, {}),
    "JSON": (as_json, {}),
    "JSON lines": (as_json_lines, {}),
    "fixed width": (as_fixed_width, {"layout": "table.rda"}),
    "a folder of CSV": (as_folder_of_csv, {}),
    "a pattern": (as_pattern, {}),
    "partitions of Parquet": (as_partitions, {}),
    **{f"CSV in {ending}": (packed_as(ending), {}) for ending in PACKED},
}
SEVERAL = {"a folder of CSV", "a pattern", "partitions of Parquet"}  # of more than one file
