"""Requests for records, decided one after the other within a transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from divulge.errors import NotFound
from divulge.safe_release import Cell
from divulge.service.decisions.checked_rows import LoggedRows, Stored, stored
from divulge.service.decisions.committing.work import Work
from divulge.service.decisions.transaction import RELEASED
from divulge.service.store.connection import Query, Transaction

ANSWERED = "SELECT key, asked, answer FROM answer WHERE owner = ? AND key IN ({})"
RECORDS = "SELECT id, x, y, released, body, seal FROM record WHERE dataset = ? AND id IN ({})"


class RecordRequest(NamedTuple):
    """A request for a record, under a key that makes asking again harmless."""

    record: str
    key: str


def queries(dataset: str, asked: Sequence[RecordRequest], owner: str) -> list[Query]:
    """What is to be read before requests are decided: what was answered before, and the records."""
    keys, records = {one.key: None for one in asked}, {one.record: None for one in asked}
    return [
        (ANSWERED.format(", ".join("?" * len(keys))), (owner, *keys)),
        (RECORDS.format(", ".join("?" * len(records))), (dataset, *records)),
    ]


def decide_requests(work: Work, asked: Sequence[RecordRequest], owner: str) -> list[dict[str, Any]]:
    """Decide requests in the order in which they stand; one that was answered before is answered the same."""
    before, stored_rows = ({row[0]: row[1:] for row in rows} for rows in work.found)
    session = work.session()
    logged = LoggedRows(work.connection, work.dataset, work.key)
    found = []
    for one in asked:
        named, row = session.named(one.record), stored_rows.get(one.record)
        record = None if row is None else stored(work.key, work.dataset, one.record, row)
        known = session.given(owner, one.key)
        if known is None and one.key in before:
            known = before[one.key][0], json.loads(before[one.key][1])
            if known[0] == named:
                logged.require_answer(named, known[1], owner, one.key)
                if known[1]["decision"] == RELEASED:
                    logged.require_release(record or logged.record(one.record))
        elif known is None and record is not None:
            known = named, session.request(record, owner, one.key)
        found.append(_told(known, named, record))
    return found


def _told(known: tuple[str, dict[str, Any]] | None, named: str, record: Stored | None) -> dict[str, Any]:
    """What a requester is told: the decision under a key, with the record if it is released."""
    if known is None:
        return {"error": "not found"}
    asked, answer = known
    if asked != named:
        return {"error": "conflict"}
    if answer["decision"] == RELEASED and record is not None:
        return {**answer, "record": json.loads(record.body)}
    return dict(answer)


def own_request(
    connection: Transaction, dataset: str, ticket: str, owner: str, key: bytes
) -> tuple[str, str, Cell, int]:
    """How a requester's own request stands, for which record and cell, by which entry; else NotFound."""
    sql = """SELECT status, record, arrived, settled, x, y FROM request
        WHERE ticket = ? AND dataset = ? AND owner = ?"""
    rows = connection.rows(sql, (ticket, dataset, owner))
    if not rows:
        raise NotFound("The ticket does not exist.")
    *row, x, y = rows[0]
    LoggedRows(connection, dataset, key).require_request(ticket, tuple(row), owner)
    status, record, arrived, settled = row
    return status, record, Cell(x, y), arrived if settled is None else settled
