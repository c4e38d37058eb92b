"""Records leave on request, one at a time: what is outside and who waits, in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from divulge.errors import ParameterError
from divulge.safe_release.decision import ReleaseVerdict, decide, next_to_leave
from divulge.safe_release.domain import Cell, HolderTable
from divulge.safe_release.queue import Queue
from divulge.safe_release.state import Guard, State


@dataclass(frozen=True)
class Answer:
    """The result of a request: its verdict, and the tickets of requests released after it."""

    ticket: str
    verdict: ReleaseVerdict
    left: tuple[str, ...]  # in the order in which they left, the request's own first if it did


class Controller:
    """Decides requests in their order, and keeps those that wait.

    It holds counts and tickets, no records, and nothing on disk. After every release those waiting are looked
    through from the first, until none may leave.

    >>> from divulge.safe_release import Guard, table_of
    >>> controller = Controller(Guard.of(table_of([[50, 40], [50, 60]]), "kld", 0.2))
    >>> controller.request("first", {"x": 0, "y": 0}).verdict
    Verdict(waits: peculiar)
    """

    def __init__(self, guard: Guard, state: State | None = None) -> None:
        self.state = state or guard.start()
        self.waiting = Queue(guard.domain)
        self._blocked = self.state.never()

    @property
    def guard(self) -> Guard:
        return self.state.guard

    def request(self, ticket: str, record: Cell | Mapping[str, Any]) -> Answer:
        """Decide a request. If its record may not leave now, the ticket waits."""
        if ticket in self.waiting:
            raise ParameterError(
                f"Ticket '{ticket}' is already waiting.", hint=("Use one ticket for each request.")
            )
        verdict = decide(self.state, record)
        if verdict.waits:
            self.waiting.join(ticket, verdict.cell)
        if not verdict.released:
            return Answer(ticket, verdict, ())
        self._unblock(verdict.cell)
        self.state = verdict.following
        return Answer(ticket, verdict, (ticket, *self._search()))

    def withdraw(self, ticket: str) -> None:
        """A waiting request is taken back; nothing else changes."""
        self.waiting.withdraw(ticket)

    def follow(self, table: HolderTable) -> tuple[str, ...]:
        """Take the holder's table as it is now for the baseline; says which tickets could leave."""
        return self.hold_to(self.guard.following(table, self.guard.baseline.version + 1))

    def hold_to(self, guard: Guard) -> tuple[str, ...]:
        """Hold what is outside to another guard, whose domain has all cells of this one."""
        self.waiting = self.waiting.moved(guard.domain)
        self.state = self.state.under(guard)
        self._blocked = self.state.never()
        return tuple(self._search())

    def _search(self) -> list[str]:
        left = []
        while self.waiting and (cell := next_to_leave(self.state, self.waiting.heads, self._blocked)):
            self._unblock(cell)
            self.state = decide(self.state, cell).following
            left.append(self.waiting.leave(cell))
        return left

    def _unblock(self, cell: Cell) -> None:
        """What stood against a target's cells may stand no longer once it has a record more outside."""
        self._blocked[:, cell.y] = False
