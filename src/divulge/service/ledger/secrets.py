"""What only the holder has: the key that signs checkpoints and the key of seals and digests."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from divulge._support.threads import cached_property
from divulge.errors import MissingSource, SourceError
from divulge.service.ledger.durable import make_folder, sync_folder, write_new

SIGNING, PUBLIC, DIGEST = "signing.pem", "public.pem", "digest.key"
NEXT = "next-signing.pem"  # the key that a rotation brings, until it is finished
DIGEST_BYTES = 32
COPY = "Put back the copy of the keys that was made when they were."


@dataclass(frozen=True, eq=False)
class Secrets:
    """The holder's keys, in a folder that is not the database's.

    Where another process signs, this one has the public key and no private one.
    """

    digest: bytes
    public: Ed25519PublicKey
    private: Ed25519PrivateKey | None = None

    @classmethod
    def make(cls, folder: Path, public: Ed25519PublicKey | None = None) -> Secrets:
        """New keys, in files that only their owner may read; keys that are there are never overwritten.

        With the public key of a process that signs, no private key is made.
        """
        private = Ed25519PrivateKey.generate() if public is None else None
        key = private.public_key() if private is not None else public
        assert key is not None
        made = cls(secrets.token_bytes(DIGEST_BYTES), key, private)
        # a new folder has its name once it is whole: after a kill there are all keys, or none
        making = folder if folder.exists() else folder.with_name(f".{folder.name}.unfinished")
        try:
            if making != folder:
                shutil.rmtree(making, ignore_errors=True)
            make_folder(making, 0o700)
            if private is not None:
                write_new(making / SIGNING, pem_of(private), 0o600)
            write_new(making / DIGEST, made.digest.hex().encode(), 0o600)
            write_new(making / PUBLIC, made.public_pem, 0o644)
            sync_folder(making)
            if making != folder:
                making.rename(folder)
                sync_folder(folder.parent)
        except FileExistsError:
            raise SourceError(f"There are already keys in {folder}.", hint="Name another folder.") from None
        except OSError as error:
            raise SourceError(f"Keys cannot be written to {folder}: {error.strerror}.") from None
        return made

    @classmethod
    def read(cls, folder: Path, *, signing: bool = True) -> Secrets:
        """The keys in a folder, if they are whole, belong together, and are the holder's alone.

        Without ``signing`` the private key is left where it is.
        """
        digest = _read_digest(folder)
        if not signing or (not (folder / SIGNING).exists() and (folder / PUBLIC).exists()):
            return cls(digest, read_public(folder / PUBLIC))
        private = read_private(folder)
        if (folder / PUBLIC).exists() and raw(read_public(folder / PUBLIC)) != raw(private.public_key()):
            begun = (folder / NEXT).exists()
            raise SourceError(
                f"{PUBLIC} in {folder} does not belong to {SIGNING}: "
                + ("a rotation was not finished." if begun else "they are keys of different holders."),
                hint="Run again: divulge release rotate-key" if begun else COPY,
            )
        return cls(digest, private.public_key(), private)

    @property
    def signing(self) -> Ed25519PrivateKey:
        """The key that signs; an error where this process does not have it."""
        if self.private is None:
            raise MissingSource(
                f"The private key, {SIGNING}, is not among the holder's keys.",
                hint="Name the socket of the process that signs with --signer.",
            )
        return self.private

    @cached_property
    def public_raw(self) -> bytes:
        return raw(self.public)

    @property
    def public_pem(self) -> bytes:
        return public_pem_of(self.public)


def pem_of(private: Ed25519PrivateKey) -> bytes:
    """A private key as its file has it."""
    encoding, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    return private.private_bytes(encoding, serialization.PrivateFormat.PKCS8, plain)


def public_pem_of(public: Ed25519PublicKey) -> bytes:
    """A public key as its file has it."""
    return public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def _read_digest(folder: Path) -> bytes:
    with _readable(folder):
        _require_private(folder / DIGEST)
        digest = bytes.fromhex((folder / DIGEST).read_text().strip())
    if len(digest) != DIGEST_BYTES:
        raise SourceError(
            f"{DIGEST} in {folder} has {len(digest)} bytes, not {DIGEST_BYTES}: it is not the whole key.",
            hint=COPY,
        )
    return digest


def read_private(folder: Path, name: str = SIGNING) -> Ed25519PrivateKey:
    """A private key in a folder, if it is the holder's alone."""
    with _readable(folder):
        _require_private(folder / name)
        private = serialization.load_pem_private_key((folder / name).read_bytes(), None)
    if not isinstance(private, Ed25519PrivateKey):
        raise SourceError(f"{name} in {folder} has another kind of key.")
    return private


@contextmanager
def _readable(folder: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise MissingSource(
            f"The holder's keys are not in {folder}.", hint="Name their folder with --key-folder."
        ) from None
    except (OSError, ValueError):
        raise SourceError(f"The holder's keys in {folder} cannot be read.", hint=COPY) from None


def _require_private(path: Path) -> None:
    if path.stat().st_mode & 0o007:
        raise SourceError(
            f"{path} can be read or changed by every user of this machine.", hint=f"chmod 600 {path}"
        )
    if path.parent.stat().st_mode & 0o022:  # who may write there can put other keys in their place
        raise SourceError(
            f"The folder of the keys, {path.parent}, can be changed by other users of this machine.",
            hint=f"chmod go-w {path.parent}",
        )


def raw(key: Ed25519PublicKey) -> bytes:
    """The bytes of a public key."""
    return key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def read_public(path: Path) -> Ed25519PublicKey:
    """The key against which checkpoints are checked."""
    try:
        return public_of(path.read_bytes())
    except FileNotFoundError:
        raise MissingSource(f"There is no key {path}.") from None
    except TypeError:
        raise SourceError(f"{path} has another kind of key.") from None
    except (OSError, ValueError):
        raise SourceError(f"{path} is not a public key.") from None


def public_of(pem: bytes) -> Ed25519PublicKey:
    """The public key in a text; TypeError where it is of another kind."""
    key = serialization.load_pem_public_key(pem)
    if not isinstance(key, Ed25519PublicKey):
        raise TypeError("another kind of key")
    return key
