"""How many requests may wait: of one key in a dataset, and for one record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from divulge._support.wording import many
from divulge.errors import Conflict, ParameterError
from divulge.service.store.connection import Query, Row

OF_KEY = "SELECT COUNT(*) FROM request WHERE dataset = ? AND owner = ? AND status = 'waiting'"
FOR_RECORD = """SELECT COUNT(*), COUNT(CASE WHEN owner = ? THEN 1 END) FROM request
    WHERE dataset = ? AND record = ? AND status = 'waiting'"""


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


def open_queries(dataset: str, records: Sequence[str], owner: str) -> list[Query]:
    """How many requests wait before these: of the key, and for each of the records."""
    found: list[Query] = [(OF_KEY, (dataset, owner))]
    return [*found, *((FOR_RECORD, (owner, dataset, record)) for record in records)]


@dataclass
class OpenedRequests:
    """Requests that have begun to wait since ``open_queries`` were asked."""

    limits: OpenLimits
    _new: Counter[tuple[str | None, str | None]] = field(init=False, default_factory=Counter)

    def add(self, owner: str, record: str) -> None:
        self._new.update([(owner, None), (None, record), (owner, record)])

    def refusal(self, owner: str, record: str, of_key: int, for_record: Row) -> str | None:
        """Why no more may wait, if that is so, and what to do; counts are those of ``open_queries``."""
        everyone, own = for_record
        limits = self.limits
        if of_key + self._new[owner, None] >= limits.per_key:
            return (
                f"{many(limits.per_key)} of your requests wait in this dataset, which is the limit. "
                "Withdraw some, or ask again when some are released."
            )
        if own + self._new[owner, record] >= limits.of_key_for_record:
            return (
                f"{many(limits.of_key_for_record)} of your requests wait for this record, which is the "
                "limit. Follow one of their tickets, or withdraw some."
            )
        if everyone + self._new[None, record] >= limits.per_record:
            return (
                f"{many(limits.per_record)} requests wait for this record, which is the limit. "
                "Ask again when some are withdrawn or released."
            )
        return None
