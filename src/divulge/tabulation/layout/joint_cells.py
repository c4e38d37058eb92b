"""Cells of several attributes together that no table shows, where linked tables say more than their sums.

Tables of a and b, b and c, and a and c are margins of one table of all three, which has no number below zero.
That bounds their cells more closely than the totals that they share. The same holds where two attributes
together determine one of another table. Where tables form no such ring, their shared totals say everything.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from divulge.tabulation.layout.contributions import CellFacts, Entries, facts
from divulge.tabulation.layout.dimensions import Dimension
from divulge.tabulation.layout.linked import Flags, Ints, LinkedTables, SameRecords, Sums, TableLayout

MOST_COMBINED = 1_000_000  # combinations of categories that are looked through
MOST_JOINT = 1_000  # cells that are added
TOO_MANY = (
    "Tables share attributes in a ring, or two attributes determine another, and their combinations are too "
    "many. What the tables say together beyond shared totals is not audited."
)
BY_CHANCE = 1e-3  # how likely it may be that attributes seem to determine another


@dataclass(frozen=True)
class Determined:
    """Attributes of a table that together determine another one: the ``members`` that occur, by category."""

    inner: tuple[str, ...]
    outer: str
    members: Mapping[tuple[str, ...], str]


@dataclass(frozen=True, eq=False)
class JointCells:
    """Cells that nobody sees: the category of each attribute, and the sums of them that tables show.

    ``rows`` have the cell that is shown, and the numbers of those below it.
    """

    attributes: tuple[str, ...]
    categories: Ints  # a line for each cell, a column for each attribute
    rows: tuple[tuple[int, Ints], ...]

    def __len__(self) -> int:
        return len(self.categories)

    def added(self, sums: Sums, cells: int) -> Sums:
        """The sums between cells, and after those the sums over these ones, which come after all cells."""
        sizes = [1 + len(below) for _, below in self.rows]
        columns = [np.append(shown, cells + below) for shown, below in self.rows]
        signs = [np.append(1.0, np.full(size - 1, -1.0)) for size in sizes]
        return Sums(
            np.append(sums.rows, sums.number + np.repeat(np.arange(len(sizes)), sizes)),
            np.concatenate([sums.columns, *columns]).astype(np.int64),
            np.concatenate([sums.signs, *signs]),
            sums.number + len(sizes),
        )

    def facts(self, layouts: Sequence[TableLayout], entries: Entries) -> CellFacts:
        """What the cells are made of."""
        flat = {one.attribute: one for layout in layouts for one in layout.dimensions}
        of = tuple(
            Dimension.flat(name, flat[name].labels[: flat[name].leaves], total=None)
            for name in self.attributes
        )
        places = np.full([one.leaves for one in of], -1, np.int64)
        places[tuple(self.categories.T)] = np.arange(len(self))
        none = Sums(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), 0)
        return facts(LinkedTables((TableLayout("joint", of, places),), ((),) * len(self), none), entries)


def ring(
    tables: LinkedTables, related: Sequence[SameRecords] = (), together: Sequence[Determined] = ()
) -> list[TableLayout]:
    """The tables that say more together than by the totals they share; none where there are no such.

    By the reduction of Graham, Yu and Özsoyoğlu: an attribute that one table has, and a table whose
    attributes another has, add nothing; what is then left is a ring.
    """
    given = [_closed(set(one.attributes), related, together) for one in tables.layouts]
    edges = {number: set(one) for number, one in enumerate(given)}
    before = -1
    while before != (before := sum(map(len, edges.values())) + len(edges)):
        held = [name for one in edges.values() for name in one]
        for edge in edges.values():
            edge -= {name for name in edge if held.count(name) == 1}
        for number in [*edges]:
            if any(edges[number] <= other for place, other in edges.items() if place != number):
                del edges[number]
    kept = {*edges} if len(edges) > 1 else set()
    for one in together:
        kept |= {
            number
            for number, layout in enumerate(tables.layouts)
            if one.outer in layout.attributes or {*one.inner} <= {*layout.attributes}
        }
    return [tables.layouts[number] for number in sorted(kept)]


def _closed(
    attributes: set[str], related: Sequence[SameRecords], together: Sequence[Determined]
) -> set[Hashable]:
    """The attributes with all that they determine: others, and blocks that they share with others."""
    found: set[Hashable] = {*attributes}
    rules: list[tuple[set[str], Hashable]] = [({*one.inner}, one.outer) for one in together]
    for one in related:
        whole = one.determined
        rules += [({inner}, outer) for inner, outer in whole]
        rules += [] if whole else [({name}, tuple(one.blocks)) for name in one.blocks]
    while more := {outer for inner, outer in rules if inner <= found} - found:
        found |= more
    return found


def joint_cells(
    layouts: Sequence[TableLayout],
    empty: Flags,
    related: Sequence[SameRecords] = (),
    together: Sequence[Determined] = (),
) -> JointCells | None:
    """The combinations that can have people, and the cells of tables that are sums over them.

    ``empty`` are cells that everybody knows to be empty, and so everything below them. None where
    combinations are too many, or tables have different categories.
    """
    if not layouts:
        return None
    leaves: dict[str, tuple[str, ...]] = {}
    for one in (dimension for layout in layouts for dimension in layout.dimensions):
        if leaves.setdefault(one.attribute, one.labels[: one.leaves]) != one.labels[: one.leaves]:
            return None
    names = tuple(leaves)
    sizes = [len(one) for one in leaves.values()]
    if math.prod(sizes) > MOST_COMBINED:
        return None
    codes = np.indices(sizes).reshape(len(sizes), -1)
    at = dict(zip(names, codes, strict=True))
    kept = _possible(at, leaves, related, together)
    cells = [layout.inner[tuple(at[name] for name in layout.attributes)] for layout in layouts]
    for of in cells:
        kept &= ~empty[of]
    if int(kept.sum()) > MOST_JOINT:
        return None
    rows = []
    for of in cells:
        order = np.argsort(of[kept], kind="stable")
        shown, start = np.unique(of[kept][order], return_index=True)
        rows += list(zip(shown.tolist(), np.split(order, start[1:]), strict=True))
    return JointCells(names, codes[:, kept].T, tuple(rows))


def _possible(
    at: Mapping[str, Ints],
    leaves: Mapping[str, tuple[str, ...]],
    related: Sequence[SameRecords],
    together: Sequence[Determined],
) -> Flags:
    """The combinations that what determines what allows."""
    kept = np.ones(len(next(iter(at.values()))), np.bool_)
    for relation in related:
        if relation.blocks.keys() <= at.keys():
            one, other = (
                np.array([block[label] for label in leaves[name]])[at[name]]
                for name, block in relation.blocks.items()
            )
            kept &= one == other
    for determined in together:
        inner, outer, members = determined.inner, determined.outer, determined.members
        if {*inner, outer} <= at.keys():
            place = {label: number for number, label in enumerate(leaves[outer])}
            shape = [len(leaves[name]) for name in inner]
            wanted = np.full(shape, -1, np.int64)  # not seen: anything
            for low, high in members.items():
                codes = tuple(_place(leaves[name], label) for name, label in zip(inner, low, strict=True))
                if None not in codes and high in place:
                    wanted[codes] = place[high]
            found = wanted[tuple(at[name] for name in inner)]
            kept &= (found < 0) | (found == at[outer])
    return kept


def _place(labels: tuple[str, ...], label: str) -> int | None:
    return labels.index(label) if label in labels else None


def determined_together(
    tables: Sequence[Sequence[str]], labels: Mapping[str, Sequence[str]], codes: Mapping[str, Ints]
) -> list[Determined]:
    """Attributes of a table that together determine one of another, by the records, unless by chance.

    Attributes of which one alone determines the other are not among them.
    """
    found: list[Determined] = []
    shown = [{*one} for one in tables]
    several = {
        by for one in shown for size in range(2, len(one) + 1) for by in combinations(sorted(one), size)
    }
    for by in sorted(several, key=lambda one: (len(one), one)):
        sizes = [len(labels[name]) for name in by]
        if math.prod(sizes) > 2**62:
            continue
        own = np.ravel_multi_index(tuple(codes[name] for name in by), sizes)
        kinds, first, kind = np.unique(own, return_index=True, return_inverse=True)
        for outer in labels.keys() - {*by}:
            high = codes[outer]
            apart = any(outer in one and not {*by} <= one for one in shown)
            if not apart or any(one.outer == outer and {*one.inner} <= {*by} for one in found):
                continue
            if (high != high[first][kind]).any() or any(_determines(codes[name], high) for name in by):
                continue
            shares = np.bincount(high) / len(high)
            alike = float((shares**2).sum())  # two records have the same category by chance
            if alike ** (len(high) - len(kinds)) > BY_CHANCE:
                continue
            places = np.stack(np.unravel_index(kinds, sizes), axis=1).tolist()
            members = {
                tuple(labels[name][code] for name, code in zip(by, row, strict=True)): labels[outer][of]
                for row, of in zip(places, high[first].tolist(), strict=True)
            }
            found.append(Determined(by, outer, members))
    return sorted(found, key=lambda one: (one.inner, one.outer))


def _determines(low: Ints, high: Ints) -> bool:
    _, first, kind = np.unique(low, return_index=True, return_inverse=True)
    return bool((high == high[first][kind]).all())
