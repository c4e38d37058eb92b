"""What the log says of requests and no table has: it may be made while the database is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from divulge.service.decisions.logged.content_digests import answer_digest, owner_digest
from divulge.service.decisions.logged.decision_entries import tickets
from divulge.service.ledger.chain import digest


class Opened(NamedTuple):
    """A new request: its ticket, and digests of whose it is and under which key."""

    ticket: str
    owner: str
    asked: str


class RequestDigests:
    """Tickets and digests for the requests of a transaction. Each ticket is handed out once."""

    def __init__(self, dataset: str, key: bytes) -> None:
        self._dataset, self._key = dataset, key
        self._tickets = tickets()
        self._names: dict[str, str] = {}
        self._ready: dict[tuple[str, str], Opened] = {}  # by owner and idempotency key

    def named(self, record: str) -> str:
        """What stands for a record's id in the log."""
        found = self._names.get(record)
        if found is None:
            found = self._names[record] = digest(self._key, self._dataset, record)
        return found

    def prepare(self, owner: str, asked: Iterable[tuple[str, str]]) -> None:
        """Make ready what requests of somebody, by record and idempotency key, will need if they are new."""
        for record, idempotency in asked:
            self.named(record)
            self._ready[owner, idempotency] = self._opened(owner, idempotency)

    def opened(self, owner: str, idempotency: str) -> Opened:
        """A new request."""
        return self._ready.pop((owner, idempotency), None) or self._opened(owner, idempotency)

    def _opened(self, owner: str, idempotency: str) -> Opened:
        ticket = next(self._tickets)
        asked = answer_digest(self._key, ticket, owner, idempotency)
        return Opened(ticket, owner_digest(self._key, ticket, owner), asked)
