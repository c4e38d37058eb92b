"""Which input became which output: sums over all one-to-one correspondences."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.estimation.channels.probabilities import FloatArray, finite

LARGEST = 20  # inputs: the work is n 2^n


def permanent(matrix: npt.ArrayLike) -> float:
    """The sum, over all ways to give each column a row of its own, of the products of the entries met.

    Entries are not negative, so that nothing cancels: subsets of rows are gone through one column at a time,
    which takes the n 2^n steps of Ryser's formula without its alternating signs.

    >>> permanent([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    3.0
    """
    weights = _small(matrix)
    sets, values = (
        np.zeros(1, dtype=np.int64),
        np.ones(1),
    )  # of rows, as binary numbers, with their permanents
    for column in weights.T:
        table = np.zeros(2 ** len(weights))
        for row in np.flatnonzero(column):
            free = (sets >> row) & 1 == 0
            table[sets[free] | 1 << row] += column[row] * values[free]
        sets = np.flatnonzero(table)
        values = table[sets]
    return float(values.sum())


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
