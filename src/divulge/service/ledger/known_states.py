"""How far each chain is known to have come: a database that shows less, or another, was turned back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from divulge.service.ledger.chain import START
from divulge.service.ledger.checkpoints import Anchors, Checkpoint
from divulge.service.ledger.hand_overs import HolderKeys
from divulge.service.ledger.log_writer import Head, Tip, entries_of
from divulge.service.ledger.tail import accepted_losses
from divulge.service.store.connection import Transaction

LOSS_HINT = (
    "Allow it where the signer is: divulge release signer FOLDER --allow-loss {0}. "
    "Then: divulge release reconcile DATABASE --dataset {0} --accept-loss"
)


class Expected(NamedTuple):
    """What a chain must have reached, found out before the database is asked.

    Others may add to a chain at any time, so that what is known may be less than what the database shows;
    it may never be more.
    """

    seen: Head | None  # by this process
    signed: Checkpoint | None  # the newest
    fault: str | None = None  # why the newest checkpoint does not count
    shown: Checkpoint | None = None  # what the signer has signed last, until the chain was held to it once
    refused: str | None = None  # why nothing is good now, which is no fault of the database


class KnownStates:
    """The furthest state of each chain that this process saw, and the newest that was signed."""

    def __init__(self, anchors: Anchors, keys: HolderKeys) -> None:
        self._anchors, self.keys = anchors, keys
        self._seen: dict[str, Tip] = {}
        self._trusted: dict[str, Checkpoint] = {}  # whose signatures were checked, or made here

    def expected(self, chain: str) -> Expected:
        """What a chain must have reached by now."""
        seen = self._seen.get(chain)
        signed = self._anchors.newest(chain)
        return Expected(seen and seen.head, signed, None if signed is None else self.unsigned([signed]))

    def unsigned(self, checkpoints: Iterable[Checkpoint]) -> str | None:
        """The first checkpoint that the holder has not signed, in a sentence."""
        for one in checkpoints:
            if self._trusted.get(one.chain) == one:
                continue
            if (unsigned := self.keys.fault(one)) is not None:
                return (
                    f"A checkpoint in {self._anchors.folder}, after {one.count} entries, {unsigned}. If the "
                    "keys are those of another service, name the right folder with --keys; else replace the "
                    "checkpoint from another copy."
                )
            self.trust(one)
        return None

    def trust(self, checkpoint: Checkpoint) -> None:
        """Remember that a signature is right: checking it takes as long as half a decision."""
        self._trusted[checkpoint.chain] = checkpoint

    def saw(self, chain: str, tip: Tip) -> None:
        """Remember what is in the database for good."""
        last = self._seen.get(chain)
        if last is None or tip.head[:2] > last.head[:2]:
            self._seen[chain] = tip

    def forget(self, chain: str) -> None:
        """What was seen counts no longer: the operator has said how the chain goes on."""
        self._seen.pop(chain, None)

    def last_time(self) -> str:
        """The latest time in an entry or a checkpoint that this process saw; no clock may be behind it."""
        seen, signed = list(self._seen.values()), list(self._trusted.values())
        return max((*(one.at for one in seen), *(one.at for one in signed)), default="")


def older_than(connection: Transaction, chain: str, tip: Tip, expected: Expected, key: bytes) -> str | None:
    """Why a chain is not the one that is known, or is behind it; None where it is, or goes on from it."""
    head, seen, signed = tip.head, expected.seen, expected.signed
    if expected.fault is not None:
        return expected.fault
    if head.entries and tip.hash != head.hash:
        return f"The log does not end with entry {head.entries}, as its head says: the database was changed."
    if seen is not None and head != seen:
        if (head.epoch, head.entries) <= (seen.epoch, seen.entries):
            return (
                f"The database has {head.entries} entries, and this service has seen {seen.entries}: "
                "it is older than what was released."
            )
        if head.epoch > seen.epoch:
            return "A loss was accepted since this service was started. Start it again."
        if hash_at(connection, chain, seen.entries) != seen.hash:
            return f"Entry {seen.entries} is not the one that was there before: this is another database."
    known = [one for one in (signed, expected.shown) if one is not None]
    fault = contradicted(connection, chain, head, known, key) if known else None
    return fault or unsigned_loss(head, expected.shown)


def unsigned_loss(head: Head, shown: Checkpoint | None) -> str | None:
    """Why a loss that was accepted does not count yet: the signer has signed nothing after it."""
    if shown is None or shown.epoch >= head.epoch:
        return None
    return f"The signer has not signed the loss that was accepted. {LOSS_HINT.format(shown.chain)}"


def contradicted(
    connection: Transaction, chain: str, head: Head, signed: Sequence[Checkpoint], key: bytes
) -> str | None:
    """Why a chain is not what was signed; None where it is, or goes on from it.

    A loss that was accepted sets those checkpoints free that were signed before and after it.
    """
    earlier = any(one.epoch < head.epoch for one in signed)
    losses = accepted_losses(connection, chain, key) if earlier else []
    for one in sorted(signed, key=lambda one: (one.epoch, one.count), reverse=True):
        if (head.epoch, head.entries, head.hash) == (one.epoch, one.count, one.head):
            continue
        if any(one.epoch < loss.epoch and one.count > loss.kept for loss in losses):
            continue
        if one.epoch > head.epoch or one.count > head.entries:
            return (
                f"The database has {head.entries} entries, and a checkpoint was signed after {one.count}: "
                "it is older than what was released."
            )
        if hash_at(connection, chain, one.count) != one.head:
            return f"Entry {one.count} is not the one that was signed: this is another database."
    return None


def hash_at(connection: Transaction, chain: str, count: int) -> str | None:
    """The hash of a chain after so many entries."""
    if count == 0:
        return START
    there = entries_of(connection, chain, count - 1, 1)
    return there[0].hash if there and there[0].index == count else None
