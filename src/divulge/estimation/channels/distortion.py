"""How much an estimate displeases: the distance between what is so and what was taken for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError, suggestion
from divulge.estimation.channels.numeric_names import coordinates, line
from divulge.estimation.channels.probabilities import FloatArray, Labels, Names, finite, named
from divulge.estimation.channels.rule import TIE, Rule, best_of, likeliest


class Distortion(ABC):
    """A distance d(x, estimate), and which estimates an attacker may give: by default one of the x."""

    estimates: tuple[object, ...] | None = None

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def matrix(self, inputs: Names, estimates: Names) -> FloatArray:
        """d(x, estimate), a row for each x and a column for each estimate."""

    def candidates(self, inputs: Names) -> tuple[object, ...]:
        """The estimates to choose among."""
        return tuple(inputs) if self.estimates is None else tuple(self.estimates)

    def rule(self, inputs: Names, posteriors: FloatArray) -> Rule:
        """The estimate of least expected distortion for each posterior, a row each."""
        candidates = self.candidates(inputs)
        distances = self.matrix(inputs, candidates)
        return best_of(posteriors @ distances, candidates, scale=float(distances.max()))


@dataclass(frozen=True)
class Hamming(Distortion):
    """0 when the estimate is right and 1 otherwise: the expected distortion is the chance of being wrong."""

    name: str = "hamming"

    def matrix(self, inputs: Names, estimates: Names) -> FloatArray:
        places = {name: place for place, name in enumerate(inputs)}
        found = [(places[name], column) for column, name in enumerate(estimates) if name in places]
        distances = np.ones((len(inputs), len(estimates)))
        distances[tuple(np.array(found, dtype=np.int64).reshape(-1, 2).T)] = 0
        return distances

    def rule(self, inputs: Names, posteriors: FloatArray) -> Rule:
        return likeliest(inputs, posteriors)


@dataclass(frozen=True)
class Squared(Distortion):
    """The squared distance of numbers or points; the best estimate is the mean, in the alphabet or not."""

    name: str = "squared"

    def matrix(self, inputs: Names, estimates: Names) -> FloatArray:
        return _squares(inputs, estimates, self.name)

    def rule(self, inputs: Names, posteriors: FloatArray) -> Rule:
        places = coordinates(inputs, self.name)
        means = posteriors @ places
        risk = np.zeros(len(posteriors))
        for place, mean in zip(places.T, means.T, strict=True):
            risk += (posteriors * (place - mean[:, None]) ** 2).sum(axis=1)
        points = means[:, 0].tolist() if places.shape[1] == 1 else [tuple(mean) for mean in means.tolist()]
        return Rule(risk, lambda: (tuple(points), tuple((point,) for point in points)))


@dataclass(frozen=True)
class Absolute(Distortion):
    """The distance between numbers; the best estimate is the median.

    Where the median is an interval, its lower end is the estimate and its two ends are the ties: every
    point between them is as good.
    """

    name: str = "absolute"

    def matrix(self, inputs: Names, estimates: Names) -> FloatArray:
        return np.abs(line(inputs, self.name)[:, None] - line(estimates, self.name))

    def rule(self, inputs: Names, posteriors: FloatArray) -> Rule:
        numbers = line(inputs, self.name)
        order = np.argsort(numbers)
        below = np.cumsum(posteriors[:, order], axis=1)
        half = 0.5 * below[:, -1:]
        lower = numbers[order][(below < half - TIE).sum(axis=1)]
        upper = numbers[order][(below <= half + TIE).sum(axis=1)]
        risk = (posteriors * np.abs(numbers - lower[:, None])).sum(axis=1)
        ends = list(zip(lower.tolist(), upper.tolist(), strict=True))
        return Rule(risk, lambda: (tuple(lower.tolist()), tuple((a,) if a == b else (a, b) for a, b in ends)))


@dataclass(frozen=True)
class Euclidean(Distortion):
    """The distance between points; the estimate is one of the points given, not any between them."""

    name: str = "euclidean"

    def matrix(self, inputs: Names, estimates: Names) -> FloatArray:
        return np.sqrt(_squares(inputs, estimates, self.name))


@dataclass(frozen=True, eq=False)
class Matrix(Distortion):
    """Distortions written out, a row for each x and a column for each estimate; by default one for each x."""

    array: FloatArray
    estimates: tuple[object, ...] | None = None
    name: str = "matrix"

    def __init__(self, array: npt.ArrayLike, estimates: Labels = None, name: str = "matrix") -> None:
        distances = finite(array, "The matrix of distortions", 2)
        own = None if estimates is None else named(estimates, distances.shape[1], "estimates")
        for field, value in (("array", distances), ("estimates", own), ("name", name)):
            object.__setattr__(self, field, value)

    def candidates(self, inputs: Names) -> tuple[object, ...]:
        own = super().candidates(inputs)
        if self.array.shape != (len(inputs), len(own)):
            rows, columns = self.array.shape
            raise ParameterError(
                f"The matrix of distortions has {rows} rows and {columns} columns where there are "
                f"{len(inputs)} inputs and {len(own)} estimates."
            )
        return own

    def matrix(self, inputs: Names, estimates: Names) -> FloatArray:
        own = self.candidates(inputs)
        if tuple(estimates) == own:
            return self.array
        places = {name: place for place, name in enumerate(own)}
        unknown = sum(name not in places for name in estimates)
        if unknown:
            raise ParameterError(f"The matrix of distortions has no column for {unknown} of the estimates.")
        return self.array[:, [places[name] for name in estimates]]


@dataclass(frozen=True, eq=False)
class Function(Distortion):
    """Distortions computed by a function of x and estimate; by default the estimates are the x."""

    function: Callable[[Any, Any], float]
    estimates: tuple[object, ...] | None = None
    name: str = "function"

    def matrix(self, inputs: Names, estimates: Names) -> FloatArray:
        rows = [[self.function(x, estimate) for estimate in estimates] for x in inputs]
        return finite(rows, "What the function gives", 2)


@dataclass(frozen=True, eq=False)
class Among(Distortion):
    """A distortion for an attacker who must choose from a list, by default the values of the unknown."""

    distortion: Distortion
    estimates: tuple[object, ...] | None = None

    @property
    def name(self) -> str:
        return self.distortion.name

    def matrix(self, inputs: Names, estimates: Names) -> FloatArray:
        return self.distortion.matrix(inputs, estimates)


HAMMING, SQUARED, ABSOLUTE, EUCLIDEAN = Hamming(), Squared(), Absolute(), Euclidean()
NAMED: dict[str, Distortion] = {one.name: one for one in (HAMMING, SQUARED, ABSOLUTE, EUCLIDEAN)}


def as_distortion(given: str | Distortion) -> Distortion:
    """A distortion by its name, or as it is."""
    if not isinstance(given, str):
        return given
    if given not in NAMED:
        raise ParameterError(
            f"Unknown distortion: '{given}'.",
            hint=suggestion(given, NAMED)
            or f"Choose from {', '.join(NAMED)}, or give a matrix or a function.",
        )
    return NAMED[given]


def average_distortion(
    prior: FloatArray, rule: FloatArray, inputs: Names, outputs: Names, distortion: str | Distortion
) -> float:
    """E d(X', Y'): how far what is disclosed lies from what was put in, on average."""
    distances = as_distortion(distortion).matrix(inputs, outputs)
    return float(prior @ (rule * distances).sum(axis=1))


def _squares(inputs: Names, estimates: Names, name: str) -> FloatArray:
    one, other = coordinates(inputs, name), coordinates(estimates, name)
    if one.shape[1] != other.shape[1]:
        raise ParameterError(
            f"The inputs have {one.shape[1]} coordinates and the estimates {other.shape[1]}."
        )
    squares = np.zeros((len(one), len(other)))
    for a, b in zip(one.T, other.T, strict=True):
        squares += (a[:, None] - b) ** 2
    return squares
