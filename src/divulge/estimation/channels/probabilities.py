"""Probabilities and names as they have to be; anything else is refused with a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.special import are_probabilities, is_channel
from divulge.errors import ParameterError

FloatArray = npt.NDArray[np.float64]
Names = Sequence[object]
Labels = Names | None  # of inputs or outputs; None for 0, 1, 2, ...
ROUNDING = 1e-14  # what sums and differences of numbers near one leave where they mean zero
WITHIN = 1e-9  # how far probabilities may fall from adding up to one


def probabilities(given: npt.ArrayLike, what: str, dimensions: int) -> FloatArray:
    """A distribution, or a matrix of them, a row each; anything else is refused."""
    if _numbers(given, dimensions) and library.built():
        array = np.array(given, dtype=np.float64, order="C")
        if array.size and are_probabilities(array):
            array.setflags(write=False)
            return array
    array = finite(given, what, dimensions)
    with np.errstate(over="ignore"):  # a sum that overflows is not one either
        sums = np.add.reduce(array, axis=-1)
    if dimensions == 1:
        add_up(float(sums), what)
    elif not (sums.max() - 1 <= WITHIN and 1 - sums.min() <= WITHIN):
        off = np.flatnonzero(np.abs(sums - 1) > WITHIN)
        add_up(sums[off[0]], f"{what}: row {off[0]} (of {len(off)} that do not add up to one)")
    return array


def prior_and_channel(prior: npt.ArrayLike, channel: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """p(x), and p(y|x) with a row for each x; anything else is refused."""
    if _numbers(prior, 1) and _numbers(channel, 2) and library.built():
        own = np.array(prior, dtype=np.float64, order="C")
        rows = np.array(channel, dtype=np.float64, order="C")
        if rows.size and is_channel(own, rows):
            own.setflags(write=False)
            rows.setflags(write=False)
            return own, rows
    own, rows = probabilities(prior, "The prior", 1), probabilities(channel, "The channel", 2)
    if len(own) != len(rows):
        raise ParameterError(
            f"The prior has {len(own)} probabilities and the channel {len(rows)} rows.",
            hint="Give the channel a row for each value of the unknown.",
        )
    return own, rows


def _numbers(given: npt.ArrayLike, dimensions: int) -> bool:
    return type(given) is np.ndarray and given.ndim == dimensions and given.dtype.kind == "f"


def finite(given: npt.ArrayLike, what: str, dimensions: int) -> FloatArray:
    """Numbers, none negative, in an array of as many dimensions; a copy that cannot be written to."""
    try:
        array = np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError) as problem:
        raise ParameterError(
            f"{what} is not {'a list' if dimensions == 1 else 'a matrix'} of numbers."
        ) from problem
    if array.ndim != dimensions:
        raise ParameterError(f"{what} has {array.ndim} dimensions where {dimensions} are needed.")
    if not array.size:
        raise ParameterError(f"{what} is empty.")
    if not (array.min() >= 0 and array.max() < np.inf):
        bad, negative = int((~np.isfinite(array)).sum()), int((array < 0).sum())
        fault = f"{bad} entries that are not finite numbers" if bad else f"{negative} negative entries"
        raise ParameterError(f"{what} has {fault}.")
    array.setflags(write=False)
    return array


def add_up(total: float, what: str) -> None:
    """Refuse probabilities that do not add up to one."""
    if abs(total - 1) > WITHIN:
        raise ParameterError(
            f"{what} adds up to {total:.12g} instead of 1.",
            hint="It is not rescaled automatically: divide by the sum if that is what you mean.",
        )


def named(given: Labels, size: int, what: str) -> tuple[object, ...]:
    """As many different names as places, by default 0, 1, 2, ...; rows of an array become points."""
    if given is None:
        return tuple(range(size))
    if isinstance(given, np.ndarray):
        given = given.tolist()
    found = tuple(tuple(name) if isinstance(name, list) else name for name in given)
    if len(found) != size:
        raise ParameterError(f"There are {len(found)} names for {size} {what}.")
    twice = size - len(set(found))
    if twice:
        raise ParameterError(f"The names of the {what} must differ; {twice} are repeated.")
    return found


def or_uniform(prior: npt.ArrayLike | None, size: int) -> npt.ArrayLike:
    """The prior as it is given, or one that is the same for all."""
    return np.full(size, 1 / size) if prior is None else prior


def settled(value: float, scale: float = 1.0) -> float:
    """The value, or 0 where it is no more than the rounding of numbers as large as ``scale``.

    >>> settled(-2.78e-17), settled(1e-9), settled(1e-9, scale=1e6)
    (0.0, 1e-09, 0.0)
    """
    return 0.0 if abs(value) <= ROUNDING * scale else value
