"""The log as it grows within one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from divulge.service.ledger.chain import START, Entry, entry_after
from divulge.service.store.connection import Query, Row, Transaction, Writing

SERVICE = "service"  # the chain of what concerns no dataset
INSERT = "INSERT INTO entry (chain, idx, at, kind, body, hash, seal) VALUES (?, ?, ?, ?, ?, ?, ?)"
COLUMNS = "chain, idx, at, kind, body, hash, seal"


class Head(NamedTuple):
    """How far a chain has come."""

    epoch: int
    entries: int
    hash: str


class LogWriter:
    """Entries to be added to a chain; they are written with everything else that was decided."""

    def __init__(self, chain: str, head: Head, key: bytes, at: str) -> None:
        self.chain, self.head, self.at = chain, head, at
        self._key = key
        self._entries: list[Entry] = []

    def add(self, kind: str, body: Mapping[str, Any]) -> Entry:
        """The next entry."""
        entry = entry_after(self.head.hash, self.chain, self.next, self.at, kind, body, self._key)
        self._entries.append(entry)
        self.head = Head(self.head.epoch, entry.index, entry.hash)
        return entry

    @property
    def next(self) -> int:
        """The index that the next entry will have."""
        return self.head.entries + 1

    def writings(self) -> list[Writing]:
        rows = [(e.chain, e.index, e.at, e.kind, e.body, e.hash, e.seal) for e in self._entries]
        update = "UPDATE head SET epoch = ?, idx = ?, hash = ? WHERE chain = ?"
        return [(INSERT, rows), (update, [(*self.head, self.chain)])] if rows else []


def head_query(chain: str) -> Query:
    return "SELECT epoch, idx, hash FROM head WHERE chain = ?", (chain,)


def head_of(connection: Transaction, chain: str) -> Head | None:
    """How far a chain has come; None where there is none."""
    found = connection.rows(*head_query(chain))
    return Head(*found[0]) if found else None


def open_chain(connection: Transaction, chain: str) -> Head:
    """Begin a chain, or find how far it has come."""
    head = head_of(connection, chain)
    if head is None:
        head = Head(0, 0, START)
        connection.rows("INSERT INTO head (chain, epoch, idx, hash) VALUES (?, ?, ?, ?)", (chain, *head))
    return head


def entries_of(connection: Transaction, chain: str, after: int = 0, most: int | None = None) -> list[Entry]:
    """Entries of a chain in the order of their index."""
    limit = "" if most is None else f" LIMIT {int(most)}"
    sql = f"SELECT {COLUMNS} FROM entry WHERE chain = ? AND idx > ? ORDER BY idx{limit}"
    return [entry_of(row) for row in connection.rows(sql, (chain, after))]


def entry_of(row: Row) -> Entry:
    return Entry(*row)
