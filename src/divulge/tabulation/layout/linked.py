"""Linked tables as one list of cells, and the sums that tie them: what any attacker knows of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, permutations, product
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.tabulation.layout.dimensions import Dimension

Label = tuple[tuple[str, str], ...]  # attribute and category, for every attribute that is not a total
Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Kind = TypeVar("Kind", bound=np.generic)
Row = tuple[tuple[int, ...], tuple[int, ...]]  # cells that come to the same as others
Key = tuple[str | int, str | int]  # an attribute and its category, or a relation and its block


@dataclass(frozen=True, eq=False)
class TableLayout:
    """One table: its dimensions, and where in the list of all cells each of its own is."""

    name: str
    dimensions: tuple[Dimension, ...]
    cells: Ints  # an array with an axis for each dimension

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(one.attribute for one in self.dimensions)

    @cached_property
    def inner(self) -> Ints:
        """The cells that are no sum over others."""
        return self.cells[np.ix_(*(range(one.leaves) for one in self.dimensions))]


@dataclass(frozen=True)
class SameRecords:
    """Categories of two attributes in ``blocks``: a block of one has the same records as that of the other.

    A region and its counties are such a block, and so is one group of people under two names.
    """

    blocks: Mapping[str, Mapping[str, int]]  # by attribute, the block of each category
    said: tuple[str, ...] = ()  # in words

    @property
    def determined(self) -> list[tuple[str, str]]:
        """An attribute and the other one, whose category it determines."""
        return [
            (inner, outer)
            for inner, outer in permutations(self.blocks)
            if len({*self.blocks[outer].values()}) == len(self.blocks[outer])
        ]

    def between(self, first: Collection[str], second: Collection[str]) -> bool:
        """Whether each of two tables has one of the attributes that the other one lacks."""
        one, other = self.blocks
        return any(
            low in first and low not in second and high in second and high not in first
            for low, high in ((one, other), (other, one))
        )


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums between cells: ``rows`` and ``columns`` say which cell is in which sum, with what sign.

    Every sum is zero: a group is +1 and the categories directly below it are -1. Where no cell shows what
    cells of two tables have in common, those of one are +1 and those of the other -1.
    """

    rows: Ints
    columns: Ints
    signs: Numbers
    number: int

    def of(self, values: Numbers) -> Numbers:
        """What each sum comes to; zero where a table adds up."""
        found = np.bincount(self.rows, weights=self.signs * values[self.columns], minlength=self.number)
        return found.astype(np.float64)

    @cached_property
    def by_row(self) -> list[Ints]:
        """The cells of each sum, the group first."""
        return self._split(self.columns)

    @cached_property
    def signs_by_row(self) -> list[Numbers]:
        """The signs of those cells."""
        return self._split(self.signs)

    @cached_property
    def sides(self) -> list[tuple[Ints, Ints]]:
        """What each sum says: a group and what is below it; cells of two tables, both ways."""
        found = []
        for row, sign in zip(self.by_row, self.signs_by_row, strict=True):
            above, below = row[sign > 0], row[sign < 0]
            found.append((above, below))
            if len(above) > 1:
                found.append((below, above))
        return found

    def _split(self, values: npt.NDArray[Kind]) -> list[npt.NDArray[Kind]]:
        if not self.number:
            return []
        order = np.argsort(self.rows, kind="stable")
        return np.split(values[order], np.searchsorted(self.rows[order], range(1, self.number)))


@dataclass(frozen=True, eq=False)
class LinkedTables:
    """Tables about the same value: cells that two of them share are one cell.

    A cell is named by its categories without totals, so (region A, all sectors) of one table and (region A,
    all sizes) of another are the same.
    """

    layouts: tuple[TableLayout, ...]
    labels: tuple[Label, ...]
    sums: Sums

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def of(
        cls, tables: Mapping[str, Sequence[Dimension]], related: Sequence[SameRecords] = ()
    ) -> LinkedTables:
        """Tables by name, each with its dimensions; ``related`` are attributes with the same records.

        >>> sex, age = Dimension.flat("sex", ["f", "m"]), Dimension.flat("age", ["-39", "40-"])
        >>> both = LinkedTables.of({"by sex": [sex], "by both": [sex, age]})
        >>> len(both), both.sums.number
        (9, 6)
        """
        places: dict[Label, int] = {}
        layouts = []
        for name, dimensions in tables.items():
            parts = [
                [
                    () if place == one.total else ((one.attribute, label),)
                    for place, label in enumerate(one.labels)
                ]
                for one in dimensions
            ]
            cells = [
                places.setdefault(tuple(sorted(pair for part in parts_of for pair in part)), len(places))
                for parts_of in product(*parts)
            ]
            shape = [len(one) for one in dimensions]
            layouts.append(TableLayout(name, tuple(dimensions), np.asarray(cells, np.int64).reshape(shape)))
        rows = [*_own_rows(layouts), *_rows_across(layouts, related)]
        return cls(tuple(layouts), tuple(places), _sums(rows))

    @property
    def without_totals(self) -> list[str]:
        """Totals over an attribute that neither the table itself nor another one shows, in words."""
        return [
            f"'{layout.name}' has no totals over '{one.attribute}', nor has another table. Somebody who has "
            "them from elsewhere may find more: that is not audited."
            for layout in self.layouts
            for one in layout.dimensions
            if one.total is None and not self._shows({*layout.attributes} - {one.attribute})
        ]

    def _shows(self, attributes: set[str]) -> bool:
        return any(attributes <= {*one.attributes} and _has_totals(one, attributes) for one in self.layouts)

    @cached_property
    def places(self) -> dict[Label, int]:
        return {label: place for place, label in enumerate(self.labels)}

    @cached_property
    def inner(self) -> Flags:
        """Whether each cell is a category of every dimension in some table, not a sum over other cells."""
        found = np.ones(len(self), np.bool_)
        found[[int(above[0]) for above, _ in self.sums.sides if len(above) == 1]] = False
        return found

    def said(self, cell: int) -> str:
        """A cell in words."""
        return said_cell(self.labels[cell])


def said_cell(label: Label) -> str:
    """A cell by its categories.

    >>> said_cell((("region", "North"), ("sector", "A"))), said_cell(())
    ('region North, sector A', 'the total')
    """
    return ", ".join(f"{attribute} {category}" for attribute, category in label) or "the total"


def _own_rows(layouts: Iterable[TableLayout]) -> Iterator[Row]:
    """Every group of every dimension of each table, beside each combination of the other dimensions."""
    for layout in layouts:
        for axis, dimension in enumerate(layout.dimensions):
            for group, below in dimension.children.items():
                taken = np.take(layout.cells, [group, *below], axis=axis)
                for first, *others in np.moveaxis(taken, axis, -1).reshape(-1, len(below) + 1).tolist():
                    yield (first,), tuple(others)


def _rows_across(layouts: Sequence[TableLayout], related: Sequence[SameRecords]) -> Iterator[Row]:
    """What each two tables have in common, beyond cells that both show: their sums over all other attributes.

    A table that lacks categories which others have says only a part of a total.
    """
    categories: dict[str, set[str]] = {}
    for one in chain(*(layout.dimensions for layout in layouts)):
        categories.setdefault(one.attribute, set()).update(one.labels[: one.leaves])
    for first, second in combinations(layouts, 2):
        tied = [one for one in related if one.between(first.attributes, second.attributes)]
        shared = {*first.attributes} & {*second.attributes}
        if not tied and _has_totals(first, shared) and _has_totals(second, shared):
            continue  # what they have in common is a cell of both
        others = _in_common(second, first, tied, categories)
        for key, (cells, leaves) in _in_common(first, second, tied, categories).items():
            if key in others:
                yield from _tied(cells, leaves, *others[key])


def _tied(
    one: tuple[int, ...], one_leaves: tuple[int, ...], other: tuple[int, ...], other_leaves: tuple[int, ...]
) -> Iterator[Row]:
    """Cells of two tables that come to the same: each as few as there are, and as those at the bottom."""
    if len(one) > 1 and len(other) > 1:
        yield one, other
    if len(one) == 1 and other_leaves != one:
        yield one, other_leaves
    if len(other) == 1 and one_leaves != other and not len(one_leaves) == len(other_leaves) == 1:
        yield other, one_leaves


def _in_common(
    layout: TableLayout,
    other: TableLayout,
    tied: Sequence[SameRecords],
    categories: Mapping[str, Collection[str]],
) -> dict[frozenset[Key], tuple[tuple[int, ...], tuple[int, ...]]]:
    """Cells of a table by what they have in common with another one: as few as there are, and the bottom."""
    parts: list[list[tuple[tuple[Key, ...], list[int], list[int]]]] = []
    for one in layout.dimensions:
        leaves = [*range(one.leaves)]
        if one.attribute in other.attributes:
            parts.append([(((one.attribute, name),), [at], [at]) for at, name in enumerate(one.labels)])
        elif blocks := [
            (at, of.blocks[one.attribute]) for at, of in enumerate(tied) if one.attribute in of.blocks
        ]:
            below: dict[tuple[Key, ...], list[int]] = {}
            for leaf in leaves:
                below.setdefault(tuple((at, of[one.labels[leaf]]) for at, of in blocks), []).append(leaf)
            parts.append([(key, one.above.get(frozenset(held), held), held) for key, held in below.items()])
        elif one.total is not None:
            parts.append([((), [one.total], [one.total])])
        elif {*one.labels[: one.leaves]} == categories[one.attribute]:
            parts.append([((), leaves, leaves)])
        else:
            return {}
    found = {}
    for chosen in product(*parts):
        key = frozenset(chain(*(keys for keys, _, _ in chosen)))
        few, bottom = (
            layout.cells[np.ix_(*places)].ravel().tolist()
            for places in zip(*(one[1:] for one in chosen), strict=True)
        )
        found[key] = tuple(few), tuple(bottom)
    return found


def _has_totals(layout: TableLayout, kept: Collection[str]) -> bool:
    """Whether a table has totals over all of its attributes but those that are kept."""
    return all(one.total is not None for one in layout.dimensions if one.attribute not in kept)


def _sums(rows: Iterable[Row]) -> Sums:
    """Each sum once, the group first."""
    found = list(dict.fromkeys(rows))
    sizes = [len(above) + len(below) for above, below in found]
    signs = [sign for above, below in found for sign in (*[1.0] * len(above), *[-1.0] * len(below))]
    columns = np.asarray([cell for row in found for cell in chain(*row)], np.int64)
    rows_of = np.repeat(np.arange(len(found)), sizes).astype(np.int64)
    return Sums(rows_of, columns, np.asarray(signs, np.float64), len(found))
