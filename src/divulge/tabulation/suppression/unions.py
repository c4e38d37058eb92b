"""Suppressed cells of one sum taken together: what is published gives their total away.

Two cells that are one firm's alone hide how much is in each, but a published margin less the published cells
is what the firm has in both. So suppressed cells of a sum are held to the rules as one cell where their
largest contributor is in several of them. Contributors of single cells are tried as insiders instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from divulge.tabulation.layout.building import BuiltTables
from divulge.tabulation.layout.contributions import LARGEST, CellFacts, held_by
from divulge.tabulation.layout.linked import Flags, Ints, Sums
from divulge.tabulation.risk.rules import CellRules, cell_risk


class Exposed(NamedTuple):
    """All cells of a sum, the group first, and those of them whose total is given away."""

    row: Ints
    cells: Ints


@dataclass(eq=False)
class Unions:
    """Sums whose suppressed cells together break a rule, by who contributes to them."""

    sums: Sums
    rules: CellRules
    counts: bool
    amounts: Callable[[Flags], Mapping[int, Mapping[int, float]]]
    _known: dict[tuple[int, ...], bool] = field(default_factory=dict)
    _held: dict[int, Mapping[int, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, built: BuiltTables, rules: CellRules) -> Unions | None:
        """None where each record is somebody of their own: nobody is in two cells of a sum."""
        entries = built.entries
        if entries is None or not entries.named:
            return None
        return cls(
            built.tables.sums, rules, built.counts, lambda cells: held_by(built.tables, entries, cells)
        )

    def exposed(self, pattern: Flags) -> list[Exposed]:
        """The sums that are published, of which the suppressed cells are at risk together."""
        found = [Exposed(row, row[1:][pattern[row[1:]]]) for row in self.sums.by_row if not pattern[row[0]]]
        found = [one for one in found if len(one.cells) > 1]
        self._look_up([one.cells for one in found])
        return [one for one in found if self._at_risk(tuple(sorted(one.cells.tolist())))]

    def _look_up(self, rows: list[Ints]) -> None:
        wanted = {int(cell) for row in rows for cell in row} - self._held.keys()
        if wanted:
            size = 1 + max(int(row.max()) for row in self.sums.by_row)
            cells = np.zeros(size, np.bool_)
            cells[list(wanted)] = True
            self._held |= {**{cell: {} for cell in wanted}, **self.amounts(cells)}

    def _at_risk(self, cells: tuple[int, ...]) -> bool:
        if cells not in self._known:
            self._known[cells] = self._breaks(cells)
        return self._known[cells]

    def _breaks(self, cells: tuple[int, ...]) -> bool:
        amounts: dict[int, float] = {}
        for cell in cells:
            for who, own in self._held[cell].items():
                amounts[who] = amounts.get(who, 0.0) + own
        if not amounts:
            return False
        main = min(amounts, key=lambda who: (-abs(amounts[who]), who))
        if sum(main in self._held[cell] for cell in cells) < 2:
            return False
        sizes = np.sort(np.abs(list(amounts.values())))[::-1]
        largest = np.zeros((1, LARGEST))
        largest[0, : min(LARGEST, len(sizes))] = sizes[:LARGEST]
        one, none = np.ones(1, np.int64), np.zeros(1)
        facts = CellFacts(
            np.array([sum(amounts.values())]), np.array([sizes.sum()]), one * len(sizes), one * len(sizes),
            largest, -one, -one, none, none > 0,
        )  # fmt: skip
        return bool(cell_risk(facts, self.rules, counts=self.counts).at_risk[0])
