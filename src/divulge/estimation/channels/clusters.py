"""Several free guesses of a number under squared error: groups of neighbours, each guessed by its mean."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from divulge.estimation.channels.probabilities import FloatArray
from divulge.estimation.channels.rule import Rule


def means_of_groups(numbers: FloatArray, posteriors: FloatArray, guesses: int) -> Rule:
    """The guesses of least expected squared distance to the nearest, for each posterior (a row each).

    Those nearest to one guess are neighbours, so the first numbers in order are grouped best by adding a last
    group to the best grouping of those before it. Of several best groupings one is given.
    """
    order = np.argsort(numbers)
    centre = numbers.mean()
    sums = _Sums(numbers[order] - centre, posteriors[:, order])
    cuts = _cuts(sums, min(guesses, len(numbers)))
    found = [np.sort(_means(sums, cuts, row)) + centre for row in range(len(posteriors))]
    nearest = [np.abs(numbers[:, None] - means).min(axis=1) for means in found]
    estimates = tuple(tuple(means.tolist()) for means in found)
    return Rule((posteriors * np.square(nearest)).sum(axis=1), lambda: (estimates, estimates))


class _Sums:
    """Probability, first and second moment of the numbers before each place, for each posterior."""

    def __init__(self, numbers: FloatArray, posteriors: FloatArray) -> None:
        powers = (posteriors, posteriors * numbers, posteriors * numbers**2)
        self.before = [np.pad(np.cumsum(power, axis=1), ((0, 0), (1, 0))) for power in powers]

    def spread(self, end: int) -> FloatArray:
        """The expected squared distance from their mean of the numbers from each start up to an end."""
        mass, first, second = (sums[:, end, None] - sums[:, :end] for sums in self.before)
        return np.maximum(second - first**2 / np.where(mass > 0, mass, 1), 0)


def _cuts(sums: _Sums, guesses: int) -> list[npt.NDArray[np.int64]]:
    """Where the last group begins when the numbers before each place make one group, two, and so on."""
    rows, places = sums.before[0].shape
    least = np.full((rows, places), np.inf)
    least[:, 0] = 0
    cuts = []
    for _ in range(guesses):
        cut = np.zeros((rows, places), dtype=np.int64)
        grouped = np.zeros((rows, places))
        for end in range(1, places):
            together = least[:, :end] + sums.spread(end)
            cut[:, end] = together.argmin(axis=1)
            grouped[:, end] = together.min(axis=1)
        cuts.append(cut)
        least = grouped
    return cuts


def _means(sums: _Sums, cuts: list[npt.NDArray[np.int64]], row: int) -> list[float]:
    """The means of the groups of one posterior, from the last to the first; a group without mass has none."""
    means, end = [], sums.before[0].shape[1] - 1
    for cut in reversed(cuts):
        start = cut[row, end]
        mass, first, _ = (before[row, end] - before[row, start] for before in sums.before)
        if mass > 0:
            means.append(first / mass)
        end = start
    return means
