"""What has to be looked up before requests are decided: once for all requests that are decided together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from divulge.service.decisions.checked_rows import LetOut, removed_query
from divulge.service.decisions.open_requests import OpenCounts, open_query
from divulge.service.store.connection import Query, Row, any_of, padded

ANSWERED = "SELECT owner, key, asked, answer FROM answer WHERE "
# records, each with the entry that let it out and the one before that, from which it follows
RECORDS = """SELECT id, x, y, released, record.body, record.seal,
        chain, idx, at, kind, entry.body, hash, entry.seal
    FROM record LEFT JOIN entry ON chain = dataset AND idx IN (released - 1, released)
    WHERE dataset = ? AND id IN ({})"""
OF_RECORD = 6  # columns of them that are the record's


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
        answers, joined, removed, waiting = found
        records, let_out = dict[str, Row](), LetOut()
        for row in joined:
            records[row[0]] = row[1:OF_RECORD]
            if row[OF_RECORD] is not None:
                let_out.setdefault((row[0], row[3]), []).append(row[OF_RECORD:])
        for entries in let_out.values():
            entries.sort()
        return cls(
            {row[:2]: row[2:] for row in answers},
            records,
            {row[0]: row[1:] for row in removed},
            OpenCounts(waiting),
            let_out,
        )
