"""Linked tables as one list of cells, and the sums that tie them: what any attacker knows of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import numpy.typing as npt

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

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def of(cls, tables: Mapping[str, Sequence[Dimension]]) -> LinkedTables:
        """Tables by name, each with its dimensions.

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
        return cls(tuple(layouts), tuple(places), _sums(layouts))

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


def _sums(layouts: Iterable[TableLayout]) -> Sums:
    """Every group of every dimension, beside each combination of the other dimensions; each sum once."""
    found: dict[tuple[int, ...], None] = {}
    for layout in layouts:
        for axis, dimension in enumerate(layout.dimensions):
            for group, below in dimension.children.items():
                taken = np.take(layout.cells, [group, *below], axis=axis)
                for row in np.moveaxis(taken, axis, -1).reshape(-1, len(below) + 1).tolist():
                    found.setdefault(tuple(row))
    rows = list(found)
    sizes = [len(row) for row in rows]
    signs = np.concatenate([[1.0, *[-1.0] * (size - 1)] for size in sizes]) if rows else np.zeros(0)
    columns = np.asarray([cell for row in rows for cell in row], np.int64)
    return Sums(np.repeat(np.arange(len(rows)), sizes).astype(np.int64), columns, signs, len(rows))
