"""Decisions taken within one transaction: what is outside and who waits, carried from one to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from divulge._compiled.release import NEVER
from divulge.safe_release import Cell, ReleaseVerdict, State, decide, next_to_leave
from divulge.service.decisions.checked_rows import LoggedRows, Stored, changed, stored
from divulge.service.decisions.held_state.held import Held
from divulge.service.decisions.held_state.waiting_lines import Waiting, WaitingLines
from divulge.service.decisions.logged.content_digests import (
    body_digest,
    cell_sum_after,
    record_seal,
    sum_digest,
)
from divulge.service.decisions.logged.decision_entries import (
    answer_text,
    decision_text,
    left_text,
    outside_text,
)
from divulge.service.decisions.logged.request_digests import Opened, RequestDigests
from divulge.service.decisions.open_requests import OpenedRequests
from divulge.service.decisions.policies import PolicyVersion
from divulge.service.ledger.chain import Entry, digest
from divulge.service.ledger.log_writer import LogWriter
from divulge.service.ledger.tail import entry_query
from divulge.service.store.connection import Row, Transaction, Writing

CHECKER = "divulge.safe_release 1"  # named in every decision, and raised when decisions could change
RELEASED, WAITING, REFUSED, WITHDRAWN = "released", "waiting", "refused", "withdrawn"
REQUEST = "INSERT INTO request VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
SETTLE = "UPDATE request SET status = ?, settled = ? WHERE ticket = ?"
RELEASE = "UPDATE record SET released = ?, seal = ? WHERE dataset = ? AND id = ?"
CELL = "UPDATE cell SET released = ? WHERE dataset = ? AND x = ? AND y = ?"
ANSWER = "INSERT INTO answer (owner, key, asked, answer) VALUES (?, ?, ?, ?)"


def status_of(verdict: ReleaseVerdict) -> str:
    """How a request stands after its verdict."""
    return RELEASED if verdict.released else WAITING if verdict.waits else REFUSED


def standing(policy: PolicyVersion, state: State, waiting: int, counts: str) -> dict[str, Any]:
    """What an entry says of what is outside after it, and under which policy and checker that was decided.

    ``counts`` is the digest of the counts outside.
    """
    return {
        "policy": policy.version,
        "digest": policy.digest,
        "checker": CHECKER,
        "outside": state.records,
        "waiting": waiting,
        "counts": counts,
        "exposures": told_exposures(state),
    }


def told_exposures(state: State) -> list[list[Any]]:
    return [[one.test, one.value, one.critical] for one in state.worst()]


class DecisionSession:
    """What is decided in one transaction, and what has to be written for it."""

    def __init__(
        self,
        connection: Transaction,
        dataset: str,
        held: Held,
        writer: LogWriter,
        key: bytes,
        digests: RequestDigests | None = None,
    ) -> None:
        self._connection, self._dataset, self._writer, self._key = connection, dataset, writer, key
        self.policy, self.state, self.heads = held.policy, held.state, held.heads.copy()
        self.waiting, self._blocked, self._total = held.waiting, held.blocked.copy(), held.total
        told = held.outside
        self._outside = None if told is None else (held.state, held.policy, told)  # what entries say of it
        self.opened = OpenedRequests()
        self.logged = LoggedRows(connection, dataset, key)
        self._digests = digests or RequestDigests(dataset, key)
        self.named = self._digests.named
        self._left: dict[str, tuple[int, Stored]] = {}  # records that left in this session, by which entry
        self._asked: dict[str, Stored] = {}  # records that were asked for in this session
        self._lines = WaitingLines(connection, dataset)
        self._begun = held.head.entries
        self._requests: dict[str, list[Any]] = {}  # their rows, by ticket
        self._settled: list[tuple[str, int, str]] = []  # tickets of earlier sessions: status, entry, ticket
        self._given: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {}  # answers, by owner and key

    def held(self) -> Held:
        """The dataset as it stands once everything is written."""
        given = (self.policy, self.state, self._total, self.heads, self.waiting, self._blocked)
        return Held(self._writer.head, *given, self._outside_text())

    # -- requests -------------------------------------------------------------------------------

    def given(self, owner: str, idempotency: str) -> tuple[str, dict[str, Any]] | None:
        """What was answered in this session under an idempotency key: to which record, and what."""
        return self._given.get((owner, idempotency))

    def request(self, record: Stored, owner: str, idempotency: str) -> dict[str, Any]:
        """Decide a request, and those that could leave after it; the answer names no value."""
        answer = self._requested(record, owner, idempotency)
        self._given[owner, idempotency] = self.named(record.id), answer
        return answer

    def is_outside(self, record: Stored) -> bool:
        """Whether a record has left, before this transaction or in it."""
        return record.released is not None or record.id in self._left

    def _requested(self, record: Stored, owner: str, idempotency: str) -> dict[str, Any]:
        opened = self._digests.opened(owner, idempotency)
        if record.released is not None:
            self.logged.require_release(record)
        if self.is_outside(record):
            return self._answered(opened, record, owner, RELEASED, "repeated")
        index = self._writer.next
        verdict = decide(self.state, record.cell)
        status = status_of(verdict)
        content = None
        if verdict.released:
            self._let_out(record, verdict, index)
            content = self._body(record)
        elif status == WAITING:
            self.waiting += 1
        self._asked[record.id] = record
        answer = self._answered(opened, record, owner, status, verdict.reason.value, content)
        if status == WAITING:
            self.opened.add(owner, record.id)
            self._line_up(record.cell, Waiting(index, opened.ticket, record.id))
        elif verdict.released:
            self.search()
        return answer

    def _answered(
        self,
        opened: Opened,
        record: Stored,
        owner: str,
        status: str,
        reason: str,
        content: str | None = None,
    ) -> dict[str, Any]:
        """What the log says of a decision (digests, reasons and exposures, never a value), and the answer."""
        (x, y), ticket = record.cell, opened.ticket
        text = decision_text(
            self._outside_text(),
            self.policy.version,
            self.waiting,
            self.named(record.id),
            self._placed(record),
            reason,
            status,
            ticket,
            opened.owner,
            opened.asked,
            content,
        )
        index, value = self._writer.append("decision", text)
        settled = None if status == WAITING else index
        self._requests[ticket] = [ticket, self._dataset, record.id, x, y, owner, status, index, settled]
        return {"decision": status, "ticket": ticket, "index": index, "hash": value}

    def _placed(self, record: Stored) -> str:
        """What stands for a record's cell in the log."""
        return digest(self._key, self._dataset, record.id, *record.cell)

    def _body(self, record: Stored) -> str:
        return body_digest(self._key, self._dataset, record.id, record.body)

    def _standing(self) -> dict[str, Any]:
        """What every entry says of what is outside."""
        counts = sum_digest(self._key, self._dataset, "cells", self._total)
        return standing(self.policy, self.state, self.waiting, counts)

    def _outside_text(self) -> str:
        """What of it changes only when a record leaves or rules do, as it is spelled."""
        if self._outside is None or self._outside[0] is not self.state or self._outside[1] is not self.policy:
            self._outside = self.state, self.policy, outside_text(self._standing())
        return self._outside[2]

    # -- leaving --------------------------------------------------------------------------------

    def _let_out(self, record: Stored, verdict: ReleaseVerdict, index: int) -> None:
        now = int(verdict.following.counts[record.cell])
        self._total = cell_sum_after(self._key, self._dataset, self._total, *record.cell, now)
        self.state = verdict.following
        self._blocked[:, verdict.cell.y] = False
        self._left[record.id] = index, record

    def search(self) -> None:
        """Release the waiting requests that may be released now, from the first."""
        while self.waiting and (cell := next_to_leave(self.state, self.heads, self._blocked)) is not None:
            first = self._lines.first(cell, self._earlier(int(self.heads[cell])))
            if first is None or first.arrived != self.heads[cell]:
                raise changed("The table of requests")
            record, listed = self._leaving(first, cell)
            self._let_out(record, decide(self.state, cell), self._writer.next)
            self.waiting -= len(listed)
            text = left_text(
                self._outside_text(),
                self.policy.version,
                self.waiting,
                self.named(record.id),
                self._placed(record),
                "safe",
                listed,
                self._body(record),
            )
            index, _ = self._writer.append("left", text)
            for ticket in listed:
                self._settle(ticket, RELEASED, index)
            self._lead(cell)

    def _leaving(self, first: Waiting, cell: Cell) -> tuple[Stored, list[str]]:
        """A record whose turn it is, and all tickets waiting for it, if their rows are what the log says."""
        waiting, rows, arrival = self._lines.leaving(first)
        earlier = [(ticket, arrived) for ticket, arrived in waiting if ticket not in self._lines.gone]
        others = [one for one in earlier if one[0] != first.ticket]
        found = dict(zip(others, self._arrivals(others), strict=True))
        found[first.ticket, first.arrived] = arrival
        self.logged.require_arrivals(first.record, earlier, [found[one] for one in earlier])
        record = self._asked.get(first.record)
        if record is None and rows:
            record = stored(self._key, self._dataset, first.record, rows[0])
        if record is None or record.cell != cell or self.is_outside(record):
            raise changed("A record that was waited for")
        fresh = self._lines.fresh_for(cell, first.record)
        listed = [ticket for ticket, _ in (*earlier, *fresh)]
        if first.ticket not in listed:  # an index lacks it, so that others may be lacking as well
            raise changed("The table of requests")
        return record, listed

    def _earlier(self, arrived: int) -> int | None:
        """An arrival, if it was before this transaction, so that the database has it."""
        return arrived if arrived <= self._begun else None

    def _arrivals(self, waiting: Sequence[tuple[str, int]]) -> list[list[Row]]:
        """The entries with which requests arrived."""
        queries = [entry_query(self._dataset, arrived) for _, arrived in waiting]
        return self._connection.several(queries) if queries else []

    def _settle(self, ticket: str, status: str, index: int) -> None:
        self._lines.gone.add(ticket)
        if ticket in self._requests:
            self._requests[ticket][6], self._requests[ticket][8] = status, index
        else:
            self._settled.append((status, index, ticket))

    def _line_up(self, cell: Cell, waiting: Waiting) -> None:
        self._lines.join(cell, waiting)
        self.heads[cell] = min(int(self.heads[cell]), waiting.arrived)

    def _lead(self, cell: Cell) -> None:
        first = self._lines.first(cell)
        self.heads[cell] = NEVER if first is None else first.arrived

    # -- other than requests --------------------------------------------------------------------

    def withdraw(self, ticket: str, cell: Cell) -> dict[str, Any]:
        """A waiting request is taken back."""
        self.waiting -= 1
        entry = self._writer.add("withdrawn", {"tickets": [ticket], **self._standing()})
        self._settle(ticket, WITHDRAWN, entry.index)
        self._lead(cell)
        return {"decision": WITHDRAWN, "ticket": ticket, "index": entry.index, "hash": entry.hash}

    def hold_to(self, policy: PolicyVersion, kind: str, body: dict[str, Any]) -> Entry:
        """Hold what is outside to another policy on the same domain, and see who may leave."""
        self.policy = policy
        self.state = policy.guard.state(self.state.counts)
        self._blocked = self.state.never()
        entry = self._writer.add(kind, {**body, **self._standing()})
        self.search()
        return entry

    # -- writing --------------------------------------------------------------------------------

    def writings(self) -> list[Writing]:
        """Everything that has to be in the database for what was decided."""
        dataset = self._dataset
        counted = sorted({record.cell for _, record in self._left.values()})
        cells = [(int(self.state.counts[cell]), dataset, *cell) for cell in counted]
        answers = [(*by, named, answer_text(answer)) for by, (named, answer) in self._given.items()]
        found: list[Writing] = [
            (REQUEST, list(self._requests.values())),
            (SETTLE, self._settled),
            (RELEASE, [self._released(index, record) for index, record in self._left.values()]),
            (CELL, cells),
            *self._writer.writings(),
            (ANSWER, answers),
        ]
        return [one for one in found if one[1]]

    def _released(self, index: int, record: Stored) -> tuple[Any, ...]:
        """How a record's row changes with the entry that released it."""
        seal = record_seal(self._key, self._dataset, record.id, *record.cell, record.body, index)
        return index, seal, self._dataset, record.id
