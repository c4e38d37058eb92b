"""Joint counts of a table, turned into weights of what is unknown and what is observed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge.counts import JointCounts
from divulge.errors import ParameterError
from divulge.estimation.probabilities import FloatArray

LARGEST = 1 << 27  # cells of a channel made from a table: a gibibyte of float64
Names = Sequence[object] | None


def weights_of(counts: JointCounts) -> tuple[FloatArray, Names, Names]:
    """Weights, a row for each x and a column for each class, and the names of both where they have any."""
    if counts.overlapping:
        raise ParameterError(
            "Classes overlap where missing keys match anything, so a record would be observed several times.",
            hint="Treat missing values as a value, or drop those records.",
        )
    weights, inputs = _of_records(counts) if counts.cells is None else _of_targets(counts)
    if counts.decode is None or weights.shape[1] != len(counts.size):
        return weights, inputs, None
    classes = counts.decode(np.arange(len(counts.size)))
    return weights, inputs, [tuple(y.values()) if len(y) > 1 else next(iter(y.values())) for y in classes]


def _of_targets(counts: JointCounts) -> tuple[FloatArray, Names]:
    _check_size(len(counts.target_values), len(counts.size))
    weights = counts.matrix().T.astype(np.float64)
    if counts.multiplicity is not None:
        weights *= counts.multiplicity
    there = np.flatnonzero(weights.sum(axis=1)).tolist()
    return weights[there], [counts.target_values[i] for i in there]


def _of_records(counts: JointCounts) -> tuple[FloatArray, Names]:
    size = counts.size if counts.multiplicity is None else np.repeat(counts.size, counts.multiplicity)
    _check_size(counts.records, len(size))
    weights = np.zeros((counts.records, len(size)))
    weights[np.arange(counts.records), np.repeat(np.arange(len(size)), size)] = 1
    return weights, None


def _check_size(inputs: int, outputs: int) -> None:
    if inputs * outputs > LARGEST:
        raise ParameterError(
            f"A channel from {inputs} values of the unknown to {outputs} classes is too large to hold.",
            hint="Coarsen the keys or the target, or read the measures on joint counts instead.",
        )
