"""The tree over every log is stored."""

from __future__ import annotations

from divulge.service.ledger.log_tree import INSERT_NODES, tree_at
from divulge.service.ledger.paging import PAGE, log
from divulge.service.operations.migrations.step import Migrating
from divulge.service.store.connection import Row, Transaction

TABLE = """CREATE TABLE IF NOT EXISTS tree_node (
    chain TEXT NOT NULL, idx BIGINT NOT NULL, hashes TEXT NOT NULL, PRIMARY KEY (chain, idx))"""


def migrate(work: Migrating) -> None:
    """Make the table where there is none, and bring the tree of every log up to its last entry.

    A log may have only part of its tree, if a version without trees has written to it again.
    """
    work.connection.rows(TABLE)
    for (chain,) in work.connection.rows("SELECT chain FROM head"):
        build(work.connection, chain)


def build(connection: Transaction, chain: str) -> None:
    """Add the nodes that are not there yet."""
    ((built,),) = connection.rows("SELECT MAX(idx) FROM tree_node WHERE chain = ?", (chain,))
    tree = tree_at(connection, chain, built or 0, proving=False)
    rows: list[Row] = []
    for entry in log(connection, chain, tree.size):
        rows += tree.row(chain, entry.hash)
        if len(rows) >= PAGE:
            connection.write([(INSERT_NODES, rows)])
            rows = []
    connection.write([(INSERT_NODES, rows)])
