"""Quasi-identifiers at every level that changes give them, and what checks ask of groups at these levels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._support.rounding import above
from divulge.assessment.checks.all_checks import AnyCheck
from divulge.assessment.checks.table_check import TableCheck
from divulge.assessment.checks.threshold_check import Check
from divulge.assessment.remedies.changes import Change, changes_records
from divulge.assessment.remedies.trial import Trial
from divulge.assessment.scope import Scope
from divulge.counting.counts import RECORD
from divulge.generalization.attribute_levels import AttributeLevels
from divulge.generalization.best_first import MOST_NODES
from divulge.generalization.criteria import Criteria, Kind, criteria_of
from divulge.generalization.encoding import GeneralizationTable, generalization_table
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.losses import LOSSES, LossTables
from divulge.generalization.sliced_levels import SlicedLevels
from divulge.generalization.transformations import feasible
from divulge.measures import get
from divulge.policy import SinglingOut, Threshold
from divulge.questions.data import Data
from divulge.table.codes import Codes, narrow
from divulge.table.partition import Partition

Groups = npt.NDArray[np.int64]
MOST_GROUPED = 1 << 25  # records, not at hand, that an engine groups by itself
MANY_GROUPS = 1 << 19  # from which on combinations are judged by a part of the records
ENGINE_WORK = 20_000_000_000  # groups, in all combinations together, where it does


@dataclass(frozen=True, eq=False)
class PlanLattice:
    """All combinations of ways to make quasi-identifiers coarser, and what checks ask of their groups."""

    lattice: GeneralizationLattice | SlicedLevels
    changes: dict[str, tuple[Change, ...]]  # of each attribute, from level 1 on
    exact: bool  # whether groups are counted as the checks count them, and decide all of these
    thinned: bool  # whether levels were left out so that all combinations can be looked at

    @property
    def nodes(self) -> int:
        """How many combinations there are."""
        return math.prod(self._table.shape)

    @property
    def _table(self) -> GeneralizationTable | SlicedLevels:
        return self.lattice if isinstance(self.lattice, SlicedLevels) else self.lattice.table

    def by_name(self, levels: tuple[int, ...]) -> dict[str, int]:
        """Levels by attribute, in the order of the data."""
        found = {one.name: level for one, level in zip(self._table.attributes, levels, strict=True)}
        return {name: found[name] for name in self.changes}

    @property
    def judged(self) -> bool:
        """Whether combinations were passed over by what a part of the records says of them."""
        return isinstance(self.lattice, SlicedLevels)

    @property
    def looked_at_all(self) -> bool:
        """Whether every combination was looked at, or follows from one that was."""
        return not isinstance(self.lattice, SlicedLevels) or self.lattice.able[1]

    def by_loss(self) -> Iterator[tuple[float, float, tuple[int, ...]]]:
        """The combinations whose groups do what the checks ask: loss in bits, share left out, and levels."""
        if isinstance(self.lattice, SlicedLevels):
            yield from self.lattice.by_loss()
            return
        sums = self.lattice.room()
        for _ in self.lattice.whole(sums):
            pass
        losses = self.lattice.costs.losses(sums)
        able = np.flatnonzero(feasible(self.lattice, sums))
        for node in able[np.argsort(losses[able], kind="stable")].tolist():
            share = int(sums.suppressed[node]) / self.lattice.table.records
            yield float(losses[node]), share, self.lattice.table.levels(node)

    def at(self, levels: tuple[int, ...]) -> dict[str, Change]:
        """The changes that make up some levels, by attribute."""
        named = self.by_name(levels)
        return {name: self.changes[name][level - 1] for name, level in named.items() if level}


def plan_lattice(trial: Trial, share: float, work: int) -> PlanLattice | None:
    """The lattice of changes that a plan is searched in; a share of the records may be left out at most.

    ``work`` is how many groups may be looked at in all combinations together.
    """
    scope = trial.scope
    held = grouped_data(scope)
    if held is None:
        return None
    by_processor, work = work, max(work, ENGINE_WORK) if scope.at_hand is None else work
    kept = None if scope.rows is None else scope.rows.kept(scope.keys, None)
    data = held if kept is None else held.taking(kept)
    if not data.records:
        return None
    criteria = _criteria(trial.checks, scope, data)
    ways = {name: trial.coarser(name) for name in scope.keys}
    found = {name: _levels(data, name, ways[name], scope.partitions.get(name)) for name in scope.keys}
    if (sliced := _sliced(trial, data, criteria, found, share, work, kept)) is not None:
        return sliced
    table = generalization_table(
        data, [levels for _, levels in found.values()], criteria.targets, scope.partitions
    )
    thinned = False
    while table.nodes * len(table.keys) > work and (name := _most_levels(found)) is not None:
        found[name] = _thinned(data, found[name], scope.partitions.get(name))
        table, thinned = table.at_levels({name: found[name][1]}), True
    if table.nodes > MOST_NODES:
        return None  # even with each attribute either kept or left out
    changes = {name: chosen for name, (chosen, _) in found.items()}
    costs = LossTables(LOSSES["bits"], table, {})
    limit = int(share * data.records + 1e-9) if changes_records(scope) else 0
    exact = kept is None and not criteria.unknown and not criteria.of_rest
    exact = exact and _counts_records(scope) and _decided(trial.checks)
    lattice = GeneralizationLattice(table, criteria, costs, limit)
    if work > by_processor and lattice.by_engine is None and table.nodes * len(table.keys) > by_processor:
        return None
    return PlanLattice(lattice, changes, exact, thinned)


def _sliced(
    trial: Trial,
    data: Data,
    criteria: Criteria,
    found: dict[str, Levels],
    share: float,
    work: int,
    kept: Groups | None,
) -> PlanLattice | None:
    """The same of very many groups, judged by a part of the records; None where they are fewer.

    It is for checks of how large groups are, and for rows that each are one record.
    """
    scope = trial.scope
    sizes = [one.bound for one in criteria.of_classes if one.kind is Kind.SIZE]
    plain = data.times is None and data.engine.kind == "memory" and kept is None and library.built()
    plain = plain and not criteria.of_rest and not criteria.unknown and changes_records(scope)
    if not plain or not sizes or len(sizes) < len(criteria.of_classes):
        return None
    groups = scope.question(scope.keys).counts.classes
    if groups < MANY_GROUPS:
        return None
    thinned = False
    while math.prod(len(one[0]) + 1 for one in found.values()) * groups > work:
        if (name := _most_levels(found)) is None:
            break
        found[name], thinned = _thinned(data, found[name], scope.partitions.get(name)), True
    attributes = tuple(sorted((one for _, one in found.values()), key=lambda one: -len(one.leaves[0])))
    limit = int(share * data.records + 1e-9)
    lattice = SlicedLevels(attributes, data.records, math.ceil(max(sizes)), limit)
    return PlanLattice(lattice, {name: chosen for name, (chosen, _) in found.items()}, False, thinned)


def _thinned(data: Data, levels: Levels, before: Partition | None) -> Levels:
    """Every other level of an attribute, and the last."""
    chosen, one = levels
    return _levels(data, one.name, [*chosen[1:-1:2], *chosen[-1:]], before)


def grouped_data(scope: Scope) -> Data | None:
    """The data whose groups are looked at: rows at hand, or records that an engine groups by itself."""
    data = scope.data
    if scope.at_hand is not None or data.level_search is None or data.records > MOST_GROUPED:
        return scope.at_hand
    plain = data.missing == "value" and not any(data.suppresses(key) for key in scope.keys)
    return data if plain else None


Levels = tuple[tuple[Change, ...], AttributeLevels]


def _most_levels(found: Mapping[str, Levels]) -> str | None:
    """The attribute with most levels between its values and the last; None where none has any."""
    name = max(found, key=lambda name: len(found[name][0]))
    return name if len(found[name][0]) > 1 else None


def _levels(
    data: Data, name: str, ways: Sequence[Change], before: Partition | None
) -> tuple[tuple[Change, ...], AttributeLevels]:
    """The changes each of which merges groups of the one before, and the attribute at their levels."""
    column, held = data.frequencies(name)
    used = np.flatnonzero(held)
    present = Codes(narrow(used, len(column.values)), column.values)
    groups = [_grouped(present, before, name)]
    chosen: list[Change] = []
    for way in ways:
        found = np.zeros(len(used), np.int64) if way.attributes else _grouped(present, way.partition, name)
        if found.max(initial=0) < groups[-1].max(initial=0) and _merges(groups[-1], found):
            groups.append(found)
            chosen.append(way)
    place = np.zeros(column.cardinality, np.int64)
    place[used] = groups[0]
    first = np.unique(groups[0], return_index=True)[1]
    often = held[used]
    counts = tuple(np.bincount(one, weights=often).astype(np.int64) for one in groups)
    by_group = tuple(one[first] for one in groups)
    leaves = tuple(np.bincount(one) for one in by_group)
    return tuple(chosen), AttributeLevels(name, column.codes, place, by_group, leaves, counts, len(first))


def _grouped(present: Codes, partition: Partition | None, name: str) -> Groups:
    """The group of each value that occurs, numbered from 0 on."""
    codes = present.codes if partition is None else partition.apply(present, attribute=name).codes
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def _merges(finer: Groups, coarser: Groups) -> bool:
    """Whether every group of one level is in one group of the next."""
    return len(np.unique(finer * (int(coarser.max()) + 1) + coarser)) == int(finer.max()) + 1


def _criteria(checks: Sequence[AnyCheck], scope: Scope, data: Data) -> Criteria:
    """The thresholds of checks, and sizes of groups so that nobody in them is singled out."""
    known = {*data.source.attributes, RECORD}
    thresholds = {id(one.threshold): one.threshold for one in checks if isinstance(one, Check)}
    able = [one for one in thresholds.values() if known.issuperset(one.target or ())]
    sizes = [_least_size(level.k, scope) for level in _levels_asked(checks) if level.keys is None]
    able += [_of_size(max(sizes))] if sizes else []
    found = criteria_of(able, scope.keys, scope.sensitive)
    rest = tuple(one for one in thresholds.values() if one not in able)
    return replace(found, unknown=(*found.unknown, *rest))


def _levels_asked(checks: Sequence[AnyCheck]) -> list[SinglingOut]:
    return [level for one in checks if isinstance(one, TableCheck) for level in one.singled_out]


def _least_size(k: int, scope: Scope) -> int:
    """The fewest records of a group in which the risk is at most 1/k; fewer than k in a sample."""
    sizes = np.arange(3, k + 1)
    risky = above(scope.sample.risk(sizes), 1 / k)
    return int(sizes[~risky][0]) if (~risky).any() else k


def _of_size(least: int) -> Threshold:
    return Threshold(get("k_anonymity"), {}, None, None, least, None, False, "fail", "")


def _counts_records(scope: Scope) -> bool:
    """Whether groups are counted as the search counts them: records of one person each, all of them."""
    person = None if scope.rows is None else scope.rows.person
    plain = scope.data.weights is None and person is None and not scope.stars_fit
    return plain and scope.data.missing == "value" and not scope.sample.partial


def _decided(checks: Sequence[AnyCheck]) -> bool:
    """Whether the sizes that are asked for leave nothing open: the largest is asked of all groups."""
    levels = _levels_asked(checks)
    if any(level.keys for level in levels):
        return False
    return not levels or max(levels, key=lambda level: (level.k, -level.max)).max == 0
