"""Dates reduced to their month, quarter, year or decade."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from divulge._support.wording import some
from divulge.mechanisms.mechanism import Step, recoding
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.transitions import Transition
from divulge.roles.patterns import year_and_month

UNITS: dict[str, Callable[[int, int], str]] = {
    "month": lambda year, month: f"{year}-{month:02}",
    "quarter": lambda year, month: f"{year} Q{(month + 2) // 3}",
    "year": lambda year, month: str(year),
    "decade": lambda year, month: f"{year // 10}0s",
}


@recoding(
    name="dates",
    title="Coarser dates",
    takes="any values",
    parameters=(
        Parameter("unit", "choice", "What is left of a date.", choices=tuple(UNITS), example='"year"'),
    ),
    example='1984-05-17 with unit = "quarter": 1984 Q2',
    reference="sweeney2002",
)
def dates(values: Sequence[object], counts: npt.NDArray[np.int64], attribute: str, step: Step) -> Transition:
    """Reduce every date to its month, quarter, year or decade.

    Dates may be written 1984-05-17 or 17.5.1984; where month and day could be exchanged, years and decades
    only.
    """
    name = UNITS[step["unit"]]
    new: list[object] = [None] * (len(values) + 1)
    wrong = 0
    for place in np.flatnonzero(counts[1:]).tolist():
        found = year_and_month(values[place])
        if found is None or (found[1] is None and step["unit"] in ("month", "quarter")):
            wrong += 1
        else:
            new[place + 1] = name(found[0], found[1] or 0)
    if wrong:
        raise step.error(
            "attributes",
            f"'{attribute}' has {some(wrong, 'value')} from which no {step['unit']} can be read.",
            "Write dates as 1984-05-17, or make what is no date missing (--missing-value TEXT).",
        )
    return Transition.relabelling(values, new)
