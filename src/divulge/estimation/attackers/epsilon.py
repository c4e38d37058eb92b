"""What epsilon means for an attacker who guesses, and which epsilon a wanted error asks for."""

from __future__ import annotations

import math

from divulge.documents.attacker import EpsilonPoint
from divulge.errors import ParameterError

POINTS = 20  # of a curve


def error_left(epsilon: float, most_likely: float) -> float:
    """The least probability that a guess is wrong, after any observation of any epsilon-private channel.

    Observing multiplies odds by at most e^epsilon, so the most likely value, of prior p, is at most
    e^epsilon p / (e^epsilon p + 1 - p) likely afterwards. Where epsilon is so large that the error is below
    the smallest number a float holds (about e^-745), it is 0.

    >>> round(error_left(math.log(3), 0.5), 12)
    0.25
    """
    prior = _share(most_likely, "The prior of the most likely value")
    if not 0 <= epsilon < math.inf:
        raise ParameterError(f"Epsilon must be a finite number of at least 0, not {epsilon}.")
    # 1 / (1 + e^odds), divided through by e^odds where that could overflow.
    odds = epsilon + math.log(prior) - math.log1p(-prior)
    error = 1 / (1 + math.exp(odds)) if odds < 0 else math.exp(-odds) / (1 + math.exp(-odds))
    return min(error, 1 - prior)


def epsilon_for(error: float, most_likely: float) -> float:
    """The largest epsilon that still leaves this error after any observation; the other way round.

    >>> round(epsilon_for(0.25, 0.5), 12) == round(math.log(3), 12)
    True
    """
    prior = _share(most_likely, "The prior of the most likely value")
    wanted = _share(error, "The error")
    if wanted > 1 - prior:
        raise ParameterError(
            f"An error of {error} is not possible: guessing the most likely value is wrong {1 - prior:.6g} "
            "of the time before anything is observed.",
            hint=f"Give at most {1 - prior:.6g}.",
        )
    odds = math.log1p(-prior) - math.log(prior) + math.log1p(-wanted) - math.log(wanted)
    return max(odds, 0.0)


def errors_up_to(epsilon: float, most_likely: float) -> list[EpsilonPoint]:
    """The error that is left by evenly spaced epsilons, from 0 on."""
    steps = [epsilon * step / POINTS for step in range(POINTS + 1)]
    return [{"epsilon": one, "error": error_left(one, most_likely)} for one in steps if one < math.inf]


def _share(value: float, what: str) -> float:
    if not 0 < value < 1:
        raise ParameterError(f"{what} must be between 0 and 1, both excluded, not {value}.")
    return value
