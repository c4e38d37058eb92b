"""How far each observation moves beliefs, and how much the attacker can gain by that."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import Distortion
from divulge.estimation.channels.probabilities import FloatArray, settled
from divulge.estimation.information.bounds import Bound, inequality
from divulge.estimation.information.entropy import LN2, TINY
from divulge.estimation.information.leakage import mutual_information


@dataclass(frozen=True, eq=False)
class MovedBeliefs:
    """For each observation how far the posterior is from the prior, and what the attacker gains by it.

    What is gained is the error of the estimate that was best before, less that of the one that is best now,
    both under the posterior. It is at most twice the largest distance times the total variation, and that is
    by Pinsker's inequality at most the largest distance times the root of twice the divergence in nats.
    """

    divergence: FloatArray  # D(posterior || prior) in bits; NaN for what cannot be observed
    total_variation: FloatArray
    gained: FloatArray
    farthest: float  # the largest distance

    def entry(self, place: int) -> dict[str, float]:
        """What is said of one observation."""
        return {
            "divergence": settled(float(self.divergence[place])),
            "total_variation": settled(float(self.total_variation[place])),
            "gained": float(self.gained[place]),
            "gained_at_most": settled(2 * self.farthest * float(self.total_variation[place]), self.farthest),
            "gained_by_divergence": self.farthest
            * math.sqrt(2 * LN2 * settled(float(self.divergence[place]))),
        }


def moved_beliefs(channel: Channel, distortion: Distortion) -> MovedBeliefs:
    """How far observations move beliefs, and what that gains by a distortion.

    >>> from divulge.estimation.channels.distortion import HAMMING
    >>> moved_beliefs(Channel([0.5, 0.5], [[0.75, 0.25], [0.25, 0.75]]), HAMMING).total_variation.tolist()
    [0.25, 0.25]
    """
    seen = channel.possible
    posterior, prior = channel.posterior[seen], channel.prior
    before = distortion.rule(channel.inputs, prior[None, :]).estimates[0]
    cost = distortion.matrix(channel.inputs, [before])[:, 0]
    candidates = distortion.candidates(channel.inputs)
    farthest = float(distortion.matrix(channel.inputs, candidates).max())
    gained = posterior @ cost - distortion.rule(channel.inputs, posterior).risk
    logs = np.log(np.maximum(posterior, TINY)) - np.log(np.maximum(prior, TINY))
    found = {
        "divergence": np.maximum((posterior * logs).sum(axis=1) / LN2, 0.0),
        "total_variation": np.abs(posterior - prior).sum(axis=1) / 2,
        "gained": np.array([settled(max(float(one), 0.0), farthest) for one in gained]),
    }
    spread = {name: np.full(len(seen), np.nan) for name in found}
    for name, values in found.items():
        spread[name][seen] = values
    return MovedBeliefs(**spread, farthest=farthest)


def gain_by_information(channel: Channel, moved: MovedBeliefs) -> Bound:
    """E[reduction(Y)^2] / (8 d_max^2) <= I(X;Y), in nats, from what was gained by each observation."""
    seen = channel.possible
    squares = channel.marginal[seen] * moved.gained[seen] ** 2
    left = math.fsum(squares.tolist()) / (8 * moved.farthest**2) if moved.farthest else 0.0
    return inequality("E[reduction^2] / (8 d_max^2) <= I", left, mutual_information(channel) * LN2, "nat")
