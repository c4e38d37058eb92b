"""Attributes of two tables with categories of the same records: one determines the other, or parts of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations

import numpy as np

from divulge.limits.libraries import scipy
from divulge.tabulation.layout.dimensions import Dimension
from divulge.tabulation.layout.joint_cells import BY_CHANCE
from divulge.tabulation.layout.linked import Ints, SameRecords

KNOWN = "An attacker is assumed to know which belong together."


def same_records(
    tables: Sequence[Sequence[str]],
    dimensions: Mapping[str, Dimension],
    codes: Mapping[str, Ints],
    times: Ints,
) -> list[SameRecords]:
    """Attributes of two tables that have blocks of categories with the same records, such as a region.

    Categories that occur together are in one block: a county with a record in a wrong region joins two
    regions, and all others stay apart. Blocks that a few records seem to form by chance do not count, unless
    one attribute determines the other, or groups in its hierarchy.
    """
    found = []
    for names in _apart(tables, dimensions):
        of = [dimensions[name] for name in names]
        blocks = _blocks(codes[names[0]], codes[names[1]], of[0].leaves, of[1].leaves)
        if len({*blocks}) == 1:
            continue
        side = dict(zip(names, np.split(blocks, [of[0].leaves]), strict=True))
        said, kept = [], []
        for inner, outer in permutations(names):
            if len({*side[outer].tolist()}) == len(side[outer]):
                said.append(_nested(inner, outer))
            elif groups := _groups(dimensions[outer], side[outer], len(side[inner]), codes[outer], times):
                said.append(_nested(inner, outer, groups=True))
                kept += groups
        size = np.bincount(side[names[0]][codes[names[0]]], weights=times)
        nested = any(len({*one.tolist()}) == len(one) for one in side.values())
        if not nested and _by_chance(size, np.bincount(blocks)):
            if not kept:
                continue
            above = [tuple(block in group for group in kept) for block in range(len(size))]
            coarser = {one: number for number, one in enumerate(dict.fromkeys(above))}
            side = {name: np.array([coarser[above[block]] for block in one]) for name, one in side.items()}
        labelled = {
            name: dict(zip(dimensions[name].labels, one.tolist(), strict=False)) for name, one in side.items()
        }
        found.append(SameRecords(labelled, tuple(said) or (_alike(*names),)))
    return found


def _apart(tables: Sequence[Sequence[str]], names: Mapping[str, Dimension]) -> list[tuple[str, str]]:
    """Pairs of attributes of which each is in a table that the other is not in."""
    return [
        (one, other)
        for one, other in combinations(names, 2)
        if any(one in by and other not in by for by in tables)
        and any(other in by and one not in by for by in tables)
    ]


def _blocks(low: Ints, high: Ints, lows: int, highs: int) -> Ints:
    """The block of each category, those of the first attribute before those of the second."""
    one, other = np.divmod(np.unique(low * highs + high), highs)
    sparse = scipy("sparse", "what tables have in common", "tables")
    met = sparse.csr_matrix((np.ones(len(one)), (one, lows + other)), shape=(lows + highs, lows + highs))
    graph = scipy("sparse.csgraph", "what tables have in common", "tables")
    blocks: Ints = graph.connected_components(met, directed=False)[1].astype(np.int64)
    return blocks


def _groups(of: Dimension, blocks: Ints, categories: int, codes: Ints, times: Ints) -> list[set[int]]:
    """The blocks of each group of a hierarchy that consists of whole ones, unless by chance.

    A postcode is in one region and so is a county, but neither says the other: cells of regions are the same
    in tables of both.
    """
    found = []
    records = int(times.sum())
    for group in range(of.leaves, len(of) - (of.total is not None)):
        below = np.array([group in above for above in of.ancestors])
        inside = {*blocks[below].tolist()}
        share = float(times[below[codes]].sum()) / records
        alike = (share**2 + (1 - share) ** 2) ** (records - categories)
        if not inside & {*blocks[~below].tolist()} and alike <= BY_CHANCE:
            found.append(inside)
    return found


def _by_chance(size: Ints, categories: Ints) -> bool:
    """Whether attributes that have nothing to do with each other may well have such blocks.

    So many records as connect its categories make a block what it is; the others are in it by chance as often
    as records are. The largest block is what is left, and says nothing.
    """
    smaller = np.delete(np.arange(len(size)), np.argmax(size))
    more = np.maximum(size[smaller] - categories[smaller] + 1, 0)
    return float((more * np.log(size[smaller] / size.sum())).sum()) > math.log(BY_CHANCE)


def _nested(inner: str, outer: str, *, groups: bool = False) -> str:
    return (
        f"Each category of '{inner}' is in one {'group ' if groups else ''}of '{outer}', so cells of one add "
        f"up to cells of the other. {KNOWN}"
    )


def _alike(one: str, other: str) -> str:
    return (
        f"Some categories of '{one}' have the same records as some of '{other}', so cells of one add up to "
        f"those of the other. {KNOWN}"
    )
