"""How uncertain an attacker is: Rényi entropies, confidence sets, and the errors that follow from them.

All entropies are in bits, and higher means more private. A single distribution is a plain array; a secret
with an observation is a `Channel`, or a plain array of joint probabilities p(x, y), a row for each x.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.probabilities import FloatArray, add_up, finite, probabilities, settled

LN2 = math.log(2)
AT_ONCE = 4_000_000  # cells that are sorted at a time
TINY = np.finfo(np.float64).tiny  # stands for 0 in logarithms that are multiplied by 0


def distribution_of(given: npt.ArrayLike) -> FloatArray:
    """The probabilities as an array, refused unless they are a distribution."""
    return probabilities(given, "The distribution", 1)


def joint_of(source: Channel | npt.ArrayLike) -> FloatArray:
    """p(x, y), a row for each x: of the channel, or the array itself once it is seen to be one."""
    if isinstance(source, Channel):
        return source.joint
    joint = finite(source, "The joint distribution", 2)
    add_up(joint.sum(), "The joint distribution")
    return joint


# -- one distribution ----------------------------------------------------------------------------


def renyi_entropy(distribution: npt.ArrayLike, order: float) -> float:
    """How uncertain a value is, in bits; the higher the order, the more the likely values count.

    Any order from 0 to infinity; 0, 1 and infinity are the limits. Higher is more private, and it never rises
    with the order.

    >>> renyi_entropy([0.5, 0.25, 0.25], 1)
    1.5
    """
    return float(row_entropies(distribution_of(distribution)[None, :], order)[0])


def hartley_entropy(distribution: npt.ArrayLike) -> float:
    """The number of values that are possible at all, in bits (order 0): the best case for the person."""
    return renyi_entropy(distribution, 0)


def shannon_entropy(distribution: npt.ArrayLike) -> float:
    """The average surprise of a value, in bits (order 1): the average case; higher is more private."""
    return renyi_entropy(distribution, 1)


def min_entropy(distribution: npt.ArrayLike) -> float:
    """The surprise of the most likely value, in bits (order infinity): the worst case for the person."""
    return renyi_entropy(distribution, math.inf)


def guessing_entropy(distribution: npt.ArrayLike) -> float:
    """How many guesses, most likely first, reach the value on average; from 1 up, higher is more private."""
    return float(_guesses(distribution_of(distribution)[:, None])[0])


def map_error(distribution: npt.ArrayLike) -> float:
    """How often the most likely value is wrong, 1 - 2^(-Hmin): a probability; higher is more private."""
    return -math.expm1(-min_entropy(distribution) * LN2)


def uniform_error(size: float) -> float:
    """How often a guess among this many equally likely values is wrong, 1 - 1/size; higher is more private.

    With k the privacy of k-anonymity, with l that of l-diversity, with |C| that of a confidence set. It takes
    the values to be equally likely: where they are not, the most likely is wrong less often (`map_error`).

    >>> uniform_error(4)
    0.75
    """
    if not size >= 1:
        raise ParameterError(f"The number of values must be at least 1, not {size}.")
    return 1 - 1 / size


@dataclass(frozen=True)
class ConfidenceSet:
    """The fewest values that hold a given probability: the attacker's short list."""

    places: tuple[int, ...]  # of the values, likeliest first
    mass: float  # the probability they hold, at least what was asked for

    @property
    def size(self) -> int:
        """How many values there are on the list; higher is more private."""
        return len(self.places)

    @property
    def error(self) -> float:
        """How often a guess at random from the list misses a value that is on it, 1 - 1/size."""
        return uniform_error(self.size)


def confidence_set(distribution: npt.ArrayLike, mass: float) -> ConfidenceSet:
    """The smallest set of values of at least this probability; of values alike, the first are taken."""
    p = distribution_of(distribution)
    check_mass(mass)
    order = np.argsort(-p, kind="stable")[: np.count_nonzero(p)]
    held = np.cumsum(p[order])
    # Rounding may leave the sum of all just below one, and a tenth ten times just below a half.
    size = min(int(np.searchsorted(held, mass - 1e-12)) + 1, len(order))
    return ConfidenceSet(tuple(order[:size].tolist()), min(float(held[size - 1]), 1.0))


def confidence_sizes(rows: FloatArray, mass: float) -> npt.NDArray[np.int64]:
    """How many values the smallest set of at least this probability has, for each row, a distribution.

    >>> confidence_sizes(np.array([[0.5, 0.3, 0.2], [1.0, 0.0, 0.0]]), 0.7).tolist()
    [2, 1]
    """
    check_mass(mass)
    step = max(1, AT_ONCE // rows.shape[1])
    sizes = [
        (np.cumsum(-np.sort(-rows[start : start + step], axis=1), axis=1) < mass - 1e-12).sum(axis=1) + 1
        for start in range(0, len(rows), step)
    ]
    # Rounding may leave the sum of all just below one.
    return np.minimum(np.concatenate(sizes), np.count_nonzero(rows, axis=1))


def check_mass(mass: float) -> None:
    """Refuse what is no probability of a confidence set."""
    if not 0 < mass <= 1:
        raise ParameterError(f"The mass of a confidence set must be above 0 and at most 1, not {mass}.")


# -- given an observation ------------------------------------------------------------------------


def posterior_entropies(source: Channel | npt.ArrayLike, order: float) -> FloatArray:
    """H(X|y) in bits for each observation y, NaN for those that never occur; higher is more private."""
    joint = joint_of(source)
    marginal = joint.sum(axis=0)
    entropies = np.full(len(marginal), np.nan)
    possible = marginal > 0
    entropies[possible] = row_entropies((joint[:, possible] / marginal[possible]).T, order)
    return entropies


def conditional_entropy(source: Channel | npt.ArrayLike, order: float) -> float:
    """How uncertain the secret stays once the observation is known, in bits, averaged after Arimoto.

    Not the mean of H(X|y), save for order 1: what is averaged is the norm of the posterior, so that order
    infinity gives the attacker's average success and no order rises by observing. Order 0 is its limit, the
    largest H0(X|y). Higher is more private.
    """
    joint = joint_of(source)
    marginal = joint.sum(axis=0)
    weight = marginal[marginal > 0]
    entropies = posterior_entropies(joint, order)[marginal > 0]
    if order == 0:
        return float(entropies.max())
    if order == 1:
        return settled(float(weight @ entropies))
    # a / (1 - a) log sum_y p(y) ||p(.|y)||_a, where log ||p(.|y)||_a = (1 - a) / a H_a(X|y)
    power = -1.0 if math.isinf(order) else (1 - order) / order
    found = float(_log_mean_exp(weight[None, :], power * LN2 * entropies[None, :])[0] / (power * LN2))
    return settled(max(found, 0.0))


def average_map_error(source: Channel | npt.ArrayLike) -> float:
    """How often the most likely value given the observation is wrong, 1 - 2^(-Hmin(X|Y)): a probability."""
    return -math.expm1(-conditional_entropy(source, math.inf) * LN2)


def conditional_guessing_entropy(source: Channel | npt.ArrayLike) -> float:
    """How many guesses reach the secret on average once the observation is known; higher is more private."""
    return float(_guesses(joint_of(source)).sum())


# -- rows of distributions -----------------------------------------------------------------------


def row_entropies(rows: FloatArray, order: float) -> FloatArray:
    """The Rényi entropy of each row, a distribution, in bits."""
    check_order(order)
    if order == 0:
        return np.log2(np.count_nonzero(rows, axis=1))
    if math.isinf(order):
        return np.maximum(-np.log2(rows.max(axis=1)), 0.0)
    logs = np.log(np.maximum(rows, TINY))
    if order == 1:
        return np.maximum(-(rows * logs).sum(axis=1) / LN2, 0.0)
    powers = np.where(rows > 0, (order - 1) * logs, -np.inf)
    return np.maximum(_log_mean_exp(rows, powers) / ((1 - order) * LN2), 0.0)


def check_order(order: float) -> None:
    """Refuse an order that no Rényi entropy has."""
    if not order >= 0:
        raise ParameterError(f"The order of a Rényi entropy must be at least 0, or infinite, not {order}.")


def sum_p_log_p(p: FloatArray) -> float:
    """Sum of p ln p over all cells, where 0 ln 0 is 0: minus the entropy in nats."""
    return float(np.vdot(p, np.log(np.maximum(p, TINY))))


def _log_mean_exp(weights: FloatArray, values: FloatArray) -> FloatArray:
    """log sum w exp(v) of each row of weights, exact to the last digits where all v are near 0 as well."""
    finite = weights > 0
    if np.abs(values[finite]).max() < 1:
        return np.log1p((weights * np.expm1(np.where(finite, values, 0.0))).sum(axis=1))
    largest = np.where(finite, values, -np.inf).max(axis=1)
    shifted = np.exp(np.where(finite, values - largest[:, None], -np.inf))
    return np.asarray(largest + np.log((weights * shifted).sum(axis=1)))


def _guesses(columns: FloatArray) -> FloatArray:
    """Sum of i p_(i) down each column, its probabilities from the largest to the smallest."""
    return np.asarray(np.arange(1, len(columns) + 1) @ -np.sort(-columns, axis=0))
