"""An attacker with a wrong prior: how certain they are, how near their belief is, and how right they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import Distortion, as_distortion
from divulge.estimation.channels.privacy import Privacy
from divulge.estimation.channels.probabilities import FloatArray, probabilities
from divulge.estimation.information.entropy import row_entropies


@dataclass(frozen=True, eq=False)
class PerObservation:
    """A number for each observation; NaN for one that cannot occur."""

    values: FloatArray
    probabilities: FloatArray

    @property
    def average(self) -> float:
        seen = self.probabilities > 0
        return float(self.probabilities[seen] @ self.values[seen])

    @property
    def least(self) -> float:
        return float(np.nanmin(self.values))

    @property
    def most(self) -> float:
        return float(np.nanmax(self.values))


@dataclass(frozen=True, eq=False)
class WrongPrior:
    """Certainty, accuracy and correctness of an attacker who believes another prior than the true one.

    The three are apart: an attacker can be certain and wrong. Each is given by what it lacks, so that all are
    0 for an attacker who knows everything; the last is what the literature on location privacy goes by.
    """

    uncertainty: PerObservation  # entropy of the believed posterior, in bits
    inaccuracy: PerObservation  # total variation between the believed posterior and the true one
    incorrectness: PerObservation  # mean distance of the truth from a value drawn from the belief
    distances: FloatArray  # the same for each y (a row) and each true x (a column)
    error: PerObservation  # the distortion the attacker's estimates really have
    believed_error: PerObservation  # the distortion the attacker expects them to have
    estimates: tuple[object, ...]
    right: Privacy  # what an attacker with the true prior would leave

    @property
    def price(self) -> float:
        """How much more the attacker gets wrong, on average, for believing the wrong prior."""
        return self.error.average - self.right.average


def wrong_prior(
    channel: Channel, believed: npt.ArrayLike, distortion: str | Distortion = "hamming"
) -> WrongPrior:
    """The estimates of an attacker who knows the channel and believes a wrong prior.

    An observation that the attacker held impossible leaves them with the prior they believed.

    >>> believes = wrong_prior(Channel([0.5, 0.5], [[0.75, 0.25], [0.25, 0.75]]), [0.9, 0.1])
    >>> believes.error.average, believes.right.average
    (0.5, 0.25)
    """
    judged, prior = as_distortion(distortion), probabilities(believed, "The believed prior", 1)
    if len(prior) != len(channel.prior):
        raise ParameterError(
            f"The believed prior has {len(prior)} probabilities and the channel {len(channel.prior)} inputs."
        )
    seen, weights = channel.possible, channel.marginal
    joint = (prior[:, None] * channel.matrix).T[seen]
    mass = joint.sum(axis=1, keepdims=True)
    truth, belief = channel.posterior[seen], np.where(mass > 0, joint / np.where(mass > 0, mass, 1), prior)
    rule = judged.rule(channel.inputs, belief)
    distances = belief @ judged.matrix(channel.inputs, channel.inputs).T

    def per_observation(values: FloatArray) -> PerObservation:
        return PerObservation(_spread(values, seen), weights)

    given = iter(rule.estimates)
    return WrongPrior(
        per_observation(row_entropies(belief, 1)),
        per_observation(np.abs(truth - belief).sum(axis=1) / 2),
        per_observation((truth * distances).sum(axis=1)),
        _spread(distances, seen),
        per_observation(_suffered(judged, channel.inputs, truth, rule.estimates)),
        per_observation(rule.risk),
        tuple(next(given) if possible else None for possible in seen),
        channel.privacy(judged),
    )


def _suffered(
    distortion: Distortion, inputs: Sequence[object], truth: FloatArray, estimates: Sequence[object]
) -> FloatArray:
    """The expected distortion of an estimate given for each true posterior."""
    different = {estimate: column for column, estimate in enumerate(dict.fromkeys(estimates))}
    distances = distortion.matrix(inputs, list(different))
    return (truth * distances[:, [different[one] for one in estimates]].T).sum(axis=1)


def _spread(values: FloatArray, seen: npt.NDArray[np.bool_]) -> FloatArray:
    """A row for every observation, NaN for those that cannot occur."""
    every = np.full((len(seen), *values.shape[1:]), np.nan)
    every[seen] = values
    return every
