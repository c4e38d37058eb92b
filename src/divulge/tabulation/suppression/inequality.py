"""An inequality between cells that are suppressed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from divulge.tabulation.layout.linked import Flags, Ints, Numbers


@dataclass(frozen=True, eq=False)
class Cut:
    """What every pattern has to satisfy: the sum of ``weight`` over its cells is at least ``least``."""

    weight: Numbers
    least: float

    def cheapest(self, pattern: Flags, cost: Numbers) -> Ints:
        """Further cells that satisfy it, the cheapest by what each adds first; none where it is satisfied."""
        lacking = self.least - float(self.weight[pattern].sum())
        others = np.flatnonzero(~pattern & (self.weight > 0))
        order = others[np.argsort(cost[others] / self.weight[others], kind="stable")]
        before = np.append(0.0, np.cumsum(self.weight[order])[:-1])
        return order[before < lacking - 1e-9 * max(abs(self.least), 1.0)]
