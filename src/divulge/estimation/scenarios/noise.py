"""Noise in the plane: how likely a perturbed location falls into each cell of a grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from divulge._support.special_functions import normal_below
from divulge.estimation.channels.probabilities import FloatArray
from divulge.estimation.scenarios.checks import positive

ROUNDING = 1e-14  # areas below it may belong to cells that the unit disc does not reach
UNDERFLOW = 745.0  # exp(-745) is the last that is not zero


class Perturbation(Protocol):
    """Noise that is added to a location, alike in all directions."""

    def masses(self, across: FloatArray, up: FloatArray) -> FloatArray:
        """How likely the noise falls into each cell, (location, column, row).

        ``across`` and ``up`` are the edges of columns and rows as seen from each location, a row each; the
        outermost may be infinite.
        """
        ...


@dataclass(frozen=True)
class Gaussian:
    """Normal noise with a standard deviation in each direction."""

    deviation: float

    def __post_init__(self) -> None:
        positive(self.deviation, "The standard deviation")

    def masses(self, across: FloatArray, up: FloatArray) -> FloatArray:
        columns, rows = _between(across / self.deviation), _between(up / self.deviation)
        return columns[:, :, None] * rows[:, None, :]


@dataclass(frozen=True)
class PlanarLaplace:
    """Noise whose density falls by exp(-epsilon) for each unit of distance: geo-indistinguishability.

    On average it moves a location by 2/epsilon (Andrés et al., Geo-indistinguishability, 2013).
    """

    epsilon: float

    def __post_init__(self) -> None:
        positive(self.epsilon, "Epsilon")

    def masses(self, across: FloatArray, up: FloatArray) -> FloatArray:
        # It is normal noise of a random variance: 2/epsilon^2 times a gamma variable of shape 3/2.
        variances = np.exp(np.arange(-26.0, 7.0, self._step(across, up)))
        weights = variances**1.5 * np.exp(-variances)
        deviations = np.sqrt(2 * variances)[:, None] / self.epsilon
        shares = (weights / weights.sum())[:, None]
        return np.stack(
            [
                (shares * _between(columns / deviations)).T @ _between(rows / deviations)
                for columns, rows in zip(across, up, strict=True)
            ]
        )

    def _step(self, across: FloatArray, up: FloatArray) -> float:
        """How fine to go through the logarithm of the variance.

        At a distance r few variances matter, a range of about 1/sqrt(epsilon r), and the trapezoidal rule is
        exact to twelve digits if its step is 0.8 of that.
        """
        farthest = self.epsilon * np.hypot(_reach(across), _reach(up))
        return float(0.8 / np.sqrt(np.clip(farthest, 10.0, UNDERFLOW)))


@dataclass(frozen=True)
class UniformDisc:
    """Noise that is equally likely anywhere within a radius, and never beyond."""

    radius: float

    def __post_init__(self) -> None:
        positive(self.radius, "The radius")

    def masses(self, across: FloatArray, up: FloatArray) -> FloatArray:
        corners = _quarter(across[:, :, None] / self.radius, up[:, None, :] / self.radius)
        cells = np.diff(np.diff(corners, axis=1), axis=2)
        return np.where(cells > ROUNDING, cells, 0.0) / np.pi


def _between(edges: FloatArray) -> FloatArray:
    """Standard normal mass between neighbouring edges, by the tail they are in so that no digit is lost."""
    low, high = edges[:, :-1], edges[:, 1:]
    right = low > 0
    return normal_below(np.where(right, -low, high)) - normal_below(np.where(right, -high, low))


def _quarter(x: FloatArray, y: FloatArray) -> FloatArray:
    """The signed area of the unit disc between both axes and a corner."""
    sign = np.sign(x) * np.sign(y)
    x, y = np.minimum(np.abs(x), 1.0), np.minimum(np.abs(y), 1.0)
    bend = np.minimum(np.sqrt(1 - y**2), x)  # from where on the circle and no longer the edge is the limit
    return sign * (y * bend + _under_circle(x) - _under_circle(bend))


def _under_circle(x: FloatArray) -> FloatArray:
    return (x * np.sqrt(1 - x**2) + np.arcsin(x)) / 2


def _reach(edges: FloatArray) -> float:
    return float(np.abs(edges[np.isfinite(edges)]).max(initial=0.0))
