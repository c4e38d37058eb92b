"""The holder's table has changed: records come and go, and a baseline that follows it takes a new version."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import hidden
from divulge._support.stages import Stage, silent
from divulge._support.stages import told as told_of
from divulge.safe_release import Cell, HolderTable
from divulge.service.decisions.checked_rows import Stored, changed, stored
from divulge.service.decisions.held_state.held import Held
from divulge.service.decisions.loading import RECORD, Dataset, RecordBodies, cells_on, contents
from divulge.service.decisions.logged.content_digests import record_seal
from divulge.service.decisions.policies import ACTIVE, INSERT, RETIRE, PolicyVersion, policies_of
from divulge.service.decisions.transaction import SETTLE, WITHDRAWN, DecisionSession
from divulge.service.ledger.log_writer import LogWriter
from divulge.service.ledger.paging import PAGE, paged
from divulge.service.store.connection import Transaction


def update(
    connection: Transaction,
    dataset: Dataset,
    held: Held,
    writer: LogWriter,
    key: bytes,
    *,
    by: str,
    following: bool,
    stage: Stage = silent,
) -> tuple[Held, dict[str, int]]:
    """Take the table as it is now: new records come in, changed ones change unless they are outside.

    Records that are gone are deleted, but for those that are outside, which stay counted. Requests that
    wait for a record that is gone, or is in another cell now, are withdrawn: what was decided about them
    is no longer true. If the baseline follows the table, it takes its next version, and requests that may
    be released under it are.

    Records are read and written so many at once, and those that have not changed are not written.
    """
    work = _Update(connection, dataset, held, writer, key)
    table = dataset.table()
    renewed = following or held.policy.guard.lacks(table)
    policy = work.policy(table, by, following=following) if renewed else held.policy
    domain = policy.guard.domain
    places, moved = domain.places(held.policy.guard.domain), domain.cell_of(held.policy.guard.domain)
    if any(one != list(range(len(one))) for one in places):
        work.recode_requests(moved)
    cells = cells_on(domain.places_or_nowhere(table.domain), table)
    changes = _RecordChanges(dataset, key, dataset.ids(), cells, dataset.bodies(), moved)
    changes.take(connection, stage)
    if changes.outside != held.state.records:
        raise changed("A record")  # in a way that its seal does not show: it is as it was once
    work.withdraw({*changes.gone, *changes.elsewhere})
    told = {"records": len(changes.ids), "new": changes.new, "gone": len(changes.gone)}
    said = {**told, "new": hidden(told["new"]), "gone": hidden(told["gone"]), "by": by}
    return work.settled(policy, {**said, "contents": contents(key, dataset.name, changes.total)}), told


class _Update:
    def __init__(
        self, connection: Transaction, dataset: Dataset, held: Held, writer: LogWriter, key: bytes
    ) -> None:
        self.connection, self.held, self.writer = connection, held, writer
        self.name, self.key = dataset.name, key

    def policy(self, table: HolderTable, by: str, *, following: bool) -> PolicyVersion:
        """The next version of the policy: its baseline follows the table, or has its kinds of records."""
        current = self.held.policy.guard
        version = len(policies_of(self.connection, self.name)) + 1
        guard = current.following(table, version) if following else current.including(table, version)
        approval = self.held.policy.approval
        policy = PolicyVersion.of(
            version, guard, status=ACTIVE, proposed_by=by, approved_by=by, approval=approval
        )
        self.connection.write([(RETIRE, [(self.name,)]), (INSERT, [policy.row(self.name)])])
        return policy

    def recode_requests(self, moved: Callable[[Cell], Cell]) -> None:
        """Cells of requests, on the domain of the policy."""
        found = paged(self.connection, "request", "ticket", "x, y", self.name)
        while part := list(islice(found, PAGE)):
            rows = [(*moved(Cell(x, y)), ticket) for ticket, x, y in part]
            self.connection.change_rows("request", ("x", "y"), ("ticket",), rows)

    def withdraw(self, records: set[str]) -> None:
        """Requests for records that are gone, or in another cell now, wait no longer."""
        sql = """SELECT ticket, record FROM request WHERE dataset = ? AND status = 'waiting'
            ORDER BY arrived"""
        found = self.connection.rows(sql, (self.name,)) if records else []
        tickets = [ticket for ticket, record in found if record in records]
        if tickets:
            entry = self.writer.add("withdrawn", {"tickets": tickets, "reason": "gone"})
            self.connection.write([(SETTLE, [(WITHDRAWN, entry.index, ticket) for ticket in tickets])])

    def settled(self, policy: PolicyVersion, told: dict[str, Any]) -> Held:
        """Hold what is outside to the policy, and see who may leave."""
        counts = policy.guard.domain.moved(self.held.state.counts, self.held.policy.guard.domain)
        insert = "INSERT INTO cell VALUES (?, ?, ?, ?)"
        cells = [(self.name, x, y, int(counts[x, y])) for x, y in np.ndindex(counts.shape)]
        self.connection.write([("DELETE FROM cell WHERE dataset = ?", [(self.name,)]), (insert, cells)])
        now = Held.read(self.connection, self.name, self.writer.head, policy, self.key)
        session = DecisionSession(self.connection, self.name, now, self.writer, self.key)
        session.hold_to(policy, "baseline followed", told)
        self.connection.write(session.writings())
        return session.held()


class _RecordChanges:
    """What becomes of every record: those that are outside stay as they left.

    The records in the database are read once, in the order of their ids, each as its seal says. What
    differs is written page by page. Of those that are in the table only ids and places are kept.
    """

    def __init__(
        self,
        dataset: Dataset,
        key: bytes,
        ids: Sequence[str],
        cells: npt.NDArray[np.int64],
        bodies: RecordBodies,
        moved: Callable[[Cell], Cell],
    ) -> None:
        self._name, self._key, self.ids, self._cells, self._bodies = dataset.name, key, ids, cells, bodies
        self._moved = moved  # from cells in the database to those of the policy
        self._places = {one: place for place, one in enumerate(ids)}
        self._known = bytearray(len(ids))  # whether the database has had it
        self.gone: list[str] = []
        self.elsewhere: list[str] = []  # records that are in another cell now
        self.outside = self.new = 0
        self.total = 0  # over the seals that records have while they are not outside

    def take(self, connection: Transaction, stage: Stage) -> None:
        """Write what differs."""
        tell = told_of(stage)
        rows = paged(connection, "record", "id", "x, y, released, body, seal", self._name)
        done = 0
        while part := list(islice(rows, PAGE)):
            found = [self._compared(*row) for row in part]
            changes = [one for one in found if one is not None]
            keys = ("dataset", "id")
            connection.change_rows("record", ("x", "y", "body", "seal"), keys, changes)
            done += len(part)
            tell(min(done, len(self.ids)), len(self.ids))
        connection.remove_rows("record", ("dataset", "id"), [(self._name, one) for one in self.gone])
        connection.add_rows("record", RECORD, self._fresh())

    def _compared(self, record: str, *row: Any) -> tuple[Any, ...] | None:
        """How the row of a record has to change; None if it does not, or is to be removed."""
        before = stored(self._key, self._name, record, row)
        place = self._places.get(record)
        if place is not None:
            self._known[place] = True
        if before.released is not None:
            self.outside += 1
            return self._written(before, self._moved(before.cell), before.body)
        if place is None:
            self.gone.append(record)
            return None
        cell = Cell(*self._cells[place].tolist())
        if cell != self._moved(before.cell):
            self.elsewhere.append(record)
        return self._written(before, cell, self._bodies[place])

    def _written(self, before: Stored, cell: Cell, body: str) -> tuple[Any, ...] | None:
        row = (self._key, self._name, before.id, *cell, body)
        seal = record_seal(*row, None)
        self.total += int(seal, 16)
        if (cell, body) == (before.cell, before.body):
            return None
        if before.released is not None:
            seal = record_seal(*row, before.released)
        return (*cell, body, seal, self._name, before.id)

    def _fresh(self) -> Iterator[tuple[Any, ...]]:
        for place, one in enumerate(self.ids):
            if not self._known[place]:
                self.new += 1
                cell, body = Cell(*self._cells[place].tolist()), self._bodies[place]
                seal = record_seal(self._key, self._name, one, *cell, body, None)
                self.total += int(seal, 16)
                yield (self._name, one, *cell, body, seal)
