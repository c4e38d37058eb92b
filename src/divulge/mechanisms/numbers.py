"""Attributes as numbers and back: how many decimals they have, and what cannot be read as one."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from divulge._support.wording import some
from divulge.errors import ParameterError, PolicyError
from divulge.table.codes import MISSING, Codes, as_numbers, narrow

Floats = npt.NDArray[np.float64]
MOST_DECIMALS = 15
EXACT = 2.0**53
_DIGITS = set("-.0123456789")


class PlacedStep(Protocol):
    """A step as far as values are read for it: its mechanism, its place, and how it refuses a table."""

    @property
    def mechanism(self) -> Any: ...
    @property
    def attributes(self) -> tuple[str, ...]: ...
    @property
    def number(self) -> int: ...
    def error(self, key: str | None, message: str, hint: str) -> PolicyError: ...


def value_numbers(values: Sequence[object], attribute: str, step: PlacedStep) -> Floats:
    """Each value as a number; a value that is none is refused."""
    plain = _plain_numbers(values)
    if plain is not None:
        return plain
    found = np.asarray(as_numbers(values), np.float64)
    wrong = int(np.isnan(found).sum())
    if wrong:
        raise no_numbers(step, attribute, wrong, none=wrong == len(values))
    if any(_too_long(value, number) for value, number in zip(values, found.tolist(), strict=True)):
        raise step.error(
            "attributes",
            f"'{attribute}' has whole numbers of more than 15 digits, which would lose their last ones.",
            "They look like codes: take a mechanism for texts, such as prefix or remove.",
        )
    return found


def _plain_numbers(values: Sequence[object]) -> Floats | None:
    """Whole numbers and texts of digits turned all at once; None where values take a closer look."""
    kinds = set(map(type, values))
    if kinds == {str}:
        if not set("".join(values)) <= _DIGITS:  # type: ignore[arg-type]
            return None
    elif kinds != {int}:
        return None
    try:
        found = np.fromiter(map(float, values), np.float64, len(values))  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        return None
    return found if np.abs(found).max() < EXACT else None


def _too_long(value: object, number: float) -> bool:
    """Whether a whole number is larger than numbers with decimals hold exactly."""
    if abs(number) <= EXACT or isinstance(value, float):
        return False
    return isinstance(value, int) or str(value).strip().lstrip("+-").isdigit()


def occurring_numbers(
    values: Sequence[object], counts: npt.NDArray[np.int64], attribute: str, step: PlacedStep
) -> tuple[list[int], Floats]:
    """The places of the values that occur, and each of them as a number; ``counts`` begin with missing."""
    places = np.flatnonzero(counts[1:]).tolist()
    return places, value_numbers([values[place] for place in places], attribute, step)


def no_numbers(step: PlacedStep, attribute: str, wrong: int, *, none: bool = False) -> PolicyError:
    """The refusal of a column where so many values are not numbers, or ``none`` is."""
    found = "no numbers" if none else f"{some(wrong, 'value')} that are not numbers"
    return step.error(
        "attributes",
        f"'{attribute}' has {found}, and {step.mechanism.name} needs numbers.",
        "Write decimals with a point, make what is no number missing (--missing-value TEXT), or take another "
        "mechanism.",
    )


def record_numbers(column: Codes, attribute: str, step: PlacedStep) -> Floats:
    """The number of each record, NaN where it is missing."""
    used = column.used()
    table = np.full(column.cardinality, np.nan)
    wanted = used[used != MISSING]
    table[wanted] = value_numbers([column.values[code - 1] for code in wanted], attribute, step)
    return table[column.codes]


def value_ranks(column: Codes, attribute: str, step: PlacedStep) -> npt.NDArray[np.uint32]:
    """For each code the place of its number among those that occur, from 0 on; 0 for missing."""
    used = column.used()
    wanted = used[used != MISSING]
    numbers = value_numbers(column.values_of(wanted), attribute, step)
    found = np.zeros(column.cardinality, np.uint32)
    found[wanted] = np.unique(numbers, return_inverse=True)[1]
    return found


def decimals(values: Sequence[object]) -> int:
    """The most decimals that a value is written with.

    >>> decimals(["3.10", "12", 4]), decimals([0.25, 1e-7]), decimals(["179,4"])
    (2, 7, 1)
    """
    most = 0
    for value in values:
        try:
            exponent = Decimal(str(value).strip().replace(",", ".")).as_tuple().exponent
        except ArithmeticError:
            continue
        most = max(most, -exponent if isinstance(exponent, int) else 0)
    return min(most, MOST_DECIMALS)


def number_column(numbers: Floats, like: Codes, places: int | None = None) -> Codes:
    """Numbers as a column of the kind another is: texts stay texts, whole numbers stay whole.

    They are rounded to as many decimals as the other column has, unless said otherwise. NaN is missing.
    """
    if np.isinf(numbers).any():
        raise ParameterError("Numbers became too large to be written.", hint="Take smaller parameters.")
    places = decimals(like.values) if places is None else places
    rounded = np.round(numbers, places) + 0.0
    present = ~np.isnan(rounded)
    distinct, inverse = np.unique(rounded[present], return_inverse=True)
    codes = np.full(len(numbers), MISSING, np.int64)
    codes[present] = inverse + 1
    return Codes(narrow(codes, len(distinct)), spelled_like(distinct.tolist(), like.values, places))


def spelled_like(numbers: Sequence[float], values: Sequence[object], places: int) -> list[object]:
    """Numbers as the values of a column are: as texts, whole numbers, decimals or floats."""
    first = next(iter(values), None)
    if isinstance(first, str):
        least = decimals(values)
        return [_digits(one, least, places) for one in numbers]
    if isinstance(first, Decimal):
        return [Decimal(_digits(one, decimals(values), places)) for one in numbers]
    if places == 0 and isinstance(first, int):
        return [int(one) for one in numbers]
    return list(numbers)


def _digits(number: float, least: int, most: int) -> str:
    """A number with at most so many decimals, and no zeros at the end beyond the least.

    >>> _digits(22.0, 0, 2), _digits(49.333, 0, 2), _digits(3.1, 2, 4)
    ('22', '49.33', '3.10')
    """
    text = f"{number:.{most}f}"
    spare = min(most - least, len(text) - len(text.rstrip("0"))) if most > least else 0
    return text[: len(text) - spare].rstrip(".")
