"""Changes that could be made to a table: to records, to cells, to groups of values, to attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from divulge._support.small_counts import hidden, leaves_few, to_tens
from divulge._support.wording import enumerated, records
from divulge.assessment.checks.unmet import Mask
from divulge.assessment.remedies.groupings import groupings
from divulge.assessment.scope import Scope
from divulge.table.partition import Partition

STARRED = 3  # attributes that are suppressed in the records concerned, each alone

#: The mechanism that does what a change says.
MECHANISM = {
    "records": "listed_changes",
    "cells": "listed_changes",
    "generalize": "recode",
    "bands": "intervals",
    "equal groups": "intervals",
    "dates": "dates",
    "prefix": "prefix",
    "rare values": "groups",
    "suppress": "remove",
}


@dataclass(frozen=True, eq=False)
class Change:
    """One change, in words that begin a sentence, and what it makes of the data."""

    action: str
    attribute: str | None
    words: str
    apply: Callable[[Scope], Scope]
    level: int | None = None
    detail: int | float | str | None = None
    records: int = field(default=0, repr=False)  # that are left out or have a cell suppressed
    cells: int = field(default=0, repr=False)  # of these records that are lost
    rows: Mask | None = None  # the rows of these records
    attributes: tuple[str, ...] = ()  # that are left out
    shown: int | str = 0  # the records as an output may say them
    partition: Partition | None = None  # the groups that values are in


NOTHING = Change("nothing", None, "changing nothing", lambda data: data)


def coarser(scope: Scope, attribute: str) -> list[Change]:
    """An attribute's values in ever wider groups, and at last the attribute left out."""
    found = [
        Change(
            one.action,
            attribute,
            one.words,
            lambda data, one=one: data.grouped(attribute, one.partition),  # type: ignore[misc]
            one.level,
            one.detail,
            partition=one.partition,
        )
        for one in groupings(scope, attribute)
    ]
    if set(scope.keys) == {attribute} or not scope.without(attribute).records:
        return found  # other keys may be suppressed on every record
    return [*found, dropped(attribute)]


def dropped(*attributes: str) -> Change:
    """One attribute left out, or several at once."""

    def apply(data: Scope) -> Scope:
        for name in attributes:
            data = data.without(name)
        return data

    one = attributes[0] if len(attributes) == 1 else None
    return Change("suppress", one, f"leaving out {enumerated(attributes)}", apply, attributes=attributes)


def of_records(scope: Scope, rows: Mask, said: Sequence[int] = ()) -> Change:
    """The records left out; roughly how many where that and counts already said would leave a few."""
    few = scope.records_of(rows)
    return Change(
        "records",
        None,
        f"leaving out {_records(few, said, scope)}",
        lambda data: data.leaving_out(rows),
        records=few,
        cells=few * len(scope.keys),
        rows=rows,
        shown=_shown(few, said),
    )


def _shown(few: int, said: Sequence[int]) -> int | str:
    return to_tens(few) if leaves_few(few, said) else hidden(few)


def _records(few: int, said: Sequence[int], scope: Scope) -> str:
    """How many records, with their share unless they are rounded."""
    return records(to_tens(few) if leaves_few(few, said) else few, of=scope.data.records)


def of_cells(scope: Scope, rows: Mask, order: Sequence[str], said: Sequence[int] = ()) -> list[Change]:
    """One attribute suppressed in the records; its values must not be in groups, which cover no mark."""
    if scope.data.suppressed is None:
        return []
    able = [key for key in order if key in scope.keys and key not in scope.partitions]
    few = scope.records_of(rows)
    return [
        Change(
            "cells",
            key,
            f"suppressing {key} in {_records(few, said, scope)}",
            lambda data, key=key: data.starring(key, rows),  # type: ignore[misc]
            records=few,
            cells=few,
            rows=rows,
            shown=_shown(few, said),
        )
        for key in able[:STARRED]
        if len(scope.keys) > 1
    ]


def changes_records(scope: Scope) -> bool:
    """Whether single records can be changed: they are at hand, and each is in one class."""
    return scope.at_hand is not None and scope.data.missing != "wildcard"
