"""A file of SQLite given as a table: it is read by its address, and which tables it has is said."""

from __future__ import annotations

import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

from divulge.errors import SourceError, listing


def sqlite_refusal(path: Path, name: str, table: str | None) -> SourceError:
    """The error for a file of SQLite, with what to write in its place: its address and a table of it."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            found = database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
            names = sorted(row[0] for row in found if not row[0].startswith("sqlite_"))
    except sqlite3.Error:
        names = []
    message = f"{name} is an SQLite database" + (f" with the tables {listing(names)}." if names else ".")
    chosen = shlex.quote(table or (names[0] if names else "TABLE"))
    address = shlex.quote(f"sqlite:///{path}")
    return SourceError(message, hint=f"Name it by its address, with a table: {address} --table {chosen}")
