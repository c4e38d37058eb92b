"""How target values lie to each other: in an order, or in a tree."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.codes import Codes, narrow
from divulge.data import as_number
from divulge.errors import SchemaError
from divulge.hierarchy import Hierarchy


def levels_of(values: Sequence[object], hierarchy: Hierarchy, *, attribute: str) -> npt.NDArray[np.int64]:
    """Group numbers of the values at every level below the root.

    The height is the hierarchy's own, whichever of its values occur. Missing is where the hierarchy
    puts it, or else in a branch of its own below the root.
    """
    here = [value for value in values if value is not None]
    places = np.cumsum([value is not None for value in values]) * [value is not None for value in values]
    codes = Codes(narrow(places, len(here)), here)
    levels = [np.arange(len(values))]
    for level, groups in enumerate(hierarchy.groups, 1):
        located = hierarchy.level(level).apply(codes, attribute=attribute).codes
        if len(set(groups)) > 1:
            levels.append(np.unique(located, return_inverse=True)[1])
    return np.stack(levels)


def order_of(values: Sequence[object], declared: Sequence[object] | None = None) -> list[int] | None:
    """The places of the values from the lowest to the highest; None when they have no order.

    Numbers, texts that are all numbers, and dates have one; other values when it is declared. Missing
    has no place in any order.

    >>> order_of(["10", "9", "8.5"])
    [2, 1, 0]
    """
    if None in values:
        return None
    if declared is not None:
        return _as_declared(values, declared)
    if all(isinstance(value, datetime.date) for value in values):
        dates: list[Any] = list(values)
        try:
            return sorted(range(len(values)), key=dates.__getitem__)
        except TypeError:  # moments with and without a time zone, or days and moments, have no order
            return None
    numbers = [as_number(value) for value in values]
    if any(number != number for number in numbers) or len(set(numbers)) < len(numbers):
        return None
    return sorted(range(len(values)), key=numbers.__getitem__)


def _as_declared(values: Sequence[object], declared: Sequence[object]) -> list[int]:
    """The places of the values in a declared order; values match as text, or else as numbers."""
    by_text = {str(value): place for place, value in enumerate(declared)}
    by_number = {as_number(value): place for place, value in enumerate(declared)}
    ranks = [by_text.get(str(value), by_number.get(as_number(value))) for value in values]
    unknown = ranks.count(None)
    if unknown:
        raise SchemaError(
            f"The order given for the target leaves out {unknown} of its {len(values)} values.",
            hint="List every value once, from the lowest to the highest.",
        )
    return sorted(range(len(values)), key=lambda place: ranks[place] or 0)
