"""Attributes as the page shows them: roles, reasons, and the levels of hierarchies, rare values masked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import SMALL, hidden_part
from divulge.anonymization.inputs import person_of
from divulge.documents.making.exploration import ExploredAttributeEntry, LevelEntry
from divulge.explore.choosing.hierarchy_edits import cut_points, is_numeric, span
from divulge.explore.choosing.reading_options import MASK, detected_kind
from divulge.explore.scene import Scene
from divulge.questions.data import Data
from divulge.table.codes import MISSING
from divulge.table.hierarchy import Hierarchy
from divulge.table.packing import coded, combinations

Integers = npt.NDArray[np.int64]

SHOWN_GROUPS = 40
SHOWN_CUTS = 24


def attribute_entries(
    data: Data,
    roles: Mapping[str, str],
    reasons: Mapping[str, list[str]],
    scene: Scene | None,
    *,
    unlocked: bool,
) -> list[ExploredAttributeEntry]:
    """Every attribute, in the order of the data."""
    return [
        _entry(data, name, role, reasons.get(name, []), scene, unlocked=unlocked)
        for name, role in roles.items()
    ]


def _entry(
    data: Data, name: str, role: str, reasons: list[str], scene: Scene | None, *, unlocked: bool
) -> ExploredAttributeEntry:
    _, often = data.frequencies(name)
    tree = None if scene is None else scene.trees.get(name)
    said = None if scene is None else scene.choices.types.get(name)
    kind = said or detected_kind(data, name)
    numeric = tree is not None and kind == "number" and is_numeric(tree)
    return ExploredAttributeEntry(
        name=name,
        role=role,
        reasons=reasons,
        type=kind,
        values=int((often[1:] > 0).sum()),
        missing=hidden_part(int(often[MISSING]), data.records),
        levels=[] if tree is None else _levels(tree, _people(data, name), unlocked=unlocked),
        made=scene is not None and name in scene.made,
        numeric=numeric,
        whole=numeric and tree is not None and all("." not in value for value in tree.values),
        span=span(tree) if tree is not None and unlocked else None,
    )


@dataclass(frozen=True)
class _ValuePeople:
    """Who has which value: a row for each value of each person, or each value with its number of people."""

    value: list[str]
    place: Integers  # in the list of values
    person: Integers | None  # None where everyone has one record
    times: Integers

    def by_group(self, group_of: Mapping[str, int], groups: int) -> Integers:
        """How many people each group of values has."""
        group = np.asarray([group_of.get(value, groups) for value in self.value], np.int64)[self.place]
        if self.person is None:
            return np.bincount(group, self.times, minlength=groups + 1)[:groups].astype(np.int64)
        own = combinations([(group, groups + 1), (self.person, int(self.person.max()) + 1)], len(group)).first
        return np.bincount(group[own], minlength=groups + 1)[:groups]


def _people(data: Data, name: str) -> _ValuePeople:
    column, often = data.frequencies(name)
    used = np.flatnonzero(often[1:]) + 1
    values = [str(value) for value in column.values_of(used)]
    identifiers = person_of(data)
    if identifiers is None:
        return _ValuePeople(values, np.arange(len(used)), None, often[used])
    number = combinations(coded(data.column(one) for one in identifiers), data.records).number
    place = np.full(int(column.codes.max()) + 1, -1)
    place[used] = np.arange(len(used))
    own, _ = combinations(
        [(column.codes.astype(np.int64), int(column.codes.max()) + 1), (number, int(number.max()) + 1)],
        data.records,
    )
    own = own[column.codes[own] != MISSING]
    return _ValuePeople(values, place[column.codes[own]], number[own], np.ones(len(own), np.int64))


def _levels(tree: Hierarchy, people: _ValuePeople, *, unlocked: bool) -> list[LevelEntry]:
    """The levels; while records are locked no group of few people is named, and no single value shows."""
    found = [LevelEntry(groups=len(tree.values), names=[], masked=0, cuts=None)]
    for level in range(1, tree.levels + 1):
        every = {name: place for place, name in enumerate(dict.fromkeys(tree.groups[level - 1]))}
        group_of = {
            value: every[name] for value, name in zip(tree.values, tree.groups[level - 1], strict=True)
        }
        counts = people.by_group(group_of, len(every)).tolist()
        names = [
            name if unlocked or count >= SMALL else MASK for name, count in zip(every, counts, strict=True)
        ]
        shown = [name for name in names if name != MASK]
        cuts = cut_points(tree, level) if unlocked else None
        found.append(
            LevelEntry(
                groups=len(names),
                names=shown[:SHOWN_GROUPS],
                masked=len(names) - len(shown),
                cuts=cuts if cuts is not None and len(cuts) <= SHOWN_CUTS else None,
            )
        )
    return found
