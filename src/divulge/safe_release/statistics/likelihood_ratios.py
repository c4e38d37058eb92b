"""How much released values speak against the baseline, for an observer who may look at any time.

Records of one target that follow the baseline P have the likelihood prod p_x. The alternatives are shares
drawn from Dirichlet distributions around P, c P with c = 1, 2, 4, ... 16384, each with the same weight. The
likelihood ratio E of this mixture to the baseline is 1 before anything is released, and by chance alone it
stays 1 on average, whichever record comes next. So it ever reaches 1/alpha with probability alpha at most
(Ville 1939). Compiled loops work it out in the same order, to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property

FloatArray = npt.NDArray[np.float64]
PRIORS = 15
CONCENTRATIONS = tuple(float(1 << place) for place in range(PRIORS))
_HALF_LOG_TWO_PI = 0.91893853320467274178
_SERIES = (1 / 12, 1 / 360, 1 / 1260, 1 / 1680, 1 / 1188, 691 / 360360)
_FAR_ENOUGH = 8.0  # from here on the series has all digits


def log_gamma(z: float) -> float:
    """The logarithm of the gamma function, for z above 0, by Stirling's series.

    >>> round(log_gamma(5.0), 12) == round(math.log(24), 12)
    True
    """
    product = 1.0
    while z < _FAR_ENOUGH:
        product *= z
        z += 1.0
    inverse, series = 1.0 / (z * z), 0.0
    for term in reversed(_SERIES):
        series = term - inverse * series
    found = (z - 0.5) * math.log(z) - z + _HALF_LOG_TWO_PI + series / z
    return found if product == 1.0 else found - math.log(product)


def log_falling(whole: float, taken: float) -> float:
    """The logarithm of whole (whole - 1) ... over as many factors as were taken; -inf beyond the whole.

    >>> round(math.exp(log_falling(5, 2)), 9), log_falling(1, 2)
    (20.0, -inf)
    """
    if taken > whole:
        return -math.inf
    return log_gamma(whole + 1.0) - log_gamma(whole - taken + 1.0)


def mixed(parts: Sequence[float], number: int = PRIORS) -> float:
    """The logarithm of the mean of ratios given by their logarithms.

    >>> round(mixed([0.0, math.log(3)], 2) - math.log(2), 12)
    0.0
    """
    most = max(parts)
    if most == math.inf:
        return math.inf
    total = 0.0
    for part in parts:
        total += math.exp(part - most)
    return most + math.log(total / number)


def stepped(
    parts: Sequence[float], share: float, expected: float, here: int, records: int
) -> tuple[float, ...]:
    """The ratios of all priors after one more record of a value that has so many of the target's records.

    ``share`` is the value's share of the prior. ``expected`` is how probable the value is by the baseline;
    over all values the mean of the factors, weighted by it, is 1.
    """
    if expected <= 0:
        return (math.inf,) * PRIORS
    return tuple(
        part + math.log((c * share + here) / ((c + records) * expected))
        for part, c in zip(parts, CONCENTRATIONS, strict=True)
    )


@dataclass(frozen=True, eq=False)
class PriorTables:
    """What likelihood ratios on a baseline need again and again.

    Where observers know how often each value occurs in the table, ``known`` has these counts, and a value
    becomes less probable with each of its records that is released.
    """

    shares: FloatArray
    known: FloatArray | None = None

    @cached_property
    def nats(self) -> FloatArray:
        """-ln P(X)."""
        return np.array([-math.log(p) if p > 0 else math.inf for p in self.shares.tolist()])

    @cached_property
    def values(self) -> FloatArray:
        """ln Gamma(c p) by value and prior; what no prior expects has none and is never asked for."""
        return np.array(
            [[log_gamma(c * p) if p > 0 else 0.0 for c in CONCENTRATIONS] for p in self.shares.tolist()]
        )

    @cached_property
    def wholes(self) -> FloatArray:
        """ln Gamma(c) by prior."""
        return np.array([log_gamma(c) for c in CONCENTRATIONS])

    def log_ratios(self, counts: Sequence[int], *, drawn: bool = True) -> tuple[float, ...]:
        """ln E of each prior for a target with these counts by value.

        Without ``drawn`` the baseline's own part is left out, where it is that of all targets together.
        """
        records = sum(counts)
        parts = [
            whole - log_gamma(c + records)
            for whole, c in zip(self.wholes.tolist(), CONCENTRATIONS, strict=True)
        ]
        shares, tables = self.shares.tolist(), self.values.tolist()
        for x, count in enumerate(counts):
            if count > 0:
                for place, c in enumerate(CONCENTRATIONS):
                    parts[place] += log_gamma(c * shares[x] + count) - tables[x][place]
        baseline = self.against(counts) if drawn else 0.0
        return tuple(part + baseline for part in parts)

    def against(self, counts: Sequence[int]) -> float:
        """How improbable the records are by the baseline, -ln of it; inf where they are impossible."""
        total, records = 0.0, 0
        for x, count in enumerate(counts):
            if count > 0 and self.known is None:
                total += count * float(self.nats[x])
            elif count > 0 and self.known is not None:
                total -= log_falling(float(self.known[x]), count)
            records += count
        if self.known is None or total == math.inf:
            return total
        return total + log_falling(float(self.known.sum()), records)

    def log_ratio(self, counts: Sequence[int]) -> float:
        """ln E of the mixture for a target with these counts by value.

        >>> round(PriorTables(np.array([0.5, 0.3, 0.2])).log_ratio([3, 1, 0]), 6)
        -0.048058
        """
        return mixed(self.log_ratios(counts))
