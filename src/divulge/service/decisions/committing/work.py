"""What is decided within one transaction: piece by piece, and written down at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from divulge.errors import DivulgeError, Unavailable
from divulge.service.decisions.committing.group_queue import Piece
from divulge.service.decisions.committing.looked_up import RequestedRows, RequestsOf
from divulge.service.decisions.held_state.held import Held
from divulge.service.decisions.issued_keys import IssuedKeys
from divulge.service.decisions.logged.request_digests import RequestDigests
from divulge.service.decisions.open_requests import OF_KEY
from divulge.service.decisions.transaction import DecisionSession
from divulge.service.ledger.chain import ODD
from divulge.service.ledger.log_tree import LogTree
from divulge.service.ledger.log_writer import LogWriter
from divulge.service.store.connection import Transaction, Writing


class Deciding(NamedTuple):
    """A piece of work on a dataset, and the requests whose rows it needs."""

    decide: Callable[[Work], Any]
    asked: RequestsOf | None = None
    by_key: str | None = None  # with which it is asked for: it must be good in the transaction as well


@dataclass
class Work:
    """What a decision needs of the transaction it is taken in, and how the dataset stands after it."""

    connection: Transaction
    dataset: str
    held: Held
    key: bytes
    at: str  # of its entries
    tree: LogTree  # as it was before
    keys: IssuedKeys = field(default_factory=IssuedKeys)  # as they are now
    digests: RequestDigests | None = None  # of requests, made ready
    rows: RequestedRows = field(default_factory=RequestedRows)  # of the requests of a piece, and others
    after: Held | None = None

    def __post_init__(self) -> None:
        self._decided: list[tuple[Piece, RequestedRows]] = []
        self._waiting: dict[str, int] = {}
        self.now = self.at  # to which keys are held: those of who joins later, too
        self._begin()

    def _begin(self) -> None:
        tree = self.tree.continued()
        self.writer = LogWriter(self.dataset, self.held.head, self.key, self.at, tree)
        self._session: DecisionSession | None = None
        self._more: list[Writing] = []

    def waiting_of(self, owner: str) -> int:
        """How many requests of a key waited before the transaction."""
        if owner not in self._waiting:
            ((self._waiting[owner],),) = self.connection.rows(OF_KEY, (self.dataset, owner))
        return self._waiting[owner]

    def session(self) -> DecisionSession:
        """What is decided: one for all pieces, so that each sees what those before it have changed."""
        if self._session is None:
            given = (self.connection, self.dataset, self.held, self.writer, self.key, self.digests)
            self._session = DecisionSession(*given)
        return self._session

    def write(self, session: DecisionSession, more: Sequence[Writing] = ()) -> None:
        """Have everything written that was decided, at the end and with something more."""
        self._more += more

    def decide(self, piece: Piece, rows: RequestedRows) -> None:
        """Decide a piece. One that is shared fails by itself, and leaves nothing behind."""
        before = self._reached()
        self.rows = rows
        try:
            self.keys.require(piece.work.by_key, self.now)
            if piece.before is not None and piece.before.error is not None:
                raise Unavailable("An earlier part of this batch was not decided.")
            piece.answer, piece.error = piece.work.decide(self), None
            self._decided.append((piece, rows))
        except (DivulgeError, *ODD) as error:
            if not piece.shared:
                raise
            piece.error = error
            if self._reached() != before:
                self._decide_again()

    def _reached(self) -> tuple[object, ...]:
        """What a decision changes first: as it was, nothing has been decided."""
        now = self._session or self.held
        return self.writer.head, id(now.state), now.waiting

    def _decide_again(self) -> None:
        """Decide everything anew that came before a piece that failed half-way: nothing was written yet."""
        earlier, self._decided = self._decided, []
        self._begin()
        for piece, rows in earlier:
            self.decide(piece, rows)

    def finish(self) -> None:
        """Write everything that was decided into the database."""
        if self._session is not None:
            self.connection.write([*self._session.writings(), *(one for one in self._more if one[1])])
            self.after = self._session.held()
