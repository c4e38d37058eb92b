"""A log as it is read: whether it is whole, what it adds up to, and whether it is what was signed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from divulge.service.ledger.chain import ODD, START, Entry, Fault, fault_in
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.log_tree import LogTree
from divulge.service.ledger.log_writer import Head
from divulge.service.ledger.tail import AcceptedLoss
from divulge.service.operations.history import Ledger


class Log:
    """A chain as it is read: its hashes, and what its entries add up to.

    Entries count from the moment they are found to follow from those before them. Roots of the tree over them
    are kept for the counts that are asked for.
    """

    def __init__(
        self,
        chain: str,
        entries: Iterable[Entry],
        key: bytes | None = None,
        roots_after: Collection[int] = (),
    ) -> None:
        self.chain = chain
        self.ledger = Ledger()
        self.roots: dict[int, str] = {}
        self._hashes = bytearray()
        self._tree, self._roots_after = LogTree(proving=False), frozenset(roots_after)
        self.backwards: Fault | None = None  # the first entry whose time is before that of the last
        try:
            self.fault = fault_in(self._counted(entries), key)
        except ODD:
            self.fault = Fault(len(self) + 1, f"Entry {len(self) + 1} cannot be read.")

    def _counted(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        last = ""
        for entry in entries:
            if entry.chain != self.chain:
                raise ValueError("an entry of another chain")
            yield entry
            if entry.at < last and self.backwards is None:
                said = f"The time of entry {entry.index} is before that of entry {entry.index - 1}."
                self.backwards = Fault(entry.index, said)
            last = max(last, entry.at)
            self.ledger.add(entry)
            self._hashes += bytes.fromhex(entry.hash)
            if self._roots_after:
                self._tree.add(entry.hash)
                if entry.index in self._roots_after:
                    self.roots[entry.index] = self._tree.root

    def __len__(self) -> int:
        return len(self._hashes) // 32

    def hash(self, count: int) -> str:
        """The hash after so many entries."""
        return self._hashes[32 * count - 32 : 32 * count].hex() if count else START

    @property
    def head(self) -> Head:
        """How far the chain has come, by its entries."""
        return Head(self.ledger.epoch, len(self), self.hash(len(self)))

    def short_of(self, head: Head | None) -> Fault | None:
        """Where the entries differ from how far the database says that the chain has come."""
        last = len(self)
        if head is None:
            return Fault(1, "The chain has no head.")
        if head.entries > last:
            return Fault(last + 1, f"Entry {last + 1} is missing: the chain has {head.entries} entries.")
        return None if head == self.head else Fault(last, f"The chain's head is not what entry {last} says.")

    def binding(self, checkpoints: Iterable[Checkpoint]) -> list[Checkpoint]:
        """The checkpoints that the log has to agree with, by count.

        A loss that was accepted sets those free that were signed before and after it.
        """
        given = sorted(checkpoints, key=lambda one: (one.count, one.epoch))
        believed = self.believed(given)
        return [
            one
            for one in given
            if not any(one.epoch < loss.epoch and one.count > loss.kept for loss in believed)
        ]

    def believed(self, checkpoints: Sequence[Checkpoint]) -> list[AcceptedLoss]:
        """The accepted losses that themselves stand under a checkpoint of their own epoch."""
        return [
            loss
            for loss in self.ledger.reconciled
            if any(one.epoch >= loss.epoch and one.count >= loss.index for one in checkpoints)
        ]

    def against(self, binding: Sequence[Checkpoint]) -> Fault | None:
        """Where the log contradicts what was signed: cut off, or rewritten with hashes that fit."""
        agreed = 0
        for one in binding:
            if one.count > len(self):
                missing = len(self) + 1
                return Fault(
                    missing, f"Entry {missing} is missing: a checkpoint was signed after entry {one.count}."
                )
            if one.head != self.hash(one.count):
                agreed = min(agreed, one.count - 1)  # of another epoch, an entry of this index was signed too
                return Fault(
                    agreed + 1,
                    f"Entries were rewritten: the log is as signed up to entry {agreed}, "
                    f"but not at entry {one.count}.",
                )
            if one.root is not None and one.root != self.roots.get(one.count, one.root):
                return Fault(
                    one.count, f"A checkpoint was signed for another tree than that of {one.count} entries."
                )
            agreed = one.count
        return None

    def agreed(self, checkpoints: Iterable[Checkpoint]) -> int:
        """Up to which entry the log is what was signed; to its end, if it is only cut off."""
        fault = self.against([one for one in self.binding(checkpoints) if one.count <= len(self)])
        return len(self) if fault is None else fault.index - 1
