"""Numbers rounded up or down by chance, so that they are right on average."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from divulge.mechanisms.mechanism import MechanismLaw, Step, by_value
from divulge.mechanisms.numbers import decimals, occurring_numbers, spelled_like
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.transitions import Transition


@by_value(
    name="random_rounding",
    title="Random rounding",
    random=True,
    takes="numbers",
    parameters=(
        Parameter("base", "number", "Numbers become multiples of it.", least=0, open=True, example="5"),
    ),
    laws=frozenset({MechanismLaw.IDEMPOTENT, MechanismLaw.RECORDS, MechanismLaw.EXPECTED_VALUES}),
    example="6 to base 5: 10 with probability 0.2, otherwise 5",
    reference="nargundkar1972",
)
def random_rounding(
    values: Sequence[object], counts: npt.NDArray[np.int64], attribute: str, step: Step
) -> Transition:
    """Round every number up or down to a multiple of a base, so that it stays the same on average.

    A number that lies r above a multiple goes up with probability r / base. Sums stay right on average.
    """
    base = float(step["base"])
    places, numbers = occurring_numbers(values, counts, attribute, step)
    quotients = numbers / base
    near = np.rint(quotients)
    exact = np.abs(quotients - near) <= 4 * np.spacing(np.abs(quotients))  # 0.3 is a multiple of 0.1
    below = np.where(exact, near, np.floor(quotients))
    up = np.where(exact, 0.0, quotients - below)
    multiples = np.unique(np.concatenate([below, below + (up > 0)])) if len(places) else np.empty(0)
    released = spelled_like((multiples * base + 0.0).tolist(), values, decimals([step["base"]]))
    code = {multiple: place for place, multiple in enumerate(multiples.tolist(), 1)}
    rows: list[dict[int, float]] = [{0: 1.0} for _ in range(len(values) + 1)]
    for place, low, chance in zip(places, below.tolist(), up.tolist(), strict=True):
        rows[place + 1] = {code[low]: 1 - chance} | ({code[low + 1]: chance} if chance > 0 else {})
    return Transition.of_rows(released, rows)
