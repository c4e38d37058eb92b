"""JSON and JSON lines, through DuckDB: an object is a record, and its keys are the names of attributes."""

from __future__ import annotations

import codecs
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from divulge._support.header import DoubtfulName
from divulge.errors import DivulgeError, SourceError
from divulge.source import duck
from divulge.source.base import Columns, check_names, check_width, not_a_value
from divulge.source.dictionary import Dictionary
from divulge.source.files import DataFile, unreadable_as
from divulge.source.options import SourceOptions
from divulge.table.codes import Codes

_SHAPE = "Write a list of objects, or an object on each line: a key for each attribute, and a plain value."


def open_json(file: DataFile, options: SourceOptions, called: str) -> Columns:
    """A file of objects, each value kept as it is written until it is encoded."""
    connection = duck.connect()
    try:
        with tempfile.TemporaryDirectory(prefix="divulge-") as folder:
            names = _load(connection, file, _in_utf8(file, Path(folder)))
        [(records,)] = connection.execute("SELECT count(*) FROM records").fetchall()
    except (DivulgeError, MemoryError):
        raise
    except Exception as error:
        raise unreadable_as(file.name, called, error) from None

    def encoder(attribute: str) -> Codes:
        table = duck.DuckTable("records", "records.rowid", records)
        with connection.cursor() as cursor:
            column = duck.encode_sql(cursor, table, f"c{names.index(attribute)}", attribute, "VARCHAR")
        return _values(attribute, column)

    return Columns(file.name, tuple(names), records, encoder)


def _in_utf8(file: DataFile, folder: Path) -> Path:
    """The file, or a copy of one that its first bytes tell to be UTF-16."""
    if not file.head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return file.path
    copy = folder / "copy.json"
    copy.write_text(file.path.read_text("utf-16"), "utf-8")
    return copy


def _load(connection: Any, file: DataFile, path: Path) -> list[str]:
    """Read the objects into the table ``records``, a column for each key, in the order they first occur."""
    listed = file.head.decode("utf-16" if path != file.path else "utf-8-sig", "ignore").lstrip()[:1] == "["
    if listed and _last_byte(path) != b"]":
        raise EOFError  # DuckDB would take what there is of a list for all of it
    form = "array" if listed else "unstructured"
    objects = f"read_json_objects({duck.file_literal(path)}, format = '{form}', compression = 'uncompressed')"
    connection.execute(f"CREATE TABLE objects AS SELECT json, json_keys(json) AS keys FROM {objects}")
    [(others, twice)] = connection.execute(
        "SELECT count(*) FILTER (json_type(json) <> 'OBJECT'), "
        "count(*) FILTER (len(keys) <> len(list_distinct(keys))) FROM objects"
    ).fetchall()
    [(nested, plain)] = connection.execute(
        "SELECT count(*) FILTER (kind IN ('OBJECT', 'ARRAY')), "
        "count(*) FILTER (kind NOT IN ('OBJECT', 'ARRAY', 'NULL')) "
        "FROM (SELECT unnest(json_type(json, '$.*')) AS kind FROM objects)"
    ).fetchall()
    if others or twice or (nested and not plain):
        what = "values that are not objects" if others else "objects that have a key twice"
        what = what if others or twice else "objects or lists inside objects, and no plain values"
        raise SourceError(f"{file.name} holds {what}, which cannot be read as records.", hint=_SHAPE)
    keys = connection.execute(
        "SELECT key, count(*) FROM ("
        "SELECT unnest(keys) AS key, rowid AS r, generate_subscripts(keys, 1) AS i FROM objects"
        ") GROUP BY key ORDER BY min(r), min(i)"
    ).fetchall()
    [(records,)] = connection.execute("SELECT count(*) FROM objects").fetchall()
    # What few records have may be the name of a person, for whom the value is.
    names = [key if 2 * times > records > 1 else DoubtfulName(key) for key, times in keys]
    check_names(file.name, names)
    check_width(file.name, len(names))
    picked = ", ".join(
        f"nullif(json_extract(json, {duck.literal(_pointer(name))})::VARCHAR, 'null') AS c{place}"
        for place, name in enumerate(names)
    )
    connection.execute(f"CREATE TABLE records AS SELECT {picked} FROM objects ORDER BY objects.rowid")
    connection.execute("DROP TABLE objects")
    return names


def _pointer(name: str) -> str:
    """The place of a key in an object, as JSON Pointer writes it."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


def _last_byte(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 4096))
        return file.read().rstrip()[-1:]


def _values(attribute: str, column: Codes) -> Codes:
    """What was written as the values it stands for, numbers that are equal as one."""
    if any(str(text).startswith(("{", "[")) for text in column.values):
        raise not_a_value(attribute, "lists or objects")
    dictionary = Dictionary(attribute)
    table = dictionary.codes([None, *(json.loads(str(text)) for text in column.values)])
    return column.recode(np.asarray(table), dictionary.values)
