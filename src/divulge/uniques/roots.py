"""Where a function crosses zero, between two ends of different sign."""

from __future__ import annotations

from collections.abc import Callable

from divulge.errors import Undefined

STEPS = 200
CLOSE = 1e-14


def crossing(function: Callable[[float], float], low: float, high: float) -> float:
    """Where it is 0, by the secant of both ends (Illinois: the end that stays counts half), or halving.

    >>> round(crossing(lambda x: 2 - x * x, 0, 2), 12)
    1.414213562373
    """
    at_low, at_high = function(low), function(high)
    if at_low == 0 or at_high == 0:
        return low if at_low == 0 else high
    if (at_low > 0) == (at_high > 0):
        raise Undefined("the equations of the model have no solution")
    for step in range(STEPS):
        middle = (low * at_high - high * at_low) / (at_high - at_low) if step % 3 else (low + high) / 2
        found = function(middle)
        if found == 0 or abs(high - low) <= CLOSE * max(abs(low), abs(high)):
            return middle
        if (found > 0) == (at_low > 0):
            low, at_low, at_high = middle, found, at_high / 2 if step % 3 else at_high
        else:
            high, at_high, at_low = middle, found, at_low / 2 if step % 3 else at_low
    return middle
