"""One-to-one linkage: every record linked at most once, at the least sum of squared distances (or Gower's).

An attacker who knows that both tables are about the same people links all records at once (the assignment
problem, solved by SciPy). Where several assignments are equally good, which one is found depends on the order
of rows, and rows that lie in the same order in both tables would be linked rightly by that alone. So rows are
shuffled first, and records that are alike share what was assigned to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import said_share
from divulge._support.wording import many
from divulge.attacks.record_linkage.coordinates import Coordinates
from divulge.attacks.record_linkage.nearest import distances
from divulge.errors import TooMuch
from divulge.limits.libraries import scipy
from divulge.table.packing import combinations, ranked

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
MOST_PAIRS = 25_000_000  # whose distances are held, in 200 MB
ROWS = 100  # whose distances are worked out at a time


@dataclass(frozen=True, eq=False)
class OneToOneLinkage:
    """For each released record whose original is known: the chance to be assigned to it."""

    right: Floats
    chance: float  # links that are right by guessing at random

    @property
    def of(self) -> int:
        return len(self.right)

    @property
    def linked(self) -> float:
        """Released records assigned to their original, as many as are to be expected."""
        return float(self.right.sum())

    def to_dict(self, seed: int) -> dict[str, Any]:
        """The entry ``one_to_one`` of ``divulge link --json``."""
        return {
            "undefined": None,
            "of": self.of,
            "share": said_share(self.linked / self.of, of=self.of),
            "chance": self.chance / self.of,
            "seed": seed,
        }


def one_to_one(points: Coordinates, rows: tuple[Integers, Integers], *, seed: int) -> OneToOneLinkage:
    """Assign all released records to originals at once; ``rows`` say which belong together."""
    originals, released = len(points.original), len(points.released)
    if originals * released > MOST_PAIRS:
        raise TooMuch(
            f"One-to-one linkage of {many(released)} with {many(originals)} records would hold "
            f"{many(originals * released)} distances, and may hold {many(MOST_PAIRS)}.",
            hint="Leave out --one-to-one, or take a sample of both tables with the same people.",
        )
    here, there = _assigned(points, np.random.default_rng(seed))
    return OneToOneLinkage(_shared(points, rows, here, there), len(rows[0]) / max(originals, released))


def _assigned(points: Coordinates, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """Which original is assigned to which released record, where rows come in an order at random."""
    ours, theirs = (rng.permutation(len(table)) for table in (points.original, points.released))
    original, released = points.original[ours, None], points.released[theirs]
    apart = np.empty((len(ours), len(theirs)))
    for at in range(0, len(ours), ROWS):
        apart[at : at + ROWS] = distances(original[at : at + ROWS], released, points.metric)
    here, there = scipy("optimize", "one-to-one linkage", "linkage").linear_sum_assignment(apart)
    return ours[here], theirs[there]


def _shared(points: Coordinates, rows: tuple[Integers, Integers], here: Integers, there: Integers) -> Floats:
    """The chance of each known pair where records at the same point share what they were assigned to."""
    place, count = _places(points.original)
    other, other_count = _places(points.released)
    number, known = ranked(
        np.concatenate([place[here], place[rows[0]]]) * len(other_count)
        + np.concatenate([other[there], other[rows[1]]])
    )
    assigned = np.bincount(number[: len(here)], minlength=known)[number[len(here) :]]
    return np.asarray(assigned / (count[place[rows[0]]] * other_count[other[rows[1]]]), np.float64)


def _places(points: Floats) -> tuple[Integers, Integers]:
    """Which of the different points each record is at, and how many records are at each."""
    sides = [ranked(points[:, side]) for side in range(points.shape[1])]
    number = combinations(sides, len(points)).number
    return number, np.bincount(number)
