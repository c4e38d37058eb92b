"""How target values lie to each other: in an order, or in a tree."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import SchemaError
from divulge.table.codes import Codes, as_number, narrow
from divulge.table.hierarchy import Hierarchy

DAY = len("2024-05-31")
ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)?)?", re.ASCII)


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

    Numbers, texts that are all numbers, dates and texts that are all ISO dates have one; other values when
    it is declared. Missing has no place in any order.

    >>> order_of(["10", "9", "8.5"])
    [2, 1, 0]
    """
    ranks = ranks_of(values, declared)
    return None if ranks is None else sorted(range(len(values)), key=ranks.__getitem__)


def ranks_of(values: Sequence[object], declared: Sequence[object] | None = None) -> list[int] | None:
    """The rank of each value from 0 for the lowest, equal ones alike; None when they have no order.

    Values may be spelled differently and be the same number or moment.

    >>> ranks_of(["100", "1e2", "7"])
    [1, 1, 0]
    """
    if None in values:
        return None
    keys = _measured(values) if declared is None else _as_declared(values, declared)
    if keys is None:
        return None
    try:
        ladder = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    except TypeError:  # moments with and without a time zone, or days and moments, have no order
        return None
    return [ladder[key] for key in keys]


def _measured(values: Sequence[object]) -> list[Any] | None:
    """What the values are compared by: exact numbers, or days and moments; None where they are neither."""
    if all(isinstance(value, datetime.date) for value in values):
        return list(values)
    if all(number == number for number in map(as_number, values)):
        # Not the floats themselves, which take neighbouring integers beyond 2^53 for one.
        return [Decimal(value.strip()) if isinstance(value, str) else value for value in values]
    times = [_time(value) for value in values]
    return None if None in times else times


def _time(value: object) -> datetime.date | None:
    """The day or moment that a text writes in the way of ISO 8601, as 2024-05-31 or 2024-05-31T12:30Z."""
    if not isinstance(value, str) or ISO.fullmatch(value) is None:
        return None
    try:
        return (datetime.date if len(value) == DAY else datetime.datetime).fromisoformat(value)
    except ValueError:  # such as 2024-02-30
        return None


def declared_places(values: Sequence[object], declared: Sequence[object]) -> list[int | None]:
    """The places of values in a declared order, matched as text or else as numbers; None for one left out."""
    by_text = {str(value): place for place, value in enumerate(declared)}
    by_number = {as_number(value): place for place, value in enumerate(declared)}
    return [by_text.get(str(value), by_number.get(as_number(value))) for value in values]


def _as_declared(values: Sequence[object], declared: Sequence[object]) -> list[int]:
    """The places of the values in a declared order, which has to have them all."""
    ranks = declared_places(values, declared)
    unknown = ranks.count(None)
    if unknown:
        raise SchemaError(
            f"The order given for the target leaves out {unknown} of its {len(values)} values.",
            hint="List every value once, from the lowest to the highest.",
        )
    return [rank or 0 for rank in ranks]
