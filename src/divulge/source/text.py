"""CSV files: all values are text, read once into memory, by DuckDB where they take more than plain loops."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from divulge._support.wording import reported
from divulge.errors import SourceError
from divulge.source import duck
from divulge.source.base import check_asked, check_names, check_table
from divulge.source.dialect import NEGATIVE_ZERO, Dialect, detect, undecodable
from divulge.source.files import DataFile
from divulge.source.options import SourceOptions
from divulge.source.rewrite import rewritten
from divulge.source.text_codes import CodedText, read_codes
from divulge.table.codes import Codes

_USUAL_LINE = 2_000_000  # bytes that DuckDB allows for a line unless asked otherwise


@dataclass(frozen=True, eq=False)
class Text:
    """A CSV file that has been read; encoding a column needs the file no more."""

    name: str
    attributes: tuple[str, ...]
    records: int
    column: Callable[[int], Codes]  # by its place, values in the order of their bytes
    exact: bool  # the user named the separator, so a space after it belongs to the value

    def encode(self, attributes: Sequence[str]) -> dict[str, Codes]:
        codes = {}
        for attribute in check_asked(attributes, self.attributes):
            place = self.attributes.index(attribute)
            column = self.column(place)
            codes[attribute] = _unsigned(column if self.exact or place == 0 else _unspaced(column))
        return codes


def open_text(file: DataFile, options: SourceOptions, called: str = "a CSV file") -> Text:
    """Read a CSV file; what the user does not say about its form is told from its beginning."""
    return open_plain(file, detect(file.name, file.head, options), told=options.encoding is not None)


def open_plain(file: DataFile, dialect: Dialect, *, told: bool) -> Text:
    """Read a CSV file whose form is known; ``told`` if its encoding is, too."""
    check_names(file.name, dialect.header)
    coded = read_codes(file.path, dialect)
    if coded is not None:
        check_table(file.name, dialect.header, coded.records)
    else:
        connection = duck.connect()
        records = read_into(connection, file, dialect, told=told)
        coded = CodedText(records, partial(_column, connection, records))
    return Text(file.name, dialect.header, coded.records, coded.column, dialect.told)


def _column(connection: Any, records: int, place: int) -> Codes:
    """The codes of a column of the table ``records``."""
    with connection.cursor() as cursor:  # one for each call, so that threads do not meet
        table = duck.DuckTable("records", "records.rowid", records)
        return duck.encode_sql(cursor, table, f"c{place}", f"column {place}", "VARCHAR")


def read_into(connection: Any, file: DataFile, dialect: Dialect, *, told: bool) -> int:
    """Read a CSV file into the table ``records``; ``told`` if the user named its encoding."""
    check_names(file.name, dialect.header)
    guesses = [dialect]
    if not told and dialect.encoding == "utf-8" and file.head.isascii():
        guesses.append(replace(dialect, encoding="cp1252"))
    for guess in guesses:
        try:
            _load(connection, file, guess)
            break
        except UnicodeError:
            continue
        except (duckdb.Error, OSError) as error:  # DuckDB's own words quote lines
            raise SourceError(
                f"{file.name} cannot be read to its end{reported(error)}.",
                hint="It may be cut off or damaged, or the disk full.",
            ) from None
    else:
        raise undecodable(file.name, dialect.encoding)
    [(records,)] = connection.execute("SELECT count(*) FROM records").fetchall()
    check_table(file.name, dialect.header, records)
    return int(records)


def _load(connection: Any, file: DataFile, dialect: Dialect) -> None:
    # DuckDB takes the line ends inside of a quoted name for those of the file.
    plain_names = not dialect.headed or not any(sign in name for name in dialect.header for sign in "\r\n")
    if dialect.is_utf8 and dialect.comment is None and plain_names:
        try:
            _read(connection, file.path, dialect)
            return
        except duckdb.Error:  # the slow way finds out why, or reads it all the same
            pass
    with rewritten(file.name, file.path, dialect) as (copy, plain, longest):
        _read(connection, copy, plain, longest)


def _read(connection: Any, path: Path, dialect: Dialect, longest: int = 0) -> None:
    names = [f"c{place}" for place in range(len(dialect.header))]
    options = {
        "auto_detect": "false",
        "header": "false",
        "columns": "{" + ", ".join(f"{name}: 'VARCHAR'" for name in names) + "}",
        "skip": str(dialect.before + dialect.skip),
        "delim": duck.literal(dialect.separator),
        "quote": duck.literal(dialect.quote),
        "escape": duck.literal(dialect.quote),
        "allow_quoted_nulls": "false",
        **({"max_line_size": str(longest), "parallel": "false"} if longest > _USUAL_LINE else {}),
        "compression": "'none'",
    }
    picked = ", ".join(f"nullif({name}, '') AS {name}" for name in names)
    # A blank line is NULL where there is one column, and a quoted nothing is not.
    kept = " WHERE c0 IS NOT NULL" if len(names) == 1 else ""
    given = ", ".join(f"{key} = {value}" for key, value in options.items())
    source = f"read_csv({duck.file_literal(path)}, {given})"
    connection.execute(f"CREATE OR REPLACE TABLE records AS SELECT {picked} FROM {source} AS csv{kept}")


def _unspaced(column: Codes) -> Codes:
    """Some files put a space after the separator: if every value begins with one, it is not theirs."""
    if not column.values or not all(str(value).startswith(" ") for value in column.values):
        return column
    values = [str(value)[1:] for value in column.values]
    if "" not in values:
        return Codes(column.codes, values)
    gone = values.index("") + 1
    table = np.arange(len(values) + 1)
    table[gone] = 0
    table[gone + 1 :] -= 1
    return column.recode(table, [value for value in values if value])


def _unsigned(column: Codes) -> Codes:
    """A negative zero is a zero, as it is among numbers."""
    zeros = set()
    if "-0" in "".join(map(str, column.values)):
        zeros = {v for v in column.values if str(v).startswith("-0") and re.fullmatch(NEGATIVE_ZERO, str(v))}
    if not zeros:
        return column
    texts = [str(value)[1:] if value in zeros else value for value in column.values]
    values = list(dict.fromkeys(texts))
    places = {value: place for place, value in enumerate(values, 1)}
    return column.recode(np.array([0, *(places[text] for text in texts)]), values)
