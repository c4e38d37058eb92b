"""The values of an attribute in two tables, numbered so that what is the same has one number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from divulge.questions.data import Data
from divulge.table.codes import MISSING, Codes, as_number

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
SUPPRESSED = object()  # the last of all values, whatever text marks it in a table


def used(codes: Codes) -> Mask:
    """Which codes occur."""
    return codes.frequencies() > 0


@dataclass(frozen=True, eq=False)
class TableValues:
    """One table's values of the attribute: those that occur, missing and suppressed ones aside."""

    codes: Codes
    occurring: Integers
    values: list[object]
    suppressed: int | None = field(repr=False)

    @classmethod
    def of(cls, data: Data, attribute: str, codes: Codes) -> TableValues:
        there = used(codes)
        there[MISSING] = False
        suppressed = data.suppressed_code(attribute) if _may_be_marked(data, codes) else None
        if suppressed is not None:
            there[suppressed] = False
        occurring = np.flatnonzero(there)
        return cls(codes, occurring, codes.values_of(occurring), suppressed)

    def numbers(self) -> Floats | None:
        """The values as numbers; None unless all are, and where there are none."""
        if self.values and {type(value) for value in self.values} <= {int, float}:
            return np.asarray(self.values, np.float64)
        found = np.empty(len(self.values))
        for place, value in enumerate(self.values):
            found[place] = as_number(value)
            if np.isnan(found[place]) or _is_name(value):
                return None
        return found if self.values else None

    def recoded(self, places: Integers, values: Sequence[object]) -> Codes:
        """The records in codes of a common list, in which the values here have these places."""
        table = np.zeros(self.codes.cardinality, np.int64)
        table[self.occurring] = places + 1
        if self.suppressed is not None:
            table[self.suppressed] = len(values)
        return self.codes.recode(table, values)


def by_number(one: Floats, other: Floats) -> tuple[Floats, Integers, Integers]:
    """All numbers from the lowest to the highest, and the places of those on either side."""
    found = np.sort(np.concatenate([one, other]))
    found = found[np.diff(found, prepend=-np.inf) > 0]
    return found, np.searchsorted(found, one), np.searchsorted(found, other)


def by_spelling(one: TableValues, other: TableValues) -> tuple[list[object], Integers, Integers]:
    """All values, spelled differently, and the places of those on either side."""
    known: dict[str, int] = {}
    values: list[object] = []
    folded = any(isinstance(value, bool) for value in (*one.values, *other.values))  # true, True and TRUE

    def place(value: object) -> int:
        text = _spelled(value).casefold() if folded else _spelled(value)
        if text not in known:
            known[text] = len(known)
            values.append(value)
        return known[text]

    ours, theirs = (np.fromiter(map(place, side.values), np.int64, len(side.values)) for side in (one, other))
    return values, ours, theirs


def _may_be_marked(data: Data, codes: Codes) -> bool:
    """Whether it is worth looking for the mark: no number is spelled like a text that is none."""
    return not np.isnan(as_number(data.suppressed)) or not {type(v) for v in codes.values} <= {int, float}


def _spelled(value: object) -> str:
    """A value as it would be written; whole numbers without a point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _is_name(value: object) -> bool:
    """Whether digits are a name and no number: 01069 is not 1069."""
    digits = value.strip().lstrip("+-") if isinstance(value, str) else ""
    return digits[:1] == "0" and digits[1:2].isdigit()
