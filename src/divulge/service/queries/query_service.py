"""Guarded tables of a service: queries are decided, logged and signed before an answer leaves."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

from divulge.errors import Conflict, DivulgeError, Forbidden, SourceError
from divulge.service.decisions.checked_rows import changed
from divulge.service.decisions.checkpointed import known_tip
from divulge.service.decisions.committing.group_queue import Group, Piece
from divulge.service.decisions.committing.shared_commits import Reached, SharedCommits
from divulge.service.decisions.decisions import DecisionService
from divulge.service.decisions.proofs import Decided
from divulge.service.ledger.chain import Entry
from divulge.service.ledger.known_states import Expected
from divulge.service.ledger.log_tree import tree_at
from divulge.service.ledger.log_writer import Head, LogWriter, Tip
from divulge.service.ledger.tail import sealed_entry
from divulge.service.queries.entries import AskedQuery
from divulge.service.queries.guarded_tables import described
from divulge.service.queries.held_tables import HeldTable
from divulge.service.queries.query_session import QuerySession
from divulge.service.queries.same_analysts import SameAnalysts
from divulge.service.queries.standing import persons_of, standing
from divulge.service.store.connection import Transaction

LOGGER = logging.getLogger("divulge.service")
ATTEMPTS = 4  # to decide before a transaction, while others go on; the last is within it
ASKED = "SELECT repeat, dataset, idx FROM query WHERE repeat IN ({})"


class _Moved(Exception):
    """Another process has decided something meanwhile, or a key has ended."""


class QueryService:
    """What analysts may ask of guarded tables. Access is checked before."""

    def __init__(self, decider: DecisionService) -> None:
        self._decider = decider
        self._held: dict[str, HeldTable] = {}
        self._analysts = SameAnalysts(decider.database)
        self._commits = SharedCommits(self._decided, decider.require_log)

    def prepare(self) -> None:
        """Read every table and its log beforehand, so that the first query does not wait for it."""
        for name in self._decider.guarded_tables():
            if name not in self._decider.behind:
                try:
                    self._open(name)
                    self._decider.at_one_moment(name, partial(self._current, name))
                except DivulgeError as error:
                    LOGGER.warning("%s cannot be prepared: %s", name, error)

    def close(self) -> None:
        for name in [*self._held]:
            self._drop(name)

    # -- what may be asked for ------------------------------------------------------------------

    def ask(self, name: str, text: str, person: str, idempotency: str, by_key: str | None = None) -> Decided:
        """Decide one query of a person; a repeated one is answered the same."""
        key, first = self._decider.secrets.digest, self._analysts.first(person)
        asked = AskedQuery.of(key, name, text, person, idempotency, by_key, first)
        answer, reached = self._commits.done(name, Piece(asked, shared=True))
        if "error" in answer:
            raise Conflict("This idempotency key was used for another query.", hint="Use a new key.")
        checkpoint = self._decider.covering(name, answer["index"], reached.checkpoint)
        return Decided([answer], checkpoint, reached.tree)

    def status(self, name: str) -> dict[str, Any]:
        """What was asked, answered and spent; nothing of any record."""

        def work(connection: Transaction, head: Head) -> dict[str, Any]:
            key = self._decider.secrets.digest
            counted = HeldTable(described(connection, name, key)).caught_up(connection, head, key)
            return standing(counted, self._decider.behind.get(name))

        return self._decider.at_one_moment(name, work)

    def persons(self, name: str) -> dict[str, str]:
        """Who is behind the digests of analysts, as far as there are keys of them; for the operator."""
        key = self._decider.secrets.digest
        return self._decider.database.read(lambda connection: persons_of(connection, name, key))

    def table_fault(self, name: str) -> str | None:
        """Why a table cannot be asked now, in a sentence; for the operator, since it says where it is."""
        key = self._decider.secrets.digest
        row = self._decider.database.read(lambda connection: described(connection, name, key))
        try:
            table, _ = row.opened(key)
        except SourceError as error:
            return f"The table cannot be read, so nothing is decided. {error}"
        with table:
            if not table.is_known_as(row.fingerprint):
                return (
                    "The table has changed since it was guarded, so every query is refused. "
                    "Guard it as it is now under another name: divulge query init"
                )
        return None

    # -- deciding -------------------------------------------------------------------------------

    def _decided(self, name: str, group: Group) -> Reached:
        """What a group asks: decided, written in one transaction, and signed.

        Queries are decided outside the transaction, since a table may be slow, and written only if nobody
        else has decided anything meanwhile.
        """
        self._decider.require_signer()
        for attempt in range(ATTEMPTS):
            expected = self._decider.expected(name)
            self._open(name)
            decide = self._within if attempt == ATTEMPTS - 1 else self._beforehand
            try:
                session, writer = decide(name, group.pieces, expected)
            except _Moved:
                continue
            if session.lost_table:
                self._drop(name)
            return self._signed(name, session, writer, expected)
        raise AssertionError("nobody else decides within the transaction")

    def _beforehand(
        self, name: str, pieces: Sequence[Piece], expected: Expected
    ) -> tuple[QuerySession, LogWriter]:
        session = self._decider.database.read(partial(self._begun, name, pieces, expected))
        session.decide(pieces)

        def write(connection: Transaction) -> LogWriter:
            try:
                session.require_keys(self._decider.keys_at(connection), self._decider.time())
            except Forbidden:
                raise _Moved from None
            return self._write(name, expected, session, connection)

        return session, self._decider.database.transact(name, write)

    def _within(
        self, name: str, pieces: Sequence[Piece], expected: Expected
    ) -> tuple[QuerySession, LogWriter]:
        def work(connection: Transaction) -> tuple[QuerySession, LogWriter]:
            session = self._begun(name, pieces, expected, connection)
            session.decide(pieces)
            return session, self._write(name, expected, session, connection)

        return self._decider.database.transact(name, work)

    def _begun(
        self, name: str, pieces: Sequence[Piece], expected: Expected, connection: Transaction
    ) -> QuerySession:
        """How a table stands, and what was asked of it before under the same keys."""
        tip = known_tip(connection, name)
        self._decider.require_newest(connection, name, tip, expected)
        held = self._current(name, connection, tip.head)
        repeats = tuple({piece.work.repeat for piece in pieces})
        rows = connection.rows(ASKED.format(", ".join("?" * len(repeats))), repeats)
        earlier = {
            repeat: self._entry(connection, name, index) if dataset == name else None
            for repeat, dataset, index in rows
        }
        return QuerySession(held, earlier, self._decider.keys_at(connection), self._decider.time(tip.at))

    def _entry(self, connection: Transaction, name: str, index: int) -> Entry:
        found = sealed_entry(connection, name, index, self._decider.secrets.digest)
        if found is None:
            raise changed("The table of queries")
        return found

    def _write(
        self, name: str, expected: Expected, session: QuerySession, connection: Transaction
    ) -> LogWriter:
        """Write what was decided, unless the log has moved on since."""
        tip = known_tip(connection, name)
        self._decider.require_newest(connection, name, tip, expected)
        if tip.head != session.held.head:
            raise _Moved
        tree = tree_at(connection, name, tip.head.entries)
        writer = LogWriter(name, tip.head, self._decider.secrets.digest, self._decider.time(tip.at), tree)
        connection.write(session.writings(writer))
        return writer

    def _signed(self, name: str, session: QuerySession, writer: LogWriter, expected: Expected) -> Reached:
        """Sign how far the log has come with what was written; without that no answer leaves."""
        decider, before, head = self._decider, session.held.head, writer.head
        decider.known.saw(name, Tip(head, head.hash, writer.at))
        if head == before and expected.signed is not None and expected.signed.count == before.entries:
            return Reached(expected.signed, None)
        if name in self._held:
            self._held[name] = session.after(head)
        tree = writer.tree
        return Reached(decider.note(name, before.entries, head, tree.root, tree), tree)

    # -- the table ------------------------------------------------------------------------------

    def _open(self, name: str) -> None:
        """Open a table that is not open; where it is gone, queries that were answered can be repeated."""
        if name in self._held:
            return
        key = self._decider.secrets.digest
        row = self._decider.database.read(lambda connection: described(connection, name, key))
        try:
            self._held[name] = HeldTable.read_anew(row, key)
        except SourceError as error:
            LOGGER.warning("The table of %s cannot be read: %s", name, type(error).__name__)

    def _drop(self, name: str) -> None:
        held = self._held.pop(name, None)
        if held is not None and held.opened is not None:
            held.opened.table.close()

    def _current(self, name: str, connection: Transaction, head: Head) -> HeldTable:
        """The table as it stands: what was kept, with what others have decided since."""
        key, kept = self._decider.secrets.digest, self._held.get(name)
        if kept is None:
            return HeldTable(described(connection, name, key)).caught_up(connection, head, key)
        try:
            found = self._held[name] = kept.caught_up(connection, head, key)
        except SourceError:
            self._drop(name)
            return self._current(name, connection, head)
        return found
