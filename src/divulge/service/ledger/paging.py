"""A large table read in parts, in the order of its key."""

from __future__ import annotations

from collections.abc import Iterator

from divulge.service.ledger.chain import Entry
from divulge.service.ledger.log_writer import entries_of
from divulge.service.store.connection import Row, Transaction

PAGE = 2000


def paged(connection: Transaction, table: str, key: str, columns: str, dataset: str) -> Iterator[Row]:
    """The rows of a dataset: the key, then the columns."""
    first = f"SELECT {key}, {columns} FROM {table} WHERE dataset = ?"
    rows = connection.rows(f"{first} ORDER BY {key} LIMIT {PAGE}", (dataset,))
    while rows:
        yield from rows
        rows = connection.rows(f"{first} AND {key} > ? ORDER BY {key} LIMIT {PAGE}", (dataset, rows[-1][0]))


def log(connection: Transaction, chain: str, after: int = 0) -> Iterator[Entry]:
    """The entries of a chain in the order of their index."""
    while entries := entries_of(connection, chain, after, PAGE):
        yield from entries
        after = entries[-1].index


def nodes(connection: Transaction, chain: str) -> Iterator[Row]:
    """The nodes of a chain's tree, by the entries that complete them."""
    sql = f"SELECT idx, hashes FROM tree_node WHERE chain = ? AND idx > ? ORDER BY idx LIMIT {PAGE}"
    rows = connection.rows(sql, (chain, -1))
    while rows:
        yield from rows
        rows = connection.rows(sql, (chain, rows[-1][0]))


def answers(connection: Transaction) -> Iterator[Row]:
    """What was asked and answered, in all datasets: by whom, under which key."""
    first, order = "SELECT owner, key, asked, answer FROM answer", f"ORDER BY owner, key LIMIT {PAGE}"
    rows = connection.rows(f"{first} {order}")
    while rows:
        yield from rows
        rows = connection.rows(f"{first} WHERE (owner, key) > (?, ?) {order}", rows[-1][:2])
