"""The groups an attacker sees who knows some attributes at some levels, and what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.counting.counts import JointCounts
from divulge.counting.statistics import DISTINCT
from divulge.explore.scene import Scene
from divulge.generalization.plain import beyond_bounds, counted_groups
from divulge.generalization.transformations import Levels
from divulge.table.packing import packed

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class KnownGroups:
    """Records alike in what an attacker knows of them, of those that no threshold suppresses."""

    scene: Scene
    levels: Levels
    known: tuple[str, ...]
    suppressing: bool = True

    @cached_property
    def whole(self) -> Integers:
        """The group of each combination of original values, by all quasi-identifiers."""
        return self.scene.table.merged(self.levels)

    @cached_property
    def kept(self) -> Mask:
        """Whether each combination of original values is kept."""
        table = self.scene.table
        if not self.suppressing:
            return np.ones(len(table.keys), bool)
        return ~beyond_bounds(table, self.scene.criteria.of_classes, self.whole)[self.whole]

    @cached_property
    def suppressed(self) -> int:
        """How many records are suppressed."""
        return int(self.scene.table.sizes[~self.kept].sum())

    @property
    def records(self) -> int:
        """How many records are left."""
        return self.scene.table.records - self.suppressed

    @cached_property
    def owner(self) -> Integers:
        """The group of each combination that is kept."""
        table = self.scene.table
        if len(self.known) == len(table.attributes):  # what is kept of a group is the whole of it
            here = self.whole[self.kept]
            number = np.cumsum(np.bincount(here, minlength=1) > 0) - 1
            return number[here].astype(np.int64)
        columns = [
            (codes[self.kept], len(one.leaves[level]))
            for codes, one, level in zip(
                table.codes_at(self.levels), table.attributes, self.levels, strict=True
            )
            if one.name in self.known
        ]
        combinations = int(self.kept.sum())
        if not columns or not combinations:
            return np.zeros(combinations, np.int64)
        found: Integers = np.unique(packed(columns, combinations), return_inverse=True)[1]
        return found

    @cached_property
    def sizes(self) -> Integers:
        """How many records each group has."""
        kept = self.scene.table.sizes[self.kept]
        return np.bincount(self.owner, weights=kept).astype(np.int64)

    @cached_property
    def people(self) -> Integers:
        """How many people each group has."""
        place = self.scene.person
        return self.sizes if place is None else self.counts(place).statistic(DISTINCT).astype(np.int64)

    def counts(self, target: int) -> JointCounts:
        """How often each value of a target occurs in each group."""
        table = self.scene.table.restricted(np.flatnonzero(self.kept))
        return counted_groups(self.owner, self.sizes, table.cells[target], table.targets[target])


def known_groups(scene: Scene, levels: Levels, known: Sequence[str]) -> KnownGroups:
    """The groups of an attacker who knows some quasi-identifiers of a release; those of late are kept."""
    held = scene.memo.get("groups")
    if held is None or (held.scene, held.levels, held.known) != (scene, levels, tuple(known)):
        held = scene.memo["groups"] = KnownGroups(scene, levels, tuple(known))
    found: KnownGroups = held
    return found


def original_groups(scene: Scene, known: Sequence[str]) -> KnownGroups:
    """The groups of the same attacker before anything is done."""
    return KnownGroups(scene, tuple(0 for _ in scene.table.shape), tuple(known), suppressing=False)


def people_in(scene: Scene, group_of: Integers, groups: int) -> Integers:
    """How many people each group has; ``group_of`` is the group of each combination of original values."""
    table, place = scene.table, scene.person
    if place is None:
        return np.bincount(group_of, weights=table.sizes, minlength=groups).astype(np.int64)
    cells, values = table.cells[place], len(table.targets[place].share)
    own = np.unique(np.repeat(group_of, np.diff(cells.start)).astype(np.int64) * values + cells.value)
    return np.bincount(own // values, minlength=groups)
