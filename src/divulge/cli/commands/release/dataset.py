"""A holder's table on its way into the service, as the operator describes it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from divulge._support.wording import enumerated
from divulge.cli.commands.release.dependency import dependencies_of, expected_by_observers, rules_of, table_of
from divulge.cli.requests.release import DatasetRequest, ServiceRequest, UpdateRequest
from divulge.cli.tables import records_to_release, split
from divulge.errors import ParameterError, counted
from divulge.roles.proposal import MOST_ATTRIBUTES, propose
from divulge.safe_release.domain import label
from divulge.service.decisions.decisions import DecisionService
from divulge.service.decisions.loading import Dataset
from divulge.service.decisions.policies import ACTIVE, policies_of
from divulge.service.identities.approvals import ApprovalRule
from divulge.service.operations.locations import ServiceLocations
from divulge.service.store.connection import Transaction
from divulge.table.partition_files import as_partitions

MOST_NAMED = 12  # attributes that are named one by one
OPERATOR = "operator"  # who did it, in the log


def place_of(asked: ServiceRequest) -> ServiceLocations:
    """Where the service of a request has what it needs."""
    return ServiceLocations.of(asked.database, asked.keys, asked.checkpoints, asked.signer)


@contextmanager
def opened(place: ServiceLocations, *, read_only: bool = False) -> Iterator[DecisionService]:
    """What a service has in a place, until it is done with."""
    decider = place.open(read_only=read_only)
    with closing(decider.database):
        yield decider


def updated_dataset(asked: UpdateRequest, decider: DecisionService) -> Dataset:
    """The table as it is now, with the dependency that the service has for it."""

    def known(connection: Transaction) -> tuple[Any, ...]:
        _, identifier, *dependency, _ = decider.description(connection, asked.name)
        policies = policies_of(connection, asked.name)
        return identifier, *dependency, next(one.guard.rules for one in policies if one.status == ACTIVE)

    identifier, *dependency, rules = decider.database.read(known)
    x, y, partitions = map(json.loads, dependency)
    if isinstance(x[0], str):
        x, y = [x], [y]
    first, *also = [(tuple(of), tuple(on)) for of, on in zip(x, y, strict=True)]
    data = records_to_release(asked.file, asked.source, asked.orders)
    return Dataset(asked.name, data, identifier, *first, partitions, rules, None, tuple(also))


def new_dataset(asked: DatasetRequest) -> Dataset:
    """The table with its dependency, its rules and what observers expect."""
    if (asked.baseline or asked.baseline_shares) and asked.following:
        raise ParameterError(
            "A baseline of its own cannot also follow the table.", hint=("Give one of the two.")
        )
    data = table_of(asked)
    attributes = data.schema.attributes
    (identifier,) = split([asked.identifier], attributes)
    (x, y), *also = dependencies_of(asked, attributes)
    if also and (asked.baseline or asked.baseline_shares):
        raise ParameterError(
            "A baseline of its own is for a single dependency.", hint="Leave --also or the baseline out."
        )
    expected = expected_by_observers(asked, x)
    labelled = None if expected is None else {label(value): records for value, records in expected.items()}
    return Dataset(
        asked.name,
        data,
        identifier,
        x,
        y,
        _groups(asked.partitions),
        rules_of(asked),
        labelled,
        tuple(also),
        _approval(asked),
    )


def released_in_words(dataset: Dataset) -> str:
    """What goes out with every record: all columns of the file."""
    attributes = dataset.data.schema.attributes
    named = enumerated(attributes, most=MOST_NAMED)
    return f"A released record has all {counted(len(attributes), 'attribute')}: {named}."


def naming_in_words(dataset: Dataset) -> Iterator[str]:
    """Which of these look as if they name people, beside what records are asked for by."""
    others = [name for name in dataset.data.schema.attributes if name != dataset.identifier]
    found = [
        one.attribute
        for one in propose(dataset.data, others[:MOST_ATTRIBUTES])
        if one.names and not one.guessed
    ]
    if found:
        one = len(found) == 1
        named = enumerated([f"'{name}'" for name in found])
        yield (
            f"{named} {'looks' if one else 'look'} as if {'it names' if one else 'they name'} people, and "
            f"{'goes' if one else 'go'} out with every released record. To keep {'it' if one else 'them'} "
            f"back, give a file without {'this column' if one else 'these columns'}."
        )


def _approval(asked: DatasetRequest) -> ApprovalRule:
    said = {"persons": asked.approvals, "days": asked.open_days}
    return ApprovalRule(**{name: number for name, number in said.items() if number is not None})


def _groups(partitions: str | None) -> dict[str, Any]:
    """The partitions as the file has them; files of hierarchies are named to be found again."""
    if partitions is None:
        return {}
    as_partitions(partitions)  # says what is wrong with the file
    path = Path(partitions)
    tables = tomllib.loads(path.read_text("utf-8"))
    for table in tables.values():
        if "hierarchy" in table:
            table["hierarchy"] = str((path.parent / table["hierarchy"]).resolve())
    groups: dict[str, Any] = json.loads(json.dumps(tables, default=str))  # days become texts
    return groups
