"""Requests that wait, in the order in which they came, cell by cell."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from divulge._compiled.release import NEVER
from divulge.errors import ParameterError
from divulge.safe_release.domain import Cell, Domain

IntArray = npt.NDArray[np.int64]


class Queue:
    """Tickets that wait. Those of one cell are alike, so each cell has a line of its own."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._lines: dict[Cell, deque[tuple[int, str]]] = {}
        self._places: dict[str, Cell] = {}
        self._arrivals = 0
        self.heads: IntArray = np.full(domain.shape, NEVER)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, ticket: str) -> bool:
        return ticket in self._places

    def __iter__(self) -> Iterator[str]:
        """Tickets in the order in which they came."""
        waiting = sorted(pair for line in self._lines.values() for pair in line)
        return iter([ticket for _, ticket in waiting])

    def cell(self, ticket: str) -> Cell:
        return self._places[ticket]

    def join(self, ticket: str, cell: Cell) -> None:
        """Wait behind all that came before."""
        if ticket in self._places:
            raise ParameterError(
                f"Ticket '{ticket}' is already waiting.", hint=("Use one ticket for each request.")
            )
        self._lines.setdefault(cell, deque()).append((self._arrivals, ticket))
        self._places[ticket] = cell
        self._arrivals += 1
        self._lead(cell)

    def leave(self, cell: Cell) -> str:
        """The first ticket of a cell, which waits no longer."""
        _, ticket = self._lines[cell].popleft()
        del self._places[ticket]
        self._lead(cell)
        return ticket

    def withdraw(self, ticket: str) -> Cell:
        """Take a ticket out; says which cell it was of."""
        if ticket not in self._places:
            raise ParameterError(
                f"No ticket '{ticket}' is waiting.", hint=("It may have been released or withdrawn.")
            )
        cell = self._places.pop(ticket)
        self._lines[cell] = deque(pair for pair in self._lines[cell] if pair[1] != ticket)
        self._lead(cell)
        return cell

    def _lead(self, cell: Cell) -> None:
        line = self._lines[cell]
        self.heads[cell] = line[0][0] if line else NEVER
        if not line:
            del self._lines[cell]

    def moved(self, domain: Domain) -> Queue:
        """The same tickets in the same order on a domain that has all cells of this one."""
        values, targets = domain.places(self._domain)
        found = Queue(domain)
        for ticket in self:
            cell = self._places[ticket]
            found.join(ticket, Cell(values[cell.x], targets[cell.y]))
        return found
