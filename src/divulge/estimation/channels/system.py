"""A system between the secret and the attacker: what it is fed, what it discloses, what is seen of that."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.errors import ParameterError
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.channel_files import read_matrix, read_rows_of
from divulge.estimation.channels.distortion import Distortion, average_distortion
from divulge.estimation.channels.probabilities import FloatArray, Labels, add_up, finite, named, probabilities


@dataclass(frozen=True, eq=False, init=False)
class System:
    """The unknown X, the system's input X', its decision Y' and the attacker's observation Y.

    ``prior`` is p(x, x'), a row for each x; ``rule`` is p(y'|x'), and ``observation`` is p(y|y'), by default
    Y = Y'. An attacker with ``background`` p(b|x) knows B as well, which given X has nothing to do with Y:
    the observation is then the pair (y, b). The decision hears of X only through X'.

    >>> leaky = System([[0.4, 0.1], [0.1, 0.4]], rule=[[1, 0], [0, 1]])
    >>> round(leaky.channel.privacy().average, 12), leaky.distortion()
    (0.2, 0.0)
    """

    prior: FloatArray
    rule: FloatArray
    observation: FloatArray | None
    background: FloatArray | None
    unknowns: tuple[object, ...]
    inputs: tuple[object, ...]
    decisions: tuple[object, ...]
    observations: tuple[object, ...]
    knowledge: tuple[object, ...]  # the values of the background

    def __init__(
        self,
        prior: npt.ArrayLike,
        rule: npt.ArrayLike,
        observation: npt.ArrayLike | None = None,
        background: npt.ArrayLike | None = None,
        *,
        unknowns: Labels = None,
        inputs: Labels = None,
        decisions: Labels = None,
        observations: Labels = None,
        knowledge: Labels = None,
    ) -> None:
        cells, matrix = finite(prior, "The prior", 2), probabilities(rule, "The rule", 2)
        add_up(cells.sum(), "The prior")
        seen = None if observation is None else probabilities(observation, "The observation", 2)
        known = None if background is None else probabilities(background, "The background", 2)
        _meet(cells.shape[1], "columns of the prior", matrix, "the rule")
        _meet(matrix.shape[1], "columns of the rule", seen, "the observation")
        _meet(len(cells), "rows of the prior", known, "the background")
        fields = {
            "prior": cells,
            "rule": matrix,
            "observation": seen,
            "background": known,
            "unknowns": named(unknowns, len(cells), "unknowns"),
            "inputs": named(inputs, len(matrix), "inputs"),
            "decisions": named(decisions, matrix.shape[1], "decisions"),
            "observations": named(
                decisions if seen is None else observations,
                (matrix if seen is None else seen).shape[1],
                "observations",
            ),
            "knowledge": () if known is None else named(knowledge, known.shape[1], "values of background"),
        }
        for field, value in fields.items():
            object.__setattr__(self, field, value)

    @cached_property
    def channel(self) -> Channel:
        """What the attacker faces: from X to Y, and to B where there is background."""
        joint = self.prior @ self.rule
        if self.observation is not None:
            joint = joint @ self.observation
        plain = Channel.of_joint(joint, self.unknowns, self.observations)
        if self.background is None:
            return plain
        both = plain.matrix[:, :, None] * self.background[:, None, :]
        pairs = [(y, b) for y in plain.outputs for b in self.knowledge]
        return Channel(plain.prior, both.reshape(len(plain.prior), -1), self.unknowns, pairs)

    @classmethod
    def read(
        cls,
        prior: str | os.PathLike[str],
        rule: str | os.PathLike[str],
        observation: str | os.PathLike[str] | None = None,
        background: str | os.PathLike[str] | None = None,
    ) -> System:
        """From CSV files, each with a header of names and a row for each name of what goes in.

        Rows are found by their names, so that they may come in any order.
        """
        unknowns, inputs, cells = read_matrix(prior, "joint prior")
        decisions, matrix = read_rows_of(rule, "rule", inputs)
        observations, seen = (
            (None, None) if observation is None else read_rows_of(observation, "channel", decisions)
        )
        knowledge, known = (
            (None, None) if background is None else read_rows_of(background, "channel", unknowns)
        )
        return cls(
            cells,
            matrix,
            seen,
            known,
            unknowns=unknowns,
            inputs=inputs,
            decisions=decisions,
            observations=observations,
            knowledge=knowledge,
        )

    def distortion(self, distortion: str | Distortion = "hamming") -> float:
        """E d(X', Y'): how far the system's decision lies from its input, the price in usefulness."""
        marginal = self.prior.sum(axis=0)
        return average_distortion(np.asarray(marginal), self.rule, self.inputs, self.decisions, distortion)


def _meet(size: int, what: str, matrix: FloatArray | None, name: str) -> None:
    if matrix is not None and size != len(matrix):
        raise ParameterError(f"There are {size} {what}, and {name} has {len(matrix)} rows.")
