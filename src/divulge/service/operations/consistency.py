"""Whether the tables of a database say what its log says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from divulge.safe_release import Cell
from divulge.service.decisions.checked_datasets import DESCRIPTION
from divulge.service.decisions.issued_keys import Issued
from divulge.service.decisions.keys import Key, all_keys
from divulge.service.decisions.logged.content_digests import (
    MODULUS,
    answer_digest,
    body_digest,
    description_digest,
    owner_digest,
    record_seal,
    removal_seal,
    sum_digest,
)
from divulge.service.decisions.policies import PolicyVersion, fingerprint, policies_of
from divulge.service.ledger.chain import Fault, digest
from divulge.service.ledger.log_tree import LogTree
from divulge.service.ledger.paging import answers, nodes, paged
from divulge.service.operations.guarded.consistency import (
    OF_GUARDED_TABLES,
    disagreement_about_queries,
    stray_rows,
)
from divulge.service.operations.history import Ledger, LoggedRequest
from divulge.service.operations.logs import Log
from divulge.service.operations.missing_entries import RESTORED
from divulge.service.store.connection import Row, Transaction

Policies = Mapping[int, PolicyVersion]  # by their numbers


def disagreement(connection: Transaction, dataset: str, ledger: Ledger, key: bytes) -> Fault | None:
    """The first entry of the log of a dataset or a guarded table that the tables contradict."""
    if ledger.guarded is not None:
        return disagreement_about_queries(connection, dataset, ledger, key)
    if (stray := stray_rows(connection, dataset, OF_GUARDED_TABLES, ledger)) is not None:
        return stray
    policies = {policy.version: policy for policy in policies_of(connection, dataset)}
    found = [*_policies(policies, ledger)]
    if not found:  # cells are read by the domains of the policies
        found = [*_Tables(connection, dataset, ledger, key, policies).faults()]
    return min(found, key=lambda fault: fault.index, default=None)


def disagreement_about_keys(connection: Transaction, ledger: Ledger, key: bytes) -> Fault | None:
    """The first entry of the service's log that the table of keys contradicts."""
    rows = {row.id: row for row in all_keys(connection)}
    found = []
    for identity in rows.keys() | ledger.keys.keys():
        told = ledger.keys.get(identity)
        if told is None:
            found.append(Fault(ledger.entries, "The table of keys has a key that no entry created."))
        elif identity in rows and _is_nobodys(rows[identity]) and identity not in ledger.restored:
            found.append(
                Fault(
                    told.entry,
                    f"The key of entry {told.entry} has lost its secret and its person, and no entry says "
                    "that it was restored so.",
                )
            )
        elif identity not in rows or not _is_of(rows[identity], told, key):
            found.append(
                Fault(told.entry, f"The table of keys contradicts entry {told.entry}: a key was changed.")
            )
    return min(found, key=lambda fault: fault.index, default=None)


def tree_disagreement(connection: Transaction, log: Log) -> Fault | None:
    """The first entry whose nodes of the tree are not those that follow from the log."""
    tree, rows = LogTree(proving=False), nodes(connection, log.chain)
    for index in range(1, len(log) + 1):
        for row in tree.row(log.chain, log.hash(index)):
            if next(rows, None) != row[1:]:
                return Fault(index, f"The tree is not what follows from entry {index}.")
    if next(rows, None) is not None:
        return Fault(len(log), f"The tree has more than what follows from entry {len(log)}.")
    return None


def _is_of(row: Key, told: Issued, key: bytes) -> bool:
    """Whether a key is what the log says; of one that was restored no secret fits."""
    if _is_nobodys(row):
        told = replace(told, digest=row.digest(key, personal=told.personal))
    return told.is_of(row, key)


def _is_nobodys(row: Key) -> bool:
    """Whether a key is as one that is known from the log alone."""
    said = (row.name, row.hash, row.person, row.scope, row.subject)
    return said == (RESTORED, "", None, None, None)


def _policies(policies: Policies, ledger: Ledger) -> Iterator[Fault]:
    for version in policies.keys() | ledger.policies.keys():
        row, told = policies.get(version), ledger.policies.get(version)
        if told is None:
            yield Fault(ledger.entries, f"Version {version} of the policy is in no entry.")
        elif (
            row is None
            or (row.digest, row.status, row.proposed_by, row.approved_by, row.entry)
            != (told.digest, told.status, told.proposed_by, told.approved_by, told.last)
            or fingerprint(row.body) != row.digest
        ):
            yield Fault(told.entry, f"Version {version} of the policy is not what entry {told.entry} says.")


class _Tables:
    def __init__(
        self, connection: Transaction, dataset: str, ledger: Ledger, key: bytes, policies: Policies
    ) -> None:
        self._connection, self._dataset, self._ledger, self._key = connection, dataset, ledger, key
        newest = policies[ledger.active].guard.domain
        self._places = set(np.ndindex(newest.shape))
        self._then = {version: one.guard.domain.cell_of(newest) for version, one in policies.items()}
        self._cells: dict[str, Cell] = {}  # of records that are outside, by their digest
        self._restored: set[str] = set()  # tickets whose owners are lost, and with them the answers

    def faults(self) -> Iterator[Fault]:
        yield from self._description()
        yield from self._requests()
        yield from self._answers()
        yield from self._records()
        yield from self._counts()

    def _description(self) -> Iterator[Fault]:
        sql = f"SELECT {DESCRIPTION} FROM dataset WHERE name = ?"
        rows = self._connection.rows(sql, (self._dataset,))
        if [description_digest(self._key, row) for row in rows] != [self._ledger.dataset]:
            yield Fault(1, "The dataset is not described as in entry 1, with which it was loaded.")

    def _requests(self) -> Iterator[Fault]:
        columns = "record, x, y, owner, status, arrived, settled"
        unseen = dict(self._ledger.requests)
        for ticket, record, x, y, owner, status, arrived, settled in self._rows("request", "ticket", columns):
            told = unseen.pop(ticket, None)
            if told is None:
                yield Fault(self._ledger.entries, "The table of requests has one that no entry has.")
                continue
            same = (status, arrived, settled) == (told.status, told.arrived, told.settled)
            same = same and owner in (RESTORED, self._owner_of(told, ticket, owner))
            self._restored |= {ticket} if owner == RESTORED else set()
            if not same or not self._is_of(told, record, Cell(x, y)):
                yield Fault(told.last, f"A request is not what entry {told.last} says.")
            elif settled is not None and settled == self._ledger.released.get(told.record):
                self._cells[told.record] = Cell(x, y)
        for told in unseen.values():
            yield Fault(told.arrived, f"The request of entry {told.arrived} is missing.")

    def _owner_of(self, told: LoggedRequest, ticket: str, owner: str) -> str | None:
        return owner if told.owner == owner_digest(self._key, ticket, owner) else None

    def _is_of(self, told: LoggedRequest, record: str, cell: Cell) -> bool:
        """Whether digests say that a request was for this record, in this cell."""
        then = digest(self._key, self._dataset, record, *self._then[told.policy](cell))
        return (told.record, told.cell) == (digest(self._key, self._dataset, record), then)

    def _answers(self) -> Iterator[Fault]:
        """Answers are kept for all datasets together; those of other datasets have requests there."""
        others = "SELECT ticket FROM request WHERE ticket = ? AND dataset <> ?"
        unseen = {
            told.arrived for ticket, told in self._ledger.requests.items() if ticket not in self._restored
        }
        for owner, idempotency, asked, text in answers(self._connection):
            ticket = json.loads(text)["ticket"]
            told = self._ledger.requests.get(ticket)
            if told is None:
                if not self._connection.rows(others, (ticket, self._dataset)):
                    yield Fault(self._ledger.entries, "The table of answers has one that no entry has.")
            elif (asked, answer_digest(self._key, ticket, owner, idempotency), text) != (
                told.record,
                told.asked,
                json.dumps(told.answer),
            ):
                yield Fault(told.arrived, f"An answer is not what entry {told.arrived} says.")
            elif told.arrived <= self._ledger.removed_to:
                yield Fault(told.arrived, f"The answer of entry {told.arrived} was removed, and is there.")
            else:
                unseen.discard(told.arrived)
        yield from self._removed(unseen)
        for index in unseen:
            yield Fault(index, f"The answer of entry {index} is missing.")

    def _removed(self, unseen: set[int]) -> Iterator[Fault]:
        """Answers of which a digest is left are those of entries before the last that were removed."""
        for repeat, index, seal in self._rows("removed_answer", "digest", "idx, seal"):
            right = seal == removal_seal(self._key, repeat, self._dataset, index)
            if not right or index > self._ledger.removed_to or index not in unseen:
                yield Fault(self._ledger.entries, "The table of removed answers is not what the log says.")
            unseen.discard(index)

    def _records(self) -> Iterator[Fault]:
        unseen, total, last = dict(self._ledger.released), 0, self._ledger.entries
        for record, x, y, released, body, seal in self._rows("record", "id", "x, y, released, body, seal"):
            row = (self._key, self._dataset, record, x, y, body)
            named = digest(self._key, self._dataset, record)
            index = unseen.pop(named, None)
            total += int(record_seal(*row, None), 16)
            if released != index:
                place = index if index is not None else min(released, last)
                yield Fault(place, f"A record is released by entry {place} or by the table, but not by both.")
            elif index is not None and self._cells.get(named) != Cell(x, y):
                yield Fault(index, f"The record that entry {index} released is in another cell.")
            elif index is not None and self._ledger.bodies[named] != body_digest(
                self._key, self._dataset, record, body
            ):
                yield Fault(index, f"The record that entry {index} released has another content now.")
            elif seal != record_seal(*row, released):
                yield Fault(last, "A record does not have the holder's seal.")
        for index in unseen.values():
            yield Fault(index, f"The record that entry {index} released is missing.")
        if sum_digest(self._key, self._dataset, "records", total % MODULUS) != self._ledger.contents:
            yield Fault(last, "The records are not those that were loaded or brought by the last update.")

    def _counts(self) -> Iterator[Fault]:
        outside = Counter(self._cells.values())
        rows = self._connection.rows("SELECT x, y, released FROM cell WHERE dataset = ?", (self._dataset,))
        counted = {(x, y): released for x, y, released in rows}
        if counted != {place: outside.pop(Cell(*place), 0) for place in self._places} or outside:
            last = self._ledger.entries
            yield Fault(last, f"The released counts are not what the log released up to entry {last}.")

    def _rows(self, table: str, key: str, columns: str) -> Iterator[Row]:
        return paged(self._connection, table, key, columns, self._dataset)
