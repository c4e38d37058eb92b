"""Distance-based record linkage: is the original record nearest to a released one its own?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge._compiled.neighbours import Nearest, rounded
from divulge.attacks.record_linkage.coordinates import Coordinates
from divulge.attacks.record_linkage.nearest import nearest

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DistanceLinkage:
    """For each released record whose original is known: the chance to be linked with it.

    Where several originals are equally near, one of them is taken at random, so that each has an equal
    chance.
    """

    first: Floats  # the chance that the nearest record taken is the right one
    second: Floats  # the same of the second nearest
    of: int  # released records whose original is known
    chance: float  # links that are right by guessing at random

    @property
    def linked(self) -> float:
        """Released records that are linked to their original, as many as are to be expected."""
        return float(self.first.sum())

    @property
    def linked_second(self) -> float:
        """Those whose original is second nearest."""
        return float(self.second.sum())

    @property
    def not_linked(self) -> int:
        """Those whose original is further away."""
        return int(((self.first == 0) & (self.second == 0)).sum())


def distance_linkage(points: Coordinates, rows: tuple[Integers, Integers]) -> DistanceLinkage:
    """Link each released record to the nearest original one; ``rows`` say which belong together."""
    ours, theirs = rows
    looked_from = points.released[theirs]
    found = nearest(points.original, looked_from)
    own = squared(points.original[ours], looked_from)
    first = np.where(own == found.nearest, 1 / found.ties, 0.0)
    second = np.where((own == found.second) & (first == 0), 1 / np.maximum(found.second_ties, 1), 0.0)
    return DistanceLinkage(first, second, len(ours), len(ours) / len(points.original))


def squared(points: Floats, others: Floats) -> Floats:
    """Squared distances, added up and rounded as everywhere, so that ties are ties."""
    found = np.zeros(len(points))
    for side in range(points.shape[1]):
        apart = points[:, side] - others[:, side]
        found += apart * apart
    return rounded(found)


def closest(points: Coordinates) -> Nearest:
    """The original records nearest to each released one, where nobody knows which belong together."""
    return nearest(points.original, points.released)
