"""Records are sealed, and the log says whose requests and keys there are and what was released."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from divulge.service.decisions.logged.content_digests import (
    MODULUS,
    answer_digest,
    body_digest,
    cell_sum,
    description_digest,
    key_digest,
    owner_digest,
    record_seal,
    sum_digest,
)
from divulge.service.decisions.policies import PolicyVersion
from divulge.service.decisions.transaction import CHECKER
from divulge.service.ledger.log_writer import SERVICE
from divulge.service.ledger.paging import PAGE, answers, log, paged
from divulge.service.ledger.tail import MIGRATED, Fields, in_pages
from divulge.service.operations.migrations import stored_trees
from divulge.service.operations.migrations.step import Migrating
from divulge.service.store.connection import Row

SEAL = "UPDATE record SET seal = ? WHERE dataset = ? AND id = ?"
SAID = {"from": 1, "to": 2}


def migrate(work: Migrating) -> None:
    """Seal all rows as they are, and add to the log what its entries would say of them today.

    Before, the log did not say which content a record had: what is there now is what is sealed.
    """
    work.connection.rows("ALTER TABLE record ADD COLUMN seal TEXT NOT NULL DEFAULT ''")
    stored_trees.migrate(work)  # entries are added below
    asked = {json.loads(text)["ticket"]: (owner, key) for owner, key, _, text in answers(work.connection)}
    for (dataset,) in work.connection.rows("SELECT name FROM dataset"):
        _Dataset(work, dataset).migrate(asked)
    _seal_keys(work)


def _seal_keys(work: Migrating) -> None:
    rows = work.connection.rows("SELECT id, name, hash FROM api_key")
    if rows:
        writer = work.writer(SERVICE)
        keys = {identity: key_digest(work.key, identity, name, hashed) for identity, name, hashed in rows}
        writer.add(MIGRATED, {**SAID, "by": work.by, "keys": keys})
        work.connection.write(writer.writings())


class _Dataset:
    def __init__(self, work: Migrating, name: str) -> None:
        self._connection, self._key, self._work, self._name = work.connection, work.key, work, name

    def migrate(self, asked: dict[str, tuple[str, str]]) -> None:
        released, contents = self._sealed()
        writer = self._work.writer(self._name)
        added = dict(self._additions(released, asked))
        columns = "name, identifier, x, y, partitions, following"
        (row,) = self._connection.rows(f"SELECT {columns} FROM dataset WHERE name = ?", (self._name,))
        added.setdefault(1, {})["dataset"] = description_digest(self._key, row)
        standing = {**SAID, "by": self._work.by, "contents": contents, **self._standing()}
        for page in in_pages(added, writer.head.entries):
            writer.add(MIGRATED, {**standing, "added": page})
        self._connection.write(writer.writings())

    def _sealed(self) -> tuple[dict[int, str], str]:
        """Seal every record; says of each entry that released one which content that was, and of all."""
        released: dict[int, str] = {}
        total, rows = 0, list[Row]()
        for one, x, y, body, out in paged(
            self._connection, "record", "id", "x, y, body, released", self._name
        ):
            row = (self._key, self._name, one, x, y, body)
            total += int(record_seal(*row, None), 16)
            rows.append((record_seal(*row, out), self._name, one))
            if out is not None:
                released[out] = body_digest(self._key, self._name, one, body)
            if len(rows) == PAGE:
                self._connection.write([(SEAL, rows)])
                rows = []
        self._connection.write([(SEAL, rows)])
        return released, sum_digest(self._key, self._name, "records", total % MODULUS)

    def _additions(
        self, released: dict[int, str], asked: dict[str, tuple[str, str]]
    ) -> Iterator[tuple[int, Fields]]:
        """What entries would say today of whose a request was, and of what was released."""
        rows = paged(self._connection, "request", "ticket", "owner", self._name)
        owners: dict[str, str] = dict(rows)
        for entry in log(self._connection, self._name):
            found: Fields = {}
            if entry.kind == "decision":
                (ticket,) = entry.fields["tickets"]
                found["owner"] = owner_digest(self._key, ticket, owners.get(ticket, ""))
                found["asked"] = answer_digest(self._key, ticket, *asked.get(ticket, ("", "")))
            if entry.index in released:
                found["body"] = released[entry.index]
            if found:
                yield entry.index, found

    def _standing(self) -> dict[str, Any]:
        """What is outside, and under which policy."""
        columns = "version, status, body, digest, proposed_by, approved_by"
        sql = f"SELECT {columns} FROM policy WHERE dataset = ? AND status = 'active'"
        policy = PolicyVersion(*self._connection.rows(sql, (self._name,))[0])
        counts = np.zeros(policy.guard.domain.shape, np.int64)
        for x, y, released in self._connection.rows(
            "SELECT x, y, released FROM cell WHERE dataset = ?", (self._name,)
        ):
            counts[x, y] = released
        waiting = "SELECT COUNT(*) FROM request WHERE dataset = ? AND status = 'waiting'"
        state, total = policy.guard.state(counts), cell_sum(self._key, self._name, counts)
        return {
            "policy": policy.version,
            "digest": policy.digest,
            "checker": CHECKER,
            "outside": state.records,
            "waiting": self._connection.rows(waiting, (self._name,))[0][0],
            "counts": sum_digest(self._key, self._name, "cells", total),
            "exposures": [[one.test, one.value, one.critical] for one in state.worst()],
        }
