"""What a local recoding is: levels, ranges and suppressed cells of each class, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from divulge.anonymization.local.number_ranges import NumberRanges
from divulge.generalization.encoding import Integers
from divulge.generalization.lattice import GeneralizationLattice
from divulge.mechanisms.value_mapping import CombinationMapping
from divulge.questions.data import Data
from divulge.table.packing import combinations, packed

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
LocalKind = Literal["levels", "numbers", "cells"]


@dataclass(frozen=True, eq=False)
class LocalRecoding:
    """What is released of each class of the original values: the level of each attribute, or a range.

    ``ranges`` has the parts that numbers were split into, and ``stars`` the cells that are suppressed by
    themselves, both by class and attribute.
    """

    levels: Integers  # by class and attribute
    suppressed: Mask  # by class
    loss: float
    groups: int  # that are left
    kind: LocalKind = "levels"
    ranges: NumberRanges | None = None
    part_of: Integers | None = None  # by class: the part whose ranges are released
    stars: Mask | None = None
    start: tuple[int, ...] | None = None  # the transformation whose groups were made finer
    alike: bool = False  # whether it is that transformation itself, no group being finer


def recoding(
    lattice: GeneralizationLattice,
    levels: Integers,
    suppressed: Mask,
    *,
    kind: LocalKind = "levels",
    ranges: NumberRanges | None = None,
    part_of: Integers | None = None,
    stars: Mask | None = None,
    start: tuple[int, ...] | None = None,
) -> LocalRecoding:
    """A local recoding with what it costs and how many groups it leaves."""
    bare = LocalRecoding(levels, suppressed, 0.0, 0, kind, ranges, part_of, stars, start)
    groups = len(np.unique(released_as(lattice, bare)[~suppressed]))
    return replace(bare, loss=_loss(lattice, bare), groups=groups)


def released_codes(lattice: GeneralizationLattice, levels: Integers) -> Integers:
    """The group of each class at its own levels, by attribute."""
    table = lattice.table
    found = np.zeros(levels.shape, np.int64)
    for place, one in enumerate(table.attributes):
        for level in range(one.height + 1):
            here = levels[:, place] == level
            found[here, place] = one.groups[level][table.values(place)[here]]
    return found


def released_as(lattice: GeneralizationLattice, found: LocalRecoding) -> Integers:
    """A number for what is released of each class: those with equal numbers are released alike."""
    codes, columns = released_codes(lattice, found.levels), list[tuple[Integers, int]]()
    ranged = (
        {} if found.ranges is None or found.part_of is None else found.ranges.of_parts(lattice, found.part_of)
    )
    for place, one in enumerate(lattice.table.attributes):
        cells = found.levels[:, place] * one.width + codes[:, place]
        many = (one.height + 1) * one.width
        if found.stars is not None:
            cells = np.where(found.stars[:, place], many, cells)
        if place in ranged:
            low, high = ranged[place]
            wide = int(high.max(initial=0)) + 1
            cells = np.where(low >= 0, many + 1 + low * wide + high, cells)
            many += wide * wide
        columns.append((cells, many + 1))
    return packed(columns, len(codes))


def extra_cost(lattice: GeneralizationLattice, attribute: int, level: int) -> Floats:
    """What suppressing a record adds to the loss of an attribute, by its group at a level."""
    fields = lattice.table.fields
    start = int(fields.table[attribute]) + level * (int(fields.mask[attribute]) + 1)
    return lattice.costs.extra[start : start + len(lattice.table.attributes[attribute].leaves[level])]


def saved_by_class(lattice: GeneralizationLattice, found: LocalRecoding) -> Floats:
    """What a released record of each class saves of the loss of being suppressed."""
    table, codes = lattice.table, released_codes(lattice, found.levels)
    saved = np.zeros(found.levels.shape)
    for place, one in enumerate(table.attributes):
        for level in range(one.height + 1):
            here = found.levels[:, place] == level
            saved[here, place] = extra_cost(lattice, place, level)[codes[here, place]]
    if found.ranges is not None and found.part_of is not None:
        for place, (low, high) in found.ranges.of_parts(lattice, found.part_of).items():
            ranged = low >= 0
            saved[ranged, place] = found.ranges.saved(place, low[ranged], high[ranged])
    if found.stars is not None:
        saved[found.stars] = 0.0
    saved[found.suppressed] = 0.0
    return saved @ lattice.costs.factors


def _loss(lattice: GeneralizationLattice, found: LocalRecoding) -> float:
    """The loss of all records: that of suppressing all, less what the released cells save."""
    every = 0.0
    for place, one in enumerate(lattice.table.attributes):
        added = float((one.counts[0] * extra_cost(lattice, place, 0)).sum())
        every += float(lattice.costs.by_level[place][0]) + float(lattice.costs.factors[place]) * added
    return every - float((lattice.table.sizes * saved_by_class(lattice, found)).sum())


def value_mapping(
    lattice: GeneralizationLattice,
    found: LocalRecoding,
    data: Data,
    mark: str,
    gaps: Mapping[tuple[str, ...], tuple[str, ...]],
) -> CombinationMapping:
    """What each combination of values is released as; what is suppressed becomes the mark.

    ``gaps`` are further combinations, which are in no group.
    """
    table = lattice.table
    order = [[one.name for one in table.attributes].index(name) for name in table.named]
    columns = [data.column(name) for name in table.named]
    first = combinations([(one.codes, one.cardinality) for one in columns], data.records).first
    before = [_texts(one.values_of(one.codes[first])) for one in columns]
    classes = table.class_of[first].astype(np.int64)
    after = [
        _released(lattice, found, place, classes, texts, mark)
        for place, texts in zip(order, before, strict=True)
    ]
    rows = zip(zip(*before, strict=True), zip(*after, strict=True), strict=True)
    return CombinationMapping(table.named, {**gaps, **dict(rows)})


def _released(
    lattice: GeneralizationLattice,
    found: LocalRecoding,
    place: int,
    classes: Integers,
    texts: Sequence[str],
    mark: str,
) -> list[str]:
    """What is released of an attribute, for values of some classes."""
    one = lattice.table.attributes[place]
    levels = found.levels[classes, place]
    codes = released_codes(lattice, found.levels)[classes, place]
    released = [
        text if level == 0 else one.names[level][code] or ""
        for text, level, code in zip(texts, levels.tolist(), codes.tolist(), strict=True)
    ]
    if found.ranges is not None and found.part_of is not None and place in found.ranges.ranks:
        low, high = found.ranges.of_parts(lattice, found.part_of)[place]
        ends = zip(low[classes].tolist(), high[classes].tolist(), strict=True)
        released = [
            was if lower < 0 else text if lower == upper else found.ranges.label(place, lower, upper)
            for was, text, (lower, upper) in zip(released, texts, ends, strict=True)
        ]
    starred = found.suppressed[classes].copy()
    if found.stars is not None:
        starred |= found.stars[classes, place]
    return [mark if star else text for star, text in zip(starred.tolist(), released, strict=True)]


def _texts(values: list[object]) -> list[str]:
    return ["" if value is None else str(value) for value in values]
