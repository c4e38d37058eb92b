"""Every decision of a log taken again, from the beginning and with nothing but the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from divulge.safe_release import Cell, decide, next_to_leave
from divulge.safe_release.queue import Queue
from divulge.service.decisions.logged.content_digests import cell_sum, cell_sum_after, sum_digest
from divulge.service.decisions.policies import PolicyVersion, policies_of
from divulge.service.decisions.transaction import RELEASED, standing, status_of
from divulge.service.identities.approvals import OpenProposal
from divulge.service.ledger.chain import Entry, Fault, digest
from divulge.service.ledger.paging import log, paged
from divulge.service.operations.history import REPEATED
from divulge.service.store.connection import Transaction

FORMERLY = "divulge.release 1"  # the checker, before it had another name


class ReplayedRequest(NamedTuple):
    """Which record a request was for, and its cell on the newest domain."""

    record: str
    cell: Cell


@dataclass(frozen=True)
class Replay:
    """How many decisions were taken again, and the first entry that came out otherwise."""

    decisions: int
    fault: Fault | None


def replay(connection: Transaction, dataset: str, newest: int, key: bytes) -> Replay:
    """Take every decision of a whole log again, from the policies and the requests in the database.

    ``newest`` is the version in force at the end of the log.
    """
    policies = {policy.version: policy for policy in policies_of(connection, dataset)}
    rows = paged(connection, "request", "ticket", "record, x, y", dataset)
    requests = {ticket: ReplayedRequest(record, Cell(x, y)) for ticket, record, x, y in rows}
    return _Walk(dataset, policies, newest, requests, key).along(log(connection, dataset))


class _Differs(Exception):
    """An entry says something else than what follows from those before it."""


class _Walk:
    """What is outside and who waits, from nothing to the end of a log."""

    def __init__(
        self,
        dataset: str,
        policies: Mapping[int, PolicyVersion],
        newest: int,
        requests: Mapping[str, ReplayedRequest],
        key: bytes,
    ) -> None:
        self._dataset, self._policies, self._key, self._requests = dataset, policies, key, requests
        self._newest = policies[newest].guard.domain
        self._decisions = 0
        self._out: set[str] = set()  # records
        self._waiting: dict[str, list[str]] = {}  # tickets by record, in the order in which they came
        self._proposals: dict[int, OpenProposal] = {}
        self._due: Cell | None = None  # whose first request has to leave next

    def along(self, entries: Iterable[Entry]) -> Replay:
        index = 0
        try:
            for entry in entries:
                index = entry.index
                self._take(entry.kind, entry.fields, entry.at)
            index += 1
            if self._due is not None:
                raise _Differs("is missing: a waiting request can be released.")
        except _Differs as found:
            return Replay(self._decisions, Fault(index, f"Entry {index} {found}"))
        return Replay(self._decisions, None)

    def _take(self, kind: str, told: dict[str, Any], at: str) -> None:
        if self._due is not None and kind != "left":
            raise _Differs("comes too early: a waiting request can be released before it.")
        if kind == "loaded":
            self._start(told)
        elif kind == "decision":
            self._decide(told)
        elif kind == "left":
            self._leave(told)
        elif kind == "withdrawn":
            for ticket in told["tickets"]:
                self._step_back(ticket)
        elif kind == "policy proposed" and "proposer" in told:
            self._proposals[told["policy"]] = OpenProposal.of(told)
        elif kind in ("policy approved", "baseline followed"):
            self._approve(kind, told, at)
            self._hold_to(told)
        if "exposures" in told:
            counts = sum_digest(self._key, self._dataset, "cells", self._total)
            found = standing(self._policy, self._state, len(self._queue), counts)
            _same(told, found | _unlike_today(told))

    # -- what entries do ------------------------------------------------------------------------

    def _start(self, told: dict[str, Any]) -> None:
        self._policy = self._version(told)
        self._then = self._policy.guard.domain.cell_of(self._newest)
        self._state, self._total = self._policy.guard.start(), 0
        self._queue = Queue(self._policy.guard.domain)

    def _approve(self, kind: str, told: dict[str, Any], at: str) -> None:
        """Refuse rules that not enough persons have approved; before keys had persons, no entry says who."""
        before, given = self._proposals.get(told["policy"]), "proposer" in told
        if kind != "policy approved" or (before is None and not given):
            return
        if not given or not OpenProposal.of(told).follows(before, at, self._policy.approval):
            raise _Differs("approves rules without as many other persons as they need, or too late.")

    def _hold_to(self, told: dict[str, Any]) -> None:
        self._policy = self._version(told)
        guard = self._policy.guard
        try:
            self._state, self._queue = self._state.under(guard), self._queue.moved(guard.domain)
        except KeyError:
            raise _Differs("uses a policy that does not cover all released records.") from None
        self._total = cell_sum(self._key, self._dataset, self._state.counts)
        self._then = self._policy.guard.domain.cell_of(self._newest)
        self._search()

    def _decide(self, told: dict[str, Any]) -> None:
        self._decisions += 1
        (ticket,) = told["tickets"]
        asked = self._asked(ticket)
        cell = self._then(asked.cell)
        if asked.record in self._out:
            _same(told, {**self._named(asked.record, cell), "verdict": RELEASED, "reason": REPEATED})
            return
        found = decide(self._state, cell)
        verdict = status_of(found)
        _same(told, {**self._named(asked.record, cell), "verdict": verdict, "reason": found.reason.value})
        if found.waits:
            self._queue.join(ticket, cell)
            self._waiting.setdefault(asked.record, []).append(ticket)
        if found.released:
            self._let_out(asked.record, cell)

    def _leave(self, told: dict[str, Any]) -> None:
        if self._due is None:
            raise _Differs("releases a record that may not be released.")
        self._decisions += 1
        first = self._queue.leave(self._due)
        record = self._asked(first).record
        tickets = self._waiting.pop(record)
        _same(told, {**self._named(record, self._due), "reason": "safe", "tickets": tickets})
        for ticket in tickets:
            if ticket != first:
                self._queue.withdraw(ticket)
        self._let_out(record, self._due)

    def _let_out(self, record: str, cell: Cell) -> None:
        self._state = self._state.after(cell)
        now = int(self._state.counts[cell])
        self._total = cell_sum_after(self._key, self._dataset, self._total, *cell, now)
        self._out.add(record)
        self._search()

    def _step_back(self, ticket: str) -> None:
        if ticket not in self._queue:
            raise _Differs("settles a request that is not waiting.")
        self._queue.withdraw(ticket)
        self._waiting[self._asked(ticket).record].remove(ticket)

    def _search(self) -> None:
        self._due = next_to_leave(self._state, self._queue.heads)

    # -- what entries say -----------------------------------------------------------------------

    def _asked(self, ticket: str) -> ReplayedRequest:
        if ticket not in self._requests:
            raise _Differs("is about a request that the database does not have.")
        return self._requests[ticket]

    def _version(self, told: dict[str, Any]) -> PolicyVersion:
        found = self._policies.get(told["policy"])
        if found is None:
            raise _Differs("was written under a policy that the database does not have.")
        return found

    def _named(self, record: str, cell: Cell) -> dict[str, Any]:
        named = digest(self._key, self._dataset, record)
        return {"record": named, "cell": digest(self._key, self._dataset, record, *cell)}


def _unlike_today(told: Mapping[str, Any]) -> dict[str, Any]:
    """What an entry of an earlier version says otherwise or not at all, though it was decided as today."""
    found = {} if "counts" in told else {"counts": None}
    return {**found, "checker": told["checker"]} if told.get("checker") == FORMERLY else found


def _same(told: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Refuse an entry that differs from what was found, naming in what; digests are not shown."""
    for name, value in found.items():
        if told.get(name) != value:
            raise _Differs(f"has another {name} than follows from the entries before it.")
