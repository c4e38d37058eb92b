"""What goes out as it was: attributes that no step changed, and those of a release that may name people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from divulge.errors import listed_attributes
from divulge.mechanisms.working_table import WorkingTable
from divulge.questions.data import read
from divulge.recipes.changes import StepChange
from divulge.roles.proposal import MOST_ATTRIBUTES, propose
from divulge.roles.vocabulary import meanings
from divulge.table.codes import MISSING, Codes, narrow
from divulge.table.schema import Role

LOOKED_AT = 20_000  # records whose values are looked at


def unchanged_attributes(attributes: Sequence[str], changes: Iterable[StepChange]) -> tuple[str, ...]:
    """The attributes of a release of which no record has another value than it had; none of made-up records.

    >>> unchanged_attributes(["age", "sex"], [StepChange(9, 9, {"age": 7})])
    ('sex',)
    """
    done = list(changes)
    if any(change.cells is None for change in done):
        return ()
    touched = {name for change in done for name in (*(change.cells or ()), *change.added)}
    return tuple(name for name in attributes if name not in touched)


def identifying(table: WorkingTable) -> list[str]:
    """The attributes of a release that look like identifiers, by their names and the values of some records.

    >>> addresses = [f"p{person}@mail.example" for person in range(30)]
    >>> identifying(WorkingTable.of({"age": Codes.of([30, 40] * 15), "x": Codes.of(addresses)}))
    ['x']
    """
    if not table.records or len(table.attributes) > MOST_ATTRIBUTES:
        return identifying_by_name(table.attributes)
    looked_at = WorkingTable.of({name: _beginning(column) for name, column in table.columns.items()})
    return [one.attribute for one in propose(read(looked_at)) if one.role is Role.IDENTIFIER]


def identifying_by_name(attributes: Iterable[str]) -> list[str]:
    """The attributes whose names suggest an identifier; their values are not looked at."""
    return [name for name in attributes if any(one.role is Role.IDENTIFIER for one in meanings(name)[:1])]


def caution(names: Sequence[str]) -> tuple[str, ...]:
    """That attributes may name people, and what to do about it; nothing where none does."""
    if not names:
        return ()
    one = len(names) == 1
    look, them = (
        ("looks like an identifier and is", "it") if one else ("look like identifiers and are", "them")
    )
    return (
        f"{listed_attributes(names)} {look} in the release. To leave {them} out, add a step with "
        'mechanism = "remove".',
    )


def _beginning(column: Codes) -> Codes:
    """The column of the first records, with no other values than theirs."""
    used, codes = np.unique(column.codes[:LOOKED_AT], return_inverse=True)
    values = [column.values[code - 1] for code in used.tolist() if code != MISSING]
    return Codes(narrow(codes + (MISSING not in used), len(values)), values)
