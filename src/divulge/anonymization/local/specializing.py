"""Groups made finer, one step at a time, while every part of them still meets the policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import NumberTables
from divulge.anonymization.local.number_ranges import NumberRanges
from divulge.generalization.encoding import Integers
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.plain import beyond_bounds

MOST_HELD_BACK = 4  # parts that may stay with those beyond bounds so that these keep to them
MOST_CUTS = 9  # of a number in two that are tried, those nearest to the middle first
NEARLY, TINY = 1e-9, 1e-15  # gains that differ by rounding are taken for equal
STAY = -1


class Specialized(NamedTuple):
    """The level of each attribute for each class, and the part that it is in; -1 where it is in no group."""

    levels: Integers
    part_of: Integers


def specialize(
    lattice: GeneralizationLattice,
    groups: Sequence[Integers],
    levels: Integers,
    numbers: NumberRanges | None = None,
) -> Specialized:
    """Groups of classes, each with its levels, made finer by the attribute that gains most each time.

    That is an attribute one level down, or a number cut in two near its middle, as long as every part is
    within all bounds.
    """
    if lattice.compiled is None:
        return _plainly(lattice, groups, levels, numbers)
    tables = NumberTables.none(lattice.table.fields) if numbers is None else numbers.tables
    found = lattice.compiled.specialize(
        lattice.table.codes_by_level, lattice.costs.factors, tables, groups, levels
    )
    return Specialized(*(one.astype(np.int64) for one in found))


class _Split(NamedTuple):
    gain: float
    part: npt.NDArray[Any]  # of each member; STAY where it stays as it is
    by_level: bool  # whether the attribute goes down one level, in the parts that do not stay


def _plainly(
    lattice: GeneralizationLattice,
    groups: Sequence[Integers],
    levels: Integers,
    numbers: NumberRanges | None,
) -> Specialized:
    """The same in NumPy: what the compiled loops find."""
    count, width = len(lattice.table.keys), len(lattice.table.attributes)
    found = Specialized(np.zeros((count, width), np.int64), np.full(count, -1))
    waiting = [
        (np.asarray(one, np.int64), tuple(row)) for one, row in zip(groups, levels.tolist(), strict=True)
    ]
    parts = 0
    while waiting:
        members, now = waiting.pop()
        best, most = -1, _Split(0.0, np.zeros(0, np.int64), False)
        for a in range(width):
            for split in _splits(lattice, members, a, now[a], most.gain, numbers):
                if split.gain > most.gain * (1 + NEARLY) + TINY:
                    best, most = a, split
        if best < 0:
            found.levels[members], found.part_of[members] = now, parts
            parts += 1
            continue
        down = (*now[:best], now[best] - 1, *now[best + 1 :])
        for one in np.unique(most.part).tolist():
            waiting.append((members[most.part == one], down if most.by_level and one != STAY else now))
    return found


def _splits(
    lattice: GeneralizationLattice,
    members: Integers,
    a: int,
    level: int,
    most: float,
    numbers: NumberRanges | None,
) -> Iterator[_Split]:
    """A group in parts by an attribute, if there is a way that keeps all of them within bounds."""
    if numbers is not None and a in numbers.ranks:
        yield from _cut(lattice, members, a, numbers)
        return
    if level == 0:
        return
    table, costs = lattice.table, lattice.costs
    wide, start = int(table.fields.mask[a]) + 1, int(table.fields.table[a])
    rows = [start + (level - down) * wide for down in (1, 0)]
    values = table.values(a)[members]
    finer, coarser = (table.codes_by_level[row : row + wide][values] for row in rows)
    saved = table.sizes[members] * (costs.extra[rows[0] + finer] - costs.extra[rows[1] + coarser])
    if float(saved.sum() * costs.factors[a]) <= most * (1 + NEARLY) + TINY:
        return
    staying = _staying(lattice, members, finer)
    if staying is not None:
        gain = float(saved[~staying].sum() * costs.factors[a])
        yield _Split(gain, np.where(staying, STAY, finer), True)


def _cut(
    lattice: GeneralizationLattice, members: Integers, a: int, numbers: NumberRanges
) -> Iterator[_Split]:
    """A group in two by its numbers, as near to the middle as both halves are within bounds."""
    table = lattice.table
    rank, sizes = numbers.ranks[a][table.values(a)[members]], table.sizes[members]
    kinds, kind = np.unique(rank, return_inverse=True)
    if kinds[0] < 0:
        return
    below = np.cumsum(np.bincount(kind, weights=sizes))
    reached = np.flatnonzero(2 * below[:-1] >= below[-1])
    middle = int(reached[0]) + 1 if len(reached) else len(kinds)
    here = table.restricted(members)
    for tried in range(MOST_CUTS):
        cut = middle + (-((tried + 1) // 2) if tried % 2 else tried // 2)
        if not 1 <= cut < len(kinds):
            continue
        upper = (kind >= cut).astype(np.int64)
        if beyond_bounds(here, lattice.criteria.of_classes, upper).any():
            continue
        ends = [(kinds[0], kinds[-1]), (kinds[0], kinds[cut - 1]), (kinds[cut], kinds[-1])]
        low, high = (np.asarray(one) for one in zip(*ends, strict=True))
        before, *after = numbers.saved(a, low, high).tolist()
        halves = [float(sizes[upper == one].sum()) for one in (0, 1)]
        gain = sum(records * (one - before) for records, one in zip(halves, after, strict=True))
        yield _Split(gain * float(lattice.costs.factors[a]), upper, False)
        return


def _staying(
    lattice: GeneralizationLattice, members: Integers, finer: npt.NDArray[Any]
) -> npt.NDArray[np.bool_] | None:
    """The members that stay as they are when the others are split by finer codes; None where all would.

    Parts beyond bounds stay together, with as few others, the smallest first, as make them keep to bounds.
    """
    table, criteria = lattice.table, lattice.criteria.of_classes
    here = table.restricted(members)
    codes, part = np.unique(finer, return_inverse=True)
    bad = beyond_bounds(here, criteria, part)
    if not bad.any():
        return np.zeros(len(members), bool)
    sizes = np.where(bad, 0, np.bincount(part, weights=here.sizes))
    order = np.lexsort((codes, sizes))
    failing = int(bad.sum())
    for parts in range(failing, min(len(codes) - 1, failing + MOST_HELD_BACK) + 1):
        staying = np.isin(part, order[:parts])
        rest = table.restricted(members[staying])
        if not beyond_bounds(rest, criteria, np.zeros(len(rest.keys), np.int64)).any():
            return staying
    return None
