"""What keys tell about people with several records, who are counted where these are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.assessment.inference.asked.sensitive_questions import AskedValues
from divulge.assessment.inference.key_set_findings import FlaggedSets
from divulge.assessment.people.people_table import PeopleTable
from divulge.assessment.people.people_there import AskedAs, ToldSets
from divulge.assessment.scope import Scope
from divulge.table.codes import Codes

Numbers = npt.NDArray[Any]


def people_tables(
    scope: Scope, keys: Sequence[str], target: str, column: Codes, asked: Sequence[AskedValues]
) -> tuple[list[PeopleTable], list[PeopleTable]]:
    """Sets of people and the values they have, for each way to ask; and by weight, where weights differ."""
    there = scope.people_there
    assert there is not None
    ways, about = _asked_as(asked), (scope.partitions, keys, target, column)
    known = {one.number: there.table(*about, one) for one in {one.number: one for one in ways}.values()}
    tables = [known[one.number] for one in ways]
    if not there.weights_differ:
        return tables, []
    return tables, [there.weighed(*about, *pair) for pair in zip(ways, tables, strict=True)]


def people_told(
    scope: Scope, target: str, column: Codes, asked: Sequence[AskedValues], found: Sequence[FlaggedSets]
) -> int:
    """The people about whom some sets tell a value, each counted once."""
    there = scope.people_there
    assert there is not None
    told = [
        ToldSets(one.keys, number, *_single(by_way, way.owner[flag], way.value[flag]))
        for one in found
        for by_way, number, (way, flag) in zip(
            [*asked] * (len(one.ways) // len(asked)),
            _asked_as(asked) * (len(one.ways) // len(asked)),
            one.pairs,
            strict=True,
        )
        if flag.any()
    ]
    return there.people_told(scope.partitions, target, column, told)


def _single(asked: AskedValues, owner: Numbers, value: Numbers) -> tuple[Numbers, Numbers]:
    """Sets with each value that a limit contains."""
    if not asked.limit:
        return owner, value
    many = asked.bands - value if asked.limit == "at least" else value + 1
    begins = np.repeat(np.cumsum(many) - many, many)
    steps = np.arange(int(many.sum())) - begins
    first = np.repeat(value, many) if asked.limit == "at least" else 0
    return np.repeat(owner, many), first + steps


def _asked_as(asked: Sequence[AskedValues]) -> list[AskedAs]:
    """How each way asks there; those that differ only in what is made of it are one."""
    first = dict[int, AskedAs]()
    for number, one in enumerate(asked):
        bands = one.bands if one.by_two else 0
        first.setdefault(id(one.of_code), AskedAs(number, one.of_code, one.values, bands))
    return [first[id(one.of_code)] for one in asked]
