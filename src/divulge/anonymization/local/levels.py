"""Local recoding: levels or ranges of their own for every group, while each part still meets the policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from divulge.anonymization.local.number_ranges import NumberRanges, number_ranges
from divulge.anonymization.local.recoding import LocalRecoding, extra_cost, recoding
from divulge.anonymization.local.specializing import specialize
from divulge.errors import ParameterError
from divulge.generalization.encoding import Integers
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.plain import beyond_bounds

ROUNDS = 50  # of searches on what was suppressed
Levels = tuple[int, ...]


def check_local_loss(lattice: GeneralizationLattice) -> None:
    """Refuse losses that do not add up over the cells of records."""
    if not lattice.costs.loss.adds_up:
        raise ParameterError(
            f"Local recoding has no loss '{lattice.costs.loss.name}', which does not add up over records.",
            hint="Choose granularity, precision or bits.",
        )


def local_recoding(lattice: GeneralizationLattice, best: Levels) -> LocalRecoding:
    """The best of two: from the global optimum, or from the best where suppression is free.

    What is suppressed is searched again, and again, as a table of its own; then each group is made finer.
    Merging groups never raises the risk by a measure of groups, so groups that come to share their released
    values still meet the policy.
    """
    return local_recodings(lattice, best)[0]


def local_recodings(
    lattice: GeneralizationLattice,
    best: Levels,
    *,
    numbers: bool = False,
    over: Callable[[], bool] = lambda: False,
) -> list[LocalRecoding]:
    """Local recodings within the limit of suppression, the least loss first; one begins at the optimum.

    With ``numbers`` attributes that are numbers are cut in two, again and again, each time as near to the
    middle as the policy allows. Then one more begins with all records in one group. Where time is ``over``,
    what is suppressed is not searched again.
    """
    check_local_loss(lattice)
    ranges = number_ranges(lattice) if numbers else None
    found = [_from(lattice, best, ranges, over)]
    others = [] if over() else [_from(lattice, None, ranges, over)]
    if numbers:
        others.append(_from(lattice, tuple(wide - 1 for wide in lattice.table.shape), ranges, over))
    found += [one for one in others if int(lattice.table.sizes[one.suppressed].sum()) <= lattice.limit]
    return sorted(found, key=lambda one: one.loss)


def _from(
    lattice: GeneralizationLattice,
    first: Levels | None,
    numbers: NumberRanges | None,
    over: Callable[[], bool],
) -> LocalRecoding:
    table, criteria, start = lattice.table, lattice.criteria.of_classes, first
    left = np.arange(len(table.keys))
    groups, levels = list[Integers](), list[Levels]()
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
        if not len(left) or over():
            break
    suppressed = np.zeros(len(table.keys), bool)
    suppressed[left] = True
    begin = np.asarray(levels, np.int64).reshape(-1, len(table.attributes))
    finer = specialize(lattice, groups, begin, numbers)
    if numbers is None:
        return recoding(lattice, finer.levels, suppressed, start=start)
    return recoding(
        lattice,
        finer.levels,
        suppressed,
        kind="numbers",
        ranges=numbers,
        part_of=finer.part_of,
        start=start,
    )


def _freest(lattice: GeneralizationLattice, left: Integers) -> Levels | None:
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
            float((part.sizes * extra_cost(lattice, place, level)[one.groups[level][codes]]).sum())
            for level in range(one.height + 1)
        ]
        axes = [-1 if axis == place else 1 for axis in range(saved.ndim)]
        saved = saved + (lattice.costs.factors[place] * np.asarray(by_level)).reshape(axes)
    losses = sums.extra @ lattice.costs.factors - saved.ravel()
    return part.levels(int(np.where(kept, losses, np.inf).argmin()))
