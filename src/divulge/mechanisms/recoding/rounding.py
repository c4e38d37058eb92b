"""Numbers rounded to multiples of a base."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from divulge.mechanisms.mechanism import MechanismLaw, Step, by_value, record_by_record
from divulge.mechanisms.numbers import decimals, occurring_numbers, spelled_like
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.transitions import Transition


@by_value(
    name="rounding",
    title="Rounding",
    random=False,
    takes="numbers",
    parameters=(
        Parameter("base", "number", "Numbers become multiples of it.", least=0, open=True, example="10"),
    ),
    alone=record_by_record,
    laws=frozenset(
        {
            MechanismLaw.IDEMPOTENT,
            MechanismLaw.ORDER,
            MechanismLaw.COARSENING,
            MechanismLaw.RECORDS,
        }
    ),
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
    new: list[object] = [None] * (len(values) + 1)
    spelled = spelled_like(rounded.tolist(), values, digits)
    for place, text in zip(places, spelled, strict=True):
        new[place + 1] = text
    return Transition.relabelling(values, new)
