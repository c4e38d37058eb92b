"""Which original values a released value may stand for: 355** for each five that begin with 355."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.questions.data import Data
from divulge.table.codes import MISSING, Codes, as_number, as_numbers
from divulge.table.hierarchy import Hierarchy

IntArray = npt.NDArray[np.int64]
Groups = Mapping[str, Iterable[object]]  # a released value -> the original values it stands for

OTHERS = "(other)"  # stands for the values that a release shows nowhere else
NEARLY_ALL = 0.95  # of the values that must be numbers for a column to hold numbers
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_BRACKETS = re.compile(
    rf"([\[\](])\s*({_NUMBER}|-inf|-∞)\s*(?:[,;–-]|\.\.)\s*({_NUMBER}|\+?inf|\+?∞)\s*([\])\[])"
)
_RANGE = re.compile(rf"({_NUMBER})\s*(?:[–—-]|\.\.|to)\s*({_NUMBER})")
_BOUND = re.compile(rf"(>=|=>|≥|>|<=|=<|≤|<)\s*({_NUMBER})")
_AT_LEAST = re.compile(rf"({_NUMBER})\s*\+")
_PREFIX = re.compile(r"([^*]+)(\*+)")


@dataclass(frozen=True, eq=False)
class Fits:
    """For each value of a released attribute, the original values that it may stand for."""

    codes: dict[int, IntArray]  # released code -> original codes, for values that were recognised
    anything: frozenset[int]  # released codes that tell nothing: suppressed, or missing there only
    unknown: frozenset[int]  # released codes in which no original value was recognised


def recognise(
    released: Codes,
    original: Codes,
    *,
    suppressed: int | None = None,
    hierarchies: Iterable[Hierarchy] = (),
    groups: Groups | None = None,
) -> Fits:
    """The original values behind each released one, as far as its spelling tells.

    A value stands for itself and for its group in a hierarchy or in ``groups``; where it ends in stars, for
    the texts that begin like it (as long as the stars reach, or longer where none is so long); and for the
    numbers in its interval: [20, 30), 20-29, >= 40, 40+. ``(other)`` stands for the values that are not shown
    elsewhere. What is suppressed may be anything, and so may what
    is missing, unless originals are missing too.
    """
    texts = {str(value) for value in released.values_of(released.used()) if value is not None}
    members = _members(hierarchies, groups or {}, {one for one in texts if one.strip("* ")}, original)
    known = _Known(original, members)
    found: dict[int, IntArray] = {}
    anything, unknown = set(), set()
    for code in released.used().tolist():
        text = None if code == MISSING else str(released.values[code - 1])
        fitting = known.missing if text is None else known.fitting(text)
        if text == OTHERS and not fitting:
            fitting = _others(original, texts)
        if (
            code == suppressed
            or (text is None and not fitting)
            or (text is not None and not text.strip("* "))
        ):
            anything.add(code)
        elif fitting:
            found[code] = np.asarray(sorted(fitting), np.int64)
        else:
            unknown.add(code)
    return Fits(found, frozenset(anything), frozenset(unknown))


def _others(original: Codes, shown: Set[str]) -> set[int]:
    """The codes of original values that are not among those shown."""
    used = original.used()
    return {int(code) for code in used[used != MISSING] if str(original.values[code - 1]) not in shown}


def recognised(released: Data, name: str, original: Data, ours: str, groups: Groups | None = None) -> Fits:
    """The original values behind each value of a released attribute, by the hierarchies of both tables."""
    hierarchies = [
        data.hierarchies[one] for data, one in ((original, ours), (released, name)) if one in data.hierarchies
    ]
    return recognise(
        released.column(name),
        original.column(ours),
        suppressed=released.suppressed_code(name),
        hierarchies=hierarchies,
        groups=groups,
    )


def numbers_of(column: Codes, suppressed: int | None = None) -> npt.NDArray[np.float64] | None:
    """The number of each record, NaN where it has none; None where the values are not numbers."""
    used = column.frequencies() > 0
    used[MISSING] = False
    if suppressed is not None:
        used[suppressed] = False
    numbers = np.full(column.cardinality, np.nan)
    numbers[used] = as_numbers(column.values_of(np.flatnonzero(used)))
    if not used.any() or np.isfinite(numbers[used]).mean() < NEARLY_ALL:
        return None
    return numbers[column.codes]


def interval(text: str) -> tuple[float, float] | None:
    """The least and the greatest number in an interval, ends that are left out moved inwards.

    >>> interval("20-29"), interval(">= 40"), interval("red")
    ((20.0, 29.0), (40.0, inf), None)
    """
    text = text.strip()
    if found := _BRACKETS.fullmatch(text):
        opening, low, high, closing = found.groups()
        return _ends(_bound(low), _bound(high), opening != "[", closing != "]")
    if found := _RANGE.fullmatch(text):
        return _ends(float(found[1]), float(found[2]))
    if found := _BOUND.fullmatch(text):
        sign, edge = found[1], float(found[2])
        if sign in (">", ">=", "=>", "≥"):
            return _ends(edge, math.inf, above=sign == ">")
        return _ends(-math.inf, edge, below=sign == "<")
    if found := _AT_LEAST.fullmatch(text):
        return _ends(float(found[1]), math.inf)
    number = as_number(text)
    return None if math.isnan(number) else (number, number)


def _ends(low: float, high: float, above: bool = False, below: bool = False) -> tuple[float, float] | None:
    low = math.nextafter(low, math.inf) if above and math.isfinite(low) else low
    high = math.nextafter(high, -math.inf) if below and math.isfinite(high) else high
    return (low, high) if low <= high else None


def _bound(text: str) -> float:
    return float(text.replace("∞", "inf"))


class _Known:
    """The values of an original attribute that occur, looked up by text, by beginning and by number."""

    def __init__(self, original: Codes, members: Mapping[str, set[str]]) -> None:
        used = original.used()
        self.missing = [MISSING] if MISSING in used else []
        self._members = members
        self._values = [(original.values[code - 1], code) for code in used.tolist() if code != MISSING]
        self._exact: dict[str, list[int]] = {}
        for value, code in self._values:
            self._exact.setdefault(str(value), []).append(code)

    def fitting(self, text: str) -> list[int] | set[int]:
        """The codes of the values that a text may stand for."""
        listed = {text, *self._members.get(text, ())}
        exact = {code for one in listed for code in self._exact.get(one, ())}
        if exact:
            return exact
        if found := _PREFIX.fullmatch(text):
            return self._beginning(found[1], len(text))
        limits = interval(text)
        return [] if limits is None else self._between(*limits)

    def _beginning(self, prefix: str, length: int) -> list[int]:
        texts = self._sorted
        first, last = bisect_left(texts, prefix), bisect_left(texts, prefix + chr(0x10FFFF))
        begin = [text for text in texts[first:last] if len(text) >= length]
        fitting = [text for text in begin if len(text) == length] or begin
        return [code for text in fitting for code in self._exact[text]]

    def _between(self, low: float, high: float) -> list[int]:
        numbers, codes = self._numbers
        return codes[np.searchsorted(numbers, low) : np.searchsorted(numbers, high, side="right")].tolist()

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self._exact)

    @cached_property
    def _numbers(self) -> tuple[npt.NDArray[np.float64], IntArray]:
        numbers = np.asarray(as_numbers([value for value, _ in self._values]))
        codes = np.asarray([code for _, code in self._values], np.int64)
        order = np.argsort(numbers, kind="stable")[: int((~np.isnan(numbers)).sum())]
        return numbers[order], codes[order]


def _members(
    hierarchies: Iterable[Hierarchy], groups: Groups, texts: Set[str], original: Codes
) -> dict[str, set[str]]:
    """The values in each group: at the level of the release if it has one, otherwise at any level."""
    members = {str(name): set(map(str, values)) for name, values in groups.items()}
    for hierarchy in hierarchies:
        chosen = _level(hierarchy, texts, original)
        for level in hierarchy.groups if chosen is None else [chosen]:
            for value, name in zip(hierarchy.values, level, strict=True):
                members.setdefault(name, set()).add(value)
    return members


def _level(hierarchy: Hierarchy, texts: Set[str], original: Codes) -> Sequence[str] | None:
    """The names at the level to which a release was recoded; None where its values are of several levels.

    A name may be that of several groups, each in the next: a rest that grows. Of the levels that have all
    released values it is the one whose groups most original records are in, and the finest of those.
    """
    levels = [hierarchy.values, *hierarchy.groups]
    texts = texts & set().union(*levels)
    there = [level for level in levels if texts <= set(level)]
    if not texts or len(there) < 2:
        return there[0] if texts and there else None
    often = original.frequencies()
    records = {
        str(original.values[code - 1]): int(often[code])
        for code in original.used().tolist()
        if code != MISSING
    }
    held = [
        sum(
            records.get(value, 0)
            for value, name in zip(hierarchy.values, level, strict=True)
            if name in texts
        )
        for level in there
    ]
    return there[held.index(max(held))]
