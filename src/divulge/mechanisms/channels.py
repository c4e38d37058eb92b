"""Steps as a channel: p(released | true) of one attribute, for an attacker who knows what was done."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from divulge.errors import Undefined, UnknownAttribute
from divulge.estimation.channels.channel import Channel
from divulge.mechanisms.numbers import PlacedStep, occurring_numbers
from divulge.questions.data import Data
from divulge.table.codes import MISSING

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
BINS = 400  # of equal width into which noisy numbers are put, beside those between neighbouring values
MOST_CELLS = 20_000_000
_MISSING = "missing"


def attribute_channel(data: Data, steps: Sequence[PlacedStep], attribute: str, bins: int = BINS) -> Channel:
    """p(released | true) of an attribute after some steps, with how often values occur as the prior.

    Steps that change each value by itself multiply. Noisy numbers are put into intervals: of equal width
    over what noise can reasonably give, and cut between neighbouring values. An attacker who sees the number
    itself does a little better.
    """
    if attribute not in data.schema.attributes:
        raise UnknownAttribute(attribute, data.schema.attributes)
    column, counts = data.frequencies(attribute)
    values, used = column.values, np.flatnonzero(counts)
    inputs = [_name(values, code) for code in used.tolist()]
    prior = counts[used] / counts[used].sum()
    matrix = np.zeros((len(used), column.cardinality))
    matrix[np.arange(len(used)), used] = 1.0
    for step in steps:
        if attribute not in step.attributes:
            continue
        expected = np.ceil(prior @ matrix * counts.sum() - 1e-9).astype(np.int64)
        if step.mechanism.transition is not None:
            made = step.mechanism.transition(values, expected, attribute, step)
            _check_size(len(used), len(made.released) + 1)
            matrix, values = matrix @ made.matrix(), made.released
        elif step.mechanism.noise_below is not None:
            moved, edges = _noise(values, expected, attribute, step, bins)
            matrix, values = matrix @ moved, [f"[{low:.6g}, {high:.6g})" for low, high in edges]
        else:
            raise Undefined(
                f"step {step.number} ({step.mechanism.name}) looks at all records, so that there is no "
                f"p(released | true) for '{attribute}' alone"
            )
    seen = np.flatnonzero(prior @ matrix > 0)
    outputs = [_name(values, code) for code in seen.tolist()]
    kept = matrix[:, seen]
    return Channel(prior, kept / kept.sum(axis=1, keepdims=True), inputs, outputs)


def _name(values: Sequence[object], code: int) -> object:
    return _MISSING if code == MISSING else values[code - 1]


def _check_size(rows: int, columns: int) -> None:
    if rows * columns > MOST_CELLS:
        raise Undefined(f"the channel would have {rows:,} rows and {columns:,} columns, which is too many")


def _noise(
    values: Sequence[object], counts: Integers, attribute: str, step: PlacedStep, bins: int
) -> tuple[Floats, list[tuple[float, float]]]:
    """p(bin | value), missing first, and the bins."""
    places, numbers = occurring_numbers(values, counts, attribute, step)
    below = step.mechanism.noise_below
    times = counts[1:][places]
    low, high = _reach(numbers, times, step)
    edges = _edges(numbers, low, high, min(bins, max(20, MOST_CELLS // (4 * len(counts)))))
    bins = len(edges) - 1
    reached = below(numbers, times, edges, step)  # p(released < edge | value)
    reached[:, 0], reached[:, -1] = 0.0, 1.0
    moved = np.zeros((len(counts), bins + 1))
    moved[MISSING, MISSING] = 1.0
    moved[np.asarray(places, np.int64) + 1, 1:] = np.diff(reached, axis=1)
    return moved, list(pairwise(edges.tolist()))


def _edges(numbers: Floats, low: float, high: float, bins: int) -> Floats:
    """Ends of intervals: an even grid, and between each value and the next where little noise decides."""
    values = np.unique(numbers)
    gaps = np.diff(values)
    cuts = [values[:-1] + share * gaps for share in (0.25, 0.5, 0.75)]
    if 3 * len(values) * len(numbers) > MOST_CELLS:
        cuts = cuts[1:2] if len(values) * len(numbers) <= MOST_CELLS else []
    found = np.unique(np.concatenate([np.linspace(low, high, bins + 1), *cuts]))
    return np.asarray(found[(found >= low) & (found <= high)], np.float64)


def _reach(numbers: Floats, times: Integers, step: PlacedStep) -> tuple[float, float]:
    """Between which numbers nearly all noisy ones lie."""
    width = max(float(np.ptp(numbers)), float(np.abs(numbers).max(initial=1.0)) * 1e-6, 1e-12)
    low, high = float(numbers.min()), float(numbers.max())
    for _ in range(60):
        sides = step.mechanism.noise_below(numbers, times, np.array([low, high]), step)
        share = times @ sides / times.sum()
        if share[0] < 1e-4 and share[1] > 1 - 1e-4:
            break
        low, high = (
            (low - width / 8 if share[0] >= 1e-4 else low),
            (high + width / 8 if share[1] <= 1 - 1e-4 else high),
        )
        width *= 1.2
    return low, math.nextafter(high, math.inf)
