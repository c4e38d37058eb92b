"""What has to be written into the tables for entries that a database lacked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from divulge.errors import Conflict
from divulge.safe_release import Cell, Rules
from divulge.service.decisions.keys import INSERT_KEY, all_keys
from divulge.service.decisions.logged.content_digests import record_seal
from divulge.service.decisions.policies import ACTIVE, INSERT, SETTLE_PROPOSAL, PolicyVersion, policies_of
from divulge.service.decisions.transaction import RELEASE, REQUEST, SETTLE
from divulge.service.ledger.chain import digest
from divulge.service.ledger.paging import answers, paged
from divulge.service.operations.history import Ledger, Version
from divulge.service.operations.retention import KeptAnswer, removal
from divulge.service.queries.query_session import INSERT as INSERT_QUERY
from divulge.service.store.connection import Transaction, Writing

RESTORED = "restored"  # who owns requests and keys whose owner is lost
HINT = "Restore a copy that was made later, or accept the loss."


def implied(connection: Transaction, dataset: str, ledger: Ledger, since: int, key: bytes) -> list[Writing]:
    """What entries after one of them say of policies, requests, records and cells; or of queries."""
    if ledger.guarded is not None:
        rows = [(repeat, dataset, index) for repeat, index in ledger.queries.items() if index > since]
        return [(INSERT_QUERY, rows)]
    writings = [*_policies(connection, dataset, ledger)]
    records = _records(connection, dataset, ledger, since, key)
    new, settled = [], []
    for ticket, told in ledger.requests.items():
        if told.arrived > since:
            record, cell, _ = records.get(told.record, ("", Cell(-1, -1), ""))
            if told.cell != digest(key, dataset, record, *cell):
                raise Conflict(
                    f"Entry {told.arrived} is about a record that the database does not have, or has "
                    "with other values.",
                    hint=HINT,
                )
            new.append((ticket, dataset, record, *cell, RESTORED, told.status, told.arrived, told.settled))
        elif told.last > since:
            settled.append((told.status, told.settled, ticket))
    out = {named: index for named, index in ledger.released.items() if index > since}
    counts = Counter(records[named][1] for named in out)
    return [
        *writings,
        *removal(key, dataset, _gone(connection, ledger)),
        (REQUEST, new),
        (SETTLE, settled),
        (RELEASE, [_released(key, dataset, *records[named], index) for named, index in out.items()]),
        (
            "UPDATE cell SET released = released + ? WHERE dataset = ? AND x = ? AND y = ?",
            [(more, dataset, *cell) for cell, more in counts.items()],
        ),
    ]


def _gone(connection: Transaction, ledger: Ledger) -> Iterator[KeptAnswer]:
    """Answers that were removed since, and are there again."""
    for owner, idempotency, _, text in answers(connection):
        request = ledger.requests.get(json.loads(text)["ticket"])
        if request is not None and request.arrived <= ledger.removed_to:
            yield KeptAnswer(request.arrived, owner, idempotency)


def _released(
    key: bytes, dataset: str, record: str, cell: Cell, body: str, index: int
) -> tuple[int, str, str, str]:
    return index, record_seal(key, dataset, record, *cell, body, index), dataset, record


def _records(
    connection: Transaction, dataset: str, ledger: Ledger, since: int, key: bytes
) -> dict[str, tuple[str, Cell, str]]:
    """Records that these entries are about, with their cells and bodies, by their digests."""
    wanted = {told.record for told in ledger.requests.values() if told.last > since}
    found = {}
    for record, x, y, body in paged(connection, "record", "id", "x, y, body", dataset):
        named = digest(key, dataset, record)
        if named in wanted:
            found[named] = record, Cell(x, y), body
    return found


def _policies(connection: Transaction, dataset: str, ledger: Ledger) -> Iterator[Writing]:
    rows = {policy.version: policy for policy in policies_of(connection, dataset)}
    (active,) = [policy for policy in rows.values() if policy.status == ACTIVE]
    for version, told in ledger.policies.items():
        if version in rows:
            yield SETTLE_PROPOSAL, [(told.status, told.approved_by, told.last, dataset, version)]
        else:
            yield INSERT, [_proposed(version, told, active).row(dataset)]


def _proposed(version: int, told: Version, active: PolicyVersion) -> PolicyVersion:
    """A policy that was proposed: its rules stand in the log, its baseline was the one in force."""
    if told.rules is not None:
        guard = active.guard.held_to(Rules.kept(told.rules), version)
        found = PolicyVersion.of(
            version,
            guard,
            status=told.status,
            proposed_by=told.proposed_by,
            approved_by=told.approved_by,
            approval=told.approval,
            entry=told.last,
        )
        if found.digest == told.digest:
            return found
    raise Conflict(f"Entry {told.entry} changes the baseline, which an export does not contain.", hint=HINT)


def implied_keys(connection: Transaction, ledger: Ledger) -> tuple[list[Writing], list[str]]:
    """Keys that were revoked, and those that were made; of these, which no entry says to be restored."""
    known = {key.id for key in all_keys(connection)}
    made = [
        (identity, told.role, RESTORED, "", told.at, told.expires, told.revoked, None, None, None)
        for identity, told in ledger.keys.items()
        if identity not in known
    ]
    revoked = [(told.revoked, identity) for identity, told in ledger.keys.items() if told.revoked]
    writings: list[Writing] = [
        (INSERT_KEY, made),
        ("UPDATE api_key SET revoked = ? WHERE id = ?", revoked),
    ]
    return writings, [identity for identity, *_ in made if identity not in ledger.restored]
