"""The last checkpoint that a requester has seen of a service: a later answer may not be of an earlier log."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from divulge.errors import Conflict, SourceError
from divulge.service.ledger.answer_proofs import Consistency, proofs_in
from divulge.service.ledger.chain import ODD
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.hand_overs import HandOver, HolderKeys, hand_overs_in
from divulge.service.ledger.secrets import public_of


@dataclass(frozen=True)
class SeenCheckpoint:
    """A checkpoint of a service's log, and whose signature it has to bear."""

    public_key: str  # PEM
    checkpoint: Checkpoint
    hand_overs: tuple[HandOver, ...] = ()  # by which that key was replaced

    def to_dict(self) -> dict[str, Any]:
        told = {"public_key": self.public_key, "checkpoint": self.checkpoint.to_dict()}
        return {**told, "hand_overs": [one.to_dict() for one in self.hand_overs]} if self.hand_overs else told


class CheckpointMemory:
    """A file that only its owner may read, for one dataset of one service."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of(cls, url: str, dataset: str, named: str | None = None) -> CheckpointMemory:
        """The file that is named, or else one among the user's own, by service and dataset."""
        if named is not None:
            return cls(Path(named))
        state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
        known = hashlib.sha256(json.dumps([url.rstrip("/"), dataset]).encode()).hexdigest()[:32]
        return cls(Path(state) / "divulge" / "checkpoints" / f"{known}.json")

    def seen(self) -> SeenCheckpoint | None:
        """What was seen last; None the first time."""
        try:
            given = json.loads(self.path.read_text("utf-8"))
            signed, handed = Checkpoint.of_dict(given["checkpoint"]), tuple(hand_overs_in(given))
            return SeenCheckpoint(given["public_key"], signed, handed)
        except FileNotFoundError:
            return None
        except (OSError, *ODD):
            raise SourceError(
                f"The last checkpoint in {self.path} cannot be read.",
                hint="Restore the file. If you remove it, a log that was turned back is not noticed.",
            ) from None

    def remember(self, newest: SeenCheckpoint) -> None:
        """Keep what is newer; another request may have seen more meanwhile."""
        last = self.seen()
        if last is None or _order(last) < _order(newest) or {*newest.hand_overs} - {*last.hand_overs}:
            self._write(self.path, newest.to_dict())

    def keep_evidence(self, seen: SeenCheckpoint, answered: Mapping[str, Any]) -> Path:
        """What was seen and what was answered, side by side; nothing of the record."""
        path = self.path.with_suffix(".evidence.json")
        names = ("index", "hash", "proof", "checkpoint", "consistency", "hand_overs")
        shown = {name: answered.get(name) for name in names}
        self._write(path, {"seen": seen.to_dict(), "answered": shown})
        return path

    @staticmethod
    def _write(path: Path, document: Mapping[str, Any]) -> None:
        beside = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(document, file)
                file.flush()
                os.fsync(handle)
            beside.replace(path)
        except OSError as error:
            raise SourceError(
                f"The checkpoint cannot be kept in {path}: {error.strerror}.",
                hint="Name a file with --last-seen.",
            ) from None


def _order(one: SeenCheckpoint) -> tuple[int, int]:
    return one.checkpoint.epoch, one.checkpoint.count


def check_answer(
    answer: Mapping[str, Any], dataset: str, pem: str, seen: SeenCheckpoint | None
) -> SeenCheckpoint:
    """The checkpoint of an answer that a dataset's log proves, on from what was seen; Conflict otherwise.

    A key that was handed over is not believed again, whether this answer tells of it or an earlier one did.
    """
    known = () if seen is None else seen.hand_overs
    try:
        (found,) = proofs_in(answer)
        keys = HolderKeys(key_in(pem), known).with_more(hand_overs_in(answer))
        fault = found.fault(keys)
        if fault is None and (chain := found.checkpoint.chain) != dataset:
            fault = f"The answer is from the log of '{chain}', and '{dataset}' was asked."
        if fault is None and seen is not None:
            fault = _goes_on(answer, seen.checkpoint, found.checkpoint)
    except ODD:
        raise Conflict("The answer has no proof that it is in the log.") from None
    if fault is not None:
        raise Conflict(fault)
    return SeenCheckpoint(pem, found.checkpoint, (*keys.line(dataset), *keys.contested(dataset)))


def _goes_on(answer: Mapping[str, Any], seen: Checkpoint, signed: Checkpoint) -> str | None:
    """Why an answer's log does not go on from what was seen, in a sentence."""
    if "consistency" not in answer and signed.count >= seen.count:
        return f"The answer has no proof that the log goes on from that of {seen.count} entries."
    given = answer.get("consistency", {"since": seen.count, "path": []})
    return Consistency.of_dict(given).fault(seen, signed)


def key_in(pem: object) -> Ed25519PublicKey:
    """A service's public key as it tells it."""
    try:
        return public_of(str(pem).encode())
    except (TypeError, ValueError):
        raise SourceError("The service does not tell its public key.", hint="Give --public-key.") from None
