"""Many rows by one statement of PostgreSQL, which takes as long for a row as for a few dozen."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from divulge.service.store.connection import Query, padded
from divulge.service.store.schema import COLUMNS

INSERT = re.compile(r"INSERT INTO (\w+)(?: \(([\w, ]+)\))? VALUES \((\?(?:, \?)*)\)")
_EACH = r"\w+ = \?"
UPDATE = re.compile(rf"UPDATE (\w+) SET ({_EACH}(?:, {_EACH})*) WHERE ({_EACH}(?: AND {_EACH})*)")
WORTH = 3  # new rows from which on it is faster
WORTH_CHANGING = 20  # rows that are changed: fewer are found sooner one by one, by the index


class RowsAsJson(NamedTuple):
    """A statement that takes its rows as one JSON text, each an object with these names."""

    sql: str
    names: tuple[str, ...]
    keys: int = 0  # of these names, at the end: by which rows are found that are changed

    def takes(self, rows: Sequence[Sequence[Any]]) -> bool:
        """Whether it is worth it, and does the same: of two changes to one row, any might come last."""
        if not self.keys:
            return len(rows) >= WORTH
        return len(rows) >= WORTH_CHANGING and len({(*row[-self.keys :],) for row in rows}) == len(rows)

    def parameter(self, rows: Sequence[Sequence[Any]]) -> str:
        return json.dumps([dict(zip(self.names, row, strict=True)) for row in rows])


@lru_cache(64)
def as_json(sql: str) -> RowsAsJson | None:
    """The same insertion or change for many rows; None for other statements, and for other tables.

    >>> as_json("INSERT INTO head (chain, epoch) VALUES (?, ?)").sql
    'INSERT INTO head (chain, epoch) SELECT * FROM json_to_recordset($1::json) AS r(chain TEXT, epoch BIGINT)'
    """
    inserted, changed = INSERT.fullmatch(sql), UPDATE.fullmatch(sql)
    if inserted is not None:
        return _insertion(*inserted.groups())
    return None if changed is None else _change(*changed.groups())


def _insertion(table: str, listed: str | None, marks: str) -> RowsAsJson | None:
    known = COLUMNS.get(table, {})
    names = tuple(listed.split(", ")) if listed else tuple(known)
    if not known or len(names) != marks.count("?"):
        return None
    return RowsAsJson(f"INSERT INTO {table} ({', '.join(names)}) SELECT * FROM {_rows(table, names)}", names)


def _change(table: str, changes: str, found_by: str) -> RowsAsJson | None:
    columns, keys = re.findall(r"\w+(?= =)", changes), re.findall(r"\w+(?= =)", found_by)
    names = (*columns, *keys)
    if table not in COLUMNS or len({*names}) < len(names):
        return None
    changed = ", ".join(f"{name} = r.{name}" for name in columns)
    where = " AND ".join(f"{table}.{name} = r.{name}" for name in keys)
    return RowsAsJson(
        f"UPDATE {table} SET {changed} FROM {_rows(table, names)} WHERE {where}", names, len(keys)
    )


class RowsAsValues(NamedTuple):
    """A change that takes a few rows as parameters: all are found by the index, by one statement."""

    start: str  # up to the rows
    first: str  # marks of a row, with the types of its columns
    end: str
    keys: int

    def takes(self, rows: Sequence[Sequence[Any]]) -> bool:
        """Whether it is worth it, and does the same."""
        return len(rows) > 1 and len({(*row[-self.keys :],) for row in rows}) == len(rows)

    def statement(self, rows: Sequence[Sequence[Any]]) -> Query:
        """The last row is repeated up to a power of two, so that few different statements are prepared."""
        marks, given = padded(rows)
        plain = f"({', '.join('?' * len(rows[0]))})"
        several = ", ".join([self.first, *[plain] * marks.count(",")])
        return self.start + several + self.end, [value for row in given for value in row]


@lru_cache(64)
def as_values(sql: str) -> RowsAsValues | None:
    """The same change for a few rows; None for other statements, and for other tables.

    >>> as_values("UPDATE head SET idx = ? WHERE chain = ?").statement([(1, "a"), (2, "b")])[1]
    [1, 'a', 2, 'b']
    """
    together = as_json(sql)
    if together is None or not together.keys:
        return None
    table, names = sql.split(" ", 2)[1], together.names
    start, _, end = together.sql.partition(_rows(table, names))
    first = ", ".join(f"?::{COLUMNS[table][name]}" for name in names)
    return RowsAsValues(f"{start}(VALUES ", f"({first})", f") AS r({', '.join(names)}){end}", together.keys)


def _rows(table: str, names: Sequence[str]) -> str:
    typed = ", ".join(f"{name} {COLUMNS[table][name]}" for name in names)
    return f"json_to_recordset($1::json) AS r({typed})"
