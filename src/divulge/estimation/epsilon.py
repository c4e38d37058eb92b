"""What epsilon means for an attacker who guesses, and which epsilon a wanted error asks for."""

from __future__ import annotations

import math

from divulge.errors import ParameterError


def error_left(epsilon: float, most_likely: float) -> float:
    """The least probability that a guess is wrong, after any observation of any epsilon-private channel.

    Observing multiplies odds by at most e^epsilon, so the likeliest value, of prior p, is at most
    e^epsilon p / (e^epsilon p + 1 - p) likely afterwards.

    >>> round(error_left(math.log(3), 0.5), 12)
    0.25
    """
    prior = _share(most_likely, "The prior of the likeliest value")
    if not epsilon >= 0:
        raise ParameterError("Epsilon must be 0 or more.")
    return (1 - prior) / (1 - prior + prior * math.exp(epsilon))


def epsilon_for(error: float, most_likely: float) -> float:
    """The largest epsilon that still leaves this error after any observation; the other way round.

    >>> round(epsilon_for(0.25, 0.5), 12) == round(math.log(3), 12)
    True
    """
    prior = _share(most_likely, "The prior of the likeliest value")
    wanted = _share(error, "The error")
    if wanted > 1 - prior:
        raise ParameterError(
            f"An error of {error} cannot be left: guessing the likeliest value is wrong {1 - prior:.6g} of "
            "the time before anything is observed.",
            hint=f"Ask for at most {1 - prior:.6g}.",
        )
    return math.log((1 - prior) * (1 - wanted) / (prior * wanted))


def _share(value: float, what: str) -> float:
    if not 0 < value < 1:
        raise ParameterError(f"{what} must lie between 0 and 1, both excluded.")
    return value
