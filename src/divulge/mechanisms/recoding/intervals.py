"""Numbers replaced by the interval they lie in."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from divulge.errors import PartitionError
from divulge.mechanisms.mechanism import Step, recoding
from divulge.mechanisms.numbers import decimals, occurring_numbers
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.transitions import Transition
from divulge.table.partition import Partition

_MOST = 100_000  # intervals of one attribute


@recoding(
    name="intervals",
    title="Recoding by intervals",
    takes="numbers",
    parameters=(
        Parameter("edges", "numbers", "Where one interval ends and the next begins.", None),
        Parameter(
            "width",
            "number",
            "Intervals of this width, instead of edges.",
            None,
            least=0,
            open=True,
            example="10",
        ),
        Parameter("origin", "number", "Where an interval of that width begins.", 0),
    ),
    example="37 with edges 18 and 65: [18, 65)",
    reference="sondeck2017thesis",
)
def intervals(
    values: Sequence[object], counts: npt.NDArray[np.int64], attribute: str, step: Step
) -> Transition:
    """Replace every number by the interval it lies in.

    An interval holds its lower edge and not its upper one. Below the first edge and from the last one on the
    intervals are open. With ``width`` they are as wide as the data need.
    """
    places, numbers = occurring_numbers(values, counts, attribute, step)
    edges = step["edges"]
    if (edges is None) == (step["width"] is None):
        raise step.error(None, "intervals needs edges or a width, one of the two.", "Write edges = [18, 65].")
    if edges is None:
        edges = _even(numbers, float(step["width"]), float(step["origin"]), step)
    try:
        partition = Partition.bins(edges, attribute=attribute)
    except PartitionError as error:
        raise step.error("edges", error.message, error.hint or "") from None
    names = list(partition.domains)
    new: list[object] = [None] * (len(values) + 1)
    for place, group in zip(places, np.searchsorted(edges, numbers, side="right").tolist(), strict=True):
        new[place + 1] = names[group]
    return Transition.relabelling(values, new)


def _even(numbers: npt.NDArray[np.float64], width: float, origin: float, step: Step) -> list[float]:
    if not len(numbers):
        return [origin]
    first, last = (math.floor((float(end) - origin) / width) for end in (numbers.min(), numbers.max()))
    if last - first > _MOST:
        raise step.error(
            "width", f"this makes {last - first:,} intervals, and the limit is {_MOST:,}.", "Make them wider."
        )
    digits = decimals([width, origin])
    return [round(origin + width * place, digits) for place in range(first, last + 3)]
