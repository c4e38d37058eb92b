"""An attribute as small integers: what every count is made from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.counting import MOST_ROWS, histogram, sums
from divulge._compiled.reading import renumber
from divulge._support.threads import cached_property

MISSING = 0
_FEW = 1 << 12  # codes of which it is remembered how many records have each
_BLOCK = 1 << 17  # rows that are looked at together, so that what is made of them stays in the cache


@dataclass(frozen=True, eq=False)
class Codes:
    """One integer per record, and the values the integers stand for.

    Code 0 means missing; code ``i > 0`` stands for ``values[i - 1]``. Values that no record has may be
    listed (unused categories, gaps in a range of integers): only codes that occur are ever counted.

    >>> Codes.of(["flu", None, "flu", "cold"])
    Codes(4 records, 2 values)
    """

    codes: npt.NDArray[np.unsignedinteger[Any]]
    values: Sequence[object]

    def __repr__(self) -> str:
        return f"Codes({len(self.codes)} records, {len(self.values)} values)"

    @property
    def cardinality(self) -> int:
        """How many different codes there can be, missing among them."""
        return len(self.values) + 1

    @classmethod
    def of(cls, values: Sequence[object]) -> Codes:
        """Codes of plain Python values; None and NaN are missing, -0.0 is 0.0, True is not 1.

        >>> Codes.of([0.0, -0.0, float("nan")]).codes.tolist()
        [1, 1, 0]
        """
        places: dict[tuple[bool, object], int] = {}
        codes = [
            MISSING if v is None or v != v else places.setdefault((isinstance(v, bool), v), len(places) + 1)
            for v in values
        ]
        return cls(narrow(np.asarray(codes, dtype=np.int64), len(places)), [v for _, v in places])

    def value(self, code: int) -> object:
        """The value a code stands for; None for missing."""
        return None if code == MISSING else self.values[code - 1]

    def values_of(self, codes: npt.NDArray[Any] | None = None) -> list[Any]:
        """The values that codes stand for, those of all records unless given; None for missing."""
        wanted = (self.codes if codes is None else codes).tolist()
        return [None if code == MISSING else self.values[code - 1] for code in wanted]

    def frequencies(self, weights: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        """How many records have each code, or what they weigh; missing first."""
        if (
            weights is not None
            and weights.dtype == np.int64
            and len(self.codes) >= _BLOCK
            and library.built()
        ):
            often = np.zeros(self.cardinality, np.int64)
            sums(np.ascontiguousarray(self.codes), None, 1, np.ascontiguousarray(weights), often)
            return often.astype(np.float64)
        if weights is None and len(self.codes) >= _BLOCK and self.cardinality <= _FEW:
            return self._often.copy()
        return self._frequencies(weights)

    @cached_property
    def _often(self) -> npt.NDArray[Any]:
        """How many of many records have each of few codes; each question about them asks that."""
        return self._frequencies(None)

    def _frequencies(self, weights: npt.NDArray[Any] | None) -> npt.NDArray[Any]:
        if weights is not None or len(self.codes) < 8 * self.cardinality:
            return np.bincount(self.codes, weights=weights, minlength=self.cardinality)
        if _BLOCK <= len(self.codes) < MOST_ROWS and self.codes.itemsize <= 4 and library.built():
            found = np.zeros(self.cardinality, np.uint32)
            histogram(np.ascontiguousarray(self.codes), None, 1, found)
            return found.astype(np.int64)
        size = max(_BLOCK, 4 * self.cardinality)  # a copy of all codes as wide integers would take longer
        parts = (self.codes[first : first + size] for first in range(0, len(self.codes), size))
        return sum(np.bincount(part, minlength=self.cardinality) for part in parts)  # type: ignore[return-value]

    def used(self) -> npt.NDArray[np.int64]:
        """The codes that occur, in order, that for missing among them."""
        return np.flatnonzero(self.frequencies())

    @cached_property
    def occurring(self) -> tuple[Codes, npt.NDArray[np.int64]]:
        """The same records in numbers of the codes that occur, in their order, and these codes; remembered.

        >>> gaps = Codes(np.array([3, 0, 3], np.uint8), ["a", "b", "c"]).occurring
        >>> gaps[0].codes.tolist(), gaps[1].tolist()
        ([1, 0, 1], [0, 3])
        """
        if self.cardinality > max(_BLOCK, 4 * len(self.codes)):  # room for every code would be too much
            found, number = np.unique(self.codes, return_inverse=True)
            return Codes(narrow(number, len(found)), range(len(found) - 1)), found.astype(np.int64)
        used = self.used()
        if len(used) == self.cardinality:
            return self, used
        number = np.zeros(self.cardinality, np.int64)
        number[used] = np.arange(len(used))
        return self.recode(number, range(len(used) - 1)), used

    def recode(self, table: npt.NDArray[Any], values: Sequence[object]) -> Codes:
        """The same records with code ``c`` replaced by ``table[c]``, which stands for ``values``."""
        return Codes(looked_up(narrow(table, len(values)), self.codes), values)

    def take(self, rows: npt.NDArray[Any]) -> Codes:
        """The codes of some of the records: row numbers or a mask."""
        if rows.dtype != np.uint32:
            return Codes(self.codes[rows], self.values)
        found = np.empty(len(rows), self.codes.dtype)
        for first in range(0, len(rows), _BLOCK):  # NumPy would make a wide copy of all of them
            found[first : first + _BLOCK] = self.codes[rows[first : first + _BLOCK]]
        return Codes(found, self.values)


def looked_up(
    table: npt.NDArray[np.unsignedinteger[Any]], codes: npt.NDArray[np.unsignedinteger[Any]]
) -> npt.NDArray[np.unsignedinteger[Any]]:
    """The entry of a table for each code.

    >>> looked_up(np.array([0, 2, 1], np.uint8), np.array([1, 1, 2], np.uint8)).tolist()
    [2, 2, 1]
    """
    if len(codes) < _BLOCK or max(table.itemsize, codes.itemsize) > 4 or not library.built():
        return table[codes]
    found = np.empty(len(codes), table.dtype)
    renumber(table.astype(np.uint32), np.ascontiguousarray(codes), found)
    return found


def code_type(largest: int) -> type[np.unsignedinteger[Any]]:
    """The narrowest unsigned integer that holds codes up to ``largest``."""
    for kind in (np.uint8, np.uint16, np.uint32):
        if largest <= np.iinfo(kind).max:
            return kind
    return np.uint64


def narrow(codes: npt.NDArray[Any], largest: int) -> npt.NDArray[np.unsignedinteger[Any]]:
    """Codes in the narrowest type: counting reads memory, so bytes are time."""
    return codes.astype(code_type(largest), copy=False)


_DECIMAL = re.compile(r"[+-]?[0-9]+(,[0-9]+)?")


def as_number(value: Any) -> float:
    """A value as a number; NaN where it is none. Texts such as '1_000' and 'inf' are not numbers."""
    if isinstance(value, bool) or (isinstance(value, str) and "_" in value):
        return float("nan")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")
    return number if np.isfinite(number) else float("nan")


def as_numbers(values: Sequence[Any]) -> list[float]:
    """The values of a column as numbers, NaN where one is none.

    Decimals are read with a comma where every number is a text that may be so written. Where each comma
    has three digits after it, it may part thousands, and none is read.

    >>> as_numbers(["179,4", "180", "*"]), as_numbers(["1,200", "2,400"]), as_numbers(["1,5", "1.5"])
    ([179.4, 180.0, nan], [nan, nan], [nan, 1.5])
    """
    parted = [value.strip() for value in values if isinstance(value, str) and "," in value]
    if not parted or all(len(text.partition(",")[2]) == 3 for text in parted):
        return [*map(as_number, values)]
    numeric = [value.strip() for value in values if isinstance(value, str) and any(map(str.isdigit, value))]
    if not all(map(_DECIMAL.fullmatch, numeric)) or any(isinstance(one, float) for one in values):
        return [*map(as_number, values)]
    return [as_number(value.replace(",", ".") if isinstance(value, str) else value) for value in values]
