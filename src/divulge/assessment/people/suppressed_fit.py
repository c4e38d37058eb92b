"""Sets of people who could be meant where cells are suppressed: a star fits any value, so sets overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.assessment.people.people import CodedRows, first_of_each
from divulge.counting.wildcard import TOO_MANY, compatible
from divulge.errors import Undefined
from divulge.table.packing import combinations, of_matrix

Numbers = npt.NDArray[Any]
SUPPRESSED = -1
MOST = 20_000_000  # pairs of sets that fit each other, or of sets and people: some seconds


def fitting(
    rows: CodedRows, keys: Sequence[str], chosen: Numbers | slice, stands_for: Numbers | None = None
) -> tuple[Numbers, Numbers, Numbers | None]:
    """The set of each row, how many people fit each set, and how many of the population these stand for.

    ``stands_for`` has what the person of each row stands for.

    Rows that are not chosen have no set, and are numbered 0. Undefined where too many fit each other.
    """
    hidden = rows.hidden(keys)
    columns = [rows.column(key).codes.astype(np.int64) for key in keys]
    for key, column in zip(keys, columns, strict=True):
        if key in hidden:
            column[hidden[key]] = SUPPRESSED
    codes = np.stack(columns, axis=1)[chosen]
    first, place = combinations(of_matrix(codes - SUPPRESSED), len(codes))
    patterns = codes[first]
    numbers = np.zeros(len(columns[0]), np.int64)
    numbers[chosen] = place
    one, other = compatible(patterns, patterns == SUPPRESSED, MOST)
    weighed = None
    if stands_for is not None and rows.person is None:
        own = np.bincount(numbers[chosen], weights=stands_for[chosen], minlength=len(patterns))
        weighed = np.bincount(one, weights=own[other], minlength=len(patterns))
    if rows.person is not None:
        weight = None if stands_for is None else stands_for[chosen]
        return numbers, *_people(numbers[chosen], rows.person[chosen], weight, one, other, len(patterns))
    sizes = rows.sizes(numbers, len(patterns), chosen)
    found = np.bincount(one, weights=sizes[other], minlength=len(patterns))
    return numbers, found.astype(np.int64), weighed


def _people(
    numbers: Numbers, person: Numbers, weight: Numbers | None, one: Numbers, other: Numbers, sets: int
) -> tuple[Numbers, Numbers | None]:
    """How many people have a record in a set or in one that fits it, each once, and what they weigh."""
    cells = first_of_each(numbers, person)
    start = np.searchsorted(numbers[cells], np.arange(sets + 1))
    length = np.diff(start)[other]
    if int(length.sum()) > MOST:
        raise Undefined(TOO_MANY)
    place = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length - start[other], length)
    fits = np.repeat(one, length)
    once = first_of_each(fits, person[cells[place]])
    sizes = np.bincount(fits[once], minlength=sets)
    return sizes, None if weight is None else np.bincount(fits[once], weight[cells[place[once]]], sets)


def overlap(rows: CodedRows, keys: Sequence[str]) -> bool:
    """Whether suppressed cells fit any value, so that sets of people overlap."""
    kept = rows.kept(keys, None)
    return rows.stars_fit and (kept is None or len(kept) > 0) and bool(rows.hidden(keys))
