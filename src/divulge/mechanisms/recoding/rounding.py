"""Numbers rounded to multiples of a base, or to one number of the interval they lie in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from divulge.mechanisms.mechanism import RECODING_LAWS, MechanismLaw, Step, recoding
from divulge.mechanisms.numbers import decimals, occurring_numbers, spelled_like
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.transitions import Transition

_EDGES = "Write edges = [0, 18, 65, 120]."


@recoding(
    name="rounding",
    title="Rounding",
    takes="numbers",
    parameters=(
        Parameter("base", "number", "Numbers become multiples of it.", least=0, open=True, example="10"),
    ),
    laws=RECODING_LAWS | {MechanismLaw.IDEMPOTENT},
    example="37 to base 10: 40",
    reference="sondeck2017thesis",
)
def rounding(
    values: Sequence[object], counts: npt.NDArray[np.int64], attribute: str, step: Step
) -> Transition:
    """Replace every number by the nearest multiple of a base; a number halfway goes up.

    The largest error is half the base.
    """
    base = float(step["base"])
    places, numbers = occurring_numbers(values, counts, attribute, step)
    quotients = numbers / base
    slack = 4 * np.spacing(np.abs(quotients))  # 0.15 of 0.1 is a little less than 1.5 in binary numbers
    digits = decimals([step["base"]])
    rounded = np.round(np.floor(quotients + 0.5 + slack) * base, digits) + 0.0
    if not np.isfinite(rounded).all():
        raise step.error("base", "numbers are too large for this base.", "Take a larger base.")
    return _spelled(values, places, rounded, digits)


@recoding(
    name="interval_rounding",
    title="Rounding within intervals",
    takes="numbers",
    parameters=(
        Parameter(
            "edges",
            "numbers",
            "Where one interval ends and the next begins, the outer ends among them.",
            example="[0, 18, 65, 120]",
        ),
        Parameter("to", "numbers", "A number in each interval. Default: its middle.", None),
    ),
    laws=RECODING_LAWS | {MechanismLaw.IDEMPOTENT},
    example="37 with edges 0, 18, 65 and 120: 41.5",
    reference="sondeck2017thesis",
)
def interval_rounding(
    values: Sequence[object], counts: npt.NDArray[np.int64], attribute: str, step: Step
) -> Transition:
    """Replace every number by one number of the interval it lies in: its middle, or one that is given.

    An interval holds its lower edge and not its upper one; the last holds both. Numbers outside of all
    intervals are refused. The largest error is the distance from that number to an end of its interval.
    """
    places, numbers = occurring_numbers(values, counts, attribute, step)
    edges = np.asarray(step["edges"], np.float64)
    if len(edges) < 2 or not (np.diff(edges) > 0).all():
        raise step.error("edges", "edges need two numbers or more, each larger than the last.", _EDGES)
    given = step["to"]
    to = (edges[:-1] + edges[1:]) / 2 if given is None else np.asarray(given, np.float64)
    own = np.array_equal(_interval(to, edges), np.arange(len(edges) - 1))
    if not own or _any_outside(to, edges):
        raise step.error(
            "to",
            f"there are {len(edges) - 1} intervals, and to needs a number within each.",
            "Or leave it out.",
        )
    if _any_outside(numbers, edges):
        raise step.error(
            "edges", f"'{attribute}' has numbers outside of all intervals.", "Move the outer edges."
        )
    rounded = to[_interval(numbers, edges)]
    return _spelled(values, places, rounded, decimals(to.tolist()))


def _interval(numbers: npt.NDArray[np.float64], edges: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """The interval that each number lies in, from 0 on."""
    return np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, len(edges) - 2)


def _any_outside(numbers: npt.NDArray[np.float64], edges: npt.NDArray[np.float64]) -> bool:
    return bool(((numbers < edges[0]) | (numbers > edges[-1])).any())


def _spelled(
    values: Sequence[object], places: Sequence[int], rounded: npt.NDArray[np.float64], digits: int
) -> Transition:
    """The numbers at some places of the values turned into others, written as the values are."""
    new: list[object] = [None] * (len(values) + 1)
    for place, text in zip(places, spelled_like(rounded.tolist(), values, digits), strict=True):
        new[place + 1] = text
    return Transition.relabelling(values, new)
