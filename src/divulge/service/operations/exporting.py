"""A log in a file of its own, from which it can be verified without the service."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from divulge.errors import MissingSource, NotFound, SourceError
from divulge.service.decisions.decisions import DecisionService
from divulge.service.ledger.canonical_json import canonical
from divulge.service.ledger.chain import ODD, Entry, in_ascii
from divulge.service.ledger.checkpoints import Anchors, Checkpoint
from divulge.service.ledger.cosignatures import read_cosigned
from divulge.service.ledger.log_tree import LogTree
from divulge.service.ledger.log_writer import head_of
from divulge.service.ledger.paging import log
from divulge.service.ledger.secrets import public_of
from divulge.service.operations.files import new_file
from divulge.service.store.connection import Transaction

ENTRY, CHECKPOINT, PUBLIC = "entry", "checkpoint", "public_key"


def export(decider: DecisionService, chain: str, path: Path) -> int:
    """Write a chain to a new file: a line for each entry and checkpoint, then the key; says how many entries.

    A checkpoint is signed for it, unless the chain is behind what was signed before.
    """
    with new_file(path), path.open("w", encoding="utf-8", newline="\n") as file:

        def work(connection: Transaction) -> Checkpoint:
            head = head_of(connection, chain)
            if head is None:
                raise NotFound(f"There is no log '{chain}'.")
            tree = LogTree(proving=False)
            for entry in log(connection, chain):
                _write(file, ENTRY, entry.exported())
                tree.add(entry.hash)
            return decider.signed(chain, head, tree.root)

        signed = decider.database.read(work)
        kept = decider.anchors.kept(chain)
        if chain not in decider.behind:
            decider.anchors.keep(signed)
            kept = [one for one in kept if one.epoch < signed.epoch or one.count < signed.count]
            kept.append(signed)
        for one in kept:
            _write(file, CHECKPOINT, one.to_dict())
        _write(file, PUBLIC, decider.secrets.public_pem.decode())
    return signed.count


def _write(file: TextIO, name: str, value: Any) -> None:
    file.write(canonical({name: value}) + "\n")


@dataclass(frozen=True)
class Export:
    """An exported log: what comes with its entries, which are read when they are asked for."""

    path: Path
    chain: str
    checkpoints: tuple[Checkpoint, ...]
    public: Ed25519PublicKey | None

    @classmethod
    def read(cls, path: Path) -> Export:
        """The log in a file; what cannot be read in it is taken for an entry, and found when entries are."""
        chain, checkpoints, public = None, [], None
        for line in _lines(path):
            if chain is not None and line.startswith(b'{"entry":'):
                continue
            name, value = _parsed(line)
            if name == CHECKPOINT:
                checkpoints.append(value)
            elif name == PUBLIC:
                public = value
            elif chain is None:
                chain = value.chain if name == ENTRY else ""
        if chain is None:
            raise SourceError(f"{path} has no entries.", hint="Write one with: divulge release export")
        return cls(path, chain, tuple(checkpoints), public)

    def entries(self) -> Iterator[Entry]:
        """The entries in the order of their lines; one that cannot be read comes as one that fits nowhere."""
        index = 0
        for line in _lines(self.path):
            name, value = _parsed(line)
            if name in (ENTRY, None):
                index += 1
                yield Entry(self.chain, index, "", "", "", "", "") if name is None else value


def read_checkpoints(path: Path) -> dict[str, list[Checkpoint]]:
    """Checkpoints by chain: of a service's folder, or of a file with answers, checkpoints or an export."""
    try:
        if path.is_dir():
            anchors = Anchors(path)
            return {chain: _kept(anchors, chain) for chain in anchors.chains()}
        found: dict[str, list[Checkpoint]] = {}
        for document in _documents(path.read_text("utf-8")):
            told = document.get(CHECKPOINT, document)
            if "signature" in told:
                one = Checkpoint.of_dict(told)
                found.setdefault(one.chain, []).append(one)
    except FileNotFoundError:
        raise MissingSource(f"There are no checkpoints {path}.") from None
    except (OSError, *ODD):
        raise SourceError(f"The checkpoints in {path} cannot be read.") from None
    return found


def _kept(anchors: Anchors, chain: str) -> list[Checkpoint]:
    """What is kept of a chain, and what witnesses have signed of it."""
    found = anchors.kept(chain)
    cosigned = (one.checkpoint for one in read_cosigned(anchors.folder, chain))
    return [*found, *(one for one in cosigned if one not in found)]


def _documents(text: str) -> Iterator[dict[str, Any]]:
    """One document over several lines, or one on each line."""
    try:
        yield json.loads(text)
    except json.JSONDecodeError:
        yield from (json.loads(line) for line in text.splitlines() if line.strip())


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            yield from file
    except FileNotFoundError:
        raise MissingSource(f"There is no export {path}.") from None
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from None


def _parsed(line: bytes) -> tuple[str | None, Any]:
    """What stands on a line: its kind and content. Only the one spelling counts, so no byte may differ."""
    try:
        ((name, value),) = json.loads(line).items()
        spelled = _spelling(line, {name: value})
        if spelled is None:
            return None, None
        if name == ENTRY:
            entry = Entry.of_dict(value, spelled)
            shown = entry.exported() if spelled is canonical else entry.to_dict()
            return (name, entry) if shown == value else (None, None)
        if name == CHECKPOINT:
            return name, Checkpoint.of_dict(value)
        if name == PUBLIC:
            return name, public_of(value.encode())
    except ODD:
        pass
    return None, None


def _spelling(line: bytes, value: Any) -> Callable[[Any], str] | None:
    """How a line is spelled: by RFC 8785, or as exports were before; None where it is in neither way."""
    for spelled in (canonical, in_ascii):
        with suppress(TypeError, ValueError):
            if spelled(value).encode() + b"\n" == line:
                return spelled
    return None
