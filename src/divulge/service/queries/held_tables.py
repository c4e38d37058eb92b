"""A guarded table as it stands at one entry of its log: what was asked, and what its guard knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from divulge.service.decisions.checked_rows import changed
from divulge.service.ledger.chain import ODD, START, Entry, fault_in
from divulge.service.ledger.log_writer import Head, entries_of
from divulge.service.ledger.paging import PAGE
from divulge.service.queries.entries import QueryTally, answered_in
from divulge.service.queries.guarded_tables import GuardedRow
from divulge.service.store.connection import Transaction

if TYPE_CHECKING:
    from divulge.queries.guard import GuardState, QueryGuard
    from divulge.queries.table import GuardedTable

NOTHING = Head(0, 0, START)


class OpenTable(NamedTuple):
    """A table that can be read, its guard, and what the guard knows of earlier answers."""

    table: GuardedTable
    guard: QueryGuard
    state: GuardState


@dataclass(frozen=True)
class HeldTable:
    """A guarded table up to an entry; without the table itself it can be counted what was asked."""

    row: GuardedRow
    opened: OpenTable | None = None
    head: Head = NOTHING
    tally: QueryTally = field(default_factory=QueryTally)

    @classmethod
    def read_anew(cls, row: GuardedRow, key: bytes) -> HeldTable:
        """The table opened, before the first entry of its log; SourceError where it is gone."""
        table, guard = row.opened(key)
        return cls(row, OpenTable(table, guard, guard.replay(())))

    def caught_up(self, connection: Transaction, head: Head, key: bytes) -> HeldTable:
        """The same some entries later, which have to be the holder's."""
        if self.head == head:
            return self
        held = self
        for page in _pages(connection, self.row.name, self.head, head, key):
            held = held.after(page)
        return replace(held, head=head)

    def after(self, entries: list[Entry]) -> HeldTable:
        """With more entries of the log, as others have decided them."""
        answered = [found for found in map(answered_in, entries) if found is not None]
        opened = self.opened
        if opened is not None and answered:
            opened = opened._replace(state=opened.guard.replay(answered, opened.state))
        return replace(self, opened=opened, tally=self.tally.after(entries))

    def with_decided(self, entries: list[Entry], head: Head, state: GuardState | None) -> HeldTable:
        """With what was decided here, after which the guard knows this."""
        opened = self.opened if self.opened is None or state is None else self.opened._replace(state=state)
        return HeldTable(self.row, opened, head, self.tally.after(entries))


def _pages(connection: Transaction, name: str, since: Head, head: Head, key: bytes) -> Iterator[list[Entry]]:
    """Entries between two states of a log, if they lead from one to the other with the holder's seals."""
    before: Entry | None = None
    reached, wrong = since.entries, changed("The log")
    if since != NOTHING and (since.epoch != head.epoch or reached > head.entries):
        raise wrong
    try:
        if reached:
            (before,) = entries_of(connection, name, reached - 1, 1)
            if before.hash != since.hash:
                raise wrong
        while reached < head.entries:
            page = entries_of(connection, name, reached, min(PAGE, head.entries - reached))
            if not page or fault_in(page, key, before) is not None:
                raise wrong
            yield page
            before, reached = page[-1], page[-1].index
    except ODD:
        raise wrong from None
    if before is not None and before.hash != head.hash:
        raise wrong
