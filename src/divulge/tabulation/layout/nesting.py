"""Attributes of one table that determine those of another, or groups of them, by the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

import numpy as np

from divulge.tabulation.layout.dimensions import Dimension
from divulge.tabulation.layout.joint_cells import BY_CHANCE
from divulge.tabulation.layout.linked import Ints, Nesting


def nestings(
    tables: Sequence[Sequence[str]], dimensions: Mapping[str, Dimension], codes: Mapping[str, Ints]
) -> list[Nesting]:
    """Attributes of one table that determine those of another, by the records: a county its region."""
    found = []
    for inner, outer in _apart(tables, dimensions):
        pairs = _pairs(codes[inner], codes[outer], len(dimensions[outer]))
        if len(pairs) == len({low for low, _ in pairs}):
            members: dict[str, tuple[str, ...]] = {}
            for low, high in pairs:
                group = dimensions[outer].labels[high]
                members[group] = (*members.get(group, ()), dimensions[inner].labels[low])
            found.append(Nesting(inner, outer, members))
    return found


def group_nestings(
    tables: Sequence[Sequence[str]], dimensions: Mapping[str, Dimension], codes: Mapping[str, Ints]
) -> list[Nesting]:
    """Attributes that determine groups of another one's hierarchy, though not its categories.

    A postcode is in one region and so is a county, but neither says the other: cells of regions are the same
    in tables of both. Groups that a few records seem to have in common by chance are not among them.
    """
    found = []
    for inner, outer in _apart(tables, dimensions):
        of, records = dimensions[outer], len(codes[inner])
        pairs = _pairs(codes[inner], codes[outer], len(of))
        inside = {low for low, _ in pairs}
        if len(pairs) == len(inside):
            continue  # all categories are determined, and so are their groups
        members: dict[str, tuple[str, ...]] = {}
        for group in range(of.leaves, len(of) - (of.total is not None)):
            below = [leaf for leaf, above in enumerate(of.ancestors) if group in above]
            wholly = {low for low, high in pairs if high in below}
            if wholly & {low for low, high in pairs if high not in below}:
                continue
            share = float(np.isin(codes[outer], below).mean())
            if (share**2 + (1 - share) ** 2) ** (records - len(inside)) <= BY_CHANCE:
                members[of.labels[group]] = tuple(dimensions[inner].labels[low] for low in sorted(wholly))
        if members:
            found.append(Nesting(inner, outer, members, groups=True))
    return found


def _apart(tables: Sequence[Sequence[str]], dimensions: Mapping[str, Dimension]) -> list[tuple[str, str]]:
    """Pairs of attributes of which each is in a table that the other is not in."""
    return [
        (inner, outer)
        for inner, outer in permutations(dimensions, 2)
        if any(inner in by and outer not in by for by in tables)
        and any(outer in by and inner not in by for by in tables)
    ]


def _pairs(low: Ints, high: Ints, size: int) -> list[tuple[int, int]]:
    """The combinations of two attributes that occur."""
    return [divmod(one, size) for one in np.unique(low * size + high).tolist()]
