"""Tables that stay where they are can be asked queries, which are kept with their answers."""

from __future__ import annotations

from divulge.service.operations.migrations.step import Migrating

STATEMENTS = (
    """CREATE TABLE IF NOT EXISTS guarded_table (
        name TEXT PRIMARY KEY, source TEXT NOT NULL, fingerprint TEXT NOT NULL, policy TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS query (
        dataset TEXT NOT NULL, idx BIGINT NOT NULL, repeat TEXT NOT NULL, asked TEXT NOT NULL,
        answer TEXT NOT NULL, PRIMARY KEY (dataset, idx))""",
    "CREATE UNIQUE INDEX IF NOT EXISTS query_repeat ON query (repeat)",
)


def migrate(work: Migrating) -> None:
    """Make the tables and the index; no query was asked so far."""
    for statement in STATEMENTS:
        work.connection.rows(statement)
