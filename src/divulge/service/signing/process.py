"""The process that signs: it alone has the private key, and answers on a Unix socket, a line for a line."""

from __future__ import annotations

import fcntl
import json
import os
import pwd
import signal
import socket
import socketserver
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from divulge.errors import Conflict, DivulgeError, ParameterError, SourceError
from divulge.service.ledger.answer_proofs import HASH, Consistency, hashes_in
from divulge.service.ledger.chain import ODD
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.secrets import public_pem_of
from divulge.service.ledger.witness import CHAIN
from divulge.service.signing.guarded_key import GuardedKey, NewerSigned, Statement, WantsProofSince

LONGEST = 1 << 23  # bytes of a question: a hand-over has one state for each chain
MOST = 64  # connections at a time
CREDENTIALS = struct.Struct("3i")  # of the other side: its process, user and group


def answered(key: GuardedKey, question: Mapping[str, Any]) -> dict[str, Any]:
    """What the process that signs answers to a question."""
    try:
        match question["ask"]:
            case "who":
                hand_overs = [one.to_dict() for one in key.hand_overs]
                return {"public_key": public_pem_of(key.public).decode(), "hand_overs": hand_overs}
            case "last":
                last = key.last(_chain(question["chain"]))
                return {"checkpoint": None if last is None else last.to_dict()}
            case "loss":
                return {"allowed": key.allows_loss(_chain(question["chain"]))}
            case "sign":
                return {"checkpoint": key.sign(_statement(question)).to_dict()}
            case "hand over":
                found = key.hand_over([_statement(one) for one in question["states"]])
                return {"hand_overs": [one.to_dict() for one in found]}
    except WantsProofSince as wanted:
        return {"since": wanted.count}
    except NewerSigned as newer:
        return {"newer": newer.last.to_dict()}
    except Conflict as error:
        return {"refused": str(error)}
    except (DivulgeError, OSError) as error:
        return {"failed": f"The process that signs cannot sign: {error}"}
    except ODD:
        pass
    return {"refused": "The question cannot be read."}


def _statement(given: Mapping[str, Any]) -> Statement:
    plain = Checkpoint.of_dict({**given["checkpoint"], "signature": ""})
    _chain(plain.chain)
    if not (
        HASH.fullmatch(plain.root or "") and HASH.fullmatch(plain.head) and min(plain.epoch, plain.count) >= 0
    ):
        raise ValueError("a checkpoint has a root")
    return Statement(plain, Consistency.of_dict(given["consistency"]), hashes_in(given["proof"]))


def _chain(name: str) -> str:
    if not CHAIN.fullmatch(name):
        raise ValueError("not the name of a chain")
    return name


# -- the socket -------------------------------------------------------------------------------------


class _Conversation(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        with suppress(OSError):
            while line := self.rfile.readline(LONGEST):
                try:
                    question = json.loads(line)
                except (ValueError, RecursionError):
                    question = None
                answer = answered(self.server.key, question if isinstance(question, dict) else {})
                self.wfile.write(json.dumps(answer).encode() + b"\n")


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = MOST

    def __init__(self, path: Path, key: GuardedKey, user: int) -> None:
        self.key, self._user = key, user
        self._places = threading.BoundedSemaphore(MOST)
        super().__init__(str(path), _Conversation)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        return peer_of(request) in (None, self._user)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        with self._places:
            super().process_request_thread(request, client_address)


def peer_of(connection: socket.socket) -> int | None:
    """The user at the other side of a socket; None where the system does not say it."""
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    _, user, _ = CREDENTIALS.unpack(found)
    return int(user)


def serve_signer(
    key: GuardedKey, path: Path, user: str | None = None, *, announce: Callable[[], None] = lambda: None
) -> None:
    """Answer on a socket until told to stop by a signal.

    Nothing has to be ended well: what was signed is on disk before it is handed out.
    """
    server = listening(key, path, user)
    previous = signal.signal(signal.SIGTERM, _stop)
    try:
        with server:
            announce()
            server.serve_forever(poll_interval=0.5)
    except SystemExit:
        pass
    finally:
        signal.signal(signal.SIGTERM, previous)
        path.unlink(missing_ok=True)


def listening(key: GuardedKey, path: Path, user: str | None = None) -> socketserver.BaseServer:
    """A server on a new socket, which only one user reaches: its own, or the one that is named."""
    asks = os.getuid() if user is None else _user(user).pw_uid
    try:
        path.unlink(missing_ok=True)  # of a process that is gone: the lock says that there is no other
        before = os.umask(0o177)  # the socket is its owner's alone from the first moment
        try:
            server = _Server(path, key, asks)
        finally:
            os.umask(before)
        if asks != os.getuid():
            _let_in(path, user or "")
    except OSError as error:
        raise SourceError(
            f"The process that signs cannot listen on {path}: {error.strerror or error}.",
            hint="Name another socket with --socket.",
        ) from None
    return server


def _stop(*_: Any) -> None:
    raise SystemExit


def _user(name: str) -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        raise ParameterError(f"There is no user '{name}'.") from None


def _let_in(path: Path, user: str) -> None:
    """Another user reaches the socket through its group; who asks is checked all the same."""
    try:
        os.chown(path, -1, _user(user).pw_gid)
        path.chmod(0o660)
    except PermissionError:
        raise SourceError(
            f"'{user}' cannot be let in to {path}.",
            hint=f"Make the user of the signer a member of the group of '{user}'.",
        ) from None


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Only one process signs with a folder's key, so that what was signed last is known."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SourceError(
                f"Another process signs with the key in {folder}.", hint="Stop it first."
            ) from None
        yield
    finally:
        os.close(handle)
