"""Codes for any Python values, handed out in the order in which the values are first met."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.source.base import not_a_value
from divulge.table.codes import MISSING, Codes, narrow

_BOOLEANS = {bool, np.bool_}
_TRUTH = object()  # True == 1 in Python, so truth values are looked up under a mark of their own


class Dictionary:
    """The values of one attribute met so far; grows with every call of ``codes``.

    >>> Dictionary("age").codes([1, "1", 1.0, True, None, float("nan")]).tolist()
    [1, 2, 1, 3, 0, 0]
    """

    def __init__(self, attribute: str) -> None:
        self.attribute = attribute
        self.values: list[object] = []
        self._places = _Places(self.values)

    def codes(self, values: Sequence[Any]) -> npt.NDArray[np.unsignedinteger[Any]]:
        """One code for each value."""
        keys: Sequence[Any] = values
        if _BOOLEANS & set(map(type, values)):
            keys = [(_TRUTH, bool(v)) if type(v) in _BOOLEANS else v for v in values]
        try:
            codes = np.fromiter(map(self._places.__getitem__, keys), np.uint32, len(keys))
        except TypeError:
            raise not_a_value(self.attribute, "lists or other compound values") from None
        return narrow(codes, len(self.values))

    def gather(self, parts: Sequence[npt.NDArray[np.unsignedinteger[Any]]]) -> Codes:
        """The codes of all records, put together from those of blocks."""
        joined = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return Codes(narrow(joined, len(self.values)), self.values)


class _Places(dict[object, int]):
    """The code of each key; one that was not met gets the next, and a missing one is not kept.

    Every NaN can be an object of its own: keeping them would grow without end.
    """

    def __init__(self, values: list[object]) -> None:
        super().__init__()
        self._values = values

    def __missing__(self, key: Any) -> int:
        if _is_missing(key):
            return MISSING
        self._values.append(_plain(key))
        self[key] = place = len(self._values)
        return place


def encode_objects(attribute: str, values: Sequence[Any]) -> Codes:
    """Codes of a whole column of Python values."""
    dictionary = Dictionary(attribute)
    return dictionary.gather([dictionary.codes(values)])


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    unequal = value != value
    # pandas' NA compared with itself is NA again, which refuses to be a truth value.
    return unequal is value or bool(unequal)


def _plain(key: Any) -> object:
    if type(key) is tuple and len(key) == 2 and key[0] is _TRUTH:
        return key[1]
    if isinstance(key, np.generic) and not isinstance(key, np.datetime64 | np.timedelta64):
        key = key.item()
    return 0.0 if isinstance(key, float) and key == 0 else key
