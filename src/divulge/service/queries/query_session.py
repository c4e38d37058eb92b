"""Queries decided one after the other on what was answered before; nothing leaves before it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from divulge.errors import DivulgeError, QueryError, SourceError, Unavailable
from divulge.service.decisions.checked_rows import changed
from divulge.service.decisions.committing.group_queue import Piece
from divulge.service.decisions.issued_keys import IssuedKeys
from divulge.service.ledger.chain import Entry
from divulge.service.ledger.log_writer import Head, LogWriter
from divulge.service.queries.entries import FORM, QUERY, AskedQuery, entry_of, told_of
from divulge.service.queries.held_tables import HeldTable
from divulge.service.store.connection import Row, Writing

if TYPE_CHECKING:
    from divulge.queries.guard import GuardState, QueryGuard
    from divulge.queries.query import Query

INSERT = "INSERT INTO query (repeat, dataset, idx) VALUES (?, ?, ?)"
CONFLICT: dict[str, Any] = {"error": "conflict"}


class QuerySession:
    """What is decided before one transaction writes it.

    ``earlier`` are entries of queries that were asked before under the same keys, by their digests; None for
    one of another table. ``keys`` are those of who may ask, at a time.
    """

    def __init__(
        self, held: HeldTable, earlier: Mapping[str, Entry | None], keys: IssuedKeys, at: str
    ) -> None:
        self.held, self._earlier, self._keys, self._at = held, earlier, keys, at
        self._state = None if held.opened is None else held.opened.state
        self.lost_table = False
        self._new: dict[str, dict[str, Any]] = {}  # entries to be written, by the digests of their keys
        self._said: dict[str, dict[str, Any]] = {}  # why a text is no query, likewise
        self._answered: list[tuple[Piece, AskedQuery]] = []
        self._entries: dict[str, Entry] = {}

    def decide(self, pieces: Sequence[Piece]) -> None:
        """Decide queries in their order; what goes wrong with one is its own."""
        for piece in pieces:
            asked: AskedQuery = piece.work
            piece.answer, piece.error = None, None
            try:
                self._keys.require(asked.by_key, self._at)
                if asked.repeat not in self._earlier and asked.repeat not in self._new:
                    self._new[asked.repeat] = self._decided(asked)
                elif self._reason(asked.repeat) == FORM:
                    with suppress(Unavailable):  # it is answered, if without a sentence
                        self._parsed(asked)
                self._answered.append((piece, asked))
            except DivulgeError as error:
                piece.error = error

    def require_keys(self, keys: IssuedKeys, at: str) -> None:
        """Refuse what was decided for a key that has ended meanwhile."""
        for _, asked in self._answered:
            keys.require(asked.by_key, at)

    def _decided(self, asked: AskedQuery) -> dict[str, Any]:
        policy = self.held.row.policy_digest
        query = self._parsed(asked)
        if query is None:
            return entry_of(asked, None, policy, self._span())
        guard, state = self._at_hand()
        try:
            decision = guard.decide(query, asked.analyst, state)
        except SourceError as error:
            self.lost_table = True
            raise unreadable() from error
        self._state = guard.after(state, decision)
        return entry_of(asked, decision, policy, self._span())

    def _span(self) -> int | None:
        """How many independent equations are outside, where that is audited."""
        opened = self.held.opened
        if opened is None or self._state is None or self.held.row.policy.controls.differencing is None:
            return None
        return opened.guard.equations(self._state)

    def _parsed(self, asked: AskedQuery) -> Query | None:
        """A query that may be asked; else why it may not, which is said anew each time: it is not logged."""
        try:
            return self._at_hand()[0].parse(asked.text)
        except QueryError as error:
            hint = {} if error.hint is None else {"hint": error.hint}
            self._said[asked.repeat] = {"message": error.message, **hint}
            return None

    def _reason(self, repeat: str) -> str | None:
        entry = self._earlier.get(repeat)
        return None if entry is None else entry.fields["reason"]

    def _at_hand(self) -> tuple[QueryGuard, GuardState]:
        if self.held.opened is None or self._state is None or self.lost_table:
            raise unreadable()
        return self.held.opened.guard, self._state

    def writings(self, writer: LogWriter) -> list[Writing]:
        """Add what was decided to the log, and say what else has to be written; the pieces are answered."""
        self._entries = {repeat: writer.add(QUERY, told) for repeat, told in self._new.items()}
        for piece, asked in self._answered:
            piece.answer = self._told(asked, self._entries.get(asked.repeat) or self._earlier[asked.repeat])
        rows: list[Row] = [(repeat, writer.chain, entry.index) for repeat, entry in self._entries.items()]
        return [(INSERT, rows), *writer.writings()] if rows else []

    def after(self, head: Head) -> HeldTable:
        """How the table stands once everything is written."""
        return self.held.with_decided([*self._entries.values()], head, self._state)

    def _told(self, asked: AskedQuery, entry: Entry | None) -> dict[str, Any]:
        """What is answered to a query by its entry; Conflict where the key was for another query."""
        told = {} if entry is None else entry.fields
        if entry is None or told["asked"] != asked.asked:
            return CONFLICT
        if told["repeat"] != asked.repeat or told["analyst"] not in (asked.analyst, asked.own):
            raise changed("The table of queries")
        return {**told_of(entry), **self._said.get(asked.repeat, {})}


def unreadable() -> Unavailable:
    return Unavailable(
        "The table cannot be read now, so nothing was decided.",
        hint="The operator can see why with: divulge query status",
    )
