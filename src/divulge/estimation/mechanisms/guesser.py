"""The Bayes attacker as the system meets it: what each estimate gains after each output of a rule."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from divulge.estimation.channels.probabilities import FloatArray


@dataclass(frozen=True, eq=False)
class Guesser:
    """An attacker who sees y and estimates x; the system knows x' and p(x, x').

    Estimating e after y leaves an error of sum over x' of p(y|x') (base - gain[:, e]). The base takes what
    most estimates have in common out of the gains, so that few of those differ from zero.
    """

    weight: FloatArray  # p(x')
    base: FloatArray
    gain: FloatArray  # a row for each x', a column for each estimate on offer
    slope: FloatArray | None = None  # sum over x of p(x, x') x, where any point may be an estimate

    @classmethod
    def among(cls, joint: FloatArray, distortion: FloatArray) -> Guesser:
        """Estimates are the columns of a distortion matrix."""
        counted = (np.unique(row, return_counts=True) for row in distortion)
        commonest = np.array([values[counts.argmax()] for values, counts in counted])
        return cls(joint.sum(axis=0), commonest @ joint, joint.T @ (commonest[:, None] - distortion))

    @classmethod
    def of_points(cls, joint: FloatArray, points: FloatArray) -> Guesser:
        """Squared distance, with any point as an estimate; a row of coordinates for each x."""
        points = points - joint.sum(axis=1) @ points
        alone = cls(joint.sum(axis=0), (points**2).sum(axis=1) @ joint, np.zeros((0, 0)), points.T @ joint)
        return replace(alone, gain=alone.gains_of(points.T))

    def error(self, rule: FloatArray) -> FloatArray:
        """p(y) P(y) for each y: the error that the best estimate after y leaves."""
        if self.slope is None:
            return np.maximum(0.0, self.base @ rule - (self.gain.T @ rule).max(axis=0))
        return np.maximum(0.0, self.base @ rule - (self.means(rule) * (self.slope @ rule)).sum(axis=0))

    def worst(self, rule: FloatArray) -> float:
        """The least P(y) over the y that occur."""
        marginal = self.weight @ rule
        return float((self.error(rule)[marginal > 0] / marginal[marginal > 0]).min())

    @property
    def without_observing(self) -> float:
        """The error of the best estimate from the prior alone."""
        return float(self.error(np.ones((len(self.weight), 1)))[0])

    def gains_of(self, estimates: FloatArray) -> FloatArray:
        """What points, a column of coordinates each, gain as estimates: a row for each x'."""
        assert self.slope is not None
        return 2 * self.slope.T @ estimates - self.weight[:, None] * (estimates**2).sum(axis=0)

    def means(self, rule: FloatArray) -> FloatArray:
        """The best point after each y, a column of coordinates each."""
        assert self.slope is not None
        marginal = self.weight @ rule
        return self.slope @ rule / np.where(marginal > 0, marginal, 1.0)
