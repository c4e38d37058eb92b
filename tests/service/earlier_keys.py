"""Keys and proposals as they were before keys belonged to persons."""

from __future__ import annotations

import hashlib
import secrets

from divulge.service.decisions.decisions import DecisionService
from divulge.service.decisions.logged.content_digests import key_digest
from divulge.service.ledger.log_writer import SERVICE, LogWriter
from divulge.service.store.connection import Transaction


def key_without_person(decider: DecisionService, role: str, name: str) -> str:
    """A key whose entry and row say nothing of a person."""
    identity, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    hashed, key, at = hashlib.sha256(secret.encode()).hexdigest(), decider.secrets.digest, decider.time()

    def work(connection: Transaction) -> None:
        writer = LogWriter.opened(connection, SERVICE, key, at)
        told = {"id": identity, "role": role, "by": "me", "expires": None}
        writer.add("key made", {**told, "key": key_digest(key, identity, name, hashed)})
        insert = "INSERT INTO api_key (id, role, name, hash, created) VALUES (?, ?, ?, ?, ?)"
        connection.write([(insert, [(identity, role, name, hashed, at)]), *writer.writings()])

    decider.database.transact(SERVICE, work)
    decider.checkpoint(SERVICE)
    return f"{identity}.{secret}"
