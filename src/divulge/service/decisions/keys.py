"""Who may ask for what: keys with a role, shown once and kept as hashes."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from enum import StrEnum
from typing import Any

from divulge._support.threads import cached_property
from divulge.errors import Conflict, Forbidden, NotFound, ParameterError
from divulge.service.decisions.logged.content_digests import key_digest
from divulge.service.identities.approvals import Signatory
from divulge.service.identities.persons import person_named
from divulge.service.identities.scopes import KeyScope
from divulge.service.identities.subjects import Subject
from divulge.service.ledger.log_writer import SERVICE, LogWriter
from divulge.service.store.connection import Query, Row, Transaction, padded

COLUMNS = "id, role, name, hash, created, expires, revoked, person, scope, subject"
INSERT_KEY = f"INSERT INTO api_key ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class KeyRole(StrEnum):
    """What a key is for. No role includes another: someone who needs two has two keys."""

    REQUESTER = "requester"  # asks for records, follows and withdraws its own requests
    STEWARD = "steward"  # proposes and approves policies, sees how a dataset stands
    AUDITOR = "auditor"  # reads decisions, the log and checkpoints
    ADMIN = "admin"  # makes and revokes keys


@dataclass(frozen=True)
class Key:
    """A key as the database knows it: with a secret, or for those who show a token of a subject."""

    id: str
    role: KeyRole
    name: str
    hash: str
    created: str
    expires: str | None
    revoked: str | None
    person: str | None = None  # of a key made before keys had persons, none is known
    scope: str | None = None
    subject: str | None = None

    @cached_property
    def scoped(self) -> KeyScope:
        return KeyScope.read(self.scope)

    @property
    def is_restored(self) -> bool:
        """Whether it is known from the log alone, which has neither its secret nor its scope."""
        return not self.hash and self.subject is None

    @property
    def by(self) -> Signatory:
        """Who acts with this key, in the log."""
        return Signatory(self.person or self.id, self.id)

    @property
    def signatory(self) -> Signatory:
        """The same for what needs two persons: a key that is nobody's may be anybody's."""
        if self.person is None:
            raise Forbidden(
                "This key belongs to no named person, so it can neither propose nor approve.",
                hint="Ask the admin for a new key.",
            )
        return self.by

    def holds(self, at: str) -> bool:
        """Whether the key is good at a time."""
        return self.revoked is None and (self.expires is None or at < self.expires)

    def digest(self, key: bytes, *, personal: bool) -> str:
        """What the log says of it; personal, where the entry that made it is about a person."""
        more = (self.person, self.scope, self.subject) if personal else ()
        return key_digest(key, self.id, self.name, self.hash, *more)

    def to_dict(self) -> dict[str, Any]:
        unknown = {"undefined": "The scope of a key that was restored from the log is not known."}
        return {
            "id": self.id,
            "role": self.role.value,
            "name": self.name,
            "person": self.person,
            "scope": None if self.is_restored else self.scoped.to_dict(),
            **(unknown if self.is_restored else {}),
            "subject": self.subject is not None,
            "created": self.created,
            "expires": self.expires,
            "revoked": self.revoked,
        }


def make_key(
    connection: Transaction,
    key: bytes,
    at: str,
    *,
    role: str,
    name: str,
    by: str,
    by_key: str | None = None,
    person: str | None = None,
    expires: str | None = None,
    datasets: Sequence[str] | None = None,
    records: Sequence[str] | None = None,
    subject: Subject | None = None,
) -> tuple[str | None, Key]:
    """A new key, told once, and what is kept of it; the log says who made it.

    Where no person is given, the key is named for one. A key for a subject has no secret to be told.
    """
    if role not in tuple(KeyRole):
        raise ParameterError(f"Unknown role: '{role}'. Choose from {', '.join(KeyRole)}.")
    identity, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    scope, owner = KeyScope.of(role, datasets, records), person_named(person or name)
    known = None if subject is None else subject.text
    if subject is not None:
        _require_new(connection, subject, at)
    hashed = "" if subject is not None else _hashed(secret)
    made = Key(identity, KeyRole(role), name, hashed, at, expires, None, owner, scope.text, known)
    writer = LogWriter.opened(connection, SERVICE, key, at)
    told: dict[str, Any] = {"id": identity, "role": role, "expires": expires, "by": by}
    told |= {} if by_key is None else {"by_key": by_key}
    # of requesters, who may be respondents, the log has a keyed digest only
    told |= {
        "person": None if made.role is KeyRole.REQUESTER else owner,
        "datasets": scope.datasets,
        "some_records": scope.records is not None,
    }
    told |= {"subject": subject is not None, "key": made.digest(key, personal=True)}
    writer.add("key made", told)
    connection.write([(INSERT_KEY, [(*astuple(made),)]), *writer.writings()])
    return (f"{identity}.{secret}" if subject is None else None), made


def _require_new(connection: Transaction, subject: Subject, at: str) -> None:
    if known_subject(connection.rows(*subject_query(subject)), at) is not None:
        raise Conflict(
            "This subject already has a role.", hint="Revoke it first: a subject has one role at a time."
        )


def revoke_key(
    connection: Transaction, key: bytes, at: str, *, identity: str, by: str, by_key: str | None = None
) -> None:
    """A key that is good no longer."""
    if not connection.rows("SELECT id FROM api_key WHERE id = ? AND revoked IS NULL", (identity,)):
        raise NotFound("The key does not exist, or is already revoked.")
    writer = LogWriter.opened(connection, SERVICE, key, at)
    writer.add("key revoked", {"id": identity, "by": by, **({} if by_key is None else {"by_key": by_key})})
    update = "UPDATE api_key SET revoked = ? WHERE id = ?"
    connection.write([(update, [(at, identity)]), *writer.writings()])


def keys_query(told: Sequence[str]) -> Query:
    """For the rows of keys that were told."""
    marks, identities = padded(list(dict.fromkeys(one.partition(".")[0] for one in told)))
    return f"SELECT {COLUMNS} FROM api_key WHERE id IN ({marks})", identities


def known_key(rows: Sequence[Row], at: str, told: str) -> Key | None:
    """The key that was told, if it is good; how long the comparison takes says nothing of the secret."""
    identity, _, secret = told.partition(".")
    found = next((_key(row) for row in rows if row[0] == identity), None)
    expected = found.hash if found is not None else _hashed("")
    right = hmac.compare_digest(_hashed(secret), expected)
    return found if found is not None and right and found.holds(at) else None


def subject_query(subject: Subject) -> Query:
    """For the rows of a subject."""
    return f"SELECT {COLUMNS} FROM api_key WHERE subject = ?", (subject.text,)


def known_subject(rows: Sequence[Row], at: str) -> Key | None:
    """The key of a subject, if it has one that is good."""
    return next((one for one in map(_key, rows) if one.holds(at)), None)


def all_keys(connection: Transaction) -> list[Key]:
    return [_key(row) for row in connection.rows(f"SELECT {COLUMNS} FROM api_key ORDER BY created, id")]


def _key(row: Row) -> Key:
    return Key(row[0], KeyRole(row[1]), *row[2:])


def _hashed(secret: str) -> str:
    """Secrets are long and drawn by chance, so a plain hash cannot be searched."""
    return hashlib.sha256(secret.encode()).hexdigest()
