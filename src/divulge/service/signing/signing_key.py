"""The private key in a folder, and how another takes its place without a moment in which neither is there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from divulge.errors import SourceError
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.durable import make_folder, replace_file, sync_folder, write_new
from divulge.service.ledger.hand_overs import HandOver
from divulge.service.ledger.secrets import (
    NEXT,
    PUBLIC,
    SIGNING,
    pem_of,
    public_pem_of,
    raw,
    read_private,
    read_public,
)


class SigningKey:
    """The private key in a folder, with the next one while it is being rotated.

    First the next key is written, then it is handed over to, then the public key is replaced, then the
    private one. So whatever is there says how far a rotation came.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.private = read_private(folder)

    @classmethod
    def make(cls, folder: Path) -> SigningKey:
        """A new key in a folder that has none."""
        try:
            make_folder(folder, 0o700)
            private = Ed25519PrivateKey.generate()
            write_new(folder / SIGNING, pem_of(private), 0o600)
            replace_file(folder / PUBLIC, public_pem_of(private.public_key()), 0o644)
        except FileExistsError:
            raise SourceError(f"There is already a key in {folder}.", hint="Name another folder.") from None
        except OSError as error:
            raise SourceError(f"A key cannot be written to {folder}: {error.strerror}.") from None
        return cls(folder)

    @property
    def public(self) -> Ed25519PublicKey:
        return self.private.public_key()

    def put_down_public(self) -> None:
        """Have the public key beside the private one, which may have been moved here."""
        path, own = self.folder / PUBLIC, public_pem_of(self.public)
        try:
            if not path.exists() or path.read_bytes() != own:
                replace_file(path, own, 0o644)
        except OSError as error:
            raise SourceError(f"A key cannot be written to {self.folder}: {error.strerror}.") from None

    @property
    def next(self) -> Ed25519PrivateKey | None:
        """The key of a rotation that was begun."""
        return read_private(self.folder, NEXT) if (self.folder / NEXT).exists() else None

    def prepare(self) -> Ed25519PrivateKey:
        """The next key, made if a rotation is only now begun."""
        found = self.next
        if found is None:
            found = Ed25519PrivateKey.generate()
            replace_file(self.folder / NEXT, pem_of(found), 0o600)
        return found

    @property
    def is_half_replaced(self) -> bool:
        """Whether the next key was handed over to, and only its files have to be put in place."""
        found = self.next
        public = self.folder / PUBLIC
        return found is not None and public.exists() and raw(read_public(public)) == raw(found.public_key())

    def hand_over(self, states: Sequence[Checkpoint]) -> list[HandOver]:
        """What both keys sign of every chain."""
        new = self.next
        assert new is not None, "the next key was prepared"
        return [HandOver.signed(self.private, new, one) for one in states]

    def replace(self) -> SigningKey:
        """Put the next key in the place of this one, which is gone for good."""
        new = self.next
        assert new is not None, "the next key was prepared"
        replace_file(self.folder / PUBLIC, public_pem_of(new.public_key()), 0o644)
        (self.folder / NEXT).replace(self.folder / SIGNING)
        sync_folder(self.folder)
        return SigningKey(self.folder)
