"""Several columns as one: a whole number for each row, equal where all columns are, in their order."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.counting import MOST_ROWS, ranks, ranks_by_marks
from divulge.table.codes import Codes

Integers = npt.NDArray[Any]
Column = tuple[Integers, int]  # whole numbers from 0 on, and how many different ones there can be
LARGEST_WORD = 1 << 62
LISTED, LONGEST = 64, 1 << 22  # entries of a list for each record, and of any list
MARKED, MOST_MARKED = 64, 1 << 29  # bits for each number, and of any row of bits, by which loops rank them
LOOPS_PAY = 1 << 14  # numbers from which a compiled loop ranks them
_NARROW = 1 << 32


class RowCombinations(NamedTuple):
    """The combinations of values that occur, in order: the first row of each, and the number of each row."""

    first: Integers
    number: Integers


def packed(columns: Iterable[Column], records: int) -> Integers:
    """One whole number for each record; records are alike, and in order, as they are by all columns.

    Where the numbers would become too large, those of the columns so far are replaced by their ranks.

    >>> packed([(np.array([0, 1, 1]), 2), (np.array([2, 0, 2]), 3)], 3).tolist()
    [2, 3, 5]
    """
    word, bound = np.zeros(records, np.uint32), 1
    for codes, cardinality in columns:
        if bound * cardinality > LARGEST_WORD:
            word, bound = ranked(word)
            if bound == records:  # all are told apart already, and in order
                return word
        bound *= cardinality
        kind = np.uint32 if bound <= _NARROW else np.int64
        if bound == cardinality:
            word = codes.astype(kind)
            continue
        word = word.astype(kind, copy=False)
        word *= kind(cardinality)
        np.add(word, codes, out=word, casting="unsafe")
    return word


def numbered(columns: Iterable[Column], records: int, most: int) -> tuple[Integers, int]:
    """The same numbers and their bound; their ranks where the bound would be larger than ``most``."""
    columns, word, bound = list(columns), np.zeros(records, np.int64), 1
    whole = math.prod(cardinality for _, cardinality in columns)
    if whole <= most:
        return packed(columns, records).astype(np.int64), whole
    marked = _marked(records)
    most = max(most, marked)
    for codes, cardinality in columns:
        if bound * cardinality > most:
            word, bound = ranked(word, bound)
            if bound == records:
                return word, bound
        if bound * cardinality > max(_longest(records), marked):
            return ranked(packed(columns, records))
        bound *= cardinality
        word *= cardinality
        np.add(word, codes, out=word, casting="unsafe")
    return ranked(word, bound)


def ranked(numbers: Integers, bound: int | None = None) -> tuple[Integers, int]:
    """The same numbers without gaps, in the same order, and how many there are; quicker below a low bound.

    >>> ranked(np.array([5, 9, 5, 2]), 10)[0].tolist()
    [1, 2, 1, 0]
    """
    if _by_loops(numbers) and (below := _bound_of_marks(numbers, bound)) is not None:
        rank, _, found = ranks_by_marks(np.ascontiguousarray(numbers), below, first=False)
        return rank, found
    if bound is None or bound > _longest(len(numbers)):
        first, number = told_apart(numbers)
        return number, len(first)
    there = np.zeros(bound, bool)
    there[numbers] = True
    used = np.flatnonzero(there)
    rank = np.empty(bound, np.int64)
    rank[used] = np.arange(len(used))
    return rank[numbers], len(used)


def _by_loops(numbers: Integers) -> bool:
    """Whether loops rank these numbers."""
    return LOOPS_PAY <= len(numbers) < MOST_ROWS and numbers.dtype.kind in "ui" and library.built()


def _marked(records: int) -> int:
    """How many different numbers loops rank by a bit for each; 0 where NumPy ranks them."""
    return min(MARKED * records, MOST_MARKED) if records >= LOOPS_PAY and library.built() else 0


def _bound_of_marks(numbers: Integers, bound: int | None = None) -> int | None:
    """A bound of numbers that are ranked by a bit for each; None where they are sorted."""
    if numbers.itemsize < 4:
        return None
    if bound is None or bound > _marked(len(numbers)):
        if numbers.dtype.kind != "u" and int(numbers.min()) < 0:
            return None
        bound = int(numbers.max()) + 1
    return bound if bound <= _marked(len(numbers)) else None


def _longest(records: int) -> int:
    """How many different numbers are looked up in a list; to sort more is quicker, or takes less memory."""
    return min(LISTED * records, LONGEST)


def combinations(columns: Iterable[Column], records: int) -> RowCombinations:
    """The combinations of the columns' values that occur."""
    return told_apart(packed(columns, records))


def told_apart(numbers: Integers) -> RowCombinations:
    """The different numbers in order: the first row of each, and the rank of each row's.

    >>> told_apart(np.array([5, 9, 5, 2]))
    RowCombinations(first=array([3, 0, 1]), number=array([1, 2, 1, 0]))
    """
    if _by_loops(numbers) and len(numbers):
        if (below := _bound_of_marks(numbers)) is not None:
            rank, first, _ = ranks_by_marks(np.ascontiguousarray(numbers), below)
            assert first is not None
            return RowCombinations(first, rank)
        if numbers.dtype.kind == "u" or int(numbers.min()) >= 0:
            rank, first = ranks(np.ascontiguousarray(numbers, dtype=np.uint64))
            return RowCombinations(first, rank)
    _, first, number = np.unique(numbers, return_index=True, return_inverse=True)
    return RowCombinations(first, number.astype(np.int64, copy=False))


def distinct(columns: Iterable[Column], records: int) -> int:
    """How many combinations of the columns' values occur."""
    word = np.sort(packed(columns, records))
    return int(np.count_nonzero(word[1:] != word[:-1])) + bool(records)


def coded(columns: Iterable[Codes]) -> list[Column]:
    """Attributes as columns to be packed."""
    return [(column.codes, column.cardinality) for column in columns]


def of_matrix(matrix: Integers) -> list[Column]:
    """The columns of a matrix of whole numbers from 0 on."""
    return [(column, int(column.max(initial=0)) + 1) for column in matrix.T]


def common_codes(one: Codes, other: Codes) -> tuple[Integers, Integers, int]:
    """Two columns in numbers that are the same where values read the same, and how many there are."""
    number: dict[str, int] = {}
    tables = [
        np.array([0, *(number.setdefault(str(value), len(number) + 1) for value in column.values)])
        for column in (one, other)
    ]
    return tables[0][one.codes], tables[1][other.codes], len(number) + 1
