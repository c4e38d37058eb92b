"""Processes that sign, to be killed, and services whose private key is with one of them."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from divulge.service.ledger.secrets import SIGNING
from divulge.service.operations.locations import ServiceLocations

PROGRAM = """
import os, sys
from pathlib import Path
from divulge.service.signing.guarded_key import GuardedKey
from divulge.service.signing.process import alone, serve_signer

class Mortal(GuardedKey):
    left = int(sys.argv[3])

    def sign(self, statement):
        signed = super().sign(statement)
        self.left -= 1
        if self.left == 0:
            os._exit(9)  # it is on disk, and nobody has been told
        return signed

folder, path = map(Path, sys.argv[1:3])
with alone(folder):
    serve_signer(Mortal(folder), path, announce=lambda: print("listening", flush=True))
"""


class SignerProcess:
    """A process that signs; it may be told to die at one of its signatures, before it hands it out."""

    def __init__(self, folder: Path, socket: Path) -> None:
        self.folder, self.socket = folder, socket
        self._process: subprocess.Popen[str] | None = None

    def start(self, dies_at: int = 0) -> None:
        command = [sys.executable, "-c", PROGRAM, str(self.folder), str(self.socket), str(dies_at)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "listening\n"

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.communicate()

    def died(self) -> int:
        """How it ended by itself."""
        assert self._process is not None
        self._process.communicate(timeout=60)
        return self._process.returncode

    def stop(self) -> None:
        """End it as an operator would."""
        assert self._process is not None
        self._process.terminate()
        self._process.communicate(timeout=60)


@contextmanager
def signing_process() -> Iterator[SignerProcess]:
    """A process that signs with a key of its own, at a path that is short enough for a socket."""
    with tempfile.TemporaryDirectory() as folder:
        found = SignerProcess(Path(folder) / "signer", Path(folder) / "socket")
        found.folder.mkdir(mode=0o700)
        found.start()
        try:
            yield found
        finally:
            found.kill()


def given_to(signer: SignerProcess, place: ServiceLocations) -> ServiceLocations:
    """A service whose private key was moved to a process that signs."""
    (place.keys / SIGNING).replace(signer.folder / SIGNING)
    return replace(place, signer=signer.socket)
