"""Answers can be removed by a retention rule, and open requests are counted by key."""

from __future__ import annotations

from divulge.service.operations.migrations.step import Migrating

STATEMENTS = (
    """CREATE TABLE IF NOT EXISTS removed_answer (
        digest TEXT PRIMARY KEY, dataset TEXT NOT NULL, idx BIGINT NOT NULL, seal TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS request_owner ON request (dataset, owner) WHERE status = 'waiting'",
)


def migrate(work: Migrating) -> None:
    """Make the table and the index; nothing was removed so far."""
    for statement in STATEMENTS:
        work.connection.rows(statement)
