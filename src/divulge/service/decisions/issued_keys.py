"""Which keys the service has issued, by its log: the table of keys is held to it before a key is good."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

from divulge.errors import Forbidden, Unavailable
from divulge.service.decisions.checked_rows import changed
from divulge.service.decisions.checkpointed import CheckpointedChains
from divulge.service.decisions.keys import (
    Key,
    keys_query,
    known_key,
    known_subject,
    make_key,
    revoke_key,
    subject_query,
)
from divulge.service.identities.subjects import Subject
from divulge.service.ledger.chain import ODD, Entry, fault_in
from divulge.service.ledger.log_writer import NO_TIP, SERVICE, Head, Tip, entries_of, tip_of, tip_query
from divulge.service.ledger.tail import MIGRATED
from divulge.service.store.connection import LOOKED_UP, Found, MoreWanted, Query, Row, Transaction


@dataclass(frozen=True)
class Issued:
    """A key of the service, as its entries tell it."""

    role: str
    expires: str | None
    at: str
    digest: str
    revoked: str | None
    entry: int  # the last that concerns it
    personal: bool  # whether the entry that made it is about a person, as all are but the earliest

    @lru_cache(1024)  # noqa: B019 - what the same row and entries say is the same for ever
    def is_of(self, row: Key, key: bytes) -> bool:
        """Whether a row of the table of keys says the same; all of it is compared, whatever is remembered."""
        said = (row.role.value, row.created, row.expires, row.revoked)
        if said != (self.role, self.at, self.expires, self.revoked):
            return False
        if not self.personal and (row.person, row.scope, row.subject) != (None, None, None):
            return False
        return self.digest == row.digest(key, personal=self.personal)


@dataclass(frozen=True)
class IssuedKeys:
    """Keys by their id, up to an entry of the log of keys."""

    keys: dict[str, Issued] = field(default_factory=dict)
    last: Entry | None = None

    def after(self, entries: Iterable[Entry]) -> IssuedKeys:
        """The keys with some more entries."""
        keys, last = dict(self.keys), self.last
        for last in entries:
            add_key_entry(keys, last)
        return IssuedKeys(keys, last)

    @property
    def revoked(self) -> frozenset[str]:
        return frozenset(identity for identity, one in self.keys.items() if one.revoked is not None)

    def require(self, identity: str | None, at: str) -> None:
        """Refuse to act for a key that has ended since it was shown; who acts without a key has none."""
        issued = None if identity is None else self.keys.get(identity)
        if issued is not None and issued.revoked is not None:
            raise Forbidden("This key is revoked.")
        if issued is not None and issued.expires is not None and issued.expires <= at:
            raise Forbidden("This key has expired.")


def add_key_entry(keys: dict[str, Issued], entry: Entry) -> None:
    """What an entry says of a key."""
    told = entry.fields
    if entry.kind == "key made":
        said = (told["role"], told["expires"], entry.at, told.get("key", ""), None, entry.index)
        keys[told["id"]] = Issued(*said, "person" in told)
    elif entry.kind == "key revoked":
        keys[told["id"]] = replace(keys[told["id"]], revoked=entry.at, entry=entry.index)
    elif entry.kind == MIGRATED:
        for identity, digest in told.get("keys", {}).items():
            keys[identity] = replace(keys[identity], digest=digest)


class KeyRegister:
    """The keys that were issued, read from the log once and then as it grows."""

    def __init__(self) -> None:
        self._known = IssuedKeys()

    def up_to(self, connection: Transaction, head: Head, key: bytes) -> IssuedKeys:
        """All keys up to the head of the log, whose entries have to be the holder's."""
        known = self._known
        if known.last is not None and known.last.hash == head.hash:
            return known
        for start in (known, IssuedKeys()):  # a loss that was accepted may have taken entries back
            try:
                more = entries_of(connection, SERVICE, start.last.index if start.last else 0)
                if fault_in(more, key, start.last) is None:
                    found = start.after(more)
                    if found.last is not None and found.last.hash == head.hash:
                        self._known = found
                        return found
            except ODD:
                continue
        raise Unavailable("The log of keys was changed in the database, so no key is good.")


@dataclass
class KeyIssuer(CheckpointedChains):
    """Keys that are made, revoked and shown, each held to the newest state of the log of keys."""

    _register: KeyRegister = field(init=False, repr=False, default_factory=KeyRegister)

    def make_key(
        self, *, role: str, name: str, by: str, by_key: str | None = None, **more: Any
    ) -> tuple[str | None, Key]:
        """A new key, told once, and what is kept of it; what more may be said is what ``make_key`` takes."""
        return self._on_keys(partial(make_key, role=role, name=name, by=by, by_key=by_key, **more), by_key)

    def revoke_key(self, identity: str, by: str, by_key: str | None = None) -> None:
        """A key that is good no longer."""
        self._on_keys(partial(revoke_key, identity=identity, by=by, by_key=by_key), by_key)

    def _on_keys(self, change: Callable[[Transaction, bytes, str], Found], by_key: str | None) -> Found:
        """A change to the keys, and a checkpoint of the log that tells of it."""
        self.require_signer()
        expected = self.expected(SERVICE)

        def work(connection: Transaction) -> Found:
            tip = _tip(connection)
            if self.turned_back(connection, SERVICE, tip, expected) is not None:
                raise Unavailable(
                    "The log of keys is read-only until it is reconciled.",
                    hint="divulge release reconcile --dataset service",
                )
            at = self.time(tip.at)
            self.keys_at(connection, tip).require(by_key, at)
            return change(connection, self.secrets.digest, at)

        found = self.database.transact(SERVICE, work)
        self.checkpoint(SERVICE)
        return found

    def key_shown(self, told: str) -> Key | None:
        """The key that somebody shows, if it is good by the newest state of the log of keys."""
        (found,) = self.keys_shown([told])
        if isinstance(found, Unavailable):
            raise found
        return found

    def keys_shown(self, told: Sequence[str]) -> list[Key | Unavailable | None]:
        """The same for several at once; for one that was changed in the database, why none is good."""
        return self._good(keys_query(told), [partial(known_key, told=one) for one in told])

    def subject_shown(self, subject: Subject) -> Key | None:
        """The key of somebody whose token was checked, likewise."""
        (found,) = self._good(subject_query(subject), [known_subject])
        if isinstance(found, Unavailable):
            raise found
        return found

    def _good(
        self, asked: Query, finds: Sequence[Callable[[Sequence[Row], str], Key | None]]
    ) -> list[Key | Unavailable | None]:
        """Keys that are found in the same rows, which are asked for once."""
        expected = self.expected(SERVICE)

        def work(
            connection: Transaction, tips: Sequence[Row], rows: Sequence[Row]
        ) -> tuple[Tip, list[Key | Unavailable | None]]:
            tip = tip_of(tips) or NO_TIP
            if self.turned_back(connection, SERVICE, tip, expected) is not None:
                said = (
                    "The keys are older than the last signature: all requests are refused until reconciled."
                )
                raise self.refusal(SERVICE, expected, said)
            at = self.time(tip.at)
            shown = [partial(find, rows, at) for find in finds]
            return tip, [self._held_to_log(connection, tip, one) for one in shown]

        queries = [tip_query(SERVICE), asked]
        try:
            tip, found = work(LOOKED_UP, *self.database.look(queries))
        except MoreWanted:  # as the log of keys has moved on, or was signed earlier
            tip, found = self.database.read(lambda connection: work(connection, *connection.several(queries)))
        self.known.saw(SERVICE, tip)
        return found

    def _held_to_log(
        self, connection: Transaction, tip: Tip, find: Callable[[], Key | None]
    ) -> Key | Unavailable | None:
        """A key that is found in the table, if its row is what the log says."""
        try:
            found = find()
        except ODD:
            return changed("This key")
        if found is not None:
            key = self.secrets.digest
            issued = self._register.up_to(connection, tip.head, key).keys.get(found.id)
            if issued is None or not issued.is_of(found, key):
                return changed("This key")
        return found

    def keys_at(self, connection: Transaction, tip: Tip | None = None) -> IssuedKeys:
        """The keys by their log, which may be known to end there, within a transaction under way."""
        head = (_tip(connection) if tip is None else tip).head
        return self._register.up_to(connection, head, self.secrets.digest) if head.entries else IssuedKeys()


def _tip(connection: Transaction) -> Tip:
    return tip_of(connection.rows(*tip_query(SERVICE))) or NO_TIP
