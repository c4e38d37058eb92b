"""A second signature under a checkpoint: a witness says that it saw it, and nothing that contradicts it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from divulge.service.ledger.canonical_json import canonical
from divulge.service.ledger.chain import ODD
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.secrets import raw

WITNESSED = "witnessed"  # how the file of a chain ends


def fingerprint_of(key: Ed25519PublicKey) -> str:
    """The first digits of a public key's hash, by which people compare keys."""
    return hashlib.sha256(raw(key)).hexdigest()[:16]


@dataclass(frozen=True)
class Cosigned:
    """A checkpoint with the signature of a witness."""

    checkpoint: Checkpoint
    witness: str  # fingerprint of its key
    at: str  # when it signed
    signature: str

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "checkpoint": self.checkpoint.to_dict()}

    @property
    def _said(self) -> bytes:
        return canonical(
            {name: value for name, value in self.to_dict().items() if name != "signature"}
        ).encode()

    @classmethod
    def of_dict(cls, given: Mapping[str, Any]) -> Cosigned:
        texts = [given[name] for name in ("witness", "at", "signature")]
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("a countersignature is made of texts")
        return cls(Checkpoint.of_dict(given["checkpoint"]), *texts)

    @classmethod
    def signed(cls, key: Ed25519PrivateKey, checkpoint: Checkpoint, at: str) -> Cosigned:
        plain = cls(checkpoint, fingerprint_of(key.public_key()), at, "")
        return replace(plain, signature=key.sign(plain._said).hex())

    def is_signed_by(self, key: Ed25519PublicKey) -> bool:
        try:
            key.verify(bytes.fromhex(self.signature), self._said)
        except (InvalidSignature, ValueError):
            return False
        return self.witness == fingerprint_of(key)


def keep_cosigned(folder: Path, given: Cosigned) -> None:
    """Keep the newest signature of each witness beside the checkpoints."""
    chain = given.checkpoint.chain
    newest = {one.witness: one for one in [*read_cosigned(folder, chain), given]}
    path = folder / f"{chain}.{WITNESSED}"
    beside = path.with_suffix(".new")
    beside.write_text("".join(canonical(one.to_dict()) + "\n" for one in newest.values()), "utf-8")
    beside.replace(path)


def read_cosigned(folder: Path, chain: str) -> list[Cosigned]:
    """The newest signature of each witness; what cannot be read is left out, since it proves nothing."""
    try:
        lines = (folder / f"{chain}.{WITNESSED}").read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return []
    found = []
    for line in lines:
        with suppress(*ODD):
            found.append(Cosigned.of_dict(json.loads(line)))
    return found
