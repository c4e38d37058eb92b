"""Rules for single cells: minimum frequency, dominance, p % and pq, on absolute contributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from divulge._support.rounding import RELATIVE
from divulge.tabulation.layout.contributions import LARGEST, CellFacts
from divulge.tabulation.layout.linked import Flags, Numbers

FREQUENCY, DOMINANCE, P_PERCENT, PQ = "minimum frequency", "dominance", "p %", "pq"
ZERO, NOTHING = "empty cell", "all contributions zero"
Zeros = Literal["published", "suppressible", "at risk"]


@dataclass(frozen=True)
class CellRules:
    """What is asked of every cell; None where a rule is not applied.

    ``dominance`` (n, k): a cell is at risk where its n largest contributors make up more than k % of it.
    ``p_percent``: where the second largest knows the largest to within p %. ``pq`` (p, q): the same for
    somebody who knows all others to within q % beforehand. All of them read absolute contributions, so that
    they hold for tables with negative ones too. ``interval`` is how much of its value a cell of a magnitude
    table that has too few contributors is kept open by, each way.
    """

    minimum_frequency: int | None = None
    dominance: tuple[int, float] | None = None
    p_percent: float | None = None
    pq: tuple[float, float] | None = None
    zeros: Zeros = "published"
    interval: float = 0.3

    @property
    def of_magnitudes(self) -> bool:
        """Whether a rule reads how much each contributes."""
        return (self.dominance, self.p_percent, self.pq) != (None, None, None)


@dataclass(frozen=True, eq=False)
class CellRisk:
    """Cells at risk: the rules that each breaks, and by how much an attacker has to be kept from its value.

    ``up`` and ``down`` are how far above and below its value a cell has to be possible; 0 where it is not
    at risk.
    """

    reasons: tuple[tuple[str, ...], ...]
    up: Numbers
    down: Numbers

    @property
    def at_risk(self) -> Flags:
        return np.asarray([bool(one) for one in self.reasons], np.bool_)


def cell_risk(facts: CellFacts, rules: CellRules, *, counts: bool) -> CellRisk:
    """The cells that break a rule.

    A cell below the minimum frequency of a table of counts has to seem as if it could reach the minimum, and
    as if it could be one less: one contributor, with all records or people that one stands for. Levels of the
    other rules are those of the literature: p % of the largest contribution less what the others hide, and
    what the n largest would need to be k % of the cell.
    """
    cells = len(facts.value)
    reasons: list[list[str]] = [[] for _ in range(cells)]
    up, down = np.zeros(cells), np.zeros(cells)
    occupied = facts.contributors > 0

    def enter(broken: Flags, rule: str, upward: Numbers, downward: Numbers) -> None:
        for cell in np.flatnonzero(broken).tolist():
            reasons[cell].append(rule)
        np.maximum(up, np.where(broken, upward, 0), out=up)
        np.maximum(down, np.where(broken, downward, 0), out=down)

    if rules.minimum_frequency is not None:
        few = occupied & (facts.contributors < rules.minimum_frequency)
        if counts:
            one = facts.value / np.maximum(facts.contributors, 1)  # what a contributor stands for
            lacking = np.maximum(rules.minimum_frequency - facts.contributors, 1)
            enter(few, FREQUENCY, _whole(facts, lacking * one), _whole(facts, one))
        else:
            open_by = np.where(facts.gross > 0, rules.interval * facts.gross, _least_level(facts, rules))
            enter(few, FREQUENCY, open_by, open_by)
    if not counts:
        for rule, level in _levels(facts, rules):
            enter(occupied & (level > 0), rule, level, level)
        if rules.of_magnitudes:
            least = _least_level(facts, rules)
            enter(occupied & (facts.gross == 0), NOTHING, least, least)
    if rules.zeros == "at risk":
        enter(~occupied, ZERO, np.ones(cells) if counts else _least_level(facts, rules), np.zeros(cells))
    return CellRisk(tuple(map(tuple, reasons)), up, down)


def _whole(facts: CellFacts, level: Numbers) -> Numbers:
    """Levels of counts: whole numbers where the counts are."""
    return np.where(facts.value == np.round(facts.value), np.ceil(level - 1e-9), level)


def _levels(facts: CellFacts, rules: CellRules) -> list[tuple[str, Numbers]]:
    """For each rule on magnitudes how much wider a bound has to be; above 0 where the rule is broken."""
    first, second, total = facts.largest[:, 0], facts.largest[:, 1], facts.gross
    found: list[tuple[str, Numbers]] = []
    if rules.dominance is not None:
        n, k = rules.dominance
        found.append((DOMINANCE, facts.largest[:, : min(n, LARGEST)].sum(axis=1) * (100 / k) - total))
    rest = np.maximum(total - first - second, 0.0)
    if rules.p_percent is not None:
        found.append((P_PERCENT, rules.p_percent / 100 * first - rest))
    if rules.pq is not None:
        p, q = rules.pq
        found.append((PQ, p / q * first - rest))
    return [(rule, np.where(level > RELATIVE * total, level, 0.0)) for rule, level in found]


def _least_level(facts: CellFacts, rules: CellRules) -> Numbers:
    """What keeps a zero from being certain: p % of a mean contribution, where contributions are all zero."""
    people = facts.contributors.max(initial=0)
    mean = facts.gross.max(initial=0.0) / people if people else 0.0
    share = (rules.p_percent or (rules.pq or (10.0, 0))[0]) / 100
    return np.full(len(facts.value), share * mean)
