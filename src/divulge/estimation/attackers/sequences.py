"""One unknown observed again and again: what the attacker believes then, and what they still get wrong.

Observations that are independent once the unknown is given tell by how often each output came, not by their
order. So what is exact here goes through the *kinds* of sequences: the ways in which counts of outputs add up
to the number of observations.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge._support.special_functions import log_gamma
from divulge.errors import ParameterError
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import Distortion, as_distortion
from divulge.estimation.channels.probabilities import FloatArray
from divulge.limits.libraries import scipy

special = scipy("special")

IntArray = npt.NDArray[np.int64]
MOST_CELLS = 2_000_000  # kinds of sequences times letters: what is gone through one by one
LEAST = 1e-290  # below it floats run out of digits


def places(observed: Sequence[object], outputs: Sequence[object]) -> IntArray:
    """Where each observation stands among the outputs; those that are none of them are refused."""
    place = {name: i for i, name in enumerate(outputs)}
    unknown = sum(one not in place for one in observed)
    if unknown:
        raise ParameterError(
            f"{unknown} of the {len(observed)} observations are not among the {len(place)} outputs.",
            hint="Give observations by the names of the outputs, by default 0, 1, 2, ...",
        )
    return np.array([place[one] for one in observed], dtype=np.int64)


@dataclass(frozen=True)
class AfterMany:
    """What the attacker still gets wrong after so many independent observations of one unknown.

    Where kinds of sequences are too many to go through, the average is that of sequences drawn at random,
    with its standard error, and there is no worst and no best: what was not drawn may be either. Errors so
    rare that none was drawn are in neither the average nor its error.
    """

    observations: int
    average: float
    error: float  # the standard error of the average, 0 where it is exact
    worst: float | None
    best: float | None


def privacy_after(
    channel: Channel,
    observations: Iterable[int],
    distortion: str | Distortion = "hamming",
    *,
    draws: int = 10_000,
    seed: int = 0,
) -> list[AfterMany]:
    """What the attacker still gets wrong as independent observations of one unknown pile up.

    Exact where the kinds of sequences can be gone through, otherwise from so many ``draws``.

    >>> flip = Channel([0.5, 0.5], [[0.75, 0.25], [0.25, 0.75]])
    >>> [round(after.average, 6) for after in privacy_after(flip, [0, 1, 3])]
    [0.5, 0.25, 0.15625]
    """
    judged = as_distortion(distortion)
    return [
        _exact(channel, many, judged)
        if _can_list(channel, many)
        else _drawn(channel, many, judged, draws, np.random.default_rng(seed))
        for many in observations
    ]


def _can_list(channel: Channel, observations: int) -> bool:
    if observations < 0:
        raise ParameterError(
            f"The number of observations must be 0 or more, not {observations}.", hint=("Give 0 or more.")
        )
    letters = len(channel.outputs)
    number = math.comb(observations + letters - 1, letters - 1)
    return number * max(letters, len(channel.inputs)) <= MOST_CELLS


def _exact(channel: Channel, observations: int, distortion: Distortion) -> AfterMany:
    counts = kinds(observations, len(channel.outputs))
    logs = _log_joint(channel, counts)
    possible = ~np.isneginf(logs).all(axis=1)
    counts, logs = counts[possible], logs[possible]
    risk = distortion.rule(channel.inputs, special.softmax(logs, axis=1)).risk
    weight = np.exp(np.logaddexp.reduce(logs, axis=1) + _log_ways(counts))
    average = float(weight @ risk / weight.sum())
    return AfterMany(observations, average, 0.0, float(risk.min()), float(risk.max()))


def _drawn(
    channel: Channel, observations: int, distortion: Distortion, draws: int, rng: np.random.Generator
) -> AfterMany:
    if draws < 2:
        raise ParameterError(f"{draws} draws have no standard error.", hint="Draw two sequences or more.")
    found, often = [], rng.multinomial(draws, channel.prior / channel.prior.sum())
    for row, times in zip(channel.matrix, often, strict=True):
        counts = rng.multinomial(observations, row / row.sum(), size=times)
        if times:
            posteriors = special.softmax(_log_joint(channel, counts), axis=1)
            found.append(distortion.rule(channel.inputs, posteriors).risk)
    risk = np.concatenate(found)
    return AfterMany(observations, float(risk.mean()), float(risk.std(ddof=1) / math.sqrt(draws)), None, None)


def _log_likelihood(channel: Channel, counts: IntArray) -> FloatArray:
    """log p(one sequence | x), a row for each kind of sequence and a column for each x."""
    none = channel.matrix == 0
    logs = counts @ np.log(np.where(none, 1.0, channel.matrix)).T
    return np.where(counts @ none.T.astype(np.int64) > 0, -np.inf, logs)


def _log_joint(channel: Channel, counts: IntArray) -> FloatArray:
    return _log_likelihood(channel, counts) + log(channel.prior)


def log(probabilities: FloatArray) -> FloatArray:
    """Natural logarithms, minus infinity for what is impossible."""
    return np.log(probabilities, out=np.full(probabilities.shape, -np.inf), where=probabilities > 0)


# -- kinds of sequences --------------------------------------------------------------------------


def kinds(length: int, letters: int) -> IntArray:
    """Every way in which counts of letters add up to a length, a row each.

    >>> kinds(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    rows, left = np.zeros((1, 0), dtype=np.int64), np.array([length], dtype=np.int64)
    for _ in range(letters - 1):
        choices = left + 1
        parent = np.repeat(np.arange(len(left)), choices)
        taken = np.arange(len(parent)) - np.repeat(np.cumsum(choices) - choices, choices)
        rows, left = np.column_stack([rows[parent], taken]), left[parent] - taken
    return np.column_stack([rows, left])


def _log_ways(counts: IntArray) -> FloatArray:
    """The logarithm of the number of sequences with these counts."""
    return log_gamma(counts.sum(axis=1) + 1) - log_gamma(counts + 1).sum(axis=1)
