"""What the service asks of the process that signs its checkpoints, and signing in its own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from divulge.errors import Unavailable
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.cosignatures import fingerprint_of
from divulge.service.ledger.durable import make_folder, sync_folder
from divulge.service.ledger.log_tree import LogTree
from divulge.service.ledger.secrets import Secrets

ROTATED = (
    "The holder's key was rotated. Start the service again with the new key. If rotate-key was interrupted, "
    "run it again first."
)


class Signer(Protocol):
    """The process that has the private key."""

    def sign(self, plain: Checkpoint, tree: LogTree | None = None) -> Checkpoint:
        """A checkpoint with its signature, or a newer one that was signed meanwhile and has all its entries.

        Proofs are made from the tree where it has them at hand. ``Unavailable``: nothing was signed, or it is
        not known. ``Conflict``: it is refused, since it does not go on from what was signed before.
        """

    def ahead(self, plain: Checkpoint) -> None:
        """Make ready what is likely to be signed next. Nothing is signed with it."""

    def last(self, chain: str) -> Checkpoint | None:
        """What it has signed last of a chain, if it keeps that; ``Unavailable`` where it does not say."""

    def allows_loss(self, chain: str) -> bool:
        """Whether it would sign a chain that was turned back; ``Unavailable`` where it does not say."""

    def fault(self) -> str | None:
        """Why nothing can be signed now, in a sentence."""


class RetiredKeys:
    """The keys that no longer sign, by their fingerprints, beside the checkpoints.

    A process that has such a key learns here that another process has begun to hand it over.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "retired-keys"
        self._known: tuple[tuple[int, int, int], frozenset[str]] | None = None

    def names(self, fingerprint: str) -> bool:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return False
        state = (found.st_ino, found.st_size, found.st_mtime_ns)
        if self._known is None or self._known[0] != state:
            self._known = state, frozenset(self._path.read_text("utf-8").split())
        return fingerprint in self._known[1]

    def add(self, fingerprint: str) -> None:
        """A key that signs no longer, on disk before this returns."""
        if not self.names(fingerprint):
            make_folder(self._path.parent)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(f"{fingerprint}\n")
                file.flush()
                os.fsync(file.fileno())
            sync_folder(self._path.parent)


class LocalSigner:
    """The service's own process signs, as on a laptop."""

    def __init__(self, secrets: Secrets, folder: Path) -> None:
        self._secrets, self._retired = secrets, RetiredKeys(folder)
        self._own = fingerprint_of(secrets.public)
        self._ready: tuple[Checkpoint, Checkpoint] | None = None  # without a signature, and with it

    def sign(self, plain: Checkpoint, tree: LogTree | None = None) -> Checkpoint:
        key, ready = self._secrets.signing, self._ready
        if self._retired.names(self._own):  # asked after the entries were committed, before they are signed
            raise Unavailable(ROTATED)
        if ready is not None and ready[0] == plain:
            return ready[1]
        return plain.with_signature(key.sign(plain.said))

    def ahead(self, plain: Checkpoint) -> None:
        self._ready = plain, plain.with_signature(self._secrets.signing.sign(plain.said))

    def last(self, chain: str) -> Checkpoint | None:
        return None

    def allows_loss(self, chain: str) -> bool:
        return True

    def fault(self) -> str | None:
        if self._secrets.private is None:
            return "This process has no private key, and no process that signs was named with --signer."
        return ROTATED if self._retired.names(self._own) else None
