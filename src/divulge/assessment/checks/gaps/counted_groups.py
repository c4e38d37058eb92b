"""Keys that are counted in groups of values: what passes holds for a file with these groups only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from divulge._support.wording import enumerated
from divulge.assessment.scope import Scope
from divulge.errors import counted
from divulge.table.codes import MISSING

MOST_SAID = 5


@dataclass(frozen=True)
class CountedGroups:
    """An attribute whose values are counted in fewer groups than the file has values."""

    attribute: str
    groups: int
    values: int


def counted_groups(scope: Scope, asked: Iterable[str]) -> list[CountedGroups]:
    """Which of some attributes are counted in groups that hold several values of the file."""
    found = (_of(scope, name) for name in dict.fromkeys(asked) if name in scope.partitions)
    return [one for one in found if one is not None]


def named_keys(scope: Scope, keys: Sequence[str]) -> str:
    """Keys in words, with the number of groups where these are coarser than the file."""
    coarser = {one.attribute: one for one in counted_groups(scope, keys)}
    return enumerated(
        [f"{key} (in {counted(coarser[key].groups, 'group')})" if key in coarser else key for key in keys]
    )


def groups_in_words(found: Sequence[CountedGroups]) -> list[str]:
    """For what the verdict holds, and what to do, in words."""
    if not found:
        return []
    said = [
        f"{one.attribute} is counted in {counted(one.groups, 'group')} and the file has "
        f"{counted(one.values, 'value')}"
        for one in found[:MOST_SAID]
    ]
    if found[MOST_SAID:]:
        said.append(f"and {len(found) - MOST_SAID} more")
    return [
        f"{'; '.join(said)}: what passes holds for a file with these groups only. Write the groups into the "
        "file, or remove them from the policy."
    ]


def _of(scope: Scope, attribute: str) -> CountedGroups | None:
    asked = "groups of values", attribute
    if asked not in scope.answers:
        column, records = scope.data.frequencies(attribute)
        places = scope.partitions[attribute].places(column, attribute=attribute, counts=records)
        used = np.flatnonzero(records)
        values = used[(used != MISSING) | (places[used] != MISSING)]  # missing stays apart if no group has it
        groups = len(np.unique(places[values]))
        coarser = groups < len(values)
        scope.answers[asked] = CountedGroups(attribute, groups, len(values)) if coarser else None
    answer: CountedGroups | None = scope.answers[asked]
    return answer
