"""What an attacker works with: how likely each secret is, and how likely it shows as each observation."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.notebook import table_view
from divulge._support.threads import cached_property
from divulge.counting.counts import RECORD, JointCounts
from divulge.errors import ParameterError
from divulge.estimation.channels.channel_files import read_channel
from divulge.estimation.channels.distortion import Distortion, average_distortion
from divulge.estimation.channels.memory import room_for_channel
from divulge.estimation.channels.privacy import privacy as privacy_of
from divulge.estimation.channels.probabilities import (
    FloatArray,
    Labels,
    add_up,
    finite,
    named,
    prior_and_channel,
    probabilities,
)
from divulge.questions.data import Data, read
from divulge.questions.question import Question
from divulge.table.schema import names

SHOWN = 1_000_000  # cells up to which a notebook says how good guesses are


@dataclass(frozen=True, eq=False, init=False)
class Channel:
    """A prior p(x) over the unknown and a channel p(y|x), a row for each x, to what the attacker observes.

    Inputs and outputs are named, by default 0, 1, 2, ...; names that are numbers (or texts of numbers) or
    points give a distance its meaning. Probabilities that are none, or do not add up to one within 1e-9,
    are refused and never rescaled.

    >>> Channel([0.5, 0.5], [[0.75, 0.25], [0.25, 0.75]]).privacy("hamming").average
    0.25
    """

    prior: FloatArray
    matrix: FloatArray
    inputs: tuple[object, ...]
    outputs: tuple[object, ...]

    def __init__(
        self, prior: npt.ArrayLike, matrix: npt.ArrayLike, inputs: Labels = None, outputs: Labels = None
    ) -> None:
        prior, matrix = prior_and_channel(prior, matrix)
        object.__setattr__(self, "prior", prior)
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "inputs", named(inputs, len(prior), "inputs"))
        object.__setattr__(self, "outputs", named(outputs, matrix.shape[1], "outputs"))

    def __repr__(self) -> str:
        return f"Channel({len(self.inputs)} inputs, {len(self.outputs)} outputs)"

    def _repr_html_(self) -> str:
        rows: list[list[object]] = [["secrets", len(self.inputs)], ["observations", len(self.outputs)]]
        if self.matrix.size <= SHOWN:
            found = self.privacy("hamming")
            rows += [
                ["best guess wrong without observing", found.prior],
                ["best guess wrong with the observation", found.average],
            ]
        return table_view("Channel", ["property", "value"], rows)

    @cached_property
    def joint(self) -> FloatArray:
        """p(x, y), a row for each x."""
        return self.prior[:, None] * self.matrix

    @cached_property
    def marginal(self) -> FloatArray:
        """p(y)."""
        return self.prior @ self.matrix

    @cached_property
    def possible(self) -> npt.NDArray[np.bool_]:
        """Which y can be observed at all: p(y) > 0."""
        return self.marginal > 0

    @cached_property
    def posterior(self) -> FloatArray:
        """p(x|y), a row for each y; a y that cannot be observed has a row of NaN."""
        marginal = self.marginal if self.possible.all() else np.where(self.possible, self.marginal, np.nan)
        return (self.joint / marginal).T

    privacy = privacy_of

    def distortion(self, distortion: str | Distortion = "hamming") -> float:
        """E d(X, Y): how far the observation lies from the truth on average, the price in usefulness."""
        return average_distortion(self.prior, self.matrix, self.inputs, self.outputs, distortion)

    def then(self, following: Channel | npt.ArrayLike) -> Channel:
        """The cascade: what this channel puts out goes into another, given as a channel or its matrix."""
        if not isinstance(following, Channel):
            matrix, outputs = probabilities(following, "The following channel", 2), None
        elif following.inputs != self.outputs:
            raise ParameterError(
                "The inputs of the following channel are not the outputs of this one, in their order.",
                hint="If they are the same under other names, give the matrix of the following channel.",
            )
        else:
            matrix, outputs = following.matrix, following.outputs
        if len(matrix) != len(self.outputs):
            raise ParameterError(
                f"This channel has {len(self.outputs)} outputs and the following one {len(matrix)} inputs."
            )
        return Channel(self.prior, self.matrix @ matrix, self.inputs, outputs)

    @classmethod
    def of_joint(cls, joint: npt.ArrayLike, inputs: Labels = None, outputs: Labels = None) -> Channel:
        """From p(x, y), a row for each x, all adding up to one.

        An x of probability zero does not say what it would show as: it gets p(y), which tells nothing.
        """
        cells = finite(joint, "The joint distribution", 2)
        add_up(cells.sum(), "The joint distribution")
        return cls._of_weights(cells, inputs, outputs)

    @classmethod
    def of_table(cls, table: npt.ArrayLike, inputs: Labels = None, outputs: Labels = None) -> Channel:
        """From a contingency table: how often each x (a row) was seen with each y (a column).

        A pandas frame, as ``pandas.crosstab`` makes them, brings its names.

        >>> Channel.of_table([[3, 1], [0, 4]]).prior.tolist()
        [0.5, 0.5]
        """
        cells = finite(table, "The contingency table", 2)
        if hasattr(table, "columns"):
            frame: Any = table
            inputs, outputs = inputs or list(frame.index), outputs or list(frame.columns)
        if not cells.any():
            raise ParameterError("The contingency table counts nothing: all its cells are zero.")
        return cls._of_weights(cells, inputs, outputs)

    @classmethod
    def of_counts(cls, counts: JointCounts) -> Channel:
        """From joint counts: the target is the unknown, the class of a record is observed.

        With the target @record the unknown is which record it is. Classes that counts hold once, because they
        look alike, are one output.
        """
        return cls._of_weights(*_weights_of(counts))

    @classmethod
    def of_columns(
        cls, data: object, keys: str | Sequence[str], target: str | Sequence[str] = RECORD
    ) -> Channel:
        """From a table (whatever ``divulge.read`` takes): the keys are observed, the target is the unknown.

        >>> table = {"age": ["20s", "20s", "30s"], "disease": ["flu", "cold", "flu"]}
        >>> Channel.of_columns(table, "age", "disease").outputs
        ('20s', '30s')
        """
        held = data if isinstance(data, Data) else read(data)
        return cls.of_counts(Question(held, names(keys), names(target)).classes)

    @classmethod
    def read(cls, path: str | os.PathLike[str], prior: str | os.PathLike[str] | None = None) -> Channel:
        """From CSV files of channel and prior; see ``channel_files.read_channel``."""
        return cls(*read_channel(path, prior))

    def about(self, predicate: Callable[[Any], object]) -> Channel:
        """The channel from a property of the secret: inputs alike on the predicate become one."""
        values = [predicate(x) for x in self.inputs]
        places = {value: place for place, value in enumerate(dict.fromkeys(values))}
        joint = np.zeros((len(places), len(self.outputs)))
        np.add.at(joint, [places[value] for value in values], self.joint)
        return Channel.of_joint(joint, list(places), self.outputs)

    @classmethod
    def _of_weights(cls, cells: FloatArray, inputs: Labels, outputs: Labels) -> Channel:
        total, of_input = cells.sum(), cells.sum(axis=1)
        matrix = np.tile(cells.sum(axis=0) / total, (len(cells), 1))
        some = of_input > 0
        matrix[some] = cells[some] / of_input[some, None]
        return cls(of_input / total, matrix, inputs, outputs)


def _weights_of(counts: JointCounts) -> tuple[FloatArray, Labels, Labels]:
    """Weights, a row for each x and a column for each class, and the names of both where they have any."""
    if counts.overlapping:
        raise ParameterError(
            "Groups overlap where missing values match anything, so a record would be observed several "
            "times.",
            hint="Treat missing values as a value, or drop those records.",
        )
    weights, inputs = _of_records(counts) if counts.cells is None else _of_targets(counts)
    if counts.decode is None or weights.shape[1] != len(counts.size):
        return weights, inputs, None
    classes = counts.decode(np.arange(len(counts.size)))
    return weights, inputs, [tuple(y.values()) if len(y) > 1 else next(iter(y.values())) for y in classes]


def _of_targets(counts: JointCounts) -> tuple[FloatArray, Labels]:
    room_for_channel(len(counts.target_values), len(counts.size))
    weights = counts.matrix().T.astype(np.float64)
    if counts.multiplicity is not None:
        weights *= counts.multiplicity
    there = np.flatnonzero(weights.sum(axis=1)).tolist()
    return weights[there], [counts.target_values[i] for i in there]


def _of_records(counts: JointCounts) -> tuple[FloatArray, Labels]:
    size = counts.size if counts.multiplicity is None else np.repeat(counts.size, counts.multiplicity)
    room_for_channel(counts.records, len(size))
    weights = np.zeros((counts.records, len(size)))
    weights[np.arange(counts.records), np.repeat(np.arange(len(size)), size)] = 1
    return weights, None
