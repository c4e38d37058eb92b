"""The records at most risk, why, and which single change protects each; values stay masked."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import hidden_part
from divulge.assessment.population.beyond_table import MOST_SEARCHED
from divulge.documents.making.exploration import ProtectingEntry, RiskyRecordEntry
from divulge.explore.choosing.choices import Choices
from divulge.explore.choosing.reading_options import MASK
from divulge.explore.groups import KnownGroups
from divulge.explore.scene import Scene
from divulge.generalization.transformations import Levels
from divulge.mechanisms.working_table import WorkingTable
from divulge.questions.data import Data
from divulge.table.codes import MISSING, Codes, narrow
from divulge.uniques.minimal_uniques import MOST_ATTRIBUTES, MinimalUniques, minimal_uniques, search_work

Integers = npt.NDArray[np.int64]
MOST_RECORDS = 20
SHOWN_SETS = 3


def risky_records(scene: Scene, choices: Choices, *, unlocked: bool) -> list[RiskyRecordEntry]:
    """The records in the smallest groups, before any is suppressed: row, reasons, and what would help.

    Among those that are unique, records that few attributes make so come first.
    """
    table, levels, least = scene.table, scene.levels(choices.levels), choices.least
    groups = KnownGroups(scene, levels, table.named, suppressing=False)
    few = np.flatnonzero(groups.people < max(least, 2))
    if not len(few):
        return []
    sets, place = _minimal_sets(groups)
    order = few[np.lexsort((_fewest(sets, place)[few], groups.people[few]))][:MOST_RECORDS]
    group_of = groups.owner[table.class_of]
    helping, origin = _Protecting(scene, levels), _origin(scene)
    return [
        RiskyRecordEntry(
            row=int(origin[row]) + 1,
            group=hidden_part(int(groups.people[group_of[row]]), None),
            unique_by=_named(sets, int(place[group_of[row]]), table.named),
            protected_by=helping.changes(int(table.class_of[row]), least),
            values={name: _shown(scene.counted, name, row) if unlocked else MASK for name in table.named},
        )
        for row in _records_of(group_of, order)
    ]


def _records_of(group_of: Integers, chosen: Integers) -> list[int]:
    """The records of some groups, in the order of these."""
    rank = np.full(int(group_of.max()) + 1, len(chosen))
    rank[chosen] = np.arange(len(chosen))
    ranks = rank[group_of]
    rows = np.flatnonzero(ranks < len(chosen))
    found: list[int] = rows[np.argsort(ranks[rows], kind="stable")][:MOST_RECORDS].tolist()
    return found


def _minimal_sets(groups: KnownGroups) -> tuple[MinimalUniques | None, Integers]:
    """The minimal sets of attributes that make people unique, and the place of each group in them.

    Two people of a group are as many as a hundred: neither is unique. The place of such a group is -1.
    """
    table, times = groups.scene.table, np.minimum(groups.people, 2)
    place = np.where(groups.people == 1, np.cumsum(times) - times, -1)
    rows, attributes = int(times.sum()), len(table.named)
    sizes = range(1, attributes + 1)
    fits = [size for size in sizes if search_work(rows, attributes, size) <= MOST_SEARCHED]
    if not fits or attributes > MOST_ATTRIBUTES:
        return None, place
    first = np.unique(groups.owner, return_index=True)[1]
    codes = {
        one.name: Codes(narrow(np.repeat(column[first], times) + 1, len(one.leaves[level])), one.names[level])
        for one, level, column in zip(
            table.attributes, groups.levels, table.codes_at(groups.levels), strict=True
        )
    }
    return minimal_uniques([codes[name] for name in table.named], max(fits)), place


def _fewest(sets: MinimalUniques | None, place: Integers) -> Integers:
    """How many attributes make each group unique, at least; more than there are where none is known."""
    found = np.full(len(place), np.iinfo(np.int64).max)
    if sets is not None and len(sets.sets):
        least = np.full(sets.records, np.iinfo(np.int64).max)
        np.minimum.at(least, sets.owner, sets.sizes)
        found[place >= 0] = least[place[place >= 0]]
    return found


def _named(sets: MinimalUniques | None, place: int, names: tuple[str, ...]) -> list[list[str]]:
    if sets is None or place < 0:
        return []
    return [[names[one] for one in chosen] for chosen in sets.of(place)[:SHOWN_SETS]]


class _Protecting:
    """Which attributes, at a higher level, put a combination of values into a group that is large enough."""

    def __init__(self, scene: Scene, levels: Levels) -> None:
        self._scene, self._levels = scene, levels
        self._codes = scene.table.codes_at(levels)

    def changes(self, chosen: int, least: int) -> list[ProtectingEntry]:
        """For each attribute the lowest level that is enough by itself, where one is."""
        table, found = self._scene.table, {}
        for place, one in enumerate(table.attributes):
            alike = self._alike_in_others(chosen, place)
            values = table.values(place)[alike]
            own = int(np.flatnonzero(alike == chosen)[0])
            for level in range(self._levels[place] + 1, one.height + 1):
                groups = one.groups[level][values]
                if self._people(alike[groups == groups[own]]) >= least:
                    found[one.name] = ProtectingEntry(attribute=one.name, level=level)
                    break
        return [found[name] for name in table.named if name in found]

    def _alike_in_others(self, chosen: int, place: int) -> Integers:
        """The combinations that agree with one in all attributes but the one at a place."""
        alike = np.arange(len(self._scene.table.keys))
        for other, codes in enumerate(self._codes):
            if other != place:
                alike = alike[codes[alike] == codes[chosen]]
        return alike

    def _people(self, combinations: Integers) -> int:
        """How many people have one of these combinations."""
        scene = self._scene
        if scene.person is None:
            return int(scene.table.sizes[combinations].sum())
        cells = scene.table.cells[scene.person]
        parts = [cells.value[cells.start[one] : cells.start[one + 1]] for one in combinations.tolist()]
        return len(np.unique(np.concatenate(parts)))


def _origin(scene: Scene) -> Integers:
    """Which row of the table each record in a group was, from 0 on."""
    data = scene.data
    known = data.source.rows if isinstance(data.source, WorkingTable) else None
    rows = np.arange(data.records) if known is None else np.asarray(known, np.int64)
    if scene.counted.records == data.records:
        return rows
    gaps = [data.column(name).codes == MISSING for name in scene.table.named]
    return rows[~np.any(gaps, axis=0)]


def _shown(data: Data, name: str, row: int) -> str:
    [value] = data.column(name).values_of(data.column(name).codes[row : row + 1])
    return "" if value is None else str(value)
