"""The commands about the key that signs: a process of its own for it, and another key in its place."""

from __future__ import annotations

import sys
from pathlib import Path

from divulge.cli.commands.release.dataset import OPERATOR, place_of
from divulge.cli.progress import progress
from divulge.cli.requests.release import RotateKeyRequest, SignerRequest
from divulge.errors import MissingSource, ParameterError
from divulge.service.ledger.cosignatures import fingerprint_of
from divulge.service.ledger.durable import make_folder
from divulge.service.ledger.secrets import SIGNING
from divulge.service.operations.rotating import rotate
from divulge.service.signing.guarded_key import GuardedKey
from divulge.service.signing.process import alone, serve_signer


def run_signer(asked: SignerRequest) -> None:
    folder = Path(asked.folder)
    if asked.new_key and asked.allow_loss is not None:
        raise ParameterError("Give one of --new-key and --allow-loss.")
    if (asked.new_key or asked.allow_loss is not None) and not (folder / SIGNING).exists():
        raise MissingSource(f"There is no key in {folder}.", hint="Name the folder of a signer.")
    make_folder(folder, 0o700)
    if asked.new_key:  # beside a process that signs, which looks for it when it is asked to hand over
        print(f"The next key: {fingerprint_of(GuardedKey(folder).prepare())}")
        return
    if asked.allow_loss is not None:
        GuardedKey(folder).allow_loss(asked.allow_loss)
        print(f"The log of '{asked.allow_loss}' may be turned back once.")
        return
    socket = Path(asked.socket) if asked.socket is not None else folder / "signer.sock"
    with alone(folder):
        key = GuardedKey(folder)
        _say(f"The holder's key: {folder}/public.pem, {fingerprint_of(key.public)}")
        serve_signer(key, socket, asked.user, announce=lambda: _say(f"Signing at {socket}"))


def run_rotate_key(asked: RotateKeyRequest) -> None:
    with progress("Rotating"):
        old, new = rotate(place_of(asked), OPERATOR)
    print(f"The holder's key: {new}, before: {old}")


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
