"""The tree over a log: its leaves are the hashes of entries, its nodes are stored as they are completed.

An entry with an even index completes one node or more, of which it is the last leaf. They stand together in
one row: adding to the log writes half a row for each entry, and a proof reads as many rows as it has hashes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from divulge.errors import Unavailable
from divulge.service.ledger.chain import START
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.merkle import (
    LeafRange,
    Node,
    consistency,
    folded,
    hashes_of,
    inclusion,
    leaf_hash,
    node_hash,
    parts,
)
from divulge.service.store.connection import Row, Transaction

INSERT_NODES = "INSERT INTO tree_node (chain, idx, hashes) VALUES (?, ?, ?)"
LENGTH = 64  # digits of a hash
AT_ONCE = 500  # nodes that are asked for in one query


class LogTree:
    """A tree as it grows: its peaks, and the nodes that proofs of the latest entries need."""

    def __init__(
        self, size: int = 0, peaks: Sequence[bytes] = (), last: str = START, *, proving: bool = True
    ) -> None:
        self.size, self.last = size, last  # entries, and the hash of the last
        self._peaks, self._begun = [*peaks], size
        self._proving = proving  # whether nodes are kept, which grow with every entry
        self._nodes: dict[Node, bytes] = dict(zip(parts((0, size)), self._peaks, strict=True))
        self._ways: dict[Node, list[str]] = {}  # of this size

    def continued(self) -> LogTree:
        """The same tree, to be added to."""
        return LogTree(self.size, self._peaks, self.last)

    def add(self, entry_hash: str) -> str:
        """One more entry; says which nodes it completes."""
        found, level, place = leaf_of(entry_hash), 0, self.size
        nodes, peaks = self._nodes if self._proving else {}, self._peaks
        nodes[0, place] = found
        completed = ""
        self.size, self.last = place + 1, entry_hash
        while place & 1:
            found = node_hash(peaks.pop(), found)
            level, place = level + 1, place >> 1
            nodes[level, place] = found
            completed += found.hex()
        peaks.append(found)
        if self._ways:
            self._ways = {}
        return completed

    def row(self, chain: str, entry_hash: str) -> list[Row]:
        """The row of one more entry, where it has one."""
        completed = self.add(entry_hash)
        return [(chain, self.size, completed)] if completed else []

    @property
    def root(self) -> str:
        return folded(self._peaks).hex()

    def has(self, index: int) -> bool:
        """Whether an entry was added since the tree was opened, so that its proof is at hand."""
        return self._proving and self._begun < index <= self.size

    def path(self, index: int) -> list[str]:
        """The proof that an entry is in the tree; entries of one batch share most of it."""
        return self._way((0, index - 1))

    def continued_from(self, earlier: int) -> tuple[list[str], list[str]] | None:
        """The proof that the tree goes on from an earlier size and the path of its last entry, if at hand."""
        if not (self._proving and self._begun == earlier < self.size):
            return None
        return _hex(hashes_of(consistency(earlier, self.size), self._nodes)), self.path(self.size)

    def _way(self, node: Node) -> list[str]:
        """The hashes that lead from a complete subtree to the root, the nearest first."""
        if node not in self._ways:
            level, place = node
            if (place | 1) + 1 << level <= self.size:  # its parent is complete too
                beside, parent = self._nodes[level, place ^ 1], (level + 1, place >> 1)
                self._ways[node] = [beside.hex(), *self._way(parent)]
            else:
                peak = parts((0, self.size)).index(node)
                after = [folded(self._peaks[peak + 1 :])] if peak + 1 < len(self._peaks) else []
                self._ways[node] = _hex([*after, *self._peaks[:peak][::-1]])
        return self._ways[node]


def leaf_of(entry_hash: str) -> bytes:
    """The leaf of an entry."""
    return leaf_hash(bytes.fromhex(entry_hash))


def tree_at(connection: Transaction, chain: str, size: int, *, proving: bool = True) -> LogTree:
    """The tree over the first entries of a chain, as it is stored."""
    nodes = stored_nodes(connection, chain, parts((0, size)))
    rows = connection.rows("SELECT hash FROM entry WHERE chain = ? AND idx = ?", (chain, size))
    if size and not rows:
        raise _incomplete()
    last = rows[0][0] if size else START
    return LogTree(size, [nodes[one] for one in parts((0, size))], last, proving=proving)


def tree_fault(connection: Transaction, chain: str, entries: int, signed: Sequence[Checkpoint]) -> str | None:
    """Why the stored tree is not the one that was signed last, in a sentence.

    A checkpoint of entries that are lost, which was accepted, is of another tree and does not count.
    """
    rooted = [one for one in signed if one.root is not None and one.count <= entries]
    for one in sorted(rooted, key=lambda one: (one.epoch, one.count), reverse=True):
        tree = tree_at(connection, chain, one.count)
        if tree.last == one.head:
            if tree.root == one.root:
                return None
            return (
                f"The tree over {one.count} entries is not the one that was signed: the database was changed."
            )
    return None


def inclusion_paths(
    connection: Transaction, chain: str, indices: Collection[int], size: int
) -> dict[int, list[str]]:
    """The proofs that entries are in the tree over so many; what they have in common is read once."""
    ranges = {index: inclusion(index - 1, size) for index in indices}
    wanted = {one for path in ranges.values() for leaves in path for one in parts(leaves)}
    nodes = stored_nodes(connection, chain, wanted)
    return {index: _hex(hashes_of(path, nodes)) for index, path in ranges.items()}


def consistency_path(connection: Transaction, chain: str, earlier: int, size: int) -> list[str]:
    """The proof that the tree over so many entries goes on from an earlier one."""
    return _path(connection, chain, consistency(earlier, size))


def _path(connection: Transaction, chain: str, ranges: Sequence[LeafRange]) -> list[str]:
    wanted = {one for leaves in ranges for one in parts(leaves)}
    return _hex(hashes_of(ranges, stored_nodes(connection, chain, wanted)))


def stored_nodes(connection: Transaction, chain: str, wanted: Collection[Node]) -> dict[Node, bytes]:
    """Nodes of the tree, in two queries, or in some more if they are very many."""
    ends = {(level, place): (place + 1) << level for level, place in wanted}
    leaves = [end for (level, _), end in ends.items() if level == 0]
    others = [end for (level, _), end in ends.items() if level]
    queries = [
        (f"SELECT idx, {column} FROM {table} WHERE chain = ? AND idx IN ({marks})", (chain, *places))
        for table, column, listed in (("entry", "hash", leaves), ("tree_node", "hashes", others))
        for start in range(0, len(listed), AT_ONCE)
        for places in [sorted({*listed[start : start + AT_ONCE]})]
        if (marks := ", ".join("?" * len(places)))
    ]
    found: dict[tuple[bool, int], str] = {}
    for (sql, _), rows in zip(queries, connection.several(queries), strict=True):
        found |= {("tree_node" in sql, idx): text for idx, text in rows}
    try:
        return {(level, place): _node(found[level > 0, end], level) for (level, place), end in ends.items()}
    except (KeyError, TypeError, ValueError):
        raise _incomplete() from None


def _node(stored: str, level: int) -> bytes:
    """A node from what is stored of the entry that completes it."""
    if level == 0:
        return leaf_of(stored)
    digits = stored[(level - 1) * LENGTH : level * LENGTH]
    if len(digits) != LENGTH:
        raise ValueError("not a hash")
    return bytes.fromhex(digits)


def _incomplete() -> Unavailable:
    return Unavailable("The tree over the log is not complete, so nothing can be proved.")


def _hex(hashes: Sequence[bytes]) -> list[str]:
    return [one.hex() for one in hashes]
