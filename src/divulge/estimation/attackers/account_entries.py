"""Parts of an account that are asked for: short lists, a wrong prior, many observations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.estimation.attackers.sequences import privacy_after
from divulge.estimation.attackers.wrong_prior import PerObservation, wrong_prior
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import Distortion
from divulge.estimation.channels.probabilities import settled
from divulge.estimation.information.entropy import confidence_sizes, uniform_error

EVERY = 20  # observations up to which each number of them is gone through
POINTS = 12  # numbers of observations beyond
BELIEVED = ("uncertainty", "inaccuracy", "incorrectness", "error", "believed_error")


def confidence_entry(channel: Channel, sizes: npt.NDArray[np.int64], mass: float) -> dict[str, Any]:
    """The attacker's short list: how many values have so much of the probability, before and after."""
    seen = channel.possible
    least = int(sizes[seen].min())
    return {
        "mass": mass,
        "prior": int(confidence_sizes(channel.prior[None, :], mass)[0]),
        "least": least,
        "average": float(channel.marginal[seen] @ sizes[seen]),
        "most": int(sizes[seen].max()),
        "error": uniform_error(least),
    }


def candidate_numbers(channel: Channel, mass: float) -> npt.NDArray[np.int64]:
    """How many values hold so much of the posterior after each observation; 0 for one that cannot occur."""
    sizes = np.zeros(len(channel.outputs), dtype=np.int64)
    sizes[channel.possible] = confidence_sizes(channel.posterior[channel.possible], mass)
    return sizes


def believed_entry(channel: Channel, believed: npt.ArrayLike, distortion: Distortion) -> dict[str, Any]:
    """How certain, how near and how right an attacker is who believes another prior."""
    found = wrong_prior(channel, believed, distortion)
    return {
        **{name: _spread(getattr(found, name)) for name in BELIEVED},
        "right": found.right.average,
        "price": settled(found.price, max(found.error.average, found.right.average)),
    }


def _spread(found: PerObservation) -> dict[str, float]:
    return {"average": settled(found.average), "least": settled(found.least), "most": settled(found.most)}


def repeated_entries(channel: Channel, observations: int, distortion: Distortion) -> list[dict[str, Any]]:
    """What is left after no observation, one, and so on up to a number of them."""
    if observations < 1:
        raise ParameterError(f"The number of observations must be 1 or more, not {observations}.")
    return [asdict(one) for one in privacy_after(channel, numbers_up_to(observations), distortion)]


def numbers_up_to(observations: int) -> Sequence[int]:
    """All numbers of observations where they are few, otherwise some of them, the last among them.

    >>> list(numbers_up_to(3)), list(numbers_up_to(1000))
    ([0, 1, 2, 3], [0, 1, 2, 4, 7, 12, 23, 43, 81, 152, 285, 534, 1000])
    """
    if observations <= EVERY:
        return range(observations + 1)
    return sorted({0, *np.geomspace(1, observations, POINTS).round().astype(int).tolist()})
