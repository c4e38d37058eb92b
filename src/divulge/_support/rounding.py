"""Comparing numbers that were computed: what differs by rounding alone counts as equal."""

from __future__ import annotations

from typing import Any

RELATIVE = 1e-9
ABSOLUTE = 1e-12


def above(value: Any, bound: Any) -> Any:
    """Whether a number, or each of an array, is above a bound beyond rounding.

    >>> above(0.1 + 0.2, 0.3), above(0.30001, 0.3)
    (False, True)
    """
    return value > bound + _slack(bound)


def below(value: Any, bound: Any) -> Any:
    """Whether a number, or each of an array, is below a bound beyond rounding."""
    return value < lowest(bound)


def lowest(bound: Any) -> Any:
    """The least number that is not below a bound."""
    return bound - _slack(bound)


def settled(value: float) -> float:
    """A computed number, or 0 where only rounding keeps it from that.

    >>> settled(1.67e-15), settled(-0.0), settled(0.25)
    (0.0, 0.0, 0.25)
    """
    return 0.0 if -ABSOLUTE < value < ABSOLUTE else value


def settled_each(values: Any) -> Any:
    """The same of each number of an array; NaN stays."""
    return values * (abs(values) >= ABSOLUTE) + 0.0


def _slack(bound: Any) -> Any:
    return ABSOLUTE + RELATIVE * abs(bound)
