"""The problem of secondary suppression: which cells, at what cost, against which attackers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from divulge._support.threads import cached_property
from divulge.tabulation.attackers.programs import sparse_sums
from divulge.tabulation.layout.linked import Flags, Ints, Numbers, Sums
from divulge.tabulation.suppression.minor_shares import Levels, MinorShares
from divulge.tabulation.suppression.unions import Exposed, Unions

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
    the cells that may be suppressed. ``owner`` has the number of who contributes more than half of a cell;
    0 where nobody does, which is also the number of an attacker from outside. In an owner's eyes it can move
    by ``left_up`` and ``left_down``: not at all if they are alone in it, and not below what is theirs.
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
    left_up: Numbers
    left_down: Numbers
    forced: Flags | None = None  # cells that are suppressed whatever it costs
    unseen: int = 0  # of the cells, so many at the end are in no table
    unions: Unions | None = None  # where somebody may be in several cells of a sum
    shares: MinorShares | None = None  # where contributors are attackers

    def __len__(self) -> int:
        return len(self.value)

    @property
    def shown(self) -> int:
        """How many cells are in tables; those come first."""
        return len(self.value) - self.unseen

    def of_tables(self, sums: Sums) -> Problem:
        """The same without the cells that are in no table."""
        arrays = {
            one.name: getattr(self, one.name)[: self.shown]
            for one in fields(self)
            if isinstance(getattr(self, one.name), np.ndarray)
        }
        return replace(self, sums=sums, unseen=0, **arrays)

    def with_unseen(self, suppressed: Flags) -> Flags:
        """A pattern of cells in tables as one of all cells."""
        return np.append(suppressed, np.ones(len(self) - len(suppressed), np.bool_))

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
            for direction in (1, -1):
                one = self.demand(cell, direction)
                if one.level > 0:
                    yield one

    @cached_property
    def sole(self) -> Flags:
        """The cells that are their owner's alone: nobody else is in them, or with nothing."""
        nothing = self.left_down <= 1e-9 * self.room_down
        return (self.owner != OUTSIDE) & ((self.left_up <= 0) | nothing)

    def harmless(self, cells: Any) -> Any:
        """Who is no threat to each cell: the owner, if nobody else is in it; -1 otherwise."""
        return np.where(self.sole[cells], self.owner[cells], -1)

    def room_to(self, attackers: Ints | int) -> tuple[Numbers, Numbers]:
        """How far cells can move down and up in the eyes of owners of some of them."""
        mine = np.isin(self.owner, attackers) & (self.owner != OUTSIDE)
        return np.where(mine, self.left_down, self.room_down), np.where(mine, self.left_up, self.room_up)

    def demand(self, cell: int, direction: int, attacker: int = OUTSIDE) -> Demand:
        """What is to be kept of a cell; from its owner the same share of what is not theirs."""
        level = float(self.up[cell] if direction > 0 else self.down[cell])
        if attacker != OUTSIDE and self.owner[cell] == attacker and self.room_down[cell] > 0:
            share = min(self.left_down[cell] / self.room_down[cell], 1.0)
            level = math.ceil(level * share) if self.whole else level * share
        return Demand(cell, direction, level, attacker)

    @cached_property
    def tries_insiders(self) -> bool:
        """Whether all owners of cells can be tried with all sums together, not sum by sum only."""
        risky = int(((self.up > 0) | (self.down > 0)).sum())
        return risky * len(np.unique(self.owner[self.primary])) <= MOST_INSIDERS

    def exposed(self, pattern: Flags) -> list[Exposed]:
        """Cells that a single sum gives away: one contributor is in several, or knows parts of others."""
        found = [] if self.unions is None else self.unions.exposed(pattern, self.eligible)
        if self.shares is not None:
            levels = Levels(self.value, self.up, self.down, self.room_down, self.eligible)
            found += self.shares.exposed(levels, pattern)
        return found

    def suppressed_cost(self, pattern: Flags) -> float:
        """What a pattern costs."""
        return float(self.cost[pattern].sum())


def slack(problem: Problem, level: Any) -> Any:
    """What a level, or each of an array, may be missed by without being missed."""
    return 1e-6 if problem.whole else SLACK * level
