"""Contributors who have half of a suppressed cell at most, tried with one sum at a time.

A cell at risk is no larger than the sum allows where the other suppressed cells of it are as small as they
can be. To somebody who contributes to those they are not below what is theirs, in all of them together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from divulge.tabulation.layout.held_amounts import HeldAmounts
from divulge.tabulation.layout.linked import Flags, Ints, Numbers
from divulge.tabulation.suppression.inequality import Cut
from divulge.tabulation.suppression.unions import Exposed

SLACK = 1e-6  # of a level
Row = tuple[Ints, Ints]


@dataclass(frozen=True, eq=False)
class Levels:
    """How far up and down cells have to be possible, and how far each can fall."""

    value: Numbers
    up: Numbers
    down: Numbers
    room_down: Numbers
    eligible: Flags


@dataclass(frozen=True, eq=False)
class MinorShares:
    """Sums by which a contributor comes too close to a cell at risk."""

    rows: list[Row]  # of each sum what is above, and below: cells that come to the same
    held: HeldAmounts
    largest: Numbers  # the largest contribution of each cell
    mixed: Flags  # cells with a negative amount: what is somebody's own says nothing there

    def exposed(self, levels: Levels, pattern: Flags) -> list[Exposed]:
        """The cells at risk that somebody bounds too closely by a sum, with what would prevent it."""
        tight = [
            (row, cell)
            for row in self.rows
            for cell in self._asked(levels, pattern, row)
            if self._may_be_close(levels, pattern, row, cell)
        ]
        self.held.look_up(int(one) for row, _ in tight for part in row for one in part[levels.eligible[part]])
        return [found for row, cell in tight for found in self._close(levels, pattern, row, cell)]

    def _asked(self, levels: Levels, pattern: Flags, row: Row) -> Iterator[int]:
        """The cells that can rise or fall only as the other parts of the sum fall."""
        above, parts = row
        hidden = above[pattern[above]]
        if not len(hidden):
            yield from parts[pattern[parts] & (levels.up[parts] > 0)].tolist()
        elif len(hidden) == 1 and levels.down[hidden[0]] > 0:
            yield int(hidden[0])

    def _may_be_close(self, levels: Levels, pattern: Flags, row: Row, cell: int) -> bool:
        others = _others(row, cell)
        others = others[pattern[others]]
        room = levels.room_down[others]
        own = np.where(self.mixed[others], 0.0, np.minimum(self.largest[others], room))
        return float((room - own).sum()) < _level(levels, row, cell) * (1 - SLACK)

    def _close(self, levels: Levels, pattern: Flags, row: Row, cell: int) -> Iterator[Exposed]:
        others = _others(row, cell)
        others, mine = others[levels.eligible[others]], self.held.of(cell)
        room, value = levels.room_down[others], levels.value[others]
        hidden, asked = pattern[others], _level(levels, row, cell)
        for who in sorted({one for other in others[hidden].tolist() for one in self.held.of(other)}):
            if len(mine) == 1 and who in mine:
                continue  # the cell is theirs alone
            own = np.array([self.held.of(other).get(who, 0.0) for other in others.tolist()])
            left = np.where(self.mixed[others], room, np.clip(value - own, 0.0, room))
            level = asked * _share(levels.value[cell], mine.get(who, 0.0))
            if float(left[hidden].sum()) < level * (1 - SLACK):
                weight = np.zeros(len(levels.value))
                weight[others] = np.minimum(left, level)
                above = row[0][row[0] != cell]
                weight[above[levels.eligible[above]]] = level  # the group is open: it can rise
                yield Exposed(np.array([cell]), Cut(weight, level), minor=True)


def _others(row: Row, cell: int) -> Ints:
    """The parts of a sum without a cell."""
    return row[1][row[1] != cell]


def _level(levels: Levels, row: Row, cell: int) -> float:
    return float(levels.down[cell] if cell in row[0] else levels.up[cell])


def _share(value: float, own: float) -> float:
    """Of a cell that is mostly somebody's own, the share of the rest is to be kept from them."""
    return (value - own) / value if own > value / 2 > 0 else 1.0
