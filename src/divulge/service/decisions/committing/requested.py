"""Requests for records, decided one after the other within a transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from divulge.service.decisions.checked_rows import stored, told_answer
from divulge.service.decisions.committing.looked_up import RecordRequest
from divulge.service.decisions.committing.work import Work
from divulge.service.decisions.open_requests import OpenLimits, OpenRequests
from divulge.service.decisions.transaction import RELEASED


def decide_requests(
    work: Work, asked: Sequence[RecordRequest], owner: str, limits: OpenLimits
) -> list[dict[str, Any]]:
    """Decide requests in the order in which they stand; one that was answered before is answered the same."""
    rows = work.rows
    session = work.session()
    logged = session.logged
    logged.let_out = rows.let_out
    found = []
    for one in asked:
        named, row = session.named(one.record), rows.records.get(one.record)
        record = None if row is None else stored(work.key, work.dataset, one.record, row)
        known, earlier = session.given(owner, one.key), None
        before = None if known is not None else rows.answers.get((owner, one.key))
        if before is not None:
            earlier = before[0], json.loads(before[1])
        elif known is None:
            earlier = logged.removed_answer(rows.removed, owner, one.key)
        if earlier is not None and earlier[0] == named:
            logged.require_answer(named, earlier[1], owner, one.key)
            if earlier[1]["decision"] == RELEASED:
                logged.require_release(record or logged.record(one.record))
        known = known or earlier
        if known is None and record is not None:
            waiting = OpenRequests(session.waiting, rows.waiting, session.opened, work.waiting_of)
            refusal = limits.refusal(owner, one.record, waiting)
            if refusal is not None and not session.is_outside(record):
                found.append({"error": "too many open", "message": refusal})
                continue
            known = named, session.request(record, owner, one.key)
        found.append(told_answer(known, named, record))
    return found
