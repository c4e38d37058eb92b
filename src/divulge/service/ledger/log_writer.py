"""The log as it grows within one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from divulge.service.ledger.chain import START, Entry, entry_after
from divulge.service.store.connection import Query, Transaction, Writing

SERVICE = "service"  # the chain of what concerns no dataset
COLUMNS = "chain, idx, at, kind, body, hash, seal"
INSERT = f"INSERT INTO entry ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"


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
        return appended(self._entries, self.head, self.chain) if self._entries else []


def appended(entries: Sequence[Entry], head: Head, chain: str) -> list[Writing]:
    """Entries added to a chain, and how far it has come with them."""
    update = "UPDATE head SET epoch = ?, idx = ?, hash = ? WHERE chain = ?"
    return [(INSERT, [tuple(vars(entry).values()) for entry in entries]), (update, [(*head, chain)])]


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
    return [Entry(*row) for row in connection.rows(sql, (chain, after))]
