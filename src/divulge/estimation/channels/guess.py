"""How an attacker may guess: several times, within a tolerance, not at all, or only about a property."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from divulge.errors import ParameterError
from divulge.estimation.channels.clusters import means_of_groups
from divulge.estimation.channels.distortion import Absolute, Distortion, Hamming, Squared, as_distortion
from divulge.estimation.channels.numeric_names import coordinates
from divulge.estimation.channels.probabilities import FloatArray
from divulge.estimation.channels.rule import TIE, Rule, Ties, marked

Names = Sequence[object]
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
        raise ParameterError(f"An attacker with {guesses} guesses makes none.", hint="Allow one or more.")
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
        members = [sorted({i for one in sets for i in one}) for sets in best]
        return (
            tuple(tuple(candidates[i] for i in sets[0]) for sets in best),
            tuple(tuple(candidates[i] for i in some) for some in members),
        )

    return Rule(least, choose)


def _numbers(inputs: Names) -> FloatArray:
    points = coordinates(inputs, "squared")
    if points.shape[1] > 1:
        raise ParameterError(
            "Several free guesses of a point under squared error are too hard to choose.",
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
        raise ParameterError(f"The {what} is {number}, and has to be a number of at least 0.")
    return float(number)
