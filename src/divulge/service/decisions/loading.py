"""A dataset on its way into the service: records with their ids and cells, and what they are held to."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.stages import Stage, silent
from divulge._support.stages import told as told_of
from divulge._support.wording import records
from divulge.errors import Conflict, ParameterError, SchemaError
from divulge.questions.data import Data
from divulge.safe_release import Baseline, Domain, Guard, HolderTable, Rules
from divulge.safe_release.domain import label
from divulge.safe_release.several.guards import JointGuard
from divulge.safe_release.several.tables import Dependency, JointTable, joint_table, tabulate_all
from divulge.service.decisions.logged.content_digests import (
    MODULUS,
    description_digest,
    record_seal,
    sum_digest,
)
from divulge.service.decisions.policies import ACTIVE, INSERT, PolicyVersion
from divulge.service.identities.approvals import ONE_PERSON, ApprovalRule
from divulge.service.ledger.chain import in_ascii
from divulge.service.ledger.log_writer import LogWriter
from divulge.service.store.connection import Transaction
from divulge.table.codes import MISSING, Codes
from divulge.table.partition_files import as_partitions

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
RESERVED = ("service",)
RECORD = ("dataset", "id", "x", "y", "body", "seal")  # columns of one that is not released
TOLD = 1000  # records after which somebody who follows is told
LONGEST_ID = 1024  # characters: what a request can name


@dataclass(frozen=True, eq=False)
class Dataset:
    """A holder's table with the dependency to watch."""

    name: str
    data: Data
    identifier: str
    x: tuple[str, ...]
    y: tuple[str, ...]
    partitions: Mapping[str, Any]  # as in a TOML file
    rules: Rules
    expected: Mapping[str, float] | None = None  # a reference distribution of X, by label
    also: tuple[Dependency, ...] = ()  # further ones to watch
    approval: ApprovalRule = ONE_PERSON  # how its rules are changed

    def __post_init__(self) -> None:
        require_name(self.name)
        if any(self.identifier in (*x, *y) for x, y in self.dependencies):
            raise SchemaError(
                f"'{self.identifier}' identifies the records and cannot be part of the dependency."
            )

    @property
    def dependencies(self) -> tuple[Dependency, ...]:
        """X and Y of every dependency."""
        return ((self.x, self.y), *self.also)

    def table(self) -> HolderTable:
        """The cells of the records, on a domain whose values are told by their labels."""
        found = tabulate_all(self.data, self.dependencies, as_partitions(self.partitions))
        parts = [HolderTable(_labelled(part.domain), part.counts, part.rows, part.columns) for part in found]
        return joint_table(parts) if self.also else parts[0]

    def guard(self, table: HolderTable) -> Guard:
        """What the table is held to, once its critical values are found not to be beyond reason."""
        if isinstance(table, JointTable):
            return JointGuard.over(table.domain, [self.guard(part) for part in table.parts])
        expected = self.expected if table.domain.x == self.x else None
        baseline = Baseline.of(table) if expected is None else Baseline.reference(table, expected)
        found = Guard(baseline, self.rules)
        found.critical.check_cost(table.records)
        return found

    def ids(self) -> list[str]:
        """The id of each record, each of them once."""
        column = self.data.column(self.identifier)
        missing = int((column.codes == MISSING).sum())
        found = [str(column.values[code - 1]) for code in column.codes.tolist() if code != MISSING]
        repeated = len(found) - len(set(found))
        if missing or repeated:
            raise SchemaError(
                f"'{self.identifier}' cannot identify the records: "
                + " and ".join(
                    f"{records(count)} {what}"
                    for count, what in ((missing, "lack it"), (repeated, "repeat another's"))
                    if count
                )
                + ".",
                hint="Name an attribute that every record has and no two share.",
            )
        unfit = sum(not 1 <= len(one) <= LONGEST_ID for one in found)
        if unfit:
            raise SchemaError(
                f"'{self.identifier}' cannot identify the records: {records(unfit)} have an empty value or "
                f"one of more than {LONGEST_ID:,} characters, which no request can name.",
                hint="Name an attribute with shorter values.",
            )
        return found

    def bodies(self) -> RecordBodies:
        """What a requester gets of each record, as JSON."""
        names = self.data.schema.attributes
        self.data.load(names)
        return RecordBodies({name: self.data.column(name) for name in names})


def require_name(name: str) -> None:
    """Refuse a name that no dataset can have."""
    if not NAME.fullmatch(name) or name in RESERVED:
        raise ParameterError(
            f"'{name}' cannot name a dataset.",
            hint="Use lower-case letters, digits, - and _, up to 63 of them, and not 'service'.",
        )


class RecordBodies:
    """Records as JSON, each made when it is asked for."""

    def __init__(self, columns: Mapping[str, Codes]) -> None:
        self._names = tuple(columns)
        self._codes = [column.codes for column in columns.values()]
        self._values = [[None, *(_json(one) for one in column.values)] for column in columns.values()]
        self._encode = json.JSONEncoder(ensure_ascii=False).encode

    def __len__(self) -> int:
        return len(self._codes[0])

    def __getitem__(self, place: int) -> str:
        if place >= len(self):
            raise IndexError(place)
        values = [known[codes[place]] for known, codes in zip(self._values, self._codes, strict=True)]
        return self._encode(dict(zip(self._names, values, strict=True)))


def load(
    connection: Transaction,
    dataset: Dataset,
    key: bytes,
    at: str,
    *,
    by: str,
    following: bool,
    stage: Stage = silent,
) -> PolicyVersion:
    """Put a dataset into the database, with its first policy; the log says who did."""
    require_new(connection, dataset.name)
    table = dataset.table()
    guard = dataset.guard(table)
    policy = PolicyVersion.of(
        1, guard, status=ACTIVE, proposed_by=by, approved_by=by, approval=dataset.approval
    )
    cells = cells_on(guard.domain.places(table.domain), table)
    writer = LogWriter.opened(connection, dataset.name, key, at)
    ids = dataset.ids()
    name = dataset.name
    total = 0

    def rows() -> Iterator[tuple[Any, ...]]:
        nonlocal total
        tell, bodies = told_of(stage), dataset.bodies()
        for place, one in enumerate(ids):
            x, y = cells[place].tolist()
            body = bodies[place]
            seal = record_seal(key, name, one, x, y, body, None)
            total += int(seal, 16)
            yield name, one, x, y, body, seal
            if place % TOLD == 0:
                tell(place, len(ids))

    connection.add_rows("record", RECORD, rows())
    every_x, every_y = zip(*dataset.dependencies, strict=True)
    x, y = (every_x, every_y) if dataset.also else (dataset.x, dataset.y)
    dependency = (in_ascii(one) for one in (x, y, dataset.partitions))
    described = (name, dataset.identifier, *dependency, int(following))
    told = {
        "records": len(ids),
        "contents": contents(key, name, total),
        "policy": 1,
        "digest": policy.digest,
        "by": by,
        "dataset": description_digest(key, described),
        "counts": sum_digest(key, name, "cells", 0),
    }
    writer.add("loaded", told)
    empty = [(name, x, y) for x, y in np.ndindex(guard.domain.shape)]
    connection.write(
        [
            ("INSERT INTO dataset VALUES (?, ?, ?, ?, ?, ?)", [described]),
            (INSERT, [policy.row(name)]),
            ("INSERT INTO cell VALUES (?, ?, ?, 0)", empty),
            *writer.writings(),
        ]
    )
    return policy


def require_new(connection: Transaction, name: str) -> None:
    """Refuse a name that something else has: each has a log of its own."""
    for table in ("dataset", "guarded_table"):
        if connection.rows(f"SELECT name FROM {table} WHERE name = ?", (name,)):
            raise Conflict(f"A dataset '{name}' already exists.", hint="Choose another name.")


def contents(key: bytes, dataset: str, total: int) -> str:
    """What the log says of all records, by the sum of the seals that they have while they are not outside."""
    return sum_digest(key, dataset, "records", total % MODULUS)


def cells_on(places: tuple[list[int], list[int]], table: HolderTable) -> npt.NDArray[np.int64]:
    """Cells of records on another domain, by where it has each place; what is nowhere stays nowhere."""
    values, targets = (np.append(np.asarray(moved, np.int64), -1) for moved in places)
    return np.stack([values[table.rows], targets[table.columns]], axis=1)


def _labelled(domain: Domain) -> Domain:
    return Domain(domain.x, domain.y, _labels(domain.values), _labels(domain.targets))


def _labels(values: Sequence[object]) -> tuple[str, ...]:
    found = tuple(label(value) for value in values)
    if len(set(found)) < len(found):
        raise SchemaError(
            "Two different values of the dependency are written the same.", hint=("Give them domains.")
        )
    return found


def _json(value: object) -> object:
    """A value as JSON has it: text and numbers stay, the rest is spelled out."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, str | int | float | bool) else str(value)
