"""The holder's table has changed: records come and go, and a baseline that follows it takes a new version."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from divulge._support.small_counts import hidden
from divulge.safe_release import Cell, HolderTable
from divulge.service.decisions.checked_rows import Stored, changed, stored
from divulge.service.decisions.content_digests import record_seal
from divulge.service.decisions.held_state.held import Held
from divulge.service.decisions.loading import RECORD, Dataset, cells_on, contents
from divulge.service.decisions.policies import ACTIVE, INSERT, RETIRE, PolicyVersion, policies_of
from divulge.service.decisions.transaction import SETTLE, WITHDRAWN, DecisionSession
from divulge.service.ledger.log_writer import LogWriter
from divulge.service.ledger.paging import paged
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
) -> tuple[Held, dict[str, int]]:
    """Take the table as it is now: new records come in, changed ones change unless they are outside.

    Records that are gone are deleted, but for those that are outside, which stay counted. Requests that
    wait for a record that is gone, or is in another cell now, are withdrawn: what was decided about them
    is no longer true. If the baseline follows the table, it takes its next version, and requests that may
    be released under it are.
    """
    work = _Update(connection, dataset, held, writer, key)
    table = dataset.table()
    renewed = following or held.policy.guard.lacks(table)
    policy = work.policy(table, by, following=following) if renewed else held.policy
    domain = policy.guard.domain
    places, moved = domain.places(held.policy.guard.domain), domain.cell_of(held.policy.guard.domain)
    cells = cells_on(domain.places_or_nowhere(table.domain), table)
    ids = dataset.ids()
    here = set(ids)
    gone = [one for one, (_, _, released) in work.before.items() if one not in here and released is None]
    if any(one != list(range(len(one))) for one in places):
        work.recode(moved)
    elsewhere = work.replace(ids, cells, moved)
    work.withdraw([*gone, *elsewhere])
    delete = "DELETE FROM record WHERE dataset = ? AND id = ?"
    connection.write([(delete, [(dataset.name, one) for one in gone])])
    told = {"records": len(ids), "new": len(here - set(work.before)), "gone": len(gone)}
    said = {**told, "new": hidden(told["new"]), "gone": hidden(told["gone"]), "by": by}
    return work.settled(policy, {**said, "contents": work.contents()}), told


class _Update:
    def __init__(
        self, connection: Transaction, dataset: Dataset, held: Held, writer: LogWriter, key: bytes
    ) -> None:
        self.connection, self.dataset, self.held, self.writer = connection, dataset, held, writer
        self.name, self.key = dataset.name, key
        self.before = {one.id: (*one.cell, one.released) for one in self._rows()}
        if sum(released is not None for *_, released in self.before.values()) != held.state.records:
            raise changed("A record")  # in a way that its seal does not show: it is as it was once

    def _rows(self) -> Iterator[Stored]:
        """All records, each as its seal says."""
        for one, *row in paged(self.connection, "record", "id", "x, y, released, body, seal", self.name):
            yield stored(self.key, self.name, one, tuple(row))

    def _seal(self, record: str, cell: tuple[int, int], body: str, released: int | None = None) -> str:
        return record_seal(self.key, self.name, record, *cell, body, released)

    def contents(self) -> str:
        """What the log says of all records that are in the table now."""
        return contents(self.key, self.name, (self._seal(one.id, one.cell, one.body) for one in self._rows()))

    def policy(self, table: HolderTable, by: str, *, following: bool) -> PolicyVersion:
        """The next version of the policy: its baseline follows the table, or has its kinds of records."""
        current = self.held.policy.guard
        version = len(policies_of(self.connection, self.name)) + 1
        guard = current.following(table, version) if following else current.including(table, version)
        policy = PolicyVersion.of(version, guard, status=ACTIVE, proposed_by=by, approved_by=by)
        self.connection.write([(RETIRE, [(self.name,)]), (INSERT, [policy.row(self.name)])])
        return policy

    def recode(self, moved: Callable[[Cell], Cell]) -> None:
        """Cells of what is outside and of who waits, on the domain of the policy."""
        found = [(one, moved(one.cell)) for one in self._rows()]
        records = [
            (*cell, self._seal(one.id, cell, one.body, one.released), self.name, one.id)
            for one, cell in found
        ]
        rows = self.connection.rows("SELECT x, y, ticket FROM request WHERE dataset = ?", (self.name,))
        requests = [(*moved(Cell(x, y)), ticket) for x, y, ticket in rows]
        self.connection.write(
            [
                ("UPDATE record SET x = ?, y = ?, seal = ? WHERE dataset = ? AND id = ?", records),
                ("UPDATE request SET x = ?, y = ? WHERE ticket = ?", requests),
            ]
        )

    def replace(
        self, ids: list[str], cells: list[tuple[int, int]], moved: Callable[[Cell], Cell]
    ) -> list[str]:
        """New and changed records, what is outside staying as it left; says whose cell has changed."""
        fresh, altered, elsewhere = [], [], []
        for one, cell, body in zip(ids, cells, self.dataset.bodies(), strict=True):
            if one not in self.before:
                fresh.append((self.name, one, *cell, body, self._seal(one, cell, body)))
            elif self.before[one][2] is None:
                altered.append((*cell, body, self._seal(one, cell, body), self.name, one))
                if moved(Cell(*self.before[one][:2])) != cell:
                    elsewhere.append(one)
        update = "UPDATE record SET x = ?, y = ?, body = ?, seal = ? WHERE dataset = ? AND id = ?"
        self.connection.write([(RECORD, fresh), (update, altered)])
        return elsewhere

    def withdraw(self, gone: list[str]) -> None:
        """Requests that wait for records no longer there wait no longer."""
        sql = "SELECT ticket FROM request WHERE dataset = ? AND record = ? AND status = 'waiting'"
        found = self.connection.several([(sql, (self.name, one)) for one in gone])
        tickets = [ticket for rows in found for (ticket,) in rows]
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
