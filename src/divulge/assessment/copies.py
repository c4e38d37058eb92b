"""Records that are copies of others: alike in everything, though something tells the others apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.assessment.numbering import ranked
from divulge.data import Data
from divulge.source.base import Distant

Numbers = npt.NDArray[Any]
TELLS_APART = 0.95  # values per different record from which on an attribute tells records apart
_ODD = np.uint64(0x9E3779B97F4A7C15)


def copies(data: Data) -> Numbers | None:
    """A number for each record that its copies share; None where there are no copies.

    Records alike in everything are copies where an attribute that is neither key nor sensitive tells
    the others apart: two people would differ in it.
    """
    memo = data.memo("@copies")
    if "found" not in memo:
        brought_over = data.distant or data.times is not None or not _has_all(data)
        memo["found"] = None if brought_over else _copies(data)
    found: Numbers | None = memo["found"]
    return found


def _has_all(data: Data) -> bool:
    """Whether all attributes are at hand; what was brought over for a question has some of them."""
    return set(data.schema.attributes) <= set(data.source.attributes)


def copied(data: Data) -> int:
    """How many records are copies of others, wherever they are counted."""
    if not isinstance(data.source, Distant) or not data.distant:
        same = copies(data)
        return 0 if same is None else data.records - (int(same.max()) + 1)
    most = _values_that_tell_apart(data)
    if not most:
        return 0
    distinct = data.source.distinct(data.schema.attributes)
    return 0 if most < TELLS_APART * distinct else data.records - distinct


def _copies(data: Data) -> Numbers | None:
    most = _values_that_tell_apart(data)
    if not most:
        return None
    numbers, distinct = _hashed(data)
    return None if distinct == data.records or most < TELLS_APART * distinct else numbers


def _values_that_tell_apart(data: Data) -> int:
    """The most values of an attribute that is neither key nor sensitive; 0 where all differ."""
    schema, records = data.schema, data.records
    given = {*schema.quasi_identifiers, *schema.sensitive, data.weights}
    summaries = [data.summary(name) for name in schema.attributes if name not in given]
    if any(one.lone == records for one in summaries):
        return 0
    return max((one.distinct for one in summaries if one.present == records > one.distinct > 1), default=0)


def _hashed(data: Data) -> tuple[Numbers, int]:
    """Records numbered by all their values, through a hash of 64 bits."""
    mixed = np.zeros(data.source.records, np.uint64)
    for name in data.schema.attributes:
        mixed = (mixed ^ data.column(name).codes.astype(np.uint64)) * _ODD
        mixed ^= mixed >> np.uint64(29)
    return ranked(mixed)
