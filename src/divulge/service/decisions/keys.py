"""Who may ask for what: keys with a role, shown once and kept as hashes."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from divulge.errors import NotFound, ParameterError
from divulge.service.decisions.content_digests import key_digest
from divulge.service.ledger.log_writer import SERVICE, LogWriter
from divulge.service.store.connection import Transaction

COLUMNS = "id, role, name, hash, created, expires, revoked"


class KeyRole(StrEnum):
    """What a key is for. No role includes another: someone who needs two has two keys."""

    REQUESTER = "requester"  # asks for records, follows and withdraws its own requests
    STEWARD = "steward"  # proposes and approves policies, sees how a dataset stands
    AUDITOR = "auditor"  # reads decisions, the log and checkpoints
    ADMIN = "admin"  # makes and revokes keys


@dataclass(frozen=True)
class Key:
    """A key as the database knows it."""

    id: str
    role: KeyRole
    name: str
    hash: str
    created: str
    expires: str | None
    revoked: str | None

    def holds(self, at: str) -> bool:
        """Whether the key is good at a time."""
        return self.revoked is None and (self.expires is None or at < self.expires)

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "role": self.role.value,
            "name": self.name,
            "created": self.created,
            "expires": self.expires,
            "revoked": self.revoked,
        }


def make_key(
    connection: Transaction, key: bytes, at: str, *, role: str, name: str, by: str, expires: str | None = None
) -> tuple[str, Key]:
    """A new key, told once, and what is kept of it; the log says who made it."""
    if role not in tuple(KeyRole):
        raise ParameterError(f"Unknown role: '{role}'. Choose from {', '.join(KeyRole)}.")
    identity, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    made = Key(identity, KeyRole(role), name, _hashed(secret), at, expires, None)
    writer = LogWriter.opened(connection, SERVICE, key, at)
    told = {"id": identity, "role": role, "by": by, "expires": expires}
    writer.add("key made", {**told, "key": key_digest(key, identity, name, made.hash)})
    row = (made.id, role, name, made.hash, at, expires, None)
    connection.write([("INSERT INTO api_key VALUES (?, ?, ?, ?, ?, ?, ?)", [row]), *writer.writings()])
    return f"{identity}.{secret}", made


def revoke_key(connection: Transaction, key: bytes, at: str, *, identity: str, by: str) -> None:
    """A key that is good no longer."""
    if not connection.rows("SELECT id FROM api_key WHERE id = ? AND revoked IS NULL", (identity,)):
        raise NotFound("The key does not exist, or is already revoked.")
    writer = LogWriter.opened(connection, SERVICE, key, at)
    writer.add("key revoked", {"id": identity, "by": by})
    update = "UPDATE api_key SET revoked = ? WHERE id = ?"
    connection.write([(update, [(at, identity)]), *writer.writings()])


def known_key(connection: Transaction, told: str, at: str) -> Key | None:
    """The key that was told, if it is good; how long the comparison takes says nothing of the secret."""
    identity, _, secret = told.partition(".")
    rows = connection.rows(f"SELECT {COLUMNS} FROM api_key WHERE id = ?", (identity,))
    found = _key(rows[0]) if rows else None
    expected = found.hash if found is not None else _hashed("")
    right = hmac.compare_digest(_hashed(secret), expected)
    return found if found is not None and right and found.holds(at) else None


def all_keys(connection: Transaction) -> list[Key]:
    return [_key(row) for row in connection.rows(f"SELECT {COLUMNS} FROM api_key ORDER BY created, id")]


def _key(row: tuple[Any, ...]) -> Key:
    return Key(row[0], KeyRole(row[1]), *row[2:])


def _hashed(secret: str) -> str:
    """Secrets are long and drawn by chance, so a plain hash cannot be searched."""
    return hashlib.sha256(secret.encode()).hexdigest()
