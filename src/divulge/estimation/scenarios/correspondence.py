"""Which input became which output: the posterior over all one-to-one correspondences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.estimation.channels.probabilities import FloatArray, finite
from divulge.limits.libraries import scipy

optimize = scipy("optimize")

LARGEST = 20  # inputs: the work is n 2^n


def permanent(matrix: npt.ArrayLike) -> float:
    """The sum, over all ways to give each column a row of its own, of the products of the entries met.

    Entries are not negative, so that nothing cancels: subsets of rows are gone through one column at a time,
    which takes the n 2^n steps of Ryser's formula without its alternating signs.

    >>> permanent([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    3.0
    """
    return float(_layers(_small(matrix))[-1].values.sum())


@dataclass(frozen=True, eq=False)
class Correspondence:
    """How likely each way to trace every output to an input of its own is, in proportion to a product.

    ``weights`` has a row for each input and a column for each output: 0 and 1 where a mix only rules some
    links out, likelihoods where delays or background knowledge speak for some more than for others. Inputs
    may be more than outputs; those left over are still inside.

    >>> Correspondence([[1, 0], [1, 1]]).likeliest
    (0, 1)
    """

    weights: FloatArray

    def __init__(self, weights: npt.ArrayLike) -> None:
        object.__setattr__(self, "weights", _small(weights))
        if not self.total > 0:
            raise ParameterError("The weights rule out every way to trace each output to its own input.")

    @cached_property
    def total(self) -> float:
        """The sum of all products; where the weights are 0 and 1, how many correspondences there are."""
        return permanent(self.weights)

    def probability(self, inputs: Sequence[int]) -> float:
        """How likely the outputs, in their order, came from these inputs (their rows)."""
        columns = self.weights.shape[1]
        if len(inputs) != columns or len(set(inputs)) != columns:
            raise ParameterError(f"A correspondence names {columns} different inputs, one for each output.")
        return float(self.weights[list(inputs), range(columns)].prod() / self.total)

    @cached_property
    def links(self) -> FloatArray:
        """How likely each output (a column) came from each input (a row)."""
        rows, columns = self.weights.shape
        # What is left over goes to places inside, all alike: a square matrix has the same links.
        square = np.hstack([self.weights, np.ones((rows, rows - columns))])
        before, after = _layers(square), _layers(square[:, ::-1])[::-1]
        total, everything = before[-1].values[0], 2**rows - 1
        links = np.zeros_like(self.weights)
        for column in range(columns):
            done, rest = before[column], np.zeros(2**rows)
            rest[after[column + 1].sets] = after[column + 1].values
            for row in np.flatnonzero(self.weights[:, column]):
                free = (done.sets >> row) & 1 == 0
                reached = done.values[free] @ rest[everything ^ (done.sets[free] | 1 << row)]
                links[row, column] = self.weights[row, column] * reached / total
        return links

    @cached_property
    def likeliest(self) -> tuple[int, ...]:
        """The most probable correspondence: for each output the row of its input."""
        with np.errstate(divide="ignore"):
            costs = np.where(self.weights > 0, -np.log(self.weights), np.inf)
        outputs, inputs = optimize.linear_sum_assignment(costs.T)
        return tuple(inputs[np.argsort(outputs)].tolist())

    @property
    def privacy(self) -> float:
        """How often an attacker who guesses the most likely correspondence is wrong somewhere."""
        return 1 - self.probability(self.likeliest)

    @cached_property
    def link_privacy(self) -> float:
        """The share of outputs that an attacker who guesses each by itself traces wrongly, on average."""
        return float(1 - self.links.max(axis=0).mean())

    @cached_property
    def entropy(self) -> float:
        """How uncertain the whole correspondence is, in bits."""
        some = self.weights > 0
        spoken = float(self.links[some] @ np.log2(self.weights[some]))
        return max(0.0, math.log2(self.total) - spoken)


def _small(given: npt.ArrayLike) -> FloatArray:
    matrix = finite(given, "The matrix of inputs and outputs", 2)
    rows, columns = matrix.shape
    if columns > rows:
        raise ParameterError(f"There are {columns} outputs and only {rows} inputs they can have come from.")
    if rows > LARGEST:
        raise ParameterError(
            f"The correspondences of {rows} inputs cannot be summed over: it takes {rows} * 2^{rows} steps.",
            hint=f"The limit is {LARGEST} inputs; batches that do not mix can be computed one by one.",
        )
    return matrix


@dataclass(frozen=True, eq=False)
class _Layer:
    """Sets of rows, as binary numbers, and for each the permanent of these rows over the columns so far."""

    sets: npt.NDArray[np.int64]
    values: FloatArray


def _layers(matrix: FloatArray) -> list[_Layer]:
    """For 0, 1, 2, ... columns: the sets of as many rows whose permanent is not zero."""
    layers = [_Layer(np.zeros(1, dtype=np.int64), np.ones(1))]
    for column in matrix.T:
        last, table = layers[-1], np.zeros(2 ** len(matrix))
        for row in np.flatnonzero(column):
            free = (last.sets >> row) & 1 == 0
            table[last.sets[free] | 1 << row] += column[row] * last.values[free]
        sets = np.flatnonzero(table)
        layers.append(_Layer(sets, table[sets]))
    return layers
