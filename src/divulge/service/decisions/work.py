"""What a decision needs of the transaction it is taken in, and what is asked of the database first."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from divulge.errors import NotFound
from divulge.safe_release import Cell
from divulge.service.decisions.policies import active_query
from divulge.service.decisions.transaction import DecisionSession, Held
from divulge.service.ledger.log_writer import Head, LogWriter, head_of, head_query
from divulge.service.store.connection import Query, Transaction

if TYPE_CHECKING:
    from divulge.service.decisions.decisions import DecisionService


class Work:
    """What a decision needs of the transaction it is taken in."""

    def __init__(
        self,
        decider: DecisionService,
        connection: Transaction,
        dataset: str,
        done: list[Held],
        queries: Sequence[Query],
    ) -> None:
        self.connection, self.dataset = connection, dataset
        self._decider, self._done = decider, done
        heads, active, *self.found = connection.several(
            [head_query(dataset), active_query(dataset), *queries]
        )
        if not heads or not active:
            raise NotFound(f"There is no dataset '{dataset}'.")
        self.held = decider.current(connection, dataset, Head(*heads[0]), *active[0])
        self.writer = LogWriter(dataset, self.held.head, decider.secrets.digest, decider.clock())

    def session(self) -> DecisionSession:
        return DecisionSession(
            self.connection, self.dataset, self.held, self.writer, self._decider.secrets.digest
        )

    def write(self, session: DecisionSession, more: Sequence[Any] = ()) -> None:
        """Everything that was decided, into the database."""
        self.connection.write([one for one in (*session.writings(self.held), *more) if one[1]])
        self.done(session.held())

    def done(self, held: Held) -> None:
        """How the dataset stands once the transaction is committed."""
        self._done.append(held)


def answer_query(owner: str, key: str) -> Query:
    """What was answered under a requester's key."""
    return "SELECT asked, answer FROM answer WHERE owner = ? AND key = ?", (owner, key)


def record_query(dataset: str, record: str) -> Query:
    """The cell of a record, whether it is released, and what it says."""
    return "SELECT x, y, released, body FROM record WHERE dataset = ? AND id = ?", (dataset, record)


def known_head(connection: Transaction, dataset: str) -> Head:
    """The last entry of a dataset's log; NotFound where there is no such dataset."""
    head = head_of(connection, dataset)
    if head is None:
        raise NotFound(f"There is no dataset '{dataset}'.")
    return head


def own_request(connection: Transaction, dataset: str, ticket: str, owner: str) -> tuple[str, str, Cell]:
    """How a requester's own request stands, for which record and cell; NotFound for any other."""
    sql = "SELECT status, record, x, y FROM request WHERE ticket = ? AND dataset = ? AND owner = ?"
    rows = connection.rows(sql, (ticket, dataset, owner))
    if not rows:
        raise NotFound("There is no such ticket.")
    status, record, x, y = rows[0]
    return status, record, Cell(x, y)


def released_body(connection: Transaction, dataset: str, record: str) -> Any:
    """What a record says, if it is released."""
    sql = "SELECT body FROM record WHERE dataset = ? AND id = ? AND released IS NOT NULL"
    rows = connection.rows(sql, (dataset, record))
    return json.loads(rows[0][0]) if rows else None
