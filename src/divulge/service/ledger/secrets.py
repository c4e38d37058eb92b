"""What only the holder has: the key that signs checkpoints and the key of seals and digests."""

from __future__ import annotations

import secrets
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from divulge.errors import MissingSource, SourceError
from divulge.service.ledger.durable import make_folder, sync_folder, write_new

SIGNING, PUBLIC, DIGEST = "signing.pem", "public.pem", "digest.key"
DIGEST_BYTES = 32
COPY = "Put back the copy of the keys that was made when they were."


@dataclass(frozen=True, eq=False)
class Secrets:
    """The holder's keys, in a folder that is not the database's."""

    signing: Ed25519PrivateKey
    digest: bytes

    @classmethod
    def make(cls, folder: Path) -> Secrets:
        """New keys, in files that only their owner may read; keys that are there are never overwritten."""
        made = cls(Ed25519PrivateKey.generate(), secrets.token_bytes(DIGEST_BYTES))
        encoding, plain = serialization.Encoding.PEM, serialization.NoEncryption()
        private = made.signing.private_bytes(encoding, serialization.PrivateFormat.PKCS8, plain)
        # a new folder has its name once it is whole: after a kill there are all keys, or none
        making = folder if folder.exists() else folder.with_name(f".{folder.name}.unfinished")
        try:
            if making != folder:
                shutil.rmtree(making, ignore_errors=True)
            make_folder(making, 0o700)
            write_new(making / SIGNING, private, 0o600)
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
    def read(cls, folder: Path) -> Secrets:
        """The keys in a folder, if they are whole, belong together, and are the holder's alone."""
        try:
            for name in (SIGNING, DIGEST):
                _require_private(folder / name)
            private = serialization.load_pem_private_key((folder / SIGNING).read_bytes(), None)
            digest = bytes.fromhex((folder / DIGEST).read_text().strip())
        except FileNotFoundError:
            raise MissingSource(
                f"The holder's keys are not in {folder}.", hint="Name their folder with --keys."
            ) from None
        except (OSError, ValueError):
            raise SourceError(f"The holder's keys in {folder} cannot be read.", hint=COPY) from None
        if not isinstance(private, Ed25519PrivateKey):
            raise SourceError(f"{SIGNING} in {folder} has another kind of key.")
        if len(digest) != DIGEST_BYTES:
            raise SourceError(
                f"{DIGEST} in {folder} has {len(digest)} bytes, not {DIGEST_BYTES}: it is not the whole key.",
                hint=COPY,
            )
        found = cls(private, digest)
        if (folder / PUBLIC).exists() and raw(read_public(folder / PUBLIC)) != raw(found.public):
            raise SourceError(
                f"{PUBLIC} in {folder} does not belong to {SIGNING}: they are keys of different holders.",
                hint=COPY,
            )
        return found

    @cached_property
    def public(self) -> Ed25519PublicKey:
        return self.signing.public_key()

    @property
    def public_pem(self) -> bytes:
        return self.public.public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )


def _require_private(path: Path) -> None:
    if path.stat().st_mode & 0o007:
        raise SourceError(
            f"{path} can be read or changed by every user of this machine.", hint=f"chmod 600 {path}"
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
