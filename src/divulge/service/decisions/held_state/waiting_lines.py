"""Who waits in each cell, in the order in which they came, as a transaction goes along the lines."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from divulge.safe_release import Cell
from divulge.service.decisions.checked_rows import RECORD
from divulge.service.ledger.tail import entry_query
from divulge.service.store.connection import Query, Row, Transaction

FIRST, MOST = 8, 64  # waiting requests of a cell that are looked up together, at first and at most
TICKETS = """SELECT ticket, arrived FROM request WHERE dataset = ? AND record = ? AND status = 'waiting'
    ORDER BY arrived"""
_FIRST = (
    "SELECT record FROM request WHERE dataset = ? AND status = 'waiting' AND x = ? AND y = ? AND arrived = ?"
)
TICKETS_OF_FIRST = TICKETS.replace("record = ?", f"record = ({_FIRST})")
RECORD_OF_FIRST = RECORD.replace("id = ?", f"id = ({_FIRST})")


class Waiting(NamedTuple):
    """A request that waits, by the entry with which it arrived."""

    arrived: int
    ticket: str
    record: str


class LeavingRows(NamedTuple):
    """With what a record may leave: requests that wait for it, its row, and the entry of one of them."""

    tickets: list[Row]
    record: list[Row]
    arrival: list[Row]


@dataclass
class _Line:
    """The requests of a cell: some of those in the database, then those that came in this transaction."""

    earlier: deque[Waiting] = field(default_factory=deque)
    fresh: deque[Waiting] = field(default_factory=deque)
    read: int = 0  # up to which arrival they were looked up
    more: bool = True  # whether the database may have others
    page: int = field(default_factory=lambda: FIRST)  # of which so many are looked up next


class WaitingLines:
    """The lines of a dataset. What the database has of them does not change before the transaction ends."""

    def __init__(self, connection: Transaction, dataset: str) -> None:
        self._connection, self._dataset = connection, dataset
        self._lines: dict[Cell, _Line] = {}
        self._leaving: dict[int, LeavingRows] = {}  # by arrival
        self.gone: set[str] = set()  # tickets that no longer wait

    def join(self, cell: Cell, waiting: Waiting) -> None:
        """One more at the end of a line."""
        self._line(cell).fresh.append(waiting)

    def leaving(self, first: Waiting) -> LeavingRows:
        """The rows with which the record of a waiting request may leave."""
        known = self._leaving.get(first.arrived)
        if known is not None:
            return known
        name = self._dataset, first.record
        queries = [(TICKETS, name), (RECORD, name), entry_query(self._dataset, first.arrived)]
        return LeavingRows(*self._connection.several(queries))

    def first(self, cell: Cell, arrived: int | None = None) -> Waiting | None:
        """The first who waits in a cell.

        Who is to leave if they are the first is looked up together with the line: those of an arrival.
        """
        line = self._line(cell)
        while True:
            while line.earlier:
                if line.earlier[0].ticket not in self.gone:
                    return line.earlier[0]
                line.earlier.popleft()
            if not line.more:
                break
            self._look_up(cell, line, arrived)
        while line.fresh and line.fresh[0].ticket in self.gone:
            line.fresh.popleft()
        return line.fresh[0] if line.fresh else None

    def fresh_for(self, cell: Cell, record: str) -> list[tuple[str, int]]:
        """Tickets of this transaction that wait for a record, and the entries with which they arrived."""
        return [
            (one.ticket, one.arrived)
            for one in self._line(cell).fresh
            if one.record == record and one.ticket not in self.gone
        ]

    def _line(self, cell: Cell) -> _Line:
        found = self._lines.get(cell)
        if found is None:
            found = self._lines[cell] = _Line()
        return found

    def _look_up(self, cell: Cell, line: _Line, arrived: int | None) -> None:
        sql = f"""SELECT arrived, ticket, record FROM request WHERE dataset = ? AND status = 'waiting'
            AND x = ? AND y = ? AND arrived > ? ORDER BY arrived LIMIT {line.page}"""
        queries: list[Query] = [(sql, (self._dataset, *cell, line.read))]
        if arrived is not None and arrived not in self._leaving:
            first = self._dataset, self._dataset, *cell, arrived
            queries += [(TICKETS_OF_FIRST, first), (RECORD_OF_FIRST, first)]
            queries.append(entry_query(self._dataset, arrived))
        rows, *leaving = self._connection.several(queries)
        if arrived is not None and leaving:
            self._leaving[arrived] = LeavingRows(*leaving)
        line.earlier.extend(Waiting(*row) for row in rows)
        line.more, line.page = len(rows) == line.page, min(4 * line.page, MOST)
        line.read = rows[-1][0] if rows else line.read
