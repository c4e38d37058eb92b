"""Locations: a place is perturbed and disclosed as a cell of a grid; how far off stays the best estimate?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from divulge._support.special_functions import normal_below
from divulge.errors import ParameterError
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.memory import room_for_channel
from divulge.estimation.channels.numeric_names import coordinates
from divulge.estimation.channels.probabilities import FloatArray, or_uniform
from divulge.estimation.scenarios.checks import positive, whole

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
        masses = [
            (shares * _between(columns / deviations)).T @ _between(rows / deviations)
            for columns, rows in zip(across, up, strict=True)
        ]
        return np.stack(masses)

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


@dataclass(frozen=True)
class Grid:
    """Square cells side by side; a cell is called by the point in its middle.

    What falls beyond the outermost cells counts as theirs, so a grid of one row is a line.

    >>> Grid(columns=2, rows=1, spacing=0.5).points
    ((0.0, 0.0), (0.5, 0.0))
    """

    columns: int
    rows: int
    spacing: float = 1.0
    origin: tuple[float, float] = (0.0, 0.0)  # the middle of the first cell

    def __post_init__(self) -> None:
        whole(self.columns, "The number of columns", 1)
        whole(self.rows, "The number of rows", 1)
        positive(self.spacing, "The spacing")

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """The middles of the cells, column by column."""
        x, y = self.origin
        return tuple(
            (x + column * self.spacing, y + row * self.spacing)
            for column in range(self.columns)
            for row in range(self.rows)
        )

    @property
    def edges(self) -> tuple[FloatArray, FloatArray]:
        """The lines between columns and between rows, from minus infinity to infinity."""
        across, up = (
            np.concatenate([[-np.inf], first + self.spacing * (np.arange(1, cells) - 0.5), [np.inf]])
            for first, cells in zip(self.origin, (self.columns, self.rows), strict=True)
        )
        return across, up


def perturbed(
    grid: Grid,
    perturbation: Perturbation,
    *,
    places: Sequence[tuple[float, float]] | None = None,
    prior: npt.ArrayLike | None = None,
) -> Channel:
    """From where someone is to the cell of the grid nearest to their perturbed location.

    ``places`` are where they may be, by default the middles of the cells, and the prior by default the same
    for all. To round to a cell uses nothing but the perturbed location, so the epsilon of planar Laplace
    noise holds for the channel as well.

    >>> round(perturbed(Grid(2, 1), Gaussian(1.0)).privacy("euclidean").average, 3)
    0.309
    """
    cells = grid.columns * grid.rows
    room_for_channel(cells if places is None else len(places), cells)
    unknown = grid.points if places is None else tuple(places)
    points = coordinates(unknown, "euclidean")
    if points.shape[1] != 2:
        raise ParameterError(f"A place on a grid has 2 coordinates; these have {points.shape[1]}.")
    across, up = grid.edges
    masses = perturbation.masses(across - points[:, :1], up - points[:, 1:])
    prior = or_uniform(prior, len(points))
    return Channel(prior, masses.reshape(len(points), -1), unknown, grid.points)


@dataclass(frozen=True)
class GaussianPlace:
    """A normally distributed place under normal noise, not rounded to any grid: the closed forms.

    Variances are for each dimension, and an infinite prior variance means that every place is alike. The
    privacy is the same for all observations.

    >>> GaussianPlace(prior_variance=4.0, noise_variance=1.0).privacy
    1.6
    """

    prior_variance: float
    noise_variance: float
    dimensions: int = 2

    def __post_init__(self) -> None:
        if self.prior_variance != math.inf:
            positive(self.prior_variance, "The variance of the prior")
        positive(self.noise_variance, "The variance of the noise")
        whole(self.dimensions, "The number of dimensions", 1)

    @property
    def weight(self) -> float:
        """How far from the mean of the prior to the observation the best estimate lies, from 0 to 1."""
        return 1 / (1 + self.noise_variance / self.prior_variance)

    @property
    def privacy(self) -> float:
        """The mean squared error of the best estimate."""
        return self.dimensions * self.weight * self.noise_variance

    @property
    def mutual_information(self) -> float:
        """What the observation tells of the place, in bits."""
        return self.dimensions / 2 * math.log2(1 + self.prior_variance / self.noise_variance)


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
