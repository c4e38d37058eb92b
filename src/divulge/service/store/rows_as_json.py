"""Many new rows by one statement of PostgreSQL, which takes as long for a row as for a few dozen."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from divulge.service.store.schema import COLUMNS

INSERT = re.compile(r"INSERT INTO (\w+)(?: \(([\w, ]+)\))? VALUES \((\?(?:, \?)*)\)")
WORTH = 3  # rows from which on it is faster


class JsonInsert(NamedTuple):
    """A statement that takes its rows as one JSON text, each an object with these names."""

    sql: str
    names: tuple[str, ...]

    def parameter(self, rows: Sequence[Sequence[Any]]) -> str:
        return json.dumps([dict(zip(self.names, row, strict=True)) for row in rows])


@lru_cache(64)
def as_json(sql: str) -> JsonInsert | None:
    """The same insertion for many rows; None for other statements, and for tables that are not the service's.

    >>> as_json("INSERT INTO head (chain, epoch) VALUES (?, ?)").sql
    'INSERT INTO head (chain, epoch) SELECT * FROM json_to_recordset($1::json) AS r(chain TEXT, epoch BIGINT)'
    """
    found = INSERT.fullmatch(sql)
    known = COLUMNS.get(found[1], {}) if found else {}
    if found is None or not known:
        return None
    names = tuple(found[2].split(", ")) if found[2] else tuple(known)
    if len(names) != found[3].count("?"):
        return None
    table, listed = found[1], ", ".join(names)
    typed = ", ".join(f"{name} {known[name]}" for name in names)
    rows = f"json_to_recordset($1::json) AS r({typed})"
    return JsonInsert(f"INSERT INTO {table} ({listed}) SELECT * FROM {rows}", names)
