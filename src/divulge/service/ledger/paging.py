"""A large table read in parts, in the order of its key."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise

from divulge.errors import SourceError
from divulge.service.ledger.chain import Entry
from divulge.service.ledger.log_writer import entries_of
from divulge.service.store.connection import Row, Transaction

PAGE = 2000


class _Order:
    """Keys of parts that have to come in order: from pages that changed places, they may come again for ever.

    Numbers grow. How texts are ordered is the database's to say, but none may end two parts, and there are no
    more than are counted.
    """

    def __init__(self, table: str, rows: int | None = None) -> None:
        self._table, self._left = table, rows
        self._ends: set[Hashable] = set()
        self._last: int | None = None

    def require(self, keys: Sequence[Hashable]) -> None:
        """Refuse a part that does not come after the ones before it."""
        numbers = [key for key in keys if isinstance(key, int)]
        before = [] if self._last is None else [self._last]
        grows = all(one < other for one, other in pairwise([*before, *numbers]))
        self._left = None if self._left is None else self._left - len(keys)
        more = self._left is not None and self._left < 0
        if more or not grows or len({*keys}) < len(keys) or keys[-1] in self._ends:
            raise SourceError(
                f"The database is damaged: rows of the table '{self._table}' are not in the order of their "
                "key.",
                hint="Restore a backup, then reconcile it.",
            )
        self._ends.add(keys[-1])
        self._last = numbers[-1] if numbers else self._last


def paged(connection: Transaction, table: str, key: str, columns: str, dataset: str) -> Iterator[Row]:
    """The rows of a dataset: the key, then the columns."""
    first = f"SELECT {key}, {columns} FROM {table} WHERE dataset = ?"
    ((counted,),) = connection.rows(f"SELECT COUNT(*) FROM {table} WHERE dataset = ?", (dataset,))
    order = _Order(table, counted)
    rows = connection.rows(f"{first} ORDER BY {key} LIMIT {PAGE}", (dataset,))
    while rows:
        order.require([row[0] for row in rows])
        yield from rows
        rows = connection.rows(f"{first} AND {key} > ? ORDER BY {key} LIMIT {PAGE}", (dataset, rows[-1][0]))


def log(connection: Transaction, chain: str, after: int = 0) -> Iterator[Entry]:
    """The entries of a chain in the order of their index."""
    order = _Order("entry")
    while entries := entries_of(connection, chain, after, PAGE):
        order.require([one.index for one in entries])
        yield from entries
        after = entries[-1].index


def nodes(connection: Transaction, chain: str) -> Iterator[Row]:
    """The nodes of a chain's tree, by the entries that complete them."""
    sql = f"SELECT idx, hashes FROM tree_node WHERE chain = ? AND idx > ? ORDER BY idx LIMIT {PAGE}"
    rows, order = connection.rows(sql, (chain, -1)), _Order("tree_node")
    while rows:
        order.require([row[0] for row in rows])
        yield from rows
        rows = connection.rows(sql, (chain, rows[-1][0]))


def answers(connection: Transaction) -> Iterator[Row]:
    """What was asked and answered, in all datasets: by whom, under which key."""
    first, by = "SELECT owner, key, asked, answer FROM answer", f"ORDER BY owner, key LIMIT {PAGE}"
    ((counted,),) = connection.rows("SELECT COUNT(*) FROM answer")
    rows, order = connection.rows(f"{first} {by}"), _Order("answer", counted)
    while rows:
        order.require([row[:2] for row in rows])
        yield from rows
        rows = connection.rows(f"{first} WHERE (owner, key) > (?, ?) {by}", rows[-1][:2])
