"""Tables that are a sample: what that takes away from the risk of being found, and from what is learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.special_functions import beta_reached, gamma_exceeded

Floats = npt.NDArray[np.float64]
ERROR = 0.05  # of the lower bound on a share
SURE = 0.975  # how surely there are more pairs than are counted
WHOLE = 1 - 1e-6  # a sampled share from which on the set is taken to be all there is


@dataclass(frozen=True)
class SampleShare:
    """Which share of a population the people of a table are; 1 where it is all, or where nobody said."""

    fraction: float = 1.0

    @property
    def partial(self) -> bool:
        return self.fraction < WHOLE

    def risk(
        self,
        sizes: npt.NDArray[Any],
        population: npt.NDArray[Any] | None = None,
        times: Any = 1,
        alike: npt.NDArray[Any] | None = None,
    ) -> Floats:
        """The chance to name the right person in a set of each size.

        Where the table is all there is that is 1/n. In a sample a set of n stands for more people outside:
        ``population`` estimates how many, in proportion unless given. Benedetti and Franconi take the
        number as random; a set of one is at least as risky as Skinner and Elliot find from the numbers of
        sets of one and of two, of which few say little: as many are counted as there are at least with 95 %
        confidence. ``times`` says how many sets each entry stands for. Where sets overlap,
        ``alike`` has the sizes of those that do not.
        """
        whole = 1 / sizes
        if not self.partial:
            return whole
        stand_for = sizes / self.fraction if population is None else np.maximum(population, sizes)
        risk = np.minimum(_benedetti_franconi(sizes, sizes / stand_for), whole)
        apart = sizes if alike is None else alike
        singles = self.fraction * float(np.sum((apart == 1) * times))
        doubles = 2 * (1 - self.fraction) * surely(int(np.sum((apart == 2) * times)))
        if singles:
            risk = np.where(sizes == 1, np.maximum(risk, singles / (singles + doubles)), risk)
        return risk

    def believed(self, count: npt.NDArray[Any], size: npt.NDArray[Any]) -> Floats:
        """The share of a set that has a value: as counted, or drawn towards its lower bound in a sample."""
        share = count / size
        if not self.partial:
            return share
        lower = beta_reached(np.maximum(count, 1), size - count + 1, ERROR)
        return self.fraction * share + (1 - self.fraction) * np.where(count > 0, lower, 0.0)


def surely(pairs: int) -> float:
    """The lower end of the 95 % interval of a Poisson mean.

    >>> surely(0), round(surely(1), 3), round(surely(100), 1)
    (0.0, 0.025, 81.4)
    """
    return float(gamma_exceeded(pairs, SURE)) if pairs else 0.0


def _benedetti_franconi(sizes: npt.NDArray[Any], sampled: Floats) -> Floats:
    """E(1/F) of a set's number F in the population, given its size and sampled share in the table."""
    share = np.minimum(sampled, WHOLE)
    odds = share / (1 - share)
    one = odds * -np.log(share)
    two = odds * (1 - one)
    more = share / (sizes - 1 + share)
    found = np.where(sizes == 1, one, np.where(sizes == 2, two, more))
    return np.where(sampled >= WHOLE, 1 / sizes, found)
