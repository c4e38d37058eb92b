"""The design parameters of a system as they have to be; anything else is refused with a sentence."""

from __future__ import annotations

import math
import operator

from divulge.errors import ParameterError

EXTREME = 1e60  # lengths beyond it, or below its inverse, would overflow once squared and divided
MOST = 10**15  # from about there on floats no longer hold every whole number


def whole(value: object, what: str, least: int) -> int:
    """A whole number from a least one upwards, small enough to be counted exactly."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, bool):
        raise ParameterError(f"{what} must be a whole number of at least {least}, not {value!r}.")
    if number > MOST:
        raise ParameterError(f"{what} must be at most {MOST:.0e}, not {number:.3g}.")
    return number


def positive(value: float, what: str) -> float:
    """A finite number above zero, of a size whose squares and ratios can still be worked out."""
    if not 0 < value < math.inf:
        raise ParameterError(f"{what} must be a finite number above 0, not {value}.")
    if not 1 / EXTREME <= value <= EXTREME:
        raise ParameterError(
            f"{what} must be between {1 / EXTREME:g} and {EXTREME:g}, not {value:g}.",
            hint="Choose a unit of distance in which the numbers are neither huge nor tiny.",
        )
    return value
