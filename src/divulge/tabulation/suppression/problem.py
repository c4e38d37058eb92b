"""The problem of secondary suppression: which cells, at what cost, against which attackers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from divulge.tabulation.attackers.programs import sparse_sums
from divulge.tabulation.layout.linked import Flags, Ints, Numbers, Sums

MOST_INSIDERS = 20_000  # cells at risk times contributors that are tried with all sums together
SLACK = 1e-7  # of a level: what a solver may be off by
OUTSIDE = 0  # the attacker who contributes to nothing


class Demand(NamedTuple):
    """One thing to be kept: a cell can be ``level`` above (1) or below (-1) its value, to an attacker."""

    cell: int
    direction: int
    level: float
    attacker: int


@dataclass(frozen=True, eq=False)
class Problem:
    """Cells with their room up and down, the cost of suppressing each, and what is to be kept.

    ``room_up`` and ``room_down`` are how far a suppressed cell may move in an attacker's eyes. ``free`` are
    the cells that may be suppressed. ``owner`` has the number of the one who contributes to a cell alone,
    and so knows it; 0 where nobody does, which is also the number of an attacker from outside.
    """

    sums: Sums
    value: Numbers
    room_up: Numbers
    room_down: Numbers
    cost: Numbers
    up: Numbers
    down: Numbers
    free: Flags
    whole: bool
    owner: Ints
    forced: Flags | None = None  # cells that are suppressed whatever it costs

    def __len__(self) -> int:
        return len(self.value)

    def known(self, suppressed: Flags) -> Numbers:
        """What an attacker knows of each cell before adding up: its least and its largest number."""
        ends = np.stack([self.value - self.room_down, self.value + self.room_up], axis=1)
        return np.where(suppressed[:, None], ends, self.value[:, None])

    @cached_property
    def primary(self) -> Flags:
        """The cells that are suppressed in any case."""
        found = (self.up > 0) | (self.down > 0)
        return found if self.forced is None else found | self.forced

    @cached_property
    def eligible(self) -> Flags:
        return self.free | self.primary

    @cached_property
    def matrix(self) -> Any:
        """The sums as a sparse matrix by columns."""
        return sparse_sums(self.sums, len(self.value))

    def demands(self) -> Iterator[Demand]:
        """Everything to be kept from outside: each cell at risk both ways. From inside it is the same."""
        for cell in np.flatnonzero((self.up > 0) | (self.down > 0)).tolist():
            for direction, level in ((1, self.up[cell]), (-1, self.down[cell])):
                if level > 0:
                    yield Demand(cell, direction, float(level), OUTSIDE)

    def known_to(self, attacker: int) -> Flags:
        """The cells that an attacker knows because they contribute to them alone."""
        return (self.owner == attacker) & (attacker != OUTSIDE)

    @cached_property
    def tries_insiders(self) -> bool:
        """Whether all who are alone in a cell can be tried with all sums together, not sum by sum only."""
        risky = int(((self.up > 0) | (self.down > 0)).sum())
        return risky * len(np.unique(self.owner[self.primary])) <= MOST_INSIDERS

    def suppressed_cost(self, pattern: Flags) -> float:
        """What a pattern costs."""
        return float(self.cost[pattern].sum())


def slack(problem: Problem, level: Any) -> Any:
    """What a level, or each of an array, may be missed by without being missed."""
    return 1e-6 if problem.whole else SLACK * level
