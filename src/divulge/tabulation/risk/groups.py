"""Group disclosure: everybody of a group is in one cell, so that to be in the group says the rest."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.tabulation.layout.linked import LinkedTables, Numbers


@dataclass(frozen=True)
class GroupDisclosure:
    """A sum with one category that is not empty: who is in ``group`` is in ``cell``."""

    group: int
    cell: int
    attribute: str


def group_disclosures(tables: LinkedTables, least: Numbers, most: Numbers) -> list[GroupDisclosure]:
    """Groups that have people, all of whom are certainly in one category, by what is known of each cell.

    ``least`` and ``most`` are the bounds of cells: equal to the counts where those are published. Hiding the
    one cell does not help while the others are known to be empty.
    """
    found = []
    for row in tables.sums.by_row:
        group, below = int(row[0]), row[1:]
        if len(below) < 2 or not least[group] > 0:
            continue
        possible = below[most[below] > 0]
        if len(possible) == 1:
            cell = int(possible[0])
            inside = dict(tables.labels[cell]).keys() - dict(tables.labels[group]).keys()
            outside = [pair for pair in tables.labels[cell] if pair not in tables.labels[group]]
            named = sorted(inside) or [outside[0][0]]
            found.append(GroupDisclosure(group, cell, named[0]))
    return found
