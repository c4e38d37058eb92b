"""Locations: a place is perturbed and disclosed as a cell of a grid; how far off stays the best estimate?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import EUCLIDEAN
from divulge.estimation.channels.memory import room_for_channel
from divulge.estimation.channels.numeric_names import coordinates
from divulge.estimation.channels.probabilities import FloatArray
from divulge.estimation.mechanisms.indistinguishable import epsilon_of
from divulge.estimation.scenarios.checks import positive, whole
from divulge.estimation.scenarios.noise import Gaussian, Perturbation, PlanarLaplace, UniformDisc

__all__ = [
    "Gaussian",
    "GaussianPlace",
    "Grid",
    "Perturbation",
    "PlanarLaplace",
    "UniformDisc",
    "epsilon_per_distance",
    "perturbed",
]


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
        x, y = self.origin
        return _edges(x, self.columns, self.spacing), _edges(y, self.rows, self.spacing)


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
    chances = np.full(len(points), 1 / len(points)) if prior is None else prior
    return Channel(chances, masses.reshape(len(points), -1), unknown, grid.points)


def epsilon_per_distance(channel: Channel) -> float:
    """The least epsilon with p(y|x) <= exp(epsilon d(x, x')) p(y|x') for all places x, x' and outputs y.

    In natural units per unit of distance; lower is more private, and infinite where an output rules a place
    out, or is so unlikely there that it rounds to zero.
    """
    return epsilon_of(channel.matrix, EUCLIDEAN.matrix(channel.inputs, channel.inputs))


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


def _edges(first: float, cells: int, spacing: float) -> FloatArray:
    inner = first + spacing * (np.arange(1, cells) - 0.5)
    return np.concatenate([[-np.inf], inner, [np.inf]])
