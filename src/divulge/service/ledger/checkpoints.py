"""How long the log was and what it was, signed and kept where the database's operator cannot rewrite it."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from divulge.errors import Conflict, SourceError
from divulge.service.ledger.canonical_json import canonical
from divulge.service.ledger.durable import make_folder, sync_folder

NEWEST, LIST = "newest", "checkpoints"  # how the files of a chain end
SLOT = 4096  # bytes of each of the two places for the newest
FILLING = b"\0 \n"  # what is around it

_KINDS = {"epoch": int, "count": int}  # all else is text


@dataclass(frozen=True)
class Checkpoint:
    """A signed statement: after so many entries this chain had this hash, and the tree over it this root."""

    chain: str
    epoch: int  # raised by every reconciliation
    count: int
    head: str
    at: str
    signature: str
    root: str | None = None  # of checkpoints before there were trees

    def to_dict(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not None}

    @property
    def said(self) -> bytes:
        """What is signed: all but the signature."""
        return canonical(
            {name: value for name, value in vars(self).items() if value is not None and name != "signature"}
        ).encode()

    def with_signature(self, signature: bytes) -> Checkpoint:
        """The same with a signature."""
        return Checkpoint(self.chain, self.epoch, self.count, self.head, self.at, signature.hex(), self.root)

    @classmethod
    def of_dict(cls, given: Mapping[str, Any]) -> Checkpoint:
        told = {one.name: given[one.name] for one in fields(cls) if one.name != "root" or "root" in given}
        if set(given) - set(told):
            raise ValueError("a checkpoint has nothing beside what is signed")
        found = cls(**told)
        if not all(type(value) is _KINDS.get(name, str) for name, value in told.items()):
            raise TypeError("a checkpoint has two whole numbers and texts")
        return found

    @classmethod
    def signed(
        cls,
        key: Ed25519PrivateKey,
        chain: str,
        epoch: int,
        count: int,
        head: str,
        at: str,
        root: str | None = None,
    ) -> Checkpoint:
        plain = cls(chain, epoch, count, head, at, "", root)
        return plain.with_signature(key.sign(plain.said))

    def is_signed_by(self, key: Ed25519PublicKey) -> bool:
        try:
            key.verify(bytes.fromhex(self.signature), self.said)
        except (InvalidSignature, ValueError):
            return False
        return True


Against = Callable[[Checkpoint], str | None]  # why a log is not the one of a checkpoint


def unasked(last: Checkpoint) -> None:
    """Nothing is known against a checkpoint where there is no log to compare it with."""


class Anchors:
    """Checkpoints in files of their own: the newest of each chain, and a list of those before it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[str, _NewestIn] = {}  # what was read last
        self._files: dict[tuple[str, str], Path] = {}  # by chain and ending

    def make(self) -> Anchors:
        """Make the folder, if it is not there."""
        try:
            make_folder(self.folder)
        except OSError as error:
            raise SourceError(
                f"The folder of checkpoints {self.folder} cannot be made: {error.strerror}."
            ) from None
        return self

    def newest(self, chain: str) -> Checkpoint | None:
        """The last checkpoint of a chain that was put down here."""
        try:
            with _locked(self._file(chain, NEWEST), writing=False) as handle:
                found = self._read(chain, handle).newest
        except FileNotFoundError:
            return None
        return None if found is None else self._own(chain, found)

    def _own(self, chain: str, found: Checkpoint) -> Checkpoint:
        """A checkpoint from a file of a chain, if it is of that."""
        if found.chain != chain:
            raise SourceError(
                f"The file of checkpoints of '{chain}' in {self.folder} has one of another log.",
                hint="Put back the file that was there.",
            )
        return found

    def note(self, checkpoint: Checkpoint, against: Against = unasked) -> None:
        """Put down a newer state of a chain, on disk before this returns; an older one changes nothing.

        Another state after as many entries is that of another database, and refused, as is every state of a
        log that the last here is not of: ``against`` is asked, while no other process can put one down. What
        is newer is written beside the last and not over it, so that one of them can be read whatever happens
        meanwhile.
        """
        with _locked(self._file(checkpoint.chain, NEWEST)) as handle:
            raw, last, first = self._read(checkpoint.chain, handle)
            if last is not None and (fault := against(last)) is not None:
                raise Conflict(fault)
            if last is not None and (last.epoch, last.count) >= (checkpoint.epoch, checkpoint.count):
                if last.count == checkpoint.count and last.head != checkpoint.head:
                    raise Conflict(f"Entry {last.count} of another database was signed before.")
                return
            place = SLOT if first else 0
            content = json.dumps(checkpoint.to_dict()).ljust(1024).encode()
            os.pwrite(handle, content, place)
            os.fdatasync(handle)
            after = raw[:place].ljust(place, b"\0") + content + raw[place + len(content) :]
            self._known[checkpoint.chain] = _NewestIn(after, checkpoint, not place)

    def _read(self, chain: str, handle: int) -> _NewestIn:
        """The newest checkpoint in a chain's file, which is known if its bytes are those of before."""
        raw = os.pread(handle, 2 * SLOT, 0)
        known = self._known.get(chain)
        if known is None or known.raw != raw:
            known = self._known[chain] = _NewestIn.of(raw)
        return known

    def keep(self, checkpoint: Checkpoint, against: Against = unasked) -> None:
        """Add a checkpoint to the list, on disk before this returns."""
        self.note(checkpoint, against)
        path = self._file(checkpoint.chain, LIST)
        fresh = not path.exists()
        with path.open("a") as file:
            file.write(json.dumps(checkpoint.to_dict()) + "\n")
            file.flush()
            os.fsync(file.fileno())
        if fresh:
            sync_folder(self.folder)

    def kept(self, chain: str) -> list[Checkpoint]:
        """The list of a chain's checkpoints and the newest."""
        try:
            lines = self._file(chain, LIST).read_text().splitlines()
        except FileNotFoundError:
            lines = []
        found = [self._own(chain, one) for line in lines if (one := _parsed(line)) is not None]
        newest = self.newest(chain)
        return found if newest is None or newest in found else [*found, newest]

    def chains(self) -> list[str]:
        """The chains of which there are checkpoints."""
        return sorted({path.stem for path in self.folder.glob("*.*") if path.suffix[1:] in (NEWEST, LIST)})

    def _file(self, chain: str, ending: str) -> Path:
        found = self._files.get((chain, ending))
        if found is None:
            found = self._files[chain, ending] = self.folder / f"{chain}.{ending}"
        return found


class _NewestIn(NamedTuple):
    """The bytes of a file, the newer checkpoint of its two places, and whether it is in the first of them."""

    raw: bytes
    newest: Checkpoint | None
    first: bool

    @classmethod
    def of(cls, raw: bytes) -> _NewestIn:
        """A file that was only begun has no checkpoint."""
        begun = [(part, at) for part, at in ((raw[:SLOT], True), (raw[SLOT:], False)) if part.strip(FILLING)]
        found = [(one, at) for part, at in begun if (one := _slot(part)) is not None]
        if begun and not found:
            raise SourceError(
                "The newest checkpoint cannot be read, so it is not known how many entries the log had.",
                hint="Compare with another copy of the checkpoints, then remove the file that ends in "
                ".newest.",
            )
        if not found:
            return cls(raw, None, False)
        return cls(raw, *max(found, key=lambda one: (one[0].epoch, one[0].count)))


def _slot(raw: bytes) -> Checkpoint | None:
    """The checkpoint in one of the places; None where it was not written to its end."""
    return _parsed(raw.decode(errors="replace").strip("\0 \n"))


def _parsed(line: str) -> Checkpoint | None:
    """A checkpoint from its line; None where the line was not written to its end."""
    try:
        return Checkpoint.of_dict(json.loads(line))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


@contextmanager
def _locked(path: Path, *, writing: bool = True) -> Iterator[int]:
    """A file for one process at a time; to be read it need not be on a disk that can be written to."""
    handle = _opened(path) if writing else os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if writing else fcntl.LOCK_SH)
        yield handle
    finally:
        os.close(handle)


def _opened(path: Path) -> int:
    """A file open for reading and writing; a new one is named on disk before it is used."""
    try:
        return os.open(path, os.O_RDWR)
    except FileNotFoundError:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.fsync(handle)
        sync_folder(path.parent)
        return handle
