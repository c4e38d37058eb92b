"""Rows are held to the log before they are used: who changes a table does not change what is decided."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from divulge.errors import NotFound, Unavailable
from divulge.safe_release import Cell
from divulge.service.decisions.logged.content_digests import (
    answer_digest,
    body_digest,
    owner_digest,
    record_seal,
    repeat_digest,
    sum_digest,
)
from divulge.service.ledger.chain import ODD, Entry, digest, same
from divulge.service.ledger.log_writer import Head, entries_of
from divulge.service.ledger.tail import added_to, part_fault, sealed, sealed_entry
from divulge.service.store.connection import Query, Row, Transaction, padded

RECORD = "SELECT x, y, released, body, seal FROM record WHERE dataset = ? AND id = ?"
REMOVED_ANSWERS = "SELECT digest, dataset, idx FROM removed_answer WHERE digest IN ({})"
# entries that do not say what is outside
UNSAID = "('policy proposed', 'approval given', 'proposal expired', 'reconciled', 'answers removed')"


LetOut = dict[tuple[str, int], list[Row]]  # by record and index, an entry and the one before it


class Stored(NamedTuple):
    """A record as its row has it; released is the entry that let it out."""

    id: str
    cell: Cell
    released: int | None
    body: str


def changed(what: str) -> Unavailable:
    """A row that is not what the log says."""
    return Unavailable(
        f"{what} was changed in the database, so nothing is decided.",
        hint="The operator can find what was changed with: divulge release verify",
    )


def stored(key: bytes, dataset: str, record: str, row: Row) -> Stored:
    """A record of ``RECORD``, if its row has the holder's seal."""
    x, y, released, body, seal = row
    if not same(record_seal(key, dataset, record, x, y, body, released), seal):
        raise changed("The record")
    return Stored(record, Cell(x, y), released, body)


def removed_query(key: bytes, asked_under: Iterable[tuple[str, str]]) -> Query:
    """For answers that were removed, by digests of who asked for them, under which keys."""
    marks, repeats = padded([repeat_digest(key, owner, one) for owner, one in asked_under])
    return REMOVED_ANSWERS.format(marks), repeats


class LoggedRows:
    """What the log of a dataset says of single rows. Entries that were looked up are not asked for again."""

    def __init__(self, connection: Transaction, dataset: str, key: bytes) -> None:
        self._connection, self._dataset, self._key = connection, dataset, key
        self.let_out: LetOut = {}

    def record(self, record: str) -> Stored:
        """A record that there is."""
        rows = self._connection.rows(RECORD, (self._dataset, record))
        if not rows:
            raise changed("The table of records")
        return stored(self._key, self._dataset, record, rows[0])

    def require_release(self, record: Stored) -> None:
        """Refuse a record that its entry has not let out, or with another content."""
        told = self._fields(self._that_let_out(record))
        if not (
            told.get("record") == self._named(record.id)
            and told.get("body") == body_digest(self._key, self._dataset, record.id, record.body)
        ):
            raise changed("The record")

    def _that_let_out(self, record: Stored) -> Entry | None:
        index = record.released
        rows = None if index is None else self.let_out.get((record.id, index))
        if index is None or rows is None:
            return self._entry(index)
        return _read(partial(sealed, rows, index, self._key))

    def require_answer(self, asked: str, answer: Mapping[str, Any], owner: str, idempotency: str) -> None:
        """Refuse to repeat an answer that was not given."""
        ticket = str(answer.get("ticket"))
        entry = self._entry(answer.get("index"))
        told = self._fields(entry)
        if entry is None or (
            told.get("record"),
            told.get("tickets"),
            told.get("verdict"),
            told.get("asked"),
            entry.hash,
        ) != (
            asked,
            [ticket],
            answer.get("decision"),
            answer_digest(self._key, ticket, owner, idempotency),
            answer.get("hash"),
        ):
            raise changed("The answer")

    def removed_answer(
        self, rows: Mapping[str, Row], owner: str, idempotency: str
    ) -> tuple[str, dict[str, Any]] | None:
        """What was asked and answered under a key, by the log, where the answer itself was removed.

        ``rows`` are those of ``removed_query``, by their first column.
        """
        row = rows.get(repeat_digest(self._key, owner, idempotency)) if rows else None
        if row is None:
            return None
        dataset, index = row
        if dataset != self._dataset:
            return "", {}  # another request than any here
        entry = self._entry(index)
        told = self._fields(entry)
        ticket = str(*told.get("tickets", ())[:1])
        if entry is None or told.get("asked") != answer_digest(self._key, ticket, owner, idempotency):
            raise changed("The answer")
        answer = {"decision": told["verdict"], "ticket": ticket, "index": index, "hash": entry.hash}
        return told["record"], answer

    def require_arrivals(
        self, record: str, arrivals: Sequence[tuple[str, int]], found: Sequence[Sequence[Row]]
    ) -> None:
        """Refuse requests that did not arrive with the entries they name, for this record, and wait."""
        named = self._named(record)
        for (ticket, arrived), rows in zip(arrivals, found, strict=True):
            entry = _read(partial(sealed, rows, arrived, self._key))
            told = {} if entry is None else entry.fields
            if (told.get("record"), told.get("tickets"), told.get("verdict")) != (named, [ticket], "waiting"):
                raise changed("A request that waits")

    def require_request(self, ticket: str, row: Row, owner: str) -> None:
        """Refuse a request that is not as its entries say: whose it is, for which record, how it stands."""
        status, record, arrived, settled = row
        told = self._told(arrived)
        right = (told.get("record"), told.get("tickets"), told.get("owner")) == (
            self._named(record),
            [ticket],
            owner_digest(self._key, ticket, owner),
        )
        if settled is None:
            right = right and (told.get("verdict"), status) == ("waiting", "waiting")
        else:
            entry = self._entry(settled)
            right = right and entry is not None and ticket in entry.fields.get("tickets", ())
            right = right and entry is not None and _outcome(entry) == status
        if not right:
            raise changed("The request")

    def _told(self, index: object) -> dict[str, Any]:
        return self._fields(self._entry(index))

    def _fields(self, entry: Entry | None) -> dict[str, Any]:
        """What an entry says; to one of an earlier version, a migration may have added something."""
        if entry is None:
            return {}
        told = entry.fields
        if "counts" in told:
            return told
        return {**added_to(self._connection, self._dataset, entry.index, self._key), **told}

    def _entry(self, index: object) -> Entry | None:
        if not isinstance(index, int):
            return None
        return _read(lambda: sealed_entry(self._connection, self._dataset, index, self._key))

    def _named(self, record: str) -> str:
        return digest(self._key, self._dataset, record)


def told_answer(
    known: tuple[str, dict[str, Any]] | None, named: str, record: Stored | None
) -> dict[str, Any]:
    """What a requester is told: the decision under a key, with the record if it is released."""
    if known is None:
        return {"error": "not found"}
    asked, answer = known
    if asked != named:
        return {"error": "conflict"}
    if answer["decision"] == "released" and record is not None:
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


def _outcome(entry: Entry) -> str:
    """How a request stands after an entry."""
    return {"left": "released", "withdrawn": "withdrawn"}.get(entry.kind) or entry.fields["verdict"]


def _read(look: Callable[[], Entry | None]) -> Entry | None:
    try:
        return look()
    except ODD:
        return None


def last_standing(connection: Transaction, dataset: str, head: Head, key: bytes) -> dict[str, Any] | None:
    """What the last entry that says it says of what is outside; None where entries are not the holder's."""
    sql = f"SELECT MAX(idx) FROM entry WHERE chain = ? AND idx <= ? AND kind NOT IN {UNSAID}"
    ((last,),) = connection.rows(sql, (dataset, head.entries))
    if last is None:
        return None
    entries = entries_of(connection, dataset, max(last - 2, 0))
    if part_fault(entries, key) is not None or entries[-1].hash != head.hash:
        return None
    return next(one.fields for one in entries if one.index == last)


def standing_fault(
    told: Mapping[str, Any] | None,
    version: int,
    fingerprint: str,
    total: int,
    outside: int,
    waiting: int,
    key: bytes,
    dataset: str,
) -> str | None:
    """What of the policy, the counts and the queue is not what the last entry says; None where all is."""
    if told is None:
        return "The log"
    if (told["policy"], told["digest"]) != (version, fingerprint):
        return "The policy in force"
    counts = sum_digest(key, dataset, "cells", total)
    if (told["counts"], told.get("outside", 0)) != (counts, outside):
        return "The table of counts"
    return None if told.get("waiting", 0) == waiting else "The table of requests"
