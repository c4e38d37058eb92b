"""The log as it grows within one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from divulge.service.ledger.canonical_json import canonical
from divulge.service.ledger.chain import START, Entry, hashed, sealed
from divulge.service.ledger.log_tree import INSERT_NODES, LogTree, tree_at
from divulge.service.store.connection import Query, Row, Transaction, Writing

SERVICE = "service"  # the chain of what concerns no dataset
COLUMNS = "chain, idx, at, kind, body, hash, seal"
INSERT = f"INSERT INTO entry ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"


class Head(NamedTuple):
    """How far a chain has come."""

    epoch: int
    entries: int
    hash: str


class LogWriter:
    """Entries to be added to a chain and its tree; they are written with everything else that was decided."""

    def __init__(self, chain: str, head: Head, key: bytes, at: str, tree: LogTree) -> None:
        self.chain, self.head, self.at, self.tree = chain, head, at, tree
        self._key = key
        self._entries: list[Row] = []
        self._nodes: list[Row] = []

    @classmethod
    def opened(cls, connection: Transaction, chain: str, key: bytes, at: str) -> LogWriter:
        """A writer to a chain, which is begun where there is none."""
        head = open_chain(connection, chain)
        return cls(chain, head, key, at, tree_at(connection, chain, head.entries))

    def add(self, kind: str, body: Mapping[str, Any]) -> Entry:
        """The next entry."""
        self.append(kind, canonical(body))
        return Entry(*self._entries[-1])

    def append(self, kind: str, text: str) -> tuple[int, str]:
        """The next entry, whose body is spelled already: its index and its hash."""
        epoch, entries, previous = self.head
        index = entries + 1
        value = hashed(previous, self.chain, index, self.at, kind, text)
        self._entries.append((self.chain, index, self.at, kind, text, value, sealed(self._key, value)))
        completed = self.tree.add(value)
        if completed:
            self._nodes.append((self.chain, index, completed))
        self.head = Head(epoch, index, value)
        return index, value

    @property
    def next(self) -> int:
        """The index that the next entry will have."""
        return self.head.entries + 1

    def writings(self) -> list[Writing]:
        return appended(self._entries, self.head, self.chain, self._nodes) if self._entries else []


def appended(rows: Sequence[Row], head: Head, chain: str, nodes: Sequence[Row]) -> list[Writing]:
    """Entries added to a chain, as rows, how far it has come with them, and the nodes that they complete."""
    update = "UPDATE head SET epoch = ?, idx = ?, hash = ? WHERE chain = ?"
    found: list[Writing] = [(INSERT, rows), (update, [(*head, chain)])]
    return [*found, (INSERT_NODES, nodes)] if nodes else found


def head_of(connection: Transaction, chain: str) -> Head | None:
    """How far a chain has come; None where there is none."""
    found = connection.rows("SELECT epoch, idx, hash FROM head WHERE chain = ?", (chain,))
    return Head(*found[0]) if found else None


class Tip(NamedTuple):
    """Where a chain ends: by its head, and by the entry that the head names."""

    head: Head
    hash: str | None  # of that entry; None where it is missing, or the chain is empty
    at: str


_TIP = """SELECT head.epoch, head.idx, head.hash, entry.hash, entry.at FROM head LEFT JOIN entry
    ON entry.chain = head.chain AND entry.idx = head.idx WHERE head.chain = ?"""
_TIPS = _TIP.replace("SELECT", "SELECT head.chain,").replace("= ?", "IN (?, ?)")


def tip_query(chain: str) -> Query:
    return _TIP, (chain,)


def tips_query(one: str, other: str) -> Query:
    """For the tips of two chains by one statement."""
    return _TIPS, (one, other)


NO_TIP = Tip(Head(0, 0, START), None, "")  # of a chain that was not begun


def tip_of(rows: Sequence[Row]) -> Tip | None:
    """What was asked for by ``tip_query``; None where there is no such chain."""
    if not rows:
        return None
    *head, found, at = rows[0]
    return Tip(Head(*head), found, at or "")


def tips_of(rows: Sequence[Row]) -> dict[str, Tip]:
    """What was asked for by ``tips_query``, by chain."""
    found = ((row[0], tip_of([row[1:]])) for row in rows)
    return {chain: tip for chain, tip in found if tip is not None}


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
