"""What has to be looked up before requests are decided: once for all requests that are decided together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from divulge.service.decisions.checked_rows import LetOut, removed_query
from divulge.service.decisions.open_requests import OpenCounts, open_query
from divulge.service.store.connection import Query, Row, any_of, padded

ANSWERED = "SELECT owner, key, asked, answer FROM answer WHERE "
RECORDS = "SELECT id, x, y, released, body, seal FROM record WHERE dataset = ? AND id IN ({})"
# entries that let records out, and those before them, from which they follow; SQLite keeps the order of a
# cross join, and goes through the whole log otherwise
LET_OUT = """SELECT id, released, chain, idx, at, kind, entry.body, hash, entry.seal
    FROM record CROSS JOIN entry
    WHERE dataset = ? AND id IN ({}) AND chain = dataset AND idx IN (released - 1, released)"""


class RecordRequest(NamedTuple):
    """A request for a record, under a key that makes asking again harmless."""

    record: str
    key: str


class RequestsOf(NamedTuple):
    """The requests of somebody."""

    owner: str
    requests: Sequence[RecordRequest]


def row_queries(dataset: str, asked: Sequence[RequestsOf], key: bytes) -> list[Query]:
    """For earlier answers, the records, their entries and who waits; none where nobody asks for a record."""
    keys = list(dict.fromkeys((one.owner, request.key) for one in asked for request in one.requests))
    if not keys:
        return []
    records = list(dict.fromkeys(request.record for one in asked for request in one.requests))
    answered, given = any_of(("owner", "key"), keys)
    marks, ids = padded(records)
    return [
        (ANSWERED + answered, given),
        (RECORDS.format(marks), (dataset, *ids)),
        removed_query(key, keys),
        open_query(dataset, records),
        (LET_OUT.format(marks), (dataset, *ids)),
    ]


@dataclass(frozen=True)
class RequestedRows:
    """What the tables have of requests that are decided together."""

    answers: dict[tuple[str, str], Row] = field(default_factory=dict)  # by owner and idempotency key
    records: dict[str, Row] = field(default_factory=dict)
    removed: dict[str, Row] = field(default_factory=dict)  # answers, by their digest
    waiting: OpenCounts = field(default_factory=OpenCounts)
    let_out: LetOut = field(default_factory=dict)

    @classmethod
    def of(cls, found: Sequence[Sequence[Row]]) -> RequestedRows:
        """What ``row_queries`` found."""
        if not found:
            return cls()
        answers, records, removed, waiting, entries = found
        let_out: LetOut = {}
        for record, index, *entry in sorted(entries):
            let_out.setdefault((record, index), []).append(tuple(entry))
        return cls(
            {row[:2]: row[2:] for row in answers},
            {row[0]: row[1:] for row in records},
            {row[0]: row[1:] for row in removed},
            OpenCounts(waiting),
            let_out,
        )
