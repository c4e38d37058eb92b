"""A holder's table on its way into the service, as the operator describes it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from divulge.cli.tables import plain, split
from divulge.data import Data
from divulge.errors import NotFound, ParameterError
from divulge.partitions import as_partitions
from divulge.release import Rules, occurrences
from divulge.release.domain import label
from divulge.service.connection import Connection
from divulge.service.desk import Desk
from divulge.service.loading import Dataset
from divulge.service.place import Place
from divulge.service.policies import ACTIVE, policies_of

OPERATOR = "operator"  # who did it, in the log


@contextmanager
def opened(place: Place, *, read_only: bool = False) -> Iterator[Desk]:
    """What a service has in a place, until it is done with."""
    desk = place.open(read_only=read_only)
    try:
        yield desk
    finally:
        desk.database.close()


@dataclass(frozen=True, kw_only=True)
class _Told:
    """Where a service is, and how a table is to be read."""

    database: str
    file: str
    name: str
    keys: str | None
    checkpoints: str | None
    missing: Any
    missing_values: Sequence[str] | None
    orders: Sequence[str] | None
    table: str | None
    separator: str | None
    quote: str | None
    encoding: str | None

    def data(self, file: str) -> Data:
        """A table, read as asked."""
        return plain(self, file)


@dataclass(frozen=True, kw_only=True)
class Updated(_Told):
    """A dataset that is there, to be taken as it is now."""

    def dataset(self, desk: Desk) -> Dataset:
        """The table with the dependency that the service has for it."""
        identifier, x, y, partitions, rules = desk.database.read(self._known)
        return Dataset(
            self.name,
            self.data(self.file),
            identifier,
            tuple(json.loads(x)),
            tuple(json.loads(y)),
            json.loads(partitions),
            rules,
        )

    def _known(self, connection: Connection) -> tuple[Any, ...]:
        rows = connection.rows(
            "SELECT identifier, x, y, partitions FROM dataset WHERE name = ?", (self.name,)
        )
        if not rows:
            raise NotFound(f"There is no dataset '{self.name}'.", hint="Add it with: divulge release init")
        policies = policies_of(connection, self.name)
        return *rows[0], next(one.guard.rules for one in policies if one.status == ACTIVE)


@dataclass(frozen=True, kw_only=True)
class Loaded(_Told):
    """A dataset to be put into the service."""

    identifier: str
    x: Sequence[str] | None
    y: Sequence[str] | None
    tests: Sequence[str] | None
    alpha: float
    familywise: bool
    partitions: str | None
    baseline: str | None
    following: bool
    degrees: Any
    merging: Any
    samples: int

    def dataset(self) -> Dataset:
        """The table with its dependency, its rules and what observers expect."""
        if self.baseline is not None and self.following:
            raise ParameterError(
                "A baseline of its own does not follow the table.", hint="Give one of the two."
            )
        data = self.data(self.file)
        attributes = data.schema.attributes
        (identifier,) = split([self.identifier], attributes)
        x, y = split(self.x, attributes), split(self.y, attributes)
        rules = Rules.of(
            list(self.tests or ["mis"]),
            self.alpha,
            degrees=self.degrees,
            merging=self.merging,
            samples=self.samples,
            familywise=self.familywise,
        )
        return Dataset(self.name, data, identifier, x, y, self._groups(), rules, self._expected(x))

    def _expected(self, x: tuple[str, ...]) -> dict[str, float] | None:
        if self.baseline is None:
            return None
        groups = {name: one for name, one in as_partitions(self.partitions).items() if name in x}
        found = occurrences(self.data(self.baseline), x, groups)
        return {label(value): records for value, records in found.items()}

    def _groups(self) -> dict[str, Any]:
        """The partitions as the file has them; files of hierarchies are named to be found again."""
        if self.partitions is None:
            return {}
        as_partitions(self.partitions)  # says what is wrong with the file
        path = Path(self.partitions)
        tables = tomllib.loads(path.read_text("utf-8"))
        for table in tables.values():
            if "hierarchy" in table:
                table["hierarchy"] = str((path.parent / table["hierarchy"]).resolve())
        found: dict[str, Any] = json.loads(json.dumps(tables, default=str))  # days become texts
        return found
