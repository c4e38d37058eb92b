"""Indexes that have lost the row of one request, as a damaged page or another collation leaves them."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import psycopg

from divulge.service.store.database import is_server

COLUMNS = {
    "request_record": ("dataset", "record"),
    "request_waiting": ("dataset", "x", "y", "arrived"),
}


def lose(url: str, index: str, ticket: str) -> None:
    """Take a request out of an index; the table itself keeps it."""
    if is_server(url):
        _lose_in_server(url, index, ticket)
    else:
        _lose_in_file(url, index, ticket)


def _lose_in_file(path: str, index: str, ticket: str) -> None:
    columns = COLUMNS[index]
    names = ", ".join(columns)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        ((root,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (index,))
        ((row,),) = connection.execute("SELECT rowid FROM request WHERE ticket = ?", (ticket,))
        connection.execute("PRAGMA writable_schema = ON")
        table = f"CREATE TABLE pages ({names}, at, PRIMARY KEY ({names}, at)) WITHOUT ROWID"
        connection.execute(
            "INSERT INTO sqlite_master VALUES ('table', 'pages', 'pages', ?, ?)", (root, table)
        )
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert connection.execute("DELETE FROM pages WHERE at = ?", (row,)).rowcount == 1
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("DELETE FROM sqlite_master WHERE name = 'pages'")


def _lose_in_server(url: str, index: str, ticket: str) -> None:
    names = ", ".join(COLUMNS[index])
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        connection.execute(
            f"CREATE INDEX lacking ON request ({names}) WHERE status = 'waiting' AND ticket <> '{ticket}'"
        )
        connection.execute(
            f"""UPDATE pg_index SET indpred = (SELECT indpred FROM pg_index
                WHERE indexrelid = '{index}'::regclass) WHERE indexrelid = 'lacking'::regclass"""
        )
        connection.execute(f"DROP INDEX {index}")
        connection.execute(f"ALTER INDEX lacking RENAME TO {index}")
