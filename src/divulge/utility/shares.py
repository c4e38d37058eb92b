"""The share of records that each combination of values has in each of two tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from divulge.table.packing import packed
from divulge.utility.numbering import Floats
from divulge.utility.values import Paired

LARGEST_TABLE = 1 << 22  # cells beyond which attributes are not taken together: most would hold nobody


def taken_together(columns: Sequence[Paired], size: int) -> Iterator[tuple[Paired, ...]]:
    """So many attributes at a time, except where their table would be too large."""
    for chosen in combinations(columns, size):
        if size == 1 or math.prod(column.cardinality for column in chosen) <= LARGEST_TABLE:
            yield chosen


def shares(columns: Sequence[Paired]) -> tuple[Floats, Floats]:
    """Shares in the original and in the release, over the combinations that occur in either."""
    records = len(columns[0].original.codes)
    words = packed(((column.both, column.cardinality) for column in columns), len(columns[0].both))
    bound = math.prod(column.cardinality for column in columns)
    ours, theirs = (np.bincount(side, minlength=bound) for side in (words[:records], words[records:]))
    there = np.flatnonzero(ours + theirs)
    return ours[there] / records, theirs[there] / (len(words) - records)
