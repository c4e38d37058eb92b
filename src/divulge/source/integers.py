"""Integers that lie close together need no dictionary: the code is the distance from the lowest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.table.codes import MISSING, Codes, code_type


@dataclass(frozen=True)
class Span:
    """The lowest and the highest integer of an attribute.

    >>> span = Span(-1, 3)
    >>> codes = span.room(3)
    >>> span.fill(codes, np.array([3, -1, 0], dtype=np.int8))
    >>> codes.tolist()
    [5, 1, 2]
    """

    low: int
    high: int

    def is_dense(self, records: int) -> bool:
        """Whether listing every integer in between costs no more than a dictionary would."""
        return self.high - self.low < max(1 << 16, 2 * records)

    def room(self, records: int) -> npt.NDArray[np.unsignedinteger[Any]]:
        """Space for the codes of so many records."""
        return np.empty(records, dtype=code_type(self.high - self.low + 1))

    def fill(
        self,
        codes: npt.NDArray[np.unsignedinteger[Any]],
        numbers: npt.NDArray[np.integer[Any]],
        missing: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        """Write the codes of ``numbers``; where ``missing`` is true the number is not looked at."""
        # Unsigned arithmetic wraps, and the code fits its type: cutting first and shifting then is exact.
        np.copyto(codes, numbers, casting="unsafe")
        codes -= codes.dtype.type((self.low - 1) % (np.iinfo(codes.dtype).max + 1))
        if missing is not None:
            codes[missing] = MISSING

    def contains(self, numbers: npt.NDArray[np.integer[Any]]) -> bool:
        """Whether all the numbers lie between the lowest and the highest."""
        return not len(numbers) or (self.low <= int(numbers.min()) and int(numbers.max()) <= self.high)

    def codes(self, filled: npt.NDArray[np.unsignedinteger[Any]]) -> Codes:
        """The filled space together with the integers it stands for."""
        return Codes(filled, range(self.low, self.high + 1))


def all_missing(records: int) -> Codes:
    """Codes of an attribute that no record has."""
    return Codes(np.zeros(records, dtype=np.uint8), [])
