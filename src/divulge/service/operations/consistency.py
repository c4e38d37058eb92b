"""Whether the tables of a database say what its log says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping

from divulge.safe_release import Cell
from divulge.service.decisions.keys import all_keys
from divulge.service.decisions.policies import PolicyVersion, fingerprint, policies_of
from divulge.service.decisions.transaction import WAITING
from divulge.service.ledger.chain import Fault, digest
from divulge.service.ledger.log_tree import LogTree
from divulge.service.ledger.paging import answers, nodes, paged
from divulge.service.operations.history import Ledger, LoggedRequest
from divulge.service.operations.logs import Log
from divulge.service.store.connection import Row, Transaction

Policies = Mapping[int, PolicyVersion]  # by their numbers


def disagreement(connection: Transaction, dataset: str, ledger: Ledger, key: bytes) -> Fault | None:
    """The first entry of a dataset's log that the tables contradict."""
    policies = {policy.version: policy for policy in policies_of(connection, dataset)}
    found = [*_policies(policies, ledger)]
    if not found:  # cells are read by the domains of the policies
        found = [*_Tables(connection, dataset, ledger, key, policies).faults()]
    return min(found, key=lambda fault: fault.index, default=None)


def disagreement_about_keys(connection: Transaction, ledger: Ledger) -> Fault | None:
    """The first entry of the service's log that the table of keys contradicts."""
    rows = {key.id: (key.role.value, key.created, key.expires, key.revoked) for key in all_keys(connection)}
    found = []
    for identity in rows.keys() | ledger.keys.keys():
        told = ledger.keys.get(identity)
        if told is None:
            found.append(Fault(ledger.entries, "The table of keys has a key that no entry created."))
        elif rows.get(identity) != (told.role, told.at, told.expires, told.revoked):
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


def _policies(policies: Policies, ledger: Ledger) -> Iterator[Fault]:
    for version in policies.keys() | ledger.policies.keys():
        row, told = policies.get(version), ledger.policies.get(version)
        if told is None:
            yield Fault(ledger.entries, f"Version {version} of the policy is in no entry.")
        elif (
            row is None
            or (row.digest, row.status, row.proposed_by, row.approved_by)
            != (told.digest, told.status, told.proposed_by, told.approved_by)
            or fingerprint(row.body) != row.digest
        ):
            yield Fault(told.entry, f"Version {version} of the policy is not what entry {told.entry} says.")


class _Tables:
    def __init__(
        self, connection: Transaction, dataset: str, ledger: Ledger, key: bytes, policies: Policies
    ) -> None:
        self._connection, self._dataset, self._ledger, self._key = connection, dataset, ledger, key
        newest = policies[ledger.active].guard.domain
        self._then = {version: one.guard.domain.cell_of(newest) for version, one in policies.items()}
        self._cells: dict[str, Cell] = {}  # of records that are outside, by their digest

    def faults(self) -> Iterator[Fault]:
        yield from self._requests()
        yield from self._answers()
        yield from self._records()
        yield from self._counts()

    def _requests(self) -> Iterator[Fault]:
        columns = "record, x, y, status, arrived, settled"
        unseen = dict(self._ledger.requests)
        for ticket, record, x, y, status, arrived, settled in self._rows("request", "ticket", columns):
            told = unseen.pop(ticket, None)
            if told is None:
                yield Fault(self._ledger.entries, "The table of requests has one that no entry has.")
                continue
            same = (status, arrived, settled) == (told.status, told.arrived, told.settled)
            if not same or not self._is_of(told, record, Cell(x, y)):
                yield Fault(told.last, f"A request is not what entry {told.last} says.")
            elif settled is not None and settled == self._ledger.released.get(told.record):
                self._cells[told.record] = Cell(x, y)
        for told in unseen.values():
            yield Fault(told.arrived, f"The request of entry {told.arrived} is missing.")

    def _is_of(self, told: LoggedRequest, record: str, cell: Cell) -> bool:
        """Whether digests say that a request was for this record, in this cell."""
        then = digest(self._key, self._dataset, record, *self._then[told.policy](cell))
        return (told.record, told.cell) == (digest(self._key, self._dataset, record), then)

    def _answers(self) -> Iterator[Fault]:
        """Answers are kept for all datasets together; those of other datasets have unknown tickets."""
        for asked, text in answers(self._connection):
            answer = json.loads(text)
            told = self._ledger.requests.get(answer["ticket"])
            if told is not None:
                first = told.status if told.settled == told.arrived else WAITING
                if (asked, answer["index"], answer["decision"]) != (told.record, told.arrived, first):
                    yield Fault(told.arrived, f"An answer is not what entry {told.arrived} says.")

    def _records(self) -> Iterator[Fault]:
        unseen = dict(self._ledger.released)
        for record, x, y, released in self._rows("record", "id", "x, y, released"):
            named = digest(self._key, self._dataset, record)
            index = unseen.pop(named, None)
            if released != index:
                place = index if index is not None else min(released, self._ledger.entries)
                yield Fault(place, f"A record is released by entry {place} or by the table, but not by both.")
            elif index is not None and self._cells.get(named) != Cell(x, y):
                yield Fault(index, f"The record that entry {index} released is in another cell.")
        for index in unseen.values():
            yield Fault(index, f"The record that entry {index} released is missing.")

    def _counts(self) -> Iterator[Fault]:
        outside = Counter(self._cells.values())
        rows = self._connection.rows("SELECT x, y, released FROM cell WHERE dataset = ?", (self._dataset,))
        wrong = sum(outside.pop(Cell(x, y), 0) != released for x, y, released in rows)
        if wrong or outside:
            last = self._ledger.entries
            yield Fault(last, f"The released counts are not what the log released up to entry {last}.")

    def _rows(self, table: str, key: str, columns: str) -> Iterator[Row]:
        return paged(self._connection, table, key, columns, self._dataset)
