"""Suppressed cells of one sum taken together: what is published gives their total away.

Two cells that are one firm's alone hide how much is in each, but a published margin less the published cells
is what the firm has in both. So suppressed cells of a sum are held to the rules as one cell where their
largest contributor is in several of them. Contributors of single cells are tried as insiders instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from divulge.tabulation.layout.building import BuiltTables
from divulge.tabulation.layout.contributions import LARGEST, CellFacts
from divulge.tabulation.layout.held_amounts import HeldAmounts
from divulge.tabulation.layout.linked import Flags, Ints, Sums
from divulge.tabulation.risk.rules import CellRules, cell_risk
from divulge.tabulation.suppression.inequality import Cut


class Exposed(NamedTuple):
    """Cells of a sum that are at risk through it, and the inequality that keeps a pattern from it."""

    cells: Ints
    cut: Cut
    minor: bool = False  # by somebody who has half of a cell at most


@dataclass(eq=False)
class Unions:
    """Sums whose suppressed cells together break a rule, by who contributes to them."""

    sums: Sums
    rules: CellRules
    counts: bool
    held: HeldAmounts
    _known: dict[tuple[int, ...], bool] = field(default_factory=dict)

    @classmethod
    def of(cls, built: BuiltTables, rules: CellRules, held: HeldAmounts) -> Unions | None:
        """None where each record is somebody of their own: nobody is in two cells of a sum."""
        return cls(built.tables.sums, rules, built.counts, held) if held.entries.named else None

    def exposed(self, pattern: Flags, eligible: Flags) -> list[Exposed]:
        """The sums that are published, of which the suppressed cells are at risk together."""
        found = [
            (np.append(above, below), below[pattern[below]])
            for above, below in self.sums.sides
            if not pattern[above].any()
        ]
        found = [(row, cells) for row, cells in found if len(cells) > 1]
        self.held.look_up(int(cell) for _, cells in found for cell in cells)
        return [
            Exposed(cells, _another(row, cells, pattern, eligible))
            for row, cells in found
            if self._at_risk(tuple(sorted(cells.tolist())))
        ]

    def _at_risk(self, cells: tuple[int, ...]) -> bool:
        if cells not in self._known:
            self._known[cells] = self._breaks(cells)
        return self._known[cells]

    def _breaks(self, cells: tuple[int, ...]) -> bool:
        amounts: dict[int, float] = {}
        for cell in cells:
            for who, own in self.held.of(cell).items():
                amounts[who] = amounts.get(who, 0.0) + own
        if not amounts:
            return False
        main = min(amounts, key=lambda who: (-abs(amounts[who]), who))
        if sum(main in self.held.of(cell) for cell in cells) < 2:
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


def _another(row: Ints, cells: Ints, pattern: Flags, eligible: Flags) -> Cut:
    """Of a sum another cell is suppressed, or one of those that are given away together is not."""
    weight = np.zeros(len(eligible))
    weight[row[~pattern[row] & eligible[row]]] = 1.0
    weight[cells] = -1.0
    return Cut(weight, 1.0 - len(cells))
