"""Lines that arrive as text to values by attribute; lines that are no records are counted, not passed on."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

from divulge.source.dialect import Dialect, long_fields, reader_options

Columns = dict[str, list[Any]]
SPANNED = 1000  # lines that one record may have, by line ends within quotes


class Parsed(NamedTuple):
    """Values by attribute, and how many lines were no records."""

    columns: Columns
    malformed: int


class LineParser(Protocol):
    """Whole lines to records."""

    @property
    def attributes(self) -> tuple[str, ...]: ...

    def parse(self, block: bytes) -> Parsed: ...


@dataclass(frozen=True)
class CsvParser:
    """Lines of CSV as a file's beginning says they are written."""

    dialect: Dialect

    @property
    def attributes(self) -> tuple[str, ...]:
        return self.dialect.header

    def parse(self, block: bytes) -> Parsed:
        columns, malformed = self._plain(block), 0
        if columns is None:
            rows, malformed = self._rows(block)
            columns = by_attribute(self.attributes, rows)
        return Parsed({name: _with_missing(values) for name, values in columns.items()}, malformed)

    def _plain(self, block: bytes) -> Columns | None:
        """Columns of lines that all have as many fields and no quote, by splitting; None of others."""
        separator, quote = self.dialect.separator, self.dialect.quote.encode()
        if len(separator) > 1 or (quote and quote in block) or b"\r" in block:
            return None
        try:
            lines = block.decode(self._encoding).removesuffix("\n").split("\n")
        except UnicodeDecodeError:
            return None
        width = len(self.attributes)
        if width == 1 or {line.count(separator) for line in lines} != {width - 1}:
            return None
        fields = separator.join(lines).split(separator)
        return {name: fields[place::width] for place, name in enumerate(self.attributes)}

    @property
    def _encoding(self) -> str:
        return "utf-8" if self.dialect.encoding == "utf-8-sig" else self.dialect.encoding

    def _rows(self, block: bytes) -> tuple[list[list[str]], int]:
        """Records of lines with quotes, and how many lines were none."""
        width = len(self.attributes)
        try:
            rows = [row for row in self._read(block, strict=True) if row]
        except (UnicodeDecodeError, csv.Error):
            rows = []
        if rows and all(len(row) == width for row in rows):
            return rows, 0
        return self._one_by_one(block.splitlines(keepends=True))

    def _one_by_one(self, lines: Sequence[bytes]) -> tuple[list[list[str]], int]:
        """Each line alone, with the next ones where a quote is open: one that stays open costs its line."""
        found: list[list[str]] = []
        place = malformed = 0
        quote = self.dialect.quote.encode()
        odd = [at for at, line in enumerate(lines) if quote and line.count(quote) % 2]
        closing = dict(pairwise(odd))  # where a quote may end that is open at a line's end
        while place < len(lines):
            last = place
            row = self._record(lines[place : place + 1])
            if row is None and 0 < closing.get(place, place) - place <= SPANNED:
                last = closing[place]
                row = self._record(lines[place : last + 1])
            if row:
                found.append(row)
            malformed += row is None
            place = (place if row is None else last) + 1
        return found, malformed

    def _record(self, lines: Sequence[bytes]) -> list[str] | None:
        """The one record of some lines, empty where they are blank; None where they are something else."""
        whole = b"".join(lines)
        if len(lines) == 1 and (columns := self._plain(whole)) is not None:
            return [columns[name][0] for name in self.attributes]
        odd = len(lines) > 1 or (self.dialect.quote and whole.count(self.dialect.quote.encode()) % 2)
        try:
            rows = [row for row in self._read(whole, strict=bool(odd)) if row]
        except (UnicodeDecodeError, csv.Error):
            return None
        if not rows and not whole.strip():
            return []
        return rows[0] if len(rows) == 1 and len(rows[0]) == len(self.attributes) else None

    def _read(self, block: bytes, *, strict: bool) -> list[list[str]]:
        """Rows of fields; where it is ``strict``, a quote that is open or closed amid a field is an error."""
        text = block.decode(self._encoding)
        options: dict[str, Any] = reader_options(self.dialect.separator, self.dialect.quote)
        with long_fields():
            return list(csv.reader(io.StringIO(text, newline=""), strict=strict, **options))


@dataclass(frozen=True)
class JsonParser:
    """Lines that are JSON objects; what a record lacks is missing, what is not asked for is left out."""

    attributes: tuple[str, ...]

    def parse(self, block: bytes) -> Parsed:
        rows, malformed = [], 0
        for line in block.splitlines():
            if not line.strip():
                continue
            record = plain_object(line)
            if record is None:
                malformed += 1
            else:
                rows.append([record.get(name) for name in self.attributes])
        return Parsed(by_attribute(self.attributes, rows), malformed)


def _with_missing(values: list[Any]) -> list[Any]:
    """An empty field is a missing value."""
    return [one or None for one in values] if "" in values else values


def plain_object(line: bytes) -> dict[str, Any] | None:
    """An object of texts, numbers, truth values and nulls; None where a line is something else."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or any(isinstance(one, list | dict) for one in record.values()):
        return None
    return record


def by_attribute(attributes: Sequence[str], rows: Sequence[Sequence[Any]]) -> Columns:
    """Rows as columns.

    >>> by_attribute(["age", "sex"], [[31, "f"], [40, "m"]])
    {'age': [31, 40], 'sex': ['f', 'm']}
    """
    across = list(zip(*rows, strict=True)) if rows else [()] * len(attributes)
    return {name: list(values) for name, values in zip(attributes, across, strict=True)}
