"""Hierarchies made from values: bands of numbers, months and years, prefixes, rare values merged."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal, get_args

import numpy as np

from divulge.alignment.recognition import OTHERS
from divulge.errors import PartitionError, counted
from divulge.mechanisms.recoding.dates import UNITS
from divulge.questions.data import Data
from divulge.roles.patterns import year_and_month
from divulge.source.options import SUPPRESSED
from divulge.table.codes import as_numbers
from divulge.table.hierarchy import Hierarchy

TOP = SUPPRESSED
MOST_VALUES = 100_000  # of which a hierarchy is made
FEWEST_BANDS = 2
MOST_BANDS = 40
WIDTHS = (1, 5, 10, 20)  # of bands, times 1, 100, 10,000 and so on
MOST_LEVELS = 6
CODE_SHARE = 0.95  # of the values that have to look like codes of one length
RARE = (0.01, 0.05, 0.2)  # shares of the records below which values are merged, level by level

Name = Callable[[object], str]
ValueKind = Literal["number", "date", "code", "category"]
KINDS: tuple[ValueKind, ...] = get_args(ValueKind)


def made_hierarchy(data: Data, attribute: str, kind: ValueKind | None = None) -> Hierarchy:
    """A hierarchy of an attribute's values: bands of numbers, units of dates, prefixes, rare values merged.

    The values say which, unless a kind is given. The top level is one group, written as the mark of a
    suppressed cell.
    """
    column, often = data.frequencies(attribute)
    used = np.flatnonzero(often[1:]) + 1
    values = column.values_of(used)
    if not values or len(values) > MOST_VALUES:
        why = "it has no value" if not values else f"it has more than {MOST_VALUES:,} different values"
        raise PartitionError(
            f"No hierarchy can be made for '{attribute}': {why}.",
            hint=f"Give one (--hierarchy {attribute}=FILE), or give the attribute another role.",
        )
    top = data.suppressed or TOP
    ways = [_WAYS[kind]] if kind else [one for like, one in _DETECTED if like(values)]
    if kind:
        _refuse_unlike(attribute, values, kind)
    levels = next((found for way in ways if (found := way(values))), None)
    if levels is None and kind in (None, "category"):
        levels = _rare(values, often[used].tolist())
    levels = levels or []
    rows = [(str(value), *(name(value) for name in levels), top) for value in values if str(value) != top]
    if len(rows) < len(values):
        rows.append((top, *(top for _ in levels), top))
    return Hierarchy.of(rows, attribute=attribute)


def kind_of(values: Sequence[object]) -> ValueKind:
    """What values are: dates, numbers, codes of one length, or else categories.

    >>> kind_of([17, 42]), kind_of(["2020-01-31"]), kind_of(["04109", "80331"]), kind_of(["f", "m"])
    ('number', 'date', 'code', 'category')
    """
    if values and _are_dates(values):
        return "date"
    if values and _are_amounts(values):
        return "number"
    return "code" if values and _look_like_codes(values) else "category"


def _refuse_unlike(attribute: str, values: Sequence[object], kind: ValueKind) -> None:
    """Stop where values cannot be what they are said to be."""
    unlike = {
        "number": [one for one, number in zip(values, as_numbers(values), strict=True) if number != number],
        "date": [one for one in values if not _are_dates([one])],
    }.get(kind, [])
    if unlike:
        raise PartitionError(
            f"'{attribute}' is no {kind}: "
            f"{counted(len(unlike), 'value')} of {len(values):,} cannot be read as one.",
            hint="Say which values mean missing, or choose another type.",
        )


def _are_dates(values: Sequence[object]) -> bool:
    return all((found := year_and_month(value)) is not None and found[1] is not None for value in values)


def _dates(values: Sequence[object]) -> list[Name]:
    known = {value: year_and_month(value) for value in values}

    def by(unit: str) -> Name:
        def name(value: object) -> str:
            year, month = known[value]  # type: ignore[misc]
            return UNITS[unit](year, month or 1)

        return name

    decade: Name = lambda value: f"{(known[value] or (0, 0))[0] // 10 * 10}s"  # noqa: E731
    return _coarser([*(by(unit) for unit in ("month", "quarter", "year") if unit in UNITS), decade], values)


def _numbers(values: Sequence[object]) -> list[Name]:
    """Bands of 5, 10, 20, 100 and so on, each a multiple of the one before, so that none is torn."""
    numbers = dict(zip(values, as_numbers(values), strict=True))
    low, high = min(numbers.values()), max(numbers.values())
    if low == high:
        return []
    scale = math.floor(math.log10((high - low) / MOST_BANDS) / 2)
    chain = [step * 100.0**power for power in range(scale, scale + 4) for step in WIDTHS]
    widths = [one for one in chain if 1 / FEWEST_BANDS < (high - low) / one <= MOST_BANDS]
    whole = all(number == int(number) for number in numbers.values())

    def band(wide: float) -> Name:
        def name(value: object) -> str:
            start = math.floor(numbers[value] / wide) * wide
            if whole and wide == int(wide):
                return f"{int(start)}-{int(start + wide) - 1}"
            return f"[{start:g}, {start + wide:g})"

        return name

    return _coarser([band(one) for one in widths], values)


def _are_amounts(values: Sequence[object]) -> bool:
    return all(number == number for number in as_numbers(values)) and not _are_codes(values)


def _are_codes(values: Sequence[object]) -> bool:
    """Whether values are digits of one length that begin with zeros, or that are long: no amounts."""
    texts = [str(value) for value in values]
    same = len({len(text) for text in texts}) == 1
    return (
        same
        and len(texts[0]) >= 4
        and all(text.isdigit() for text in texts)
        and (any(text.startswith("0") for text in texts) or all(isinstance(value, str) for value in values))
    )


def _look_like_codes(values: Sequence[object]) -> bool:
    texts = [str(value) for value in values]
    length = max(map(len, texts))
    like = sum(len(text) == length and text.isalnum() and any(c.isdigit() for c in text) for text in texts)
    return length >= 3 and like >= CODE_SHARE * len(texts)


def _prefixes(values: Sequence[object]) -> list[Name]:
    """The first characters of codes, one character fewer at each level."""
    length = max(len(str(value)) for value in values)

    def cut(keep: int) -> Name:
        return lambda value: str(value)[:keep] + "*" * max(length - keep, 0)

    return _coarser([cut(keep) for keep in range(length - 1, max(length - MOST_LEVELS, 0), -1)], values)


def _rare(values: Sequence[object], often: Sequence[int]) -> list[Name]:
    """Values that few records have become one, those below a larger share at each level."""
    records, counts = sum(often), dict(zip(values, often, strict=True))

    def merged(share: float) -> Name:
        return lambda value: OTHERS if counts[value] < share * records else str(value)

    return _coarser([merged(share) for share in RARE], values)


def _coarser(levels: Sequence[Name], values: Sequence[object]) -> list[Name]:
    """The levels that merge something that the one before did not, and leave more than one group."""
    found, groups = list[Name](), len(values)
    for name in levels:
        here = len({name(value) for value in values})
        if 1 < here < groups:
            found.append(name)
            groups = here
    return found


_WAYS: dict[ValueKind, Callable[[Sequence[object]], list[Name]]] = {
    "date": _dates,
    "number": _numbers,
    "code": _prefixes,
    "category": lambda values: [],
}
#: What is tried where no kind is given, in this order.
_DETECTED = ((_are_dates, _dates), (_are_amounts, _numbers), (_look_like_codes, _prefixes))
