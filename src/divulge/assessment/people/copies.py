"""Records that are copies of others: alike in everything, though something tells the others apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.questions.data import Data
from divulge.table.packing import coded, packed, ranked

Numbers = npt.NDArray[Any]
TELLS_APART = 0.95  # values per different record from which on an attribute tells records apart
SOME = 20  # different records below which that they repeat says nothing
COMMON = 0.9  # share of records that agree in all but the keys, from which on copies cannot be told
_ODD = np.uint64(0x9E3779B97F4A7C15)


def copies(data: Data) -> Numbers | None:
    """A number for each record that its copies share; None where there are no copies.

    Records alike in everything are copies where an attribute that is neither key nor sensitive tells
    the others apart: two people would differ in it.
    """
    memo = data.memo("@copies")
    if "found" not in memo:
        memo["found"] = _copies(data) if data.has_each_record() else None
    found: Numbers | None = memo["found"]
    return found


def copied(data: Data) -> int:
    """How many records are copies of others, wherever they are counted."""
    if data.has_each_record():
        same = copies(data)
        return 0 if same is None else data.records - (int(same.max()) + 1)
    if data.times is not None or not set(data.schema.attributes) <= set(data.source.attributes):
        return 0  # rows that were brought over for a question, with what it is about
    most = _values_that_tell_apart(data)
    if not most:
        return 0
    distinct = data.distinct(data.schema.attributes)
    return 0 if most < TELLS_APART * distinct else data.records - distinct


def _copies(data: Data) -> Numbers | None:
    values = [data.column(name).cardinality - 1 for name in _without_role(data)]
    if max(values, default=0) < TELLS_APART * _different_at_least(data):
        return None
    most = _values_that_tell_apart(data)
    if not most:
        return None
    mixed = np.sort(_mixed(data, data.schema.attributes))
    distinct = int(np.count_nonzero(mixed[1:] != mixed[:-1])) + 1
    return None if distinct == data.records or most < TELLS_APART * distinct else _hashed(data)[0]


def look_copied(data: Data) -> int | None:
    """How many records are different where all look copied; None where they do not, or cannot be told.

    Either each different record occurs equally often, or once more, although the keys nearly tell the
    different ones apart: people who share all keys would differ in something else, and in their number.
    """
    schema = data.schema
    if schema.identifiers or not data.has_each_record():
        return None
    if any(2 * data.summary(name).distinct > data.records for name in schema.attributes):
        return None
    distinct, least, most = _repeated(data)
    if distinct < SOME or 2 * distinct > data.records:
        return None
    if most - least != 1:
        return distinct if most == least else None
    keys = schema.quasi_identifiers
    rest, _ = _hashed(data, [name for name in schema.attributes if name not in keys])
    varied = int(np.bincount(rest).max()) < COMMON * data.records
    told_apart = _hashed(data, keys)[1] >= TELLS_APART * distinct
    return distinct if varied and told_apart else None


def _repeated(data: Data) -> tuple[int, int, int]:
    """How many records are different, and the fewest and the most times that one of them occurs."""
    memo = data.memo("@repeated")
    if data.missing_values not in memo:
        numbers, distinct = _hashed(data)
        often = np.bincount(numbers)
        memo[data.missing_values] = distinct, int(often.min()), int(often.max())
    found: tuple[int, int, int] = memo[data.missing_values]
    return found


def _values_that_tell_apart(data: Data) -> int:
    """The most values of an attribute that is neither key nor sensitive; 0 where all differ."""
    records = data.records
    summaries = [data.summary(name) for name in _without_role(data)]
    if any(one.lone == records for one in summaries):
        return 0
    return max((one.distinct for one in summaries if one.present == records > one.distinct > 1), default=0)


def _without_role(data: Data) -> list[str]:
    """The attributes that are neither key nor sensitive."""
    given = {*data.schema.quasi_identifiers, *data.schema.sensitive, data.weights}
    return [name for name in data.schema.attributes if name not in given]


def _different_at_least(data: Data) -> int:
    """How many records differ at least: combinations of two attributes with many values, if soon counted."""
    columns = sorted(map(data.column, data.schema.attributes), key=lambda one: -one.cardinality)[:2]
    bound = math.prod(column.cardinality for column in columns)
    if bound > data.records:
        return 1
    return int(np.count_nonzero(np.bincount(packed(coded(columns), data.source.records), minlength=bound)))


def _hashed(data: Data, attributes: Sequence[str] | None = None) -> tuple[Numbers, int]:
    """Records numbered by all their values, or those of some attributes, through a hash of 64 bits."""
    return ranked(_mixed(data, data.schema.attributes if attributes is None else attributes))


def _mixed(data: Data, attributes: Sequence[str]) -> Numbers:
    """A hash of 64 bits for each record."""
    mixed = np.zeros(data.source.records, np.uint64)
    for name in attributes:
        mixed ^= data.column(name).codes
        mixed *= _ODD
        mixed ^= mixed >> np.uint64(29)
    return mixed
