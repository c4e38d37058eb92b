"""What keys tell about people with several records, who are counted where these are."""

from __future__ import annotations

from collections.abc import Sequence

from divulge.assessment.inference.key_set_findings import FlaggedSets
from divulge.assessment.inference.sensitive_questions import AskedValues
from divulge.assessment.people.people_table import PeopleTable
from divulge.assessment.people.people_there import AskedAs, ToldSets
from divulge.assessment.scope import Scope
from divulge.table.codes import Codes


def people_tables(
    scope: Scope, keys: Sequence[str], target: str, column: Codes, asked: Sequence[AskedValues]
) -> tuple[list[PeopleTable], list[PeopleTable]]:
    """Sets of people and the values they have, for each way to ask; and by weight, where weights differ."""
    there = scope.people_there
    assert there is not None
    ways, about = _asked_as(asked), (scope.partitions, keys, target, column)
    tables = [there.table(*about, one) for one in ways]
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
        ToldSets(one.keys, way_asked, way.owner[flag], way.value[flag])
        for one in found
        for way_asked, (way, flag) in zip(
            _asked_as(asked) * (len(one.ways) // len(asked)), one.pairs, strict=True
        )
        if flag.any()
    ]
    return there.people_told(scope.partitions, target, column, told)


def _asked_as(asked: Sequence[AskedValues]) -> list[AskedAs]:
    return [AskedAs(number, one.of_code, one.values, one.bands) for number, one in enumerate(asked)]
