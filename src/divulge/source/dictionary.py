"""Codes for any Python values, handed out in the order in which the values are first met."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.source.base import not_a_value
from divulge.table.codes import MISSING, Codes, code_type, narrow

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
        self._places: dict[object, int] = {}

    def codes(self, values: Sequence[Any]) -> npt.NDArray[np.unsignedinteger[Any]]:
        """One code for each value."""
        keys: Sequence[Any] = values
        if _BOOLEANS & set(map(type, values)):
            keys = [(_TRUTH, bool(v)) if type(v) in _BOOLEANS else v for v in values]
        places = self._places
        try:
            fresh = [key for key in dict.fromkeys(keys) if key not in places]
        except TypeError:
            raise not_a_value(self.attribute, "lists or other compound values") from None
        passing = []
        for key in fresh:
            if _is_missing(key):
                places[key] = MISSING
                passing.append(key)
            else:
                self.values.append(_plain(key))
                places[key] = len(self.values)
        codes = np.fromiter(map(places.__getitem__, keys), code_type(len(self.values)), len(keys))
        for key in passing:  # every NaN can be an object of its own: keeping them would grow without end
            del places[key]
        return codes

    def gather(self, parts: Sequence[npt.NDArray[np.unsignedinteger[Any]]]) -> Codes:
        """The codes of all records, put together from those of blocks."""
        joined = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return Codes(narrow(joined, len(self.values)), self.values)


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
