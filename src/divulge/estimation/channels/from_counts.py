"""Joint counts of a table, turned into weights of what is unknown and what is observed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge.counting.counts import JointCounts
from divulge.errors import ParameterError
from divulge.estimation.channels.memory import room_for_channel
from divulge.estimation.channels.probabilities import FloatArray

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
    room_for_channel(len(counts.target_values), len(counts.size))
    weights = counts.matrix().T.astype(np.float64)
    if counts.multiplicity is not None:
        weights *= counts.multiplicity
    there = np.flatnonzero(weights.sum(axis=1)).tolist()
    return weights[there], [counts.target_values[i] for i in there]


def _of_records(counts: JointCounts) -> tuple[FloatArray, Names]:
    size = counts.size if counts.multiplicity is None else np.repeat(counts.size, counts.multiplicity)
    room_for_channel(counts.records, len(size))
    weights = np.zeros((counts.records, len(size)))
    weights[np.arange(counts.records), np.repeat(np.arange(len(size)), size)] = 1
    return weights, None
