"""The thesis's attacks on tables of magnitudes: what is learned of single contributors, and by whom."""

from __future__ import annotations

import math
from dataclasses import dataclass

from divulge.tabulation.layout.contributions import CellFacts

EXTERNAL, INTERNAL, DOMINANCE = "external", "internal", "dominance"
KINDS = {
    EXTERNAL: ("somebody who contributes nothing", "the largest contributor"),
    INTERNAL: ("the second largest contributor", "the largest contributor"),
    DOMINANCE: ("the largest contributor", "the second largest contributor"),
}


@dataclass(frozen=True)
class ContributorAttack:
    """What somebody learns of a contributor's amount from a cell that lies between two ends.

    ``within`` is how far the interval reaches from the true amount at most, as a share of it; infinite where
    nothing bounds it, 0 where the amount is found exactly.
    """

    cell: int
    kind: str
    lower: float
    upper: float
    within: float

    @property
    def exact(self) -> bool:
        return self.within <= 1e-9


def contributor_attacks(facts: CellFacts, cell: int, lower: float, upper: float) -> list[ContributorAttack]:
    """The three attacks on a cell that is known to lie between two ends; how many contribute is known too.

    An outsider knows that the largest of n amounts is at least the mean and at most all of the cell; a
    contributor takes their own amount off first. With a negative amount in the cell only the last one that
    is unknown is bounded. An end of a cell that was not worked out leaves that of the contributor open.
    """
    people = int(facts.contributors[cell])
    first, second = float(facts.largest[cell, 0]), float(facts.largest[cell, 1])
    cases = [(EXTERNAL, people, 0.0, first)]
    if people > 1:
        cases += [(INTERNAL, people - 1, second, first), (DOMINANCE, people - 1, first, second)]
    found = []
    for kind, unknown, own, truth in cases:
        if facts.mixed[cell]:
            alone = unknown == 1
            low, high = (lower - own, upper - own) if alone else (-math.inf, math.inf)
            apart = upper - lower
            exact = alone and math.isfinite(apart) and apart <= 1e-9 * max(abs(upper), 1)
            within = 0.0 if exact else math.inf
        else:
            low, high = max(0.0, (lower - own) / unknown), upper - own
            within = math.inf if math.isnan(low + high) else _share(max(high - truth, truth - low), truth)
        found.append(ContributorAttack(cell, kind, low, high, within))
    return found


def _share(distance: float, truth: float) -> float:
    return 0.0 if distance <= 1e-9 * max(truth, 1) else math.inf if truth == 0 else distance / truth
