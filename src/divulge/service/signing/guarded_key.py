"""A private key that signs no checkpoint that does not go on from the last one it has signed."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from divulge.errors import Conflict, SourceError
from divulge.service.ledger.answer_proofs import Consistency
from divulge.service.ledger.chain import START
from divulge.service.ledger.checkpoints import Anchors, Checkpoint
from divulge.service.ledger.durable import replace_file
from divulge.service.ledger.hand_overs import HandOver, keep_hand_overs, read_hand_overs
from divulge.service.ledger.log_tree import leaf_of
from divulge.service.ledger.merkle import EMPTY, is_included
from divulge.service.ledger.secrets import PUBLIC, SIGNING, raw
from divulge.service.signing.signing_key import SigningKey

SIGNED = "signed"  # the folder of what was signed last
LOSS = "loss"  # how the file ends that allows a chain to be turned back
LOSSES_MISSED = 100  # accepted losses that a folder may not know of, as it came from an older copy


class Statement(NamedTuple):
    """A checkpoint to be signed, the proof that it goes on, and the path of its last entry in the tree."""

    plain: Checkpoint
    consistency: Consistency
    path: tuple[bytes, ...]


class WantsProofSince(Exception):
    """The proof is to be since another number of entries: those that were signed last."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count


class NewerSigned(Exception):
    """More entries were signed before."""

    def __init__(self, last: Checkpoint) -> None:
        super().__init__(last.count)
        self.last = last


def _made_in(folder: Path) -> SigningKey:
    """A new key, in a folder that never had one: another key would sign nothing of what was signed there."""
    if (folder / PUBLIC).exists() or (folder / SIGNED).exists():
        raise SourceError(
            f"{SIGNING} is missing in {folder}, where there was one before.",
            hint="Put back the copy of it. If it is lost, name another folder for a new key.",
        )
    return SigningKey.make(folder)


class GuardedKey:
    """The private key with the last checkpoint of each chain, on disk before a signature is handed out."""

    def __init__(self, folder: Path) -> None:
        self._key = SigningKey(folder) if (folder / SIGNING).exists() else _made_in(folder)
        self._anchors = Anchors(folder / SIGNED).make()
        self._folder, self._turn = folder, threading.Lock()
        self._seen: dict[str, Checkpoint] = {}  # by this process, whatever becomes of the files
        self._finish()
        self._key.put_down_public()

    def _finish(self) -> None:
        """End a rotation whose hand-overs are on disk."""
        new = self._key.next
        if new is not None:
            digits = raw(new.public_key()).hex()
            if self._key.is_half_replaced or any(one.new == digits for one in self.hand_overs):
                self._key = self._key.replace()

    @property
    def public(self) -> Ed25519PublicKey:
        return self._key.public

    @property
    def hand_overs(self) -> list[HandOver]:
        return read_hand_overs(self._folder)

    def last(self, chain: str) -> Checkpoint | None:
        """What was signed last of a chain, by the files or by what this process has seen."""
        known = [one for one in (self._anchors.newest(chain), self._seen.get(chain)) if one is not None]
        return max(known, key=lambda one: (one.epoch, one.count), default=None)

    def prepare(self) -> Ed25519PublicKey:
        """Make the next key, so that this one may be handed over."""
        return self._key.prepare().public_key()

    def sign(self, statement: Statement) -> Checkpoint:
        """Sign a checkpoint that goes on from the last, or says the same."""
        with self._turn:
            self._require_continued(statement)
            plain = statement.plain
            signed = replace(plain, signature=self._key.private.sign(plain.said).hex())
            self._anchors.note(signed)
            self._seen[plain.chain] = signed
            return signed

    def hand_over(self, statements: Sequence[Statement]) -> list[HandOver]:
        """Hand the key over to the next one at these states; from then on the next one signs."""
        with self._turn:
            if self._key.next is None:
                raise Conflict(
                    "No new key was made, so there is nothing to hand over to.",
                    hint="Where the signer is: divulge release signer FOLDER --new-key",
                )
            for one in statements:
                self._require_continued(one)
            missing = {*self._anchors.chains()} - {one.plain.chain for one in statements}
            if missing:
                raise Conflict(
                    f"Logs are missing that were signed before: {', '.join(sorted(missing))}.",
                    hint="If no service ever had such a log: stop the signer, move the files of that name "
                    f"out of its folder {SIGNED}, and start it.",
                )
            found = self._key.hand_over([one.plain for one in statements])
            keep_hand_overs(self._folder, found)
            self._key = self._key.replace()
            return found

    def allow_loss(self, chain: str) -> None:
        """Allow one chain to be turned back once, as its operator has accepted the loss."""
        last = self.last(chain)
        if last is None:
            raise Conflict(f"Nothing was signed of '{chain}', so there is no loss to accept.")
        replace_file(self._folder / SIGNED / f"{chain}.{LOSS}", str(last.epoch).encode(), 0o600)

    def allows_loss(self, chain: str) -> bool:
        """Whether a chain may be turned back now."""
        last = self.last(chain)
        return last is None or self._is_allowed(last)

    def _require_continued(self, statement: Statement) -> None:
        plain, proof, path = statement
        last = self.last(plain.chain)
        if not _ends_with_head(plain, path):
            raise Conflict(f"The tree does not end with the last of {plain.count} entries.")
        if last is None:
            fault = proof.fault(None, plain)
        elif last.epoch < plain.epoch <= last.epoch + LOSSES_MISSED and self._is_allowed(last):
            return
        elif plain.epoch > last.epoch and plain.count < last.count:
            fault = f"The log had {last.count} entries, and now has {plain.count}: it was turned back."
        elif plain.epoch != last.epoch:
            fault = f"The log counts {plain.epoch} accepted losses, and had {last.epoch}."
        elif plain.count < last.count:
            raise NewerSigned(last)
        elif proof.since != last.count:
            raise WantsProofSince(last.count)
        else:
            fault = proof.fault(last, plain)
        if fault is not None:
            hint = f"If the loss was accepted: divulge release signer FOLDER --allow-loss {plain.chain}"
            raise Conflict(fault, hint=hint if last is not None and plain.epoch > last.epoch else None)

    def _is_allowed(self, last: Checkpoint) -> bool:
        """Whether an operator has accepted a loss since the epoch of the last checkpoint began."""
        try:
            text = (self._folder / SIGNED / f"{last.chain}.{LOSS}").read_text()
        except FileNotFoundError:
            return False
        if not text.isdigit():
            raise SourceError("The file that allows a loss cannot be read.")
        return int(text) == last.epoch


def _ends_with_head(plain: Checkpoint, path: Sequence[bytes]) -> bool:
    """Whether a checkpoint's hash is that of the last entry in its tree."""
    root = bytes.fromhex(plain.root or "")
    if plain.count == 0:
        return (plain.head, root, [*path]) == (START, EMPTY, [])
    return is_included(leaf_of(plain.head), plain.count - 1, plain.count, path, root)
