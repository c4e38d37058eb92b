"""The tree over a log that has none, or not all of it: as after a version without trees has written to it."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from divulge.errors import Unavailable
from divulge.service.ledger.chain import ODD
from divulge.service.ledger.log_tree import INSERT_NODES, tree_at
from divulge.service.ledger.paging import PAGE, log
from divulge.service.store.connection import Database, Row, Transaction


def build_trees(database: Database) -> None:
    """Bring the tree of every chain up to its last entry; what is damaged is left to those who check it."""
    rows = database.read(lambda connection: connection.rows("SELECT chain, idx FROM head"))
    for chain, entries in rows:
        with suppress(Unavailable, *ODD):
            if database.read(partial(built, chain=chain)) < entries - entries % 2:
                database.transact(chain, partial(build, chain=chain))


def built(connection: Transaction, chain: str) -> int:
    """Up to which entry the tree of a chain is there."""
    ((found,),) = connection.rows("SELECT MAX(idx) FROM tree_node WHERE chain = ?", (chain,))
    return found or 0


def build(connection: Transaction, chain: str) -> None:
    """Add the nodes that are not there yet."""
    tree = tree_at(connection, chain, built(connection, chain), proving=False)
    rows: list[Row] = []
    for entry in log(connection, chain, tree.size):
        rows += tree.row(chain, entry.hash)
        if len(rows) >= PAGE:
            connection.write([(INSERT_NODES, rows)])
            rows = []
    connection.write([(INSERT_NODES, rows)])
