"""Linked tables as one list of cells, and the sums that tie them: what any attacker knows of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, permutations, product

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.tabulation.layout.dimensions import Dimension

Label = tuple[tuple[str, str], ...]  # attribute and category, for every attribute that is not a total
Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


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
class Nesting:
    """An attribute that determines another: the ``members`` of each category of the outer one.

    Where it determines only ``groups`` of the outer one's hierarchy, the members are those of groups.
    """

    inner: str
    outer: str
    members: Mapping[str, tuple[str, ...]]
    groups: bool = False

    @property
    def said(self) -> str:
        return f"'{self.inner}' determines {'groups of ' if self.groups else ''}'{self.outer}'"


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums between cells: ``rows`` and ``columns`` say which cell is in which sum, with what sign.

    Every sum is zero: a group is +1 and the categories directly below it are -1.
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
        if not self.number:
            return []
        order = np.argsort(self.rows, kind="stable")
        return np.split(self.columns[order], np.searchsorted(self.rows[order], range(1, self.number)))


@dataclass(frozen=True, eq=False)
class LinkedTables:
    """Tables about the same value: cells that two of them share are one cell.

    A cell is named by its categories without totals, so (region A, all sectors) of one table and (region A,
    all sizes) of another are the same.
    """

    layouts: tuple[TableLayout, ...]
    labels: tuple[Label, ...]
    sums: Sums
    loose: tuple[str, ...] = ()  # which attributes determine others without a sum between them, in words

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def of(cls, tables: Mapping[str, Sequence[Dimension]], nested: Sequence[Nesting] = ()) -> LinkedTables:
        """Tables by name, each with its dimensions; ``nested`` are attributes that determine others.

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
        added = {one.said: [*_nested_rows(places, one)] for one in nested}
        rows = [*_own_rows(layouts), *_rows_across(layouts), *chain(*added.values())]
        loose = tuple(said for said, found in added.items() if not found)
        return cls(tuple(layouts), tuple(places), _sums(rows), loose)

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
        found[[int(row[0]) for row in self.sums.by_row]] = False
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


def _own_rows(layouts: Iterable[TableLayout]) -> Iterator[tuple[int, ...]]:
    """Every group of every dimension of each table, beside each combination of the other dimensions."""
    for layout in layouts:
        for axis, dimension in enumerate(layout.dimensions):
            for group, below in dimension.children.items():
                taken = np.take(layout.cells, [group, *below], axis=axis)
                yield from map(tuple, np.moveaxis(taken, axis, -1).reshape(-1, len(below) + 1).tolist())


def _rows_across(layouts: Sequence[TableLayout]) -> Iterator[tuple[int, ...]]:
    """Cells of a table as sums over a finer one that does not show those totals itself.

    A table that lacks categories which others have says only a part of a total.
    """
    categories: dict[str, set[str]] = {}
    for one in chain(*(layout.dimensions for layout in layouts)):
        categories.setdefault(one.attribute, set()).update(one.labels[: one.leaves])
    for coarse, fine in permutations(layouts, 2):
        added = [
            one for one in fine.dimensions if one.attribute not in coarse.attributes and one.total is None
        ]
        whole = all(set(one.labels[: one.leaves]) == categories[one.attribute] for one in added)
        if set(coarse.attributes) < set(fine.attributes) and added and whole:
            yield from _cells_over(coarse, fine)


def _has_totals(layout: TableLayout, kept: Collection[str]) -> bool:
    """Whether a table has totals over all of its attributes but those that are kept."""
    return all(one.total is not None for one in layout.dimensions if one.attribute not in kept)


def _cells_over(coarse: TableLayout, fine: TableLayout) -> Iterator[tuple[int, ...]]:
    for places in np.ndindex(coarse.inner.shape):
        labels = {
            one.attribute: one.labels[place] for one, place in zip(coarse.dimensions, places, strict=True)
        }
        chosen = []
        for one in fine.dimensions:
            if one.attribute in labels:
                leaves = one.labels[: one.leaves]
                label = labels[one.attribute]
                chosen.append([leaves.index(label)] if label in leaves else [])
            else:
                chosen.append([*range(one.leaves)] if one.total is None else [one.total])
        if all(chosen):
            yield int(coarse.inner[places]), *fine.cells[np.ix_(*chosen)].ravel().tolist()


def _nested_rows(places: Mapping[Label, int], nested: Nesting) -> Iterator[tuple[int, ...]]:
    """Cells of an attribute as sums over the categories of another that determines it."""
    for label, cell in places.items():
        members = nested.members.get(dict(label).get(nested.outer, ""))
        if members is None or nested.inner in dict(label):
            continue
        others = [pair for pair in label if pair[0] != nested.outer]
        below = [places.get(tuple(sorted([*others, (nested.inner, one)]))) for one in members]
        if None not in below:
            yield cell, *(place for place in below if place is not None)


def _sums(rows: Iterable[tuple[int, ...]]) -> Sums:
    """Each sum once, the group first."""
    found = list(dict.fromkeys(rows))
    sizes = [len(row) for row in found]
    signs = np.concatenate([[1.0, *[-1.0] * (size - 1)] for size in sizes]) if found else np.zeros(0)
    columns = np.asarray([cell for row in found for cell in row], np.int64)
    return Sums(np.repeat(np.arange(len(found)), sizes).astype(np.int64), columns, signs, len(found))
