"""The holder's table has changed: records come and go, and a baseline that follows it takes a new version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from divulge._support.small_counts import hidden
from divulge.safe_release import Baseline, Guard, HolderTable, State
from divulge.service.decisions.loading import Dataset, codes_on
from divulge.service.decisions.policies import ACTIVE, INSERT, PolicyVersion, policies_of
from divulge.service.decisions.transaction import DecisionSession, Held
from divulge.service.ledger.log_writer import Head, LogWriter
from divulge.service.store.connection import Transaction


def update(
    connection: Transaction, dataset: Dataset, held: Held, key: bytes, at: str, *, by: str, following: bool
) -> tuple[Held, dict[str, int]]:
    """Take the table as it is now: new records come in, changed ones change unless they are outside.

    Records that are gone are deleted, but for those that are outside, which stay counted. Requests that
    wait for a record that is gone, or is in another cell now, are withdrawn: what was decided about them is
    no longer true. If the baseline follows the table, it takes its next version, and whoever may leave
    under it does.
    """
    work = _Update(connection, dataset, held, LogWriter(dataset.name, held.head, key, at))
    return work.run(key, by, following)


class _Update:
    def __init__(self, connection: Transaction, dataset: Dataset, held: Held, writer: LogWriter) -> None:
        self.connection, self.dataset, self.held, self.writer = connection, dataset, held, writer
        self.name = dataset.name
        sql = "SELECT id, x, y, released FROM record WHERE dataset = ?"
        self.before = {row[0]: row[1:] for row in connection.rows(sql, (self.name,))}

    def run(self, key: bytes, by: str, following: bool) -> tuple[Held, dict[str, int]]:
        table = self.dataset.table()
        policy = self._policy(table, by, following)
        domain, old = policy.guard.domain, self.held.policy.guard.domain
        moved = domain.places(old)
        rows = codes_on(domain.places_or_nowhere(table.domain)[0], table.rows)
        columns = codes_on(domain.places_or_nowhere(table.domain)[1], table.columns)
        ids = self.dataset.ids()
        here = set(ids)
        gone = [one for one, (_, _, released) in self.before.items() if one not in here and released is None]
        self._recode(moved)
        elsewhere = self._replace(ids, rows, columns, moved)
        self._withdraw([*gone, *elsewhere])
        self.connection.write(
            [("DELETE FROM record WHERE dataset = ? AND id = ?", [(self.name, one) for one in gone])]
            if gone
            else []
        )
        told = {"records": len(ids), "new": len(here - set(self.before)), "gone": len(gone)}
        said = {**told, "new": hidden(told["new"]), "gone": hidden(told["gone"]), "by": by}
        return self._settled(policy, key, said), told

    def _policy(self, table: HolderTable, by: str, following: bool) -> PolicyVersion:
        """The next version of the policy where the baseline follows the table, else the one in force."""
        current = self.held.policy
        if not following:
            return current
        version = len(policies_of(self.connection, self.name)) + 1
        named = replace(table.domain, x=current.guard.domain.x, y=current.guard.domain.y)
        followed = current.guard.baseline.following(HolderTable(named, table.counts))
        baseline: Baseline = followed.numbered(version)
        guard = Guard(baseline, current.guard.rules)
        policy = PolicyVersion.of(version, guard, status=ACTIVE, proposed_by=by, approved_by=by)
        retire = "UPDATE policy SET status = 'retired' WHERE dataset = ? AND status = 'active'"
        self.connection.write([(retire, [(self.name,)]), (INSERT, [policy.row(self.name)])])
        return policy

    def _recode(self, moved: tuple[list[int], list[int]]) -> None:
        """Cells of what is outside and of who waits, on the domain of the policy."""
        values, targets = moved
        if values == list(range(len(values))) and targets == list(range(len(targets))):
            return
        for table, named in (("record", "id"), ("request", "ticket")):
            rows = self.connection.rows(f"SELECT x, y, {named} FROM {table} WHERE dataset = ?", (self.name,))
            changed = [
                (values[x] if x >= 0 else x, targets[y] if y >= 0 else y, self.name, one)
                for x, y, one in rows
            ]
            sql = f"UPDATE {table} SET x = ?, y = ? WHERE dataset = ? AND {named} = ?"
            self.connection.write([(sql, changed)])

    def _replace(
        self, ids: list[str], rows: list[int], columns: list[int], moved: tuple[list[int], list[int]]
    ) -> list[str]:
        """New and changed records, what is outside staying as it left; says whose cell has changed."""
        fresh, changed, elsewhere = [], [], []
        for one, x, y, body in zip(ids, rows, columns, self.dataset.bodies(), strict=True):
            if one not in self.before:
                fresh.append((self.name, one, x, y, body))
            elif self.before[one][2] is None:
                changed.append((x, y, body, self.name, one))
                if _moved(self.before[one], moved) != (x, y):
                    elsewhere.append(one)
        self.connection.write(
            [
                (
                    "INSERT INTO record (dataset, id, x, y, body, released) VALUES (?, ?, ?, ?, ?, NULL)",
                    fresh,
                ),
                ("UPDATE record SET x = ?, y = ?, body = ? WHERE dataset = ? AND id = ?", changed),
            ]
        )
        return elsewhere

    def _withdraw(self, gone: list[str]) -> None:
        sql = "SELECT ticket FROM request WHERE dataset = ? AND record = ? AND status = 'waiting'"
        found = self.connection.several([(sql, (self.name, one)) for one in gone])
        tickets = [ticket for rows in found for (ticket,) in rows]
        if tickets:
            entry = self.writer.add("withdrawn", {"tickets": tickets, "reason": "gone"})
            settle = "UPDATE request SET status = 'withdrawn', settled = ? WHERE ticket = ?"
            self.connection.write([(settle, [(entry.index, ticket) for ticket in tickets])])

    def _settled(self, policy: PolicyVersion, key: bytes, told: dict[str, Any]) -> Held:
        """Hold what is outside to the policy, and see who may leave."""
        shape = policy.guard.domain.shape
        counts = policy.guard.domain.moved(self.held.state.counts, self.held.policy.guard.domain)
        insert = "INSERT INTO cell VALUES (?, ?, ?, ?)"
        cells = [(self.name, x, y, int(counts[x, y])) for x, y in np.ndindex(shape)]
        self.connection.write([("DELETE FROM cell WHERE dataset = ?", [(self.name,)]), (insert, cells)])
        head = Head(*self.writer.head)
        now = Held.read(self.connection, self.name, head, policy)
        session = DecisionSession(self.connection, self.name, now, self.writer, key)
        session.hold_to(policy, "baseline followed", told)
        before = replace(now, state=State.of(policy.guard, counts))
        self.connection.write([one for one in session.writings(before) if one[1]])
        return session.held()


def _moved(cell: Sequence[int], moved: tuple[list[int], list[int]]) -> tuple[int, int]:
    """A cell on the domain of the policy; what is nowhere stays nowhere."""
    values, targets = moved
    x, y = cell[0], cell[1]
    return values[x] if x >= 0 else x, targets[y] if y >= 0 else y
