"""Keys have a person, a scope and a subject; a proposal names its last entry."""

from __future__ import annotations

from divulge.service.operations.migrations.step import Migrating


def migrate(work: Migrating) -> None:
    """Add the columns, which are empty in every row: keys that are there belong to no named person.

    Such a key can neither propose nor approve, and what was proposed before has to be proposed again.
    """
    for column in ("person", "scope", "subject"):
        work.connection.rows(f"ALTER TABLE api_key ADD COLUMN {column} TEXT")
    work.connection.rows("ALTER TABLE policy ADD COLUMN entry BIGINT")
