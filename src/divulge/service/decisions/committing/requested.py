"""Requests for records, decided one after the other within a transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from divulge.service.decisions.checked_rows import LoggedRows, removed_query, stored, told_answer
from divulge.service.decisions.committing.work import Work
from divulge.service.decisions.open_requests import OpenLimits, OpenRequests, open_queries
from divulge.service.decisions.transaction import RELEASED
from divulge.service.store.connection import Query

ANSWERED = "SELECT key, asked, answer FROM answer WHERE owner = ? AND key IN ({})"
RECORDS = "SELECT id, x, y, released, body, seal FROM record WHERE dataset = ? AND id IN ({})"


class RecordRequest(NamedTuple):
    """A request for a record, under a key that makes asking again harmless."""

    record: str
    key: str


def queries(dataset: str, asked: Sequence[RecordRequest], owner: str, key: bytes) -> list[Query]:
    """What is to be read before requests are decided: what was answered before, the records, who waits."""
    keys, records = {one.key: None for one in asked}, {one.record: None for one in asked}
    return [
        (ANSWERED.format(", ".join("?" * len(keys))), (owner, *keys)),
        (RECORDS.format(", ".join("?" * len(records))), (dataset, *records)),
        removed_query(key, owner, keys),
        *open_queries(dataset, records, owner),
    ]


def decide_requests(
    work: Work, asked: Sequence[RecordRequest], owner: str, limits: OpenLimits
) -> list[dict[str, Any]]:
    """Decide requests in the order in which they stand; one that was answered before is answered the same."""
    before, stored_rows, removed = ({row[0]: row[1:] for row in rows} for rows in work.found[:3])
    waiting = OpenRequests(limits, owner, work.found[3:])
    session = work.session()
    logged = LoggedRows(work.connection, work.dataset, work.key)
    found = []
    for one in asked:
        named, row = session.named(one.record), stored_rows.get(one.record)
        record = None if row is None else stored(work.key, work.dataset, one.record, row)
        known, earlier = session.given(owner, one.key), None
        if known is None and one.key in before:
            earlier = before[one.key][0], json.loads(before[one.key][1])
        elif known is None:
            earlier = logged.removed_answer(removed, owner, one.key)
        if earlier is not None and earlier[0] == named:
            logged.require_answer(named, earlier[1], owner, one.key)
            if earlier[1]["decision"] == RELEASED:
                logged.require_release(record or logged.record(one.record))
        known = known or earlier
        if known is None and record is not None:
            refusal = waiting.refusal(one.record, session.opened)
            if refusal is not None and record.released is None:
                found.append({"error": "too many open", "message": refusal})
                continue
            known = named, session.request(record, owner, one.key)
        found.append(told_answer(known, named, record))
    return found
