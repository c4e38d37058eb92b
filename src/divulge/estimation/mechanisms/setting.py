"""The setting a mechanism is designed for, checked and with every name in place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.estimation.channels.distortion import Distortion, Matrix, Squared, as_distortion
from divulge.estimation.channels.memory import room_for_channel
from divulge.estimation.channels.numeric_names import coordinates
from divulge.estimation.channels.probabilities import FloatArray, Labels, add_up, finite, named
from divulge.estimation.mechanisms.most_private import Guesser

Distances = str | Distortion | npt.ArrayLike


@dataclass(frozen=True, eq=False)
class Setting:
    """What is known: p(x, x') with a row for each x, and the names of secrets x, inputs x' and outputs y'."""

    joint: FloatArray
    distances: FloatArray  # the system's, d(x', y')
    privacy: Distances
    secrets: tuple[object, ...]
    inputs: tuple[object, ...]
    outputs: tuple[object, ...]

    @property
    def weight(self) -> FloatArray:
        """p(x')."""
        return self.joint.sum(axis=0)

    @property
    def loss(self) -> FloatArray:
        """p(x') d(x', y'): what a rule is multiplied by to give its expected loss."""
        return self.weight[:, None] * self.distances

    @property
    def least_budget(self) -> float:
        """The expected loss of the rule that cares for nothing else."""
        return float(self.loss.min(axis=1).sum())

    @property
    def greatest_budget(self) -> float:
        """The least expected loss of a rule that tells nothing: more budget buys nothing."""
        return float(self.loss.sum(axis=0).min())

    def guesser(self) -> Guesser:
        """The attacker that the privacy is measured against."""
        attacker = _distortion(self.privacy, self.secrets)
        if isinstance(attacker, Squared):
            return Guesser.of_points(self.joint, coordinates(self.secrets, attacker.name))
        return Guesser.among(self.joint, attacker.matrix(self.secrets, attacker.candidates(self.secrets)))

    @property
    def apart(self) -> FloatArray:
        """The distance between any two inputs, for epsilon."""
        distances = _distortion(self.privacy, self.inputs).matrix(self.inputs, self.inputs)
        if not (distances[~np.eye(len(distances), dtype=bool)] > 0).all():
            raise ParameterError(
                "Epsilon needs a distance above zero between any two inputs; some are at distance zero.",
                hint="Merge those inputs, or choose hamming.",
            )
        return distances

    def afforded(self, budget: float) -> float:
        """The budget, if some rule keeps it."""
        least = self.least_budget
        if budget < least - 1e-9 * float(self.loss.max(initial=1e-300)):
            raise ParameterError(
                f"No rule has an expected loss of {budget:.6g} or less: the smallest feasible budget "
                f"is {least:.12g}."
            )
        return max(budget, least)


def setting_of(
    prior: npt.ArrayLike,
    loss: Distances,
    privacy: Distances,
    inputs: Labels,
    outputs: Labels,
    secrets: Labels,
) -> Setting:
    """What was given, checked and with every name in place."""
    given = np.asarray(prior)
    joint = finite(prior, "The prior", 2 if given.ndim == 2 else 1)
    add_up(float(joint.sum()), "The prior")
    if joint.ndim == 1:
        if secrets is not None:
            raise ParameterError(
                "Secrets were named, but with the prior p(x) the inputs are the secrets.",
                hint="Name the inputs, or give the joint prior p(x, x').",
            )
        room_for_channel(len(joint), len(joint))
        joint, secrets = np.diag(joint), inputs
    own = named(inputs, joint.shape[1], "inputs")
    distances, shown = _losses(loss, own, outputs)
    return Setting(joint, distances, privacy, named(secrets, len(joint), "secrets"), own, shown)


def _losses(
    given: Distances, inputs: tuple[object, ...], outputs: Labels
) -> tuple[FloatArray, tuple[object, ...]]:
    distortion = _as_distortion(given)
    if distortion is not None:
        shown = distortion.candidates(inputs) if outputs is None else named(outputs, len(outputs), "outputs")
        return distortion.matrix(inputs, shown), shown
    matrix = finite(cast("npt.ArrayLike", given), "The matrix of losses", 2)
    if len(matrix) != len(inputs):
        raise ParameterError(
            f"The matrix of losses has {len(matrix)} rows where there are {len(inputs)} inputs."
        )
    same = outputs is None and matrix.shape[1] == len(inputs)
    return matrix, inputs if same else named(outputs, matrix.shape[1], "outputs")


def _distortion(given: Distances, letters: tuple[object, ...]) -> Distortion:
    distortion = _as_distortion(given)
    if distortion is not None:
        return distortion
    matrix = finite(cast("npt.ArrayLike", given), "The matrix of distortions", 2)
    return Matrix(matrix, None if matrix.shape[1] == len(letters) else tuple(range(matrix.shape[1])))


def _as_distortion(given: Distances) -> Distortion | None:
    if isinstance(given, str) or hasattr(given, "candidates"):
        return as_distortion(cast("str | Distortion", given))
    return None
