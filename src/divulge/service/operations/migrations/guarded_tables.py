"""Tables that stay where they are can be asked queries, which the log keeps with their answers."""

from __future__ import annotations

from divulge.service.operations.migrations.step import Migrating

STATEMENTS = (
    """CREATE TABLE IF NOT EXISTS guarded_table (
        name TEXT PRIMARY KEY, source TEXT NOT NULL, fingerprint TEXT NOT NULL, policy TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS query (
        repeat TEXT PRIMARY KEY, dataset TEXT NOT NULL, idx BIGINT NOT NULL)""",
)


def migrate(work: Migrating) -> None:
    """Make the tables; no query was asked so far."""
    for statement in STATEMENTS:
        work.connection.rows(statement)
