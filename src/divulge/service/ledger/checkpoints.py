"""How long the log was and what it was, signed and kept where the database's operator cannot rewrite it."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from divulge.errors import Conflict, SourceError
from divulge.service.ledger.chain import canonical


@dataclass(frozen=True)
class Checkpoint:
    """A signed statement: after so many entries this chain had this hash."""

    chain: str
    epoch: int  # raised by every reconciliation
    count: int
    head: str
    at: str
    signature: str

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self)}

    @property
    def _said(self) -> bytes:
        """What is signed: all but the signature."""
        return canonical({name: value for name, value in vars(self).items() if name != "signature"}).encode()

    @classmethod
    def of_dict(cls, given: Mapping[str, Any]) -> Checkpoint:
        return cls(**{one.name: given[one.name] for one in fields(cls)})

    @classmethod
    def signed(
        cls, key: Ed25519PrivateKey, chain: str, epoch: int, count: int, head: str, at: str
    ) -> Checkpoint:
        plain = cls(chain, epoch, count, head, at, "")
        return replace(plain, signature=key.sign(plain._said).hex())

    def is_signed_by(self, key: Ed25519PublicKey) -> bool:
        try:
            key.verify(bytes.fromhex(self.signature), self._said)
        except (InvalidSignature, ValueError):
            return False
        return True


class Anchors:
    """Checkpoints in files of their own: the newest of each chain, and a list of those before it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SourceError(
                f"The folder of checkpoints {folder} cannot be made: {error.strerror}."
            ) from None

    def newest(self, chain: str) -> Checkpoint | None:
        """The last checkpoint of a chain that was put down here."""
        if not self._file(chain, "newest").exists():
            return None
        with _locked(self._file(chain, "newest")) as handle:
            return _read(handle)

    def note(self, checkpoint: Checkpoint) -> None:
        """Put down a newer state of a chain in place of the last; an older one changes nothing.

        Another state after as many entries is that of another database, and refused.
        """
        with _locked(self._file(checkpoint.chain, "newest")) as handle:
            last = _read(handle)
            if last is not None and (last.epoch, last.count) >= (checkpoint.epoch, checkpoint.count):
                if last.count == checkpoint.count and last.head != checkpoint.head:
                    raise Conflict(f"Entry {last.count} of another database was signed before.")
                return
            os.pwrite(handle, json.dumps(checkpoint.to_dict()).ljust(1024).encode(), 0)

    def keep(self, checkpoint: Checkpoint) -> None:
        """Add a checkpoint to the list, on disk before this returns."""
        self.note(checkpoint)
        with self._file(checkpoint.chain, "checkpoints").open("a") as file:
            file.write(json.dumps(checkpoint.to_dict()) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def kept(self, chain: str) -> list[Checkpoint]:
        """The list of a chain's checkpoints and the newest."""
        try:
            lines = self._file(chain, "checkpoints").read_text().splitlines()
        except FileNotFoundError:
            lines = []
        found = [one for line in lines if (one := _parsed(line)) is not None]
        newest = self.newest(chain)
        return found if newest is None or newest in found else [*found, newest]

    def _file(self, chain: str, ending: str) -> Path:
        return self.folder / f"{chain}.{ending}"


def _read(handle: int) -> Checkpoint | None:
    """The checkpoint in a file; a file that was only begun has none."""
    text = os.pread(handle, 4096, 0).decode(errors="replace").strip("\0 \n")
    if not text:
        return None
    found = _parsed(text)
    if found is None:
        raise SourceError(
            "The newest checkpoint cannot be read, so it is not known how many entries the log had.",
            hint="Compare with another copy of the checkpoints, then remove the file that ends in .newest.",
        )
    return found


def _parsed(line: str) -> Checkpoint | None:
    """A checkpoint from its line; None where the line was not written to its end."""
    try:
        return Checkpoint.of_dict(json.loads(line))
    except (ValueError, KeyError, TypeError):
        return None


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """A file open for reading and writing, for one process at a time."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle
    finally:
        os.close(handle)
