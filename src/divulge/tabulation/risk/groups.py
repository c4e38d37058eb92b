"""Group disclosure: everybody of a group is in one cell, so that to be in the group says the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from divulge.tabulation.layout.linked import Ints, Label, LinkedTables, Numbers


@dataclass(frozen=True)
class GroupDisclosure:
    """A sum with one category that is not empty: who is in ``group`` is in ``cell``."""

    group: Label
    cell: int
    attribute: str


def group_disclosures(tables: LinkedTables, least: Numbers, most: Numbers) -> list[GroupDisclosure]:
    """Groups that have people, all of whom are certainly in one category, by what is known of each cell.

    ``least`` and ``most`` are the bounds of cells: equal to the counts where those are published. Hiding the
    one cell does not help while the others are known to be empty.
    """
    found = []
    for above, below in tables.sums.sides:
        group = tables.labels[int(above[0])]
        if len(above) > 1 or len(below) < 2 or not least[above[0]] > 0:
            continue
        possible = below[most[below] > 0]
        if len(possible) == 1:
            cell = int(possible[0])
            inside = dict(tables.labels[cell]).keys() - dict(group).keys()
            outside = [pair for pair in tables.labels[cell] if pair not in group]
            named = sorted(inside) or [outside[0][0]]
            found.append(GroupDisclosure(group, cell, named[0]))
    for attribute, below in _without_totals(tables):
        possible = below[most[below] > 0]
        if len(possible) == 1 and least[possible[0]] > 0:
            cell = int(possible[0])
            group = tuple(pair for pair in tables.labels[cell] if pair[0] != attribute)
            if group and group not in tables.places:
                found.append(GroupDisclosure(group, cell, attribute))
    return list(dict.fromkeys(found))


def _without_totals(tables: LinkedTables) -> Iterator[tuple[str, Ints]]:
    """Cells that anybody can add up where a table shows no total over them, and the attribute."""
    for layout in tables.layouts:
        for axis, dimension in enumerate(layout.dimensions):
            if dimension.total is None and dimension.leaves > 1:
                for below in np.moveaxis(layout.cells, axis, -1).reshape(-1, dimension.leaves):
                    yield dimension.attribute, below
