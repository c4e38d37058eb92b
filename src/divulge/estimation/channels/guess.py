"""How an attacker may guess: several times, within a tolerance, not at all, or only about a property."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.estimation.channels.distortion import Absolute, Distortion, Hamming, Squared, as_distortion
from divulge.estimation.channels.numeric_names import coordinates
from divulge.estimation.channels.probabilities import FloatArray, Names
from divulge.estimation.channels.rule import TIE, Rule, Ties, marked

ABSTAIN = "(abstain)"
MOST_TRIALS = 10_000_000  # sets of guesses times posteriors that are tried one by one
ROUNDING = 1e-9  # an estimate at the very end of its tolerance is within it


def guess(
    inputs: Names,
    posteriors: FloatArray,
    distortion: str | Distortion = "hamming",
    *,
    guesses: int = 1,
    tolerance: float | None = None,
    abstain: float | None = None,
) -> Rule:
    """The best rule of an attacker who guesses in this way, for each posterior (a row each)."""
    judged = as_distortion(distortion)
    if guesses < 1:
        raise ParameterError(
            f"The number of guesses must be 1 or more, not {guesses}.", hint=("Allow one or more.")
        )
    if tolerance is not None:
        judged = Within(judged, at_least_zero(tolerance, "tolerance"))
    rule = judged.rule(inputs, posteriors) if guesses == 1 else several(judged, inputs, posteriors, guesses)
    return rule if abstain is None else or_abstain(rule, at_least_zero(abstain, "cost of abstaining"))


@dataclass(frozen=True, eq=False)
class Within(Distortion):
    """0 when the estimate lies within a tolerance of the truth, and 1 otherwise.

    For numbers under absolute or squared error the estimate may lie between them, where it covers more of
    them; otherwise it is one of the candidates.
    """

    distortion: Distortion
    tolerance: float

    @property
    def name(self) -> str:
        return self.distortion.name

    def candidates(self, inputs: Names) -> tuple[object, ...]:
        own = self.distortion.candidates(inputs)
        if not isinstance(self.distortion, Absolute | Squared):
            return own
        points = coordinates(inputs, self.name)
        if points.shape[1] > 1:
            return own
        # A best window can be moved up until its lower end is one of the numbers.
        reach = math.sqrt(self.tolerance) if isinstance(self.distortion, Squared) else self.tolerance
        return tuple(dict.fromkeys([*own, *(points[:, 0] + reach).tolist()]))

    def matrix(self, inputs: Names, estimates: Names) -> FloatArray:
        distances = self.distortion.matrix(inputs, estimates)
        return (distances > self.tolerance * (1 + ROUNDING)).astype(np.float64)


def several(distortion: Distortion, inputs: Names, posteriors: FloatArray, guesses: int) -> Rule:
    """The best set of guesses, the nearest of which counts; its ties are all estimates in some best set.

    For Hamming distortion they are the most probable values; for squared error of numbers they are free, and
    those found are the ties; for others every set of candidates is tried.
    """
    if isinstance(distortion, Hamming):
        return _likeliest(inputs, posteriors, guesses)
    if isinstance(distortion, Squared):
        return means_of_groups(_numbers(inputs), posteriors, guesses)
    candidates = distortion.candidates(inputs)
    guesses = min(guesses, len(candidates))
    number = math.comb(len(candidates), guesses)
    if number * max(len(posteriors), 100) > MOST_TRIALS:
        raise ParameterError(
            f"{guesses} guesses among {len(candidates)} estimates make {number} sets, too many to try.",
            hint="Allow fewer guesses, give a shorter list of estimates, or choose hamming.",
        )
    distances = distortion.matrix(inputs, candidates)
    tried = list(combinations(range(len(candidates)), guesses))
    risks = np.stack([posteriors @ distances[:, one].min(axis=1) for one in tried], axis=1)
    least = risks.min(axis=1)
    good = risks <= (least + TIE * max(1.0, float(distances.max())))[:, None]

    def choose() -> tuple[tuple[object, ...], Ties]:
        best = [[tried[i] for i in np.flatnonzero(row).tolist()] for row in good]
        members = (sorted({i for one in sets for i in one}) for sets in best)
        ties = tuple(tuple(candidates[i] for i in some) for some in members)
        return tuple(tuple(candidates[i] for i in sets[0]) for sets in best), ties

    return Rule(least, choose)


def _numbers(inputs: Names) -> FloatArray:
    points = coordinates(inputs, "squared")
    if points.shape[1] > 1:
        raise ParameterError(
            "Several free guesses of a point under squared error cannot be computed.",
            hint="Let the attacker guess among the points with Among(SQUARED), or choose euclidean.",
        )
    return points[:, 0]


def _likeliest(inputs: Names, posteriors: FloatArray, guesses: int) -> Rule:
    guesses = min(guesses, len(inputs))
    order = np.argsort(-posteriors, axis=1, kind="stable")
    ranked = np.take_along_axis(posteriors, order, axis=1)
    good = posteriors >= ranked[:, guesses - 1 : guesses] - TIE
    named = tuple(tuple(inputs[i] for i in row) for row in order[:, :guesses].tolist())
    return Rule(ranked[:, guesses:].sum(axis=1), lambda: (named, marked(good, inputs)))


def or_abstain(rule: Rule, cost: float) -> Rule:
    """The rule of an attacker who gives no estimate where that costs less."""
    quits, as_good = cost < rule.risk - TIE, cost <= rule.risk + TIE

    def choose() -> tuple[tuple[object, ...], Ties]:
        estimates = (ABSTAIN if out else one for out, one in zip(quits, rule.estimates, strict=True))
        guessed = zip(quits, as_good, rule.ties, strict=True)
        ties = ((ABSTAIN,) if out else (*tie, ABSTAIN) if tied else tie for out, tied, tie in guessed)
        return tuple(estimates), tuple(ties)

    return Rule(np.minimum(rule.risk, cost), choose)


def at_least_zero(number: float, what: str) -> float:
    """A number that may not be negative."""
    if not (math.isfinite(number) and number >= 0):
        raise ParameterError(f"The {what} must be a number of at least 0, not {number}.")
    return float(number)


# -- several free guesses of a number under squared error: groups of neighbours ---------------------------


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
