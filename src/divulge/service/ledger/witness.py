"""Somebody other than the holder, who signs checkpoints that go on from what they saw before."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from divulge.errors import Forbidden, ParameterError
from divulge.service.ledger.answer_proofs import HASH, Consistency
from divulge.service.ledger.chain import ODD
from divulge.service.ledger.checkpoints import Anchors, Checkpoint
from divulge.service.ledger.cosignatures import Cosigned, keep_cosigned, read_cosigned
from divulge.service.ledger.durable import write_new
from divulge.service.ledger.hand_overs import (
    HandOver,
    HolderKeys,
    hand_overs_in,
    keep_hand_overs,
    read_hand_overs,
)
from divulge.service.ledger.secrets import Secrets

CHAIN = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


class Refusal(NamedTuple):
    """Why a witness does not sign."""

    sentence: str
    contradicts: bool  # whether the holder has signed two logs that cannot both be true


class Witness:
    """What a witness saw of a holder's logs, in a folder of its own, and its key."""

    def __init__(self, folder: Path, holder: Ed25519PublicKey, clock: Callable[[], str]) -> None:
        keys = folder / "keys"
        self._secrets = Secrets.read(keys) if keys.exists() else Secrets.make(keys)
        self._anchors = Anchors(folder / "seen").make()
        self._holder, self._clock, self._turn = holder, clock, threading.Lock()
        self.public, self.public_pem = self._secrets.public, self._secrets.public_pem.decode()

    def last(self, chain: str) -> Cosigned | None:
        """What was signed last of a chain."""
        found = read_cosigned(self._anchors.folder, chain) if CHAIN.fullmatch(chain) else []
        return found[0] if found else None

    def countersign(self, given: Mapping[str, Any]) -> Cosigned | Refusal:
        """Sign a checkpoint that the holder signed, if it goes on from the last one."""
        checkpoint, proof, shown = _read(given)
        with self._turn:
            keys = HolderKeys(self._holder, read_hand_overs(self._anchors.folder)).with_more(shown)
            if (unsigned := keys.fault(checkpoint)) is not None:
                raise Forbidden(f"The checkpoint {unsigned}.")
            # A key that was handed over is not believed again, whatever is shown later.
            known = (*keys.line(checkpoint.chain), *keys.contested(checkpoint.chain))
            keep_hand_overs(self._anchors.folder, known)
            last = self._anchors.newest(checkpoint.chain)
            refusal = _refusal(last, checkpoint, proof)
            if refusal is None:
                if last != checkpoint:
                    self._anchors.keep(checkpoint)
                found = Cosigned.signed(self._secrets.signing, checkpoint, self._clock())
                keep_cosigned(self._anchors.folder, found)
                return found
            if refusal.contradicts and last is not None:
                self._keep_evidence(last, checkpoint)
            return refusal

    def _keep_evidence(self, last: Checkpoint, checkpoint: Checkpoint) -> None:
        """Two checkpoints with the holder's signature that cannot both be of one log."""
        path = self._anchors.folder / f"{last.chain}.{checkpoint.count}-{checkpoint.signature[:16]}.fork.json"
        if not path.exists():
            text = json.dumps({"seen": last.to_dict(), "shown": checkpoint.to_dict()}, indent=2)
            write_new(path, text.encode(), 0o644)


def _refusal(last: Checkpoint | None, checkpoint: Checkpoint, proof: Consistency) -> Refusal | None:
    """Why a checkpoint is not signed; fewer entries may come late, and prove nothing against the holder."""
    if last is not None and checkpoint.count < last.count:
        return Refusal(f"This witness has seen {last.count} entries, which are more.", False)
    if last is not None and proof.since != last.count:
        return Refusal(f"This witness wants a proof since {last.count} entries.", False)
    fault = proof.fault(last, checkpoint)
    if fault is None and last is not None and checkpoint.epoch < last.epoch:
        fault = f"The log counts {checkpoint.epoch} accepted losses, and had {last.epoch}."
    return None if fault is None else Refusal(fault, last is not None)


def _read(given: Mapping[str, Any]) -> tuple[Checkpoint, Consistency, list[HandOver]]:
    try:
        checkpoint = Checkpoint.of_dict(given["checkpoint"])
        proof = Consistency.of_dict(given["consistency"])
        if CHAIN.fullmatch(checkpoint.chain) and HASH.fullmatch(checkpoint.root or ""):
            return checkpoint, proof, hand_overs_in(given)
    except ODD:
        pass
    raise ParameterError("A checkpoint with a root and a proof is wanted.")
