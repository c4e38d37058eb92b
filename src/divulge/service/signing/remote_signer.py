"""Signing by another process: this one has no private key, and proves what it wants to be signed."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from divulge.errors import Conflict, Unavailable
from divulge.service.ledger.chain import ODD
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.hand_overs import HandOver, HolderKeys, hand_overs_in
from divulge.service.ledger.known_states import hash_at
from divulge.service.ledger.log_tree import LogTree, consistency_path, inclusion_paths
from divulge.service.ledger.secrets import public_of, raw
from divulge.service.signing.signer import ROTATED
from divulge.service.store.connection import Database, Transaction

PATIENCE = 10.0  # seconds for a signature, in which the process that signs may be started again
PAUSE = 0.02  # seconds between attempts to reach it
ANOTHER = "The process that signs has another key than this service. " + ROTATED
UNREACHED = "The process that signs cannot be reached, so nothing is decided."


class SignerConnection:
    """Questions to the process that signs, over a socket that is opened when it is needed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: list[tuple[socket.socket, Any]] = []  # one or none, with its answers
        weakref.finalize(self, _close, self._open)

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """What it answers to a question; OSError where it does not."""
        try:
            line, answers = self._open[0] if self._open else self._connected()
            line.sendall(json.dumps(question).encode() + b"\n")
            said = answers.readline()
            if not said.endswith(b"\n"):
                raise ConnectionError("it has gone away")
            found = json.loads(said)
        except (OSError, ValueError):
            self.close()
            raise ConnectionError("it does not answer") from None
        return found if isinstance(found, dict) else {}

    def _connected(self) -> tuple[socket.socket, Any]:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            line.settimeout(PATIENCE)
            line.connect(str(self._path))
        except OSError:
            line.close()
            raise
        self._open.append((line, line.makefile("rb")))
        return self._open[0]

    @property
    def is_open(self) -> bool:
        """Whether the other side is still there, as far as is known without asking."""
        if not self._open:
            return False
        poll = select.poll()
        poll.register(self._open[0][0], select.POLLIN)
        if not poll.poll(0):
            return True  # it has nothing to say, and has not gone away
        self.close()
        return False

    def close(self) -> None:
        _close(self._open)


def _close(opened: list[tuple[socket.socket, Any]]) -> None:
    for line, answers in opened:
        answers.close()
        line.close()
    opened.clear()


class RemoteSigner:
    """The process that signs, as the service sees it."""

    def __init__(self, path: Path, public: Ed25519PublicKey, database: Database) -> None:
        self._connection, self._turn = SignerConnection(path), threading.Lock()
        self._public, self._database = public, database
        self._rotated = False  # whether the connection is to a key that the holder's was handed over to
        self._signed: dict[str, int] = {}  # how many entries of a chain were signed last, as far as is known

    # -- signing --------------------------------------------------------------------------------

    def sign(self, plain: Checkpoint, tree: LogTree | None = None) -> Checkpoint:
        until = time.monotonic() + PATIENCE
        while True:
            since = min(self._signed.get(plain.chain, 0), plain.count)
            statement = {"ask": "sign", **self._proved(plain, since, tree)}
            try:
                answer = self._asked(statement)
            except OSError:
                if time.monotonic() > until:
                    raise Unavailable(
                        "The process that signs cannot be reached, so no answer is given."
                    ) from None
                time.sleep(PAUSE)
                continue
            if "since" not in answer or time.monotonic() > until:
                return self._taken(plain, answer)
            self._signed[plain.chain] = int(answer["since"])

    def _taken(self, plain: Checkpoint, answer: dict[str, Any]) -> Checkpoint:
        """The checkpoint in an answer, if it is the holder's and of this log."""
        if "refused" in answer:
            raise Conflict(f"The process that signs refuses: {answer['refused']}")
        try:
            found = Checkpoint.of_dict(answer["checkpoint"] if "checkpoint" in answer else answer["newer"])
        except ODD:
            raise Unavailable(str(answer.get("failed", UNREACHED))) from None
        if not found.is_signed_by(self._public):
            raise Unavailable(ROTATED)
        if "newer" in answer:
            if not self._database.read(lambda connection: _has(connection, found)):
                raise Conflict(
                    f"The process that signs has signed {found.count} entries, which this database does not "
                    "have: it is older than what was released."
                )
        elif found.said != plain.said:
            raise Unavailable("The process that signs has signed something else.")
        self._signed[plain.chain] = found.count
        return found

    def _proved(self, plain: Checkpoint, since: int, tree: LogTree | None) -> dict[str, Any]:
        """A checkpoint with the proofs that it goes on, and that it ends with its last entry."""
        found = None if tree is None or tree.root != plain.root else tree.continued_from(since)
        if found is None:
            found = self._database.read(lambda connection: _paths(connection, plain, since))
        path, last = found
        return {"checkpoint": plain.to_dict(), "consistency": {"since": since, "path": path}, "proof": last}

    def ahead(self, plain: Checkpoint) -> None:
        pass  # it keeps what it has signed, so it is asked only for what is in the database

    def last(self, chain: str) -> Checkpoint | None:
        try:
            told = self._asked({"ask": "last", "chain": chain})["checkpoint"]
            return None if told is None else Checkpoint.of_dict(told)
        except (OSError, *ODD):
            raise Unavailable(UNREACHED) from None

    def allows_loss(self, chain: str) -> bool:
        try:
            return self._asked({"ask": "loss", "chain": chain})["allowed"] is True
        except (OSError, *ODD):
            raise Unavailable(UNREACHED) from None

    # -- the other side -------------------------------------------------------------------------

    def _asked(self, question: dict[str, Any]) -> dict[str, Any]:
        """What it answers, once it has shown the holder's key, or one that this was handed over to.

        The word of another says nothing of these logs.
        """
        with self._turn:
            if not self._connection.is_open and self._shown_key() is None:
                raise ConnectionError("it does not say who it is")
            if not self._connection.is_open:
                raise Unavailable(ANOTHER)
            return self._connection.ask(question)

    def _shown_key(self) -> tuple[Ed25519PublicKey, list[HandOver]] | None:
        """Who it is. The connection stays open only to the holder, so that an open one was checked."""
        try:
            found = _who(self._connection)
        except Unavailable:
            self._connection.close()
            return None
        self._rotated = raw(found[0]) != raw(self._public)
        if self._rotated and raw(HolderKeys(self._public, tuple(found[1])).current()) != raw(found[0]):
            self._connection.close()
        return found

    def who(self) -> tuple[Ed25519PublicKey, list[HandOver]]:
        """Its public key, and the hand-overs that led to it."""
        with self._turn:
            found = self._shown_key()
        if found is None:
            raise Unavailable(UNREACHED)
        return found

    def fault(self) -> str | None:
        with self._turn:
            if self._connection.is_open:
                return ROTATED if self._rotated else None
        try:
            public, _ = self.who()
        except Unavailable as error:
            return str(error)
        return None if raw(public) == raw(self._public) else ANOTHER

    def hand_over(self, states: Sequence[Checkpoint]) -> list[HandOver] | None:
        """Have the key handed over to the next, which was made there; None if more was signed meanwhile."""
        told = [self._proved(one, self._since(one), None) for one in states]
        try:
            answer = self._asked({"ask": "hand over", "states": told})
            if "refused" in answer:
                raise Conflict(f"The process that signs refuses: {answer['refused']}")
            if "since" in answer or "newer" in answer:
                return None
            return hand_overs_in({"hand_overs": answer["hand_overs"]})
        except (OSError, *ODD):
            raise Unavailable(
                "It is not known whether the key was handed over.", hint="Run the same command again."
            ) from None

    def _since(self, state: Checkpoint) -> int:
        last = self.last(state.chain)
        return 0 if last is None else min(last.count, state.count)


def signer_key(path: Path) -> Ed25519PublicKey:
    """The public key of the process that signs."""
    connection = SignerConnection(path)
    try:
        return _who(connection)[0]
    finally:
        connection.close()


def _who(connection: SignerConnection) -> tuple[Ed25519PublicKey, list[HandOver]]:
    try:
        told = connection.ask({"ask": "who"})
        return public_of(told["public_key"].encode()), hand_overs_in(told)
    except (OSError, *ODD):
        raise Unavailable(UNREACHED) from None


def _paths(connection: Transaction, plain: Checkpoint, since: int) -> tuple[list[str], list[str]]:
    path = consistency_path(connection, plain.chain, since, plain.count)
    last = inclusion_paths(connection, plain.chain, [plain.count], plain.count) if plain.count else {}
    return path, last.get(plain.count, [])


def _has(connection: Transaction, checkpoint: Checkpoint) -> bool:
    return hash_at(connection, checkpoint.chain, checkpoint.count) == checkpoint.head
