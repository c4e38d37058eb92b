"""How many requests may wait: of one key in a dataset, and for one record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from divulge._support.wording import many
from divulge.errors import Conflict, ParameterError
from divulge.service.store.connection import Query, Row, padded

OF_KEY = "SELECT COUNT(*) FROM request WHERE dataset = ? AND owner = ? AND status = 'waiting'"
# grouped by an expression: else SQLite goes through all that wait in the order of their owners
FOR_RECORDS = """SELECT record, owner || '', COUNT(*) FROM request
    WHERE dataset = ? AND record IN ({}) AND status = 'waiting' GROUP BY record, owner || ''"""


class TooManyOpen(Conflict):
    """As many requests wait as may."""


@dataclass(frozen=True)
class OpenLimits:
    """How many requests may wait at the same time. Beyond it a request is refused before it is decided."""

    per_key: int = 10_000  # in one dataset
    per_record: int = 1_000  # of all keys; of one key a tenth of it, so that nobody keeps others out

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value < 1:
                raise ParameterError(f"The limit '{name}' must be larger than 0.")

    @property
    def of_key_for_record(self) -> int:
        return max(1, self.per_record // 10)

    def refusal(self, owner: str, record: str, waiting: OpenRequests) -> str | None:
        """Why no more requests of a key for a record may wait, if that is so, and what to do."""
        if waiting.in_all < self.per_key and waiting.for_record(record) < self.of_key_for_record:
            return None  # as nearly always, and at once
        if waiting.in_all >= self.per_key and waiting.of_key(owner) >= self.per_key:
            return (
                f"{many(self.per_key)} of your requests wait in this dataset, which is the limit. "
                "Withdraw some, or ask again when some are released."
            )
        if waiting.for_record(record, owner) >= self.of_key_for_record:
            return (
                f"{many(self.of_key_for_record)} of your requests wait for this record, which is the "
                "limit. Follow one of their tickets, or withdraw some."
            )
        if waiting.for_record(record) >= self.per_record:
            return (
                f"{many(self.per_record)} requests wait for this record, which is the limit. "
                "Ask again when some are withdrawn or released."
            )
        return None


def open_query(dataset: str, records: Sequence[str]) -> Query:
    """How many requests wait for each of some records, by their keys."""
    marks, given = padded(records)
    return FOR_RECORDS.format(marks), (dataset, *given)


class OpenedRequests:
    """Requests that have begun to wait within a transaction, by their owner, their record and both."""

    def __init__(self) -> None:
        self._new: dict[tuple[str | None, str | None], int] = {}

    def add(self, owner: str, record: str) -> None:
        for one in ((owner, None), (None, record), (owner, record)):
            self._new[one] = self._new.get(one, 0) + 1

    def number(self, owner: str | None, record: str | None) -> int:
        return self._new.get((owner, record), 0)


class OpenCounts:
    """How many requests waited before a transaction, for each record that ``open_query`` asked for."""

    def __init__(self, found: Sequence[Row] = ()) -> None:
        self._own: dict[tuple[str, str], int] = {}
        self._all: dict[str, int] = {}
        for record, owner, number in found:
            self._own[record, owner] = number
            self._all[record] = self._all.get(record, 0) + number

    def number(self, record: str, owner: str | None) -> int:
        return self._all.get(record, 0) if owner is None else self._own.get((record, owner), 0)


class OpenRequests(NamedTuple):
    """Requests that wait at one moment of a transaction: those of before it, and those that came in it.

    Those of a key are counted one by one, so they are asked for only if as many wait in all as one may have.
    """

    in_all: int
    before: OpenCounts
    since: OpenedRequests
    of_key_before: Callable[[str], int]

    def of_key(self, owner: str) -> int:
        return self.of_key_before(owner) + self.since.number(owner, None)

    def for_record(self, record: str, owner: str | None = None) -> int:
        """Those for a record, of everybody or of a key."""
        return self.before.number(record, owner) + self.since.number(owner, record)
