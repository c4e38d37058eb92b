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
from divulge.service.ledger.canonical_json import canonical, with_single_names
from divulge.service.ledger.chain import ODD, Entry, in_ascii
from divulge.service.ledger.checkpoints import Anchors, Checkpoint
from divulge.service.ledger.cosignatures import read_cosigned
from divulge.service.ledger.hand_overs import HandOver, hand_overs_in, read_hand_overs
from divulge.service.ledger.log_tree import LogTree
from divulge.service.ledger.log_writer import Head, head_of
from divulge.service.ledger.paging import log
from divulge.service.ledger.secrets import public_of
from divulge.service.operations.files import new_file
from divulge.service.store.connection import Transaction

ENTRY, CHECKPOINT, HAND_OVER, PUBLIC = "entry", "checkpoint", "hand_over", "public_key"


def export(decider: DecisionService, chain: str, path: Path) -> int:
    """Write a chain to a new file, and say how many entries it has.

    There is a line for each entry and checkpoint, for each hand-over of the key, and for the key. A
    checkpoint is signed for it, unless the chain is behind what was signed before.
    """
    with new_file(path), path.open("w", encoding="utf-8", newline="\n") as file:
        tree = LogTree(proving=False)

        def work(connection: Transaction) -> Head:
            head = head_of(connection, chain)
            if head is None:
                raise NotFound(f"There is no log '{chain}'.")
            for entry in log(connection, chain, tree.size):
                _write(file, ENTRY, entry.exported())
                tree.add(entry.hash)
            return head

        head = decider.database.read(work)
        kept = decider.anchors.kept(chain)
        if chain not in decider.behind:
            signed = decider.signed(chain, head, tree.root)
            while signed.count > tree.size:  # more was signed meanwhile, and is in the database
                head = decider.database.read(work)
                signed = decider.signed(chain, head, tree.root)
            decider.put_down(signed, kept=True)
            kept = [one for one in kept if one.epoch < signed.epoch or one.count < signed.count]
            kept.append(signed)
        for one in kept:
            _write(file, CHECKPOINT, one.to_dict())
        for hand_over in decider.keys.line(chain):
            _write(file, HAND_OVER, hand_over.to_dict())
        _write(file, PUBLIC, decider.secrets.public_pem.decode())
    return tree.size


def _write(file: TextIO, name: str, value: Any) -> None:
    file.write(canonical({name: value}) + "\n")


@dataclass(frozen=True)
class Export:
    """An exported log: what comes with its entries, which are read when they are asked for."""

    path: Path
    chain: str
    checkpoints: tuple[Checkpoint, ...]
    public: Ed25519PublicKey | None
    hand_overs: tuple[HandOver, ...] = ()
    public_keys: int = 1  # lines that name one

    @classmethod
    def read(cls, path: Path) -> Export:
        """The log in a file; what cannot be read in it is taken for an entry, and found when entries are."""
        chain, checkpoints, hand_overs, public, keys = None, [], [], None, 0
        for line in _lines(path):
            if chain and line.startswith(b'{"entry":'):
                continue
            name, value = _parsed(line)
            if name == CHECKPOINT:
                checkpoints.append(value)
            elif name == HAND_OVER:
                hand_overs.append(value)
            elif name == PUBLIC:
                public, keys = value, keys + 1
            elif not chain:
                chain = value.chain if name == ENTRY else ""
        if chain is None:
            raise SourceError(f"{path} has no entries.", hint="Write one with: divulge release export")
        return cls(path, chain, tuple(checkpoints), public, tuple(hand_overs), keys)

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


def exported_in(path: Path) -> Export | None:
    """The exported log in a file; None where checkpoints are kept there in another way."""
    first = b"" if path.is_dir() else next(_lines(path), b"")
    return Export.read(path) if first.startswith(b'{"entry":') else None


def read_hand_overs_with(path: Path) -> tuple[HandOver, ...]:
    """The hand-overs of the key that are beside checkpoints: in a folder, an answer or an export."""
    if path.is_dir():
        return tuple(read_hand_overs(path))
    found: list[HandOver] = []
    with suppress(OSError, *ODD):
        for document in _documents(path.read_text("utf-8")):
            found += hand_overs_in(document)
            if HAND_OVER in document:
                found.append(HandOver.of_dict(document[HAND_OVER]))
    return tuple(found)


def _kept(anchors: Anchors, chain: str) -> list[Checkpoint]:
    """What is kept of a chain, and what witnesses have signed of it."""
    found = anchors.kept(chain)
    cosigned = (one.checkpoint for one in read_cosigned(anchors.folder, chain))
    return [*found, *(one for one in cosigned if one not in found)]


def _documents(text: str) -> Iterator[dict[str, Any]]:
    """One document over several lines, or one on each line."""
    try:
        yield with_single_names(text)
    except json.JSONDecodeError:
        yield from (with_single_names(line) for line in text.splitlines() if line.strip())


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
        if name == HAND_OVER:
            return name, HandOver.of_dict(value)
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
