"""A service's database by its URL."""

from __future__ import annotations

from pathlib import Path

from divulge.errors import MissingSource
from divulge.service.store.connection import Database
from divulge.service.store.postgresql import PostgreSQL
from divulge.service.store.sqlite import SQLite


def open_database(
    url: str, *, create: bool = False, read_only: bool = False, earlier: bool = False
) -> Database:
    """postgresql://..., or a file for SQLite; ``earlier``: also with tables of an earlier version."""
    if is_server(url):
        return PostgreSQL(url, create=create, earlier=earlier)
    path = Path(url.removeprefix("sqlite:///"))
    if not create and not path.exists():
        raise MissingSource(f"There is no database {path}.", hint="Make one with: divulge release init")
    return SQLite(path, create=create, read_only=read_only, earlier=earlier)


def is_server(url: str) -> bool:
    return url.startswith(("postgresql://", "postgres://"))
