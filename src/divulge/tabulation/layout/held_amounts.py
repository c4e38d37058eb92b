"""Who contributes how much to single cells, looked up where it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from divulge.tabulation.layout.contributions import Entries, in_cells
from divulge.tabulation.layout.linked import Flags, LinkedTables


@dataclass(eq=False)
class HeldAmounts:
    """What each contributor has in a cell: what their records stand for; of alike records that are one entry,
    what one of them has.
    """

    tables: LinkedTables
    entries: Entries
    _found: dict[int, dict[int, float]] = field(default_factory=dict)

    def of(self, cell: int) -> Mapping[int, float]:
        """The amounts of a cell, which has to be looked up first."""
        return self._found[cell]

    def look_up(self, cells: Iterable[int]) -> None:
        """Find the amounts of some cells, all in one go."""
        wanted = set(cells) - self._found.keys()
        if not wanted:
            return
        self._found |= {cell: {} for cell in wanted}
        asked = np.zeros(len(self.tables), np.bool_)
        asked[list(wanted)] = True
        entries = self.entries
        own = entries.amount * np.where(entries.people > 1, 1.0, entries.weight)
        for layout in self.tables.layouts:
            mine = asked & _among(layout.cells, len(asked))
            asked &= ~mine  # a cell of two tables has the same records in both
            if not mine.any():
                continue
            place, entry = in_cells(layout, entries)
            kept = mine[place]
            place, who, amount = place[kept], entries.contributor[entry[kept]], own[entry[kept]]
            order = np.lexsort((amount, who, place))
            for cell, one, has in zip(
                place[order].tolist(), who[order].tolist(), amount[order].tolist(), strict=True
            ):
                amounts = self._found[cell]
                amounts[one] = amounts.get(one, 0.0) + has


def _among(cells: np.ndarray, number: int) -> Flags:
    found = np.zeros(number, np.bool_)
    found[cells.ravel()] = True
    return found
