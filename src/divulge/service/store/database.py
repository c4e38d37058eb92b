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
    if not create:
        refuse_missing(url)
    return SQLite(Path(url.removeprefix("sqlite:///")), create=create, read_only=read_only, earlier=earlier)


def refuse_missing(url: str) -> None:
    """Refuse a file that is not there, before anything else is looked for beside it."""
    path = Path(url.removeprefix("sqlite:///"))
    if not is_server(url) and not path.exists():
        raise MissingSource(
            f"There is no database {path}.", hint="Make one with: divulge release init, or divulge query init"
        )


def is_server(url: str) -> bool:
    return url.startswith(("postgresql://", "postgres://"))
