"""Which type the values of a released column have, so that a file of typed columns keeps it."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Literal

from divulge.table.codes import MISSING, Codes

Kind = Literal["boolean", "integer", "float", "decimal", "date", "moment", "instant", "binary", "text"]
_LARGEST = 2**63
_EXACT = 2**53  # up to which every whole number is a float, too
_DIGITS = 38  # of a decimal, in files and databases


def kind_of(column: Codes) -> Kind:
    """The narrowest type that holds every value that occurs; text where they have nothing else in common.

    >>> kind_of(Codes.of([1, None, 2])), kind_of(Codes.of([1, 2.5])), kind_of(Codes.of([1, "*"]))
    ('integer', 'float', 'text')
    """
    if isinstance(column.values, range) and column.values:
        return _of_integers([column.values[0], column.values[-1]])
    if set(map(type, column.values)) == {str}:
        return "text"
    values = occurring(column)
    kinds = set(map(type, values))
    if not kinds:
        return "text"
    if kinds == {int}:
        return _of_integers(values)
    if kinds <= {int, float}:
        exact = all(abs(one) <= _EXACT for one in values if isinstance(one, int))
        return "float" if exact else "text"
    if kinds <= {int, Decimal}:
        return "text" if decimal_digits(values) is None else "decimal"
    if kinds == {datetime}:
        zoned = {one.tzinfo is not None for one in values}  # type: ignore[attr-defined]
        return "text" if len(zoned) > 1 else "instant" if zoned == {True} else "moment"
    plain: dict[type, Kind] = {bool: "boolean", date: "date", bytes: "binary"}
    return plain.get(kinds.pop(), "text") if len(kinds) == 1 else "text"


def occurring(column: Codes) -> list[object]:
    """The values that some record has."""
    return [column.values[code - 1] for code in column.used().tolist() if code != MISSING]


def _of_integers(values: list[object]) -> Kind:
    within = all(-_LARGEST <= one < _LARGEST for one in values)  # type: ignore[operator]
    return "integer" if within else "text" if decimal_digits(values) is None else "decimal"


def decimal_digits(values: list[object]) -> tuple[int, int] | None:
    """How many digits decimals have in all, and how many behind the point; None where no file holds them.

    >>> decimal_digits([Decimal("12.50"), Decimal("0.125")])
    (5, 3)
    """
    before = after = 0
    for value in values:
        found = Decimal(value)  # type: ignore[arg-type]
        exponent = found.as_tuple().exponent
        if not isinstance(exponent, int):  # infinite, or no number
            return None
        after = max(after, -exponent)
        before = max(before, found.adjusted() + 1)
    digits = max(1, before + after)
    return (digits, after) if digits <= _DIGITS else None
