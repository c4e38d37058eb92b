"""Which keys the service has issued, by its log: the table of keys is held to it before a key is good."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from divulge.errors import Unavailable
from divulge.service.decisions.content_digests import key_digest
from divulge.service.decisions.keys import Key
from divulge.service.ledger.chain import ODD, Entry, fault_in
from divulge.service.ledger.log_writer import SERVICE, Head, entries_of
from divulge.service.ledger.tail import MIGRATED
from divulge.service.store.connection import Transaction


@dataclass(frozen=True)
class Issued:
    """A key of the service, as its entries tell it."""

    role: str
    expires: str | None
    at: str
    digest: str
    revoked: str | None
    entry: int  # the last that concerns it

    def is_of(self, row: Key, key: bytes) -> bool:
        """Whether a row of the table of keys says the same."""
        said = (row.role.value, row.created, row.expires, row.revoked)
        return said == (self.role, self.at, self.expires, self.revoked) and (
            self.digest == key_digest(key, row.id, row.name, row.hash)
        )


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


def add_key_entry(keys: dict[str, Issued], entry: Entry) -> None:
    """What an entry says of a key."""
    told = entry.fields
    if entry.kind == "key made":
        keys[told["id"]] = Issued(
            told["role"], told["expires"], entry.at, told.get("key", ""), None, entry.index
        )
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
