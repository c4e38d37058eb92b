"""What a key may be used for within its role: some datasets only, or some records of one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from divulge.errors import Forbidden, ParameterError
from divulge.service.identities.persons import require_storable
from divulge.service.ledger.canonical_json import canonical

MOST_RECORDS = 1000  # that a key may name
OUTSIDE_DATASET = "The scope of this key does not include this dataset."
RECORDS_ONLY = "This key is for requests of some records, not for queries."
OUTSIDE_RECORD = "The scope of this key does not include this record."


@dataclass(frozen=True)
class KeyScope:
    """The datasets that a key is for, and the records of one that may be requested; None means all."""

    datasets: tuple[str, ...] | None = None
    records: tuple[str, ...] | None = None

    @classmethod
    def of(cls, role: str, datasets: Sequence[str] | None, records: Sequence[str] | None) -> KeyScope:
        """A scope that makes sense for a role."""
        if datasets is not None and role == "admin":
            raise ParameterError("An admin's key cannot be limited to datasets.")
        if records is not None and role != "requester":
            raise ParameterError("Only a requester's key can be limited to records.")
        if records is not None and (datasets is None or len(set(datasets)) != 1):
            raise ParameterError(
                "A key that is limited to records is for one dataset.", hint="Name the dataset as well."
            )
        if records is not None and not 0 < len(set(records)) <= MOST_RECORDS:
            raise ParameterError(f"A key can be limited to 1 to {MOST_RECORDS:,} records.")
        if datasets is not None and not datasets:
            raise ParameterError("A key that is limited to datasets names at least one.")
        require_storable("A dataset or a record", *(datasets or ()), *(records or ()))
        return cls(_sorted(datasets), _sorted(records))

    @classmethod
    def read(cls, text: str | None) -> KeyScope:
        """A scope as the table of keys has it."""
        given = {} if text is None else json.loads(text)
        datasets, records = (given.get(name) for name in ("datasets", "records"))
        return cls(None if datasets is None else tuple(datasets), None if records is None else tuple(records))

    @property
    def text(self) -> str | None:
        """How the table of keys has it; nothing, where there is no limit."""
        return None if self == KeyScope() else canonical(self.to_dict())

    def to_dict(self) -> dict[str, list[str]]:
        given = {"datasets": self.datasets, "records": self.records}
        return {name: list(value) for name, value in given.items() if value is not None}

    def has(self, dataset: str) -> bool:
        return self.datasets is None or dataset in self.datasets

    def require(self, dataset: str) -> None:
        """Refuse what concerns another dataset, whether there is one or not."""
        if not self.has(dataset):
            raise Forbidden(OUTSIDE_DATASET, hint="Ask the admin for a key with another scope.")

    def has_record(self, dataset: str, record: str) -> bool:
        return self.has(dataset) and (self.records is None or record in self.records)


def _sorted(names: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(sorted(set(names)))
