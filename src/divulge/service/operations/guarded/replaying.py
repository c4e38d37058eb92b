"""Every query of a guarded table decided again, from the table and the policy."""

from __future__ import annotations

from divulge.errors import QueryError, SourceError
from divulge.queries.decision import Decision
from divulge.service.ledger.chain import Entry, Fault
from divulge.service.ledger.paging import log
from divulge.service.operations.replaying import Replay
from divulge.service.queries.entries import CHANGED, CHECKER, FORM, QUERY, answered_in, outcome_of
from divulge.service.queries.guarded_tables import described
from divulge.service.store.connection import Transaction

NOISY = "differential privacy"  # whose answers are drawn by chance, so that only the rest is compared


def replay_queries(connection: Transaction, name: str, key: bytes) -> Replay:
    """Decide every query again that the log has, on the table as it was guarded.

    The text of one that was none is not kept, and one that found a changed table depends on how that was
    then: these are not taken.
    """
    row = described(connection, name, key)
    try:
        table, guard = row.opened(key)
    except SourceError as error:
        raise SourceError(
            f"The queries of '{name}' cannot be decided again, since their table cannot be read: {error}"
        ) from None
    with table:
        if not table.is_known_as(row.fingerprint):
            raise SourceError(
                f"The queries of '{name}' cannot be decided again, since their table has changed."
            )
        state, decisions = guard.replay(()), 0
        for entry in log(connection, name):
            told = entry.fields
            if entry.kind != QUERY or told["reason"] in (FORM, CHANGED):
                continue
            decisions += 1
            try:
                found = guard.decide(guard.parse(told["query"]), told["analyst"], state)
            except QueryError:
                return Replay(
                    decisions, Fault(entry.index, f"Entry {entry.index} has a query that may not be asked.")
                )
            if (differs := _difference(entry, found)) is not None:
                said = f"Entry {entry.index} has another {differs} than follows from the entries before it."
                return Replay(decisions, Fault(entry.index, said))
            answered = answered_in(entry)
            state = state if answered is None else guard.replay([answered], state)
    return Replay(decisions, None)


def _difference(entry: Entry, decision: Decision) -> str | None:
    """In what an entry differs from the same query decided again."""
    told, found = entry.fields, outcome_of(decision)
    if told["checker"] != CHECKER and decision.control == "differencing" and "answer" in told:
        return None  # it was decided before columns that determine each other were audited together
    if decision.answer is not None and decision.answer.kind == NOISY and not decision.repeated:
        found = {**found, "answer": told.get("answer")}
    return next((name for name, value in found.items() if told.get(name) != value), None)
