"""A database that is put back to an earlier state under a service that runs, as a failover with loss does."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import psycopg

from divulge.service.store.database import is_server
from service.history import TABLES

State = dict[str, list[tuple[Any, ...]]]


def outside_connection(url: str) -> Any:
    """A connection that the service knows nothing of."""
    return psycopg.connect(url) if is_server(url) else sqlite3.connect(url)


def state_of(url: str) -> State:
    """Every row of every table."""
    with closing(outside_connection(url)) as connection:
        return {
            table: [tuple(row) for row in connection.execute(f"SELECT * FROM {table}").fetchall()]
            for table in TABLES
        }


def put_back(url: str, state: State) -> None:
    """Make the tables what they were."""
    mark = "%s" if is_server(url) else "?"
    with closing(outside_connection(url)) as connection:
        cursor = connection.cursor()
        for table, rows in state.items():
            cursor.execute(f"DELETE FROM {table}")
            if rows:
                places = ", ".join(mark for _ in rows[0])
                cursor.executemany(f"INSERT INTO {table} VALUES ({places})", rows)
        connection.commit()
