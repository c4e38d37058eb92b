"""How many requests may wait: of one key in a dataset, and for one record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from divulge._support.wording import many
from divulge.errors import Conflict, ParameterError
from divulge.service.store.connection import Query, Row

OF_KEY = "SELECT COUNT(*) FROM request WHERE dataset = ? AND owner = ? AND status = 'waiting'"
FOR_RECORDS = """SELECT record, COUNT(*), COUNT(CASE WHEN owner = ? THEN 1 END) FROM request
    WHERE dataset = ? AND record IN ({}) AND status = 'waiting' GROUP BY record"""


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


def open_queries(dataset: str, records: Iterable[str], owner: str) -> list[Query]:
    """How many requests wait before these: of the key, and for each of the records."""
    distinct = dict.fromkeys(records)
    marks = ", ".join("?" * len(distinct))
    return [(OF_KEY, (dataset, owner)), (FOR_RECORDS.format(marks), (owner, dataset, *distinct))]


class OpenedRequests:
    """Requests that have begun to wait within a transaction, by their owner, their record and both."""

    def __init__(self) -> None:
        self._new: Counter[tuple[str | None, str | None]] = Counter()

    def add(self, owner: str, record: str) -> None:
        self._new.update([(owner, None), (None, record), (owner, record)])

    def number(self, owner: str | None, record: str | None) -> int:
        return self._new[owner, record]


class OpenRequests:
    """Whether one more request of a key may wait, by what ``open_queries`` found and has come since."""

    def __init__(self, limits: OpenLimits, owner: str, found: Sequence[Sequence[Row]]) -> None:
        ((self._of_key,),), for_records = found
        self._limits, self._owner = limits, owner
        self._for_records = {record: (everyone, own) for record, everyone, own in for_records}

    def refusal(self, record: str, since: OpenedRequests) -> str | None:
        """Why no more may wait, if that is so, and what to do."""
        owner, limits = self._owner, self._limits
        everyone, own = self._for_records.get(record, (0, 0))
        if self._of_key + since.number(owner, None) >= limits.per_key:
            return (
                f"{many(limits.per_key)} of your requests wait in this dataset, which is the limit. "
                "Withdraw some, or ask again when some are released."
            )
        if own + since.number(owner, record) >= limits.of_key_for_record:
            return (
                f"{many(limits.of_key_for_record)} of your requests wait for this record, which is the "
                "limit. Follow one of their tickets, or withdraw some."
            )
        if everyone + since.number(None, record) >= limits.per_record:
            return (
                f"{many(limits.per_record)} requests wait for this record, which is the limit. "
                "Ask again when some are withdrawn or released."
            )
        return None
