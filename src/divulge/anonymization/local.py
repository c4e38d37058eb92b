"""Local recoding: levels of their own for every group, made finer while each part still meets the policy."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.generalization.encoding import Integers
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.plain import beyond_bounds
from divulge.mechanisms.value_mapping import CombinationMapping
from divulge.questions.data import Data
from divulge.table.packing import combinations

ROUNDS = 50  # of searches on what was suppressed


@dataclass(frozen=True, eq=False)
class LocalRecoding:
    """The level of each attribute for each class of the original values, and which classes are suppressed."""

    levels: Integers  # by class and attribute
    suppressed: npt.NDArray[np.bool_]  # by class
    loss: float
    groups: int  # that are left


def local_recoding(lattice: GeneralizationLattice, best: tuple[int, ...]) -> LocalRecoding:
    """The best of two: from the global optimum, or from the best where suppression is free.

    What is suppressed is searched again, and again, as a table of its own; then each group is made finer.
    Merging groups never raises the risk by a measure of groups, so groups that come to share their released
    values still meet the policy.
    """
    if not lattice.costs.loss.bounded or lattice.costs.loss.entropy:
        raise ParameterError(
            f"Local recoding has no loss '{lattice.costs.loss.name}', which does not add up over records.",
            hint="Choose granularity, precision or bits.",
        )
    found = [_from(lattice, best)]
    free = _from(lattice, None)
    if int(lattice.table.sizes[free.suppressed].sum()) <= lattice.limit:
        found.append(free)
    return min(found, key=lambda one: one.loss)


def _from(lattice: GeneralizationLattice, first: tuple[int, ...] | None) -> LocalRecoding:
    table, criteria = lattice.table, lattice.criteria.of_classes
    left = np.arange(len(table.keys))
    groups, levels = list[Integers](), list[tuple[int, ...]]()
    for _ in range(ROUNDS):
        here = table.restricted(left)
        node = first if first is not None else _freest(lattice, left)
        first = None
        if node is None:
            break
        owner = here.merged(node)
        bad = beyond_bounds(here, criteria, owner)
        order = np.argsort(owner, kind="stable")
        for members in np.split(left[order], np.flatnonzero(np.diff(owner[order])) + 1):
            if not bad[owner[np.searchsorted(left, members[0])]]:
                groups.append(members)
                levels.append(node)
        left = left[bad[owner]]
        if not len(left):
            break
    suppressed = np.zeros(len(table.keys), bool)
    suppressed[left] = True
    finer = lattice.specialize(groups, np.asarray(levels, np.int64).reshape(-1, len(table.attributes)))
    return LocalRecoding(
        finer, suppressed, _loss(lattice, finer, suppressed), _groups(lattice, finer, suppressed)
    )


def _freest(lattice: GeneralizationLattice, left: Integers) -> tuple[int, ...] | None:
    """The levels of least loss for some classes, any of which may be suppressed; None if all would be."""
    part = lattice.table.restricted(left)
    free = replace(lattice, table=part, limit=part.records)
    sums = free.room()
    for _ in free.whole(sums):
        pass
    kept = sums.suppressed < part.records
    if not kept.any():
        return None
    saved = np.zeros(part.shape)
    for place, one in enumerate(part.attributes):
        codes = part.values(place)
        by_level = [
            float((part.sizes * _extra(lattice, place, level)[one.groups[level][codes]]).sum())
            for level in range(one.height + 1)
        ]
        axes = [-1 if axis == place else 1 for axis in range(saved.ndim)]
        saved = saved + (lattice.costs.factors[place] * np.asarray(by_level)).reshape(axes)
    losses = sums.extra @ lattice.costs.factors - saved.ravel()
    return part.levels(int(np.where(kept, losses, np.inf).argmin()))


def _extra(lattice: GeneralizationLattice, attribute: int, level: int) -> npt.NDArray[np.float64]:
    """What suppressing a record adds to the loss of an attribute, by its group at a level."""
    fields = lattice.table.fields
    start = int(fields.table[attribute]) + level * (int(fields.mask[attribute]) + 1)
    return lattice.costs.extra[start : start + len(lattice.table.attributes[attribute].leaves[level])]


def released_codes(lattice: GeneralizationLattice, levels: Integers) -> Integers:
    """The group of each class at its own levels, by attribute."""
    table = lattice.table
    found = np.zeros(levels.shape, np.int64)
    for place, one in enumerate(table.attributes):
        for level in range(one.height + 1):
            here = levels[:, place] == level
            found[here, place] = one.groups[level][table.values(place)[here]]
    return found


def value_mapping(
    lattice: GeneralizationLattice, found: LocalRecoding, data: Data, mark: str
) -> CombinationMapping:
    """What each combination of values is released as; what is suppressed becomes the mark."""
    table = lattice.table
    order = [[one.name for one in table.attributes].index(name) for name in table.named]
    columns = [data.column(name) for name in table.named]
    first = combinations([(one.codes, one.cardinality) for one in columns], data.records).first
    before = list(zip(*(_texts(one.values_of(one.codes[first])) for one in columns), strict=True))
    codes = released_codes(lattice, found.levels)
    rows = {}
    for texts, place in zip(before, table.class_of[first].tolist(), strict=True):
        if found.suppressed[place]:
            rows[texts] = (mark,) * len(order)
            continue
        after = []
        for text, which in zip(texts, order, strict=True):
            level = int(found.levels[place, which])
            name = table.attributes[which].names[level][int(codes[place, which])]
            after.append(text if level == 0 else name or "")
        rows[texts] = tuple(after)
    return CombinationMapping(table.named, rows)


def _texts(values: list[object]) -> list[str]:
    return ["" if value is None else str(value) for value in values]


def _loss(lattice: GeneralizationLattice, levels: Integers, suppressed: npt.NDArray[np.bool_]) -> float:
    """The loss of all records: that of suppressing all, less what the released ones save."""
    table, codes = lattice.table, released_codes(lattice, levels)
    total = 0.0
    for place, one in enumerate(table.attributes):
        factor = float(lattice.costs.factors[place])
        every = float((one.counts[0] * _extra(lattice, place, 0)).sum())
        total += float(lattice.costs.by_level[place][0]) + factor * every
        for level in range(one.height + 1):
            here = ~suppressed & (levels[:, place] == level)
            saved = table.sizes[here] * _extra(lattice, place, level)[codes[here, place]]
            total -= factor * float(saved.sum())
    return total


def _groups(lattice: GeneralizationLattice, levels: Integers, suppressed: npt.NDArray[np.bool_]) -> int:
    both = np.hstack([levels, released_codes(lattice, levels)])[~suppressed]
    return len(np.unique(both, axis=0))
