"""Records as rows of numbers for a learner, in the values of the original or of the release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from divulge.utility.numbering import Floats, Integers, used
from divulge.utility.values import Paired

MOST_CATEGORIES = 100  # values of an attribute that get a column; rarer ones are told apart by none
FARTHEST = 1e6  # standard deviations
Side = Literal["original", "released"]
Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Split:
    """The records to learn from, and those held out to be tested on."""

    train: Integers
    test: Integers


def encoded(columns: Sequence[Paired], split: Split, side: Side) -> tuple[Matrix, Matrix]:
    """The training records of one table, and the held-out originals in the same columns.

    Numbers are standardised, with gaps at the mean, if both tables have them or the original more of them
    than could get a column each. Other attributes have a column of 0 and 1 for each value. Held-out
    originals are brought into values of the release where it has others than the original.
    """
    parts = [_column(column, split, side) for column in columns]
    train, test = (np.concatenate(blocks, axis=1, dtype=np.float32) for blocks in zip(*parts, strict=True))
    return train, test


def same_values(column: Paired) -> bool:
    """Whether the release has values of the original and no others, and at least one."""
    return column.comparable and bool(used(column.released)[1:-1].any())


def counterparts(column: Paired, rows: Integers) -> Integers:
    """For each code of the original the one that most of its records have in the release; -1 if none.

    A number that no record has goes with the nearest that one has.
    """
    words = column.original.codes[rows].astype(np.int64) * column.cardinality + column.released.codes[rows]
    words, often = np.unique(words, return_counts=True)
    found = np.full(column.cardinality, -1)
    order = np.argsort(often, kind="stable")  # of what is written to one place, the last remains
    found[words[order] // column.cardinality] = words[order] % column.cardinality
    if column.own_numbers is not None:
        unseen = np.flatnonzero((found < 0) & ~np.isnan(column.own_numbers))
        seen = np.flatnonzero((found >= 0) & ~np.isnan(column.own_numbers))
        if len(seen):
            found[unseen] = found[seen[_nearest(column.own_numbers[seen], column.own_numbers[unseen])]]
    return found


def _nearest(numbers: Floats, wanted: Floats) -> Integers:
    """The place of the nearest number to each that is wanted."""
    order = np.argsort(numbers)
    halfway = (numbers[order][1:] + numbers[order][:-1]) / 2
    return order[np.searchsorted(halfway, wanted)]


def _column(column: Paired, split: Split, side: Side) -> tuple[Floats, Floats]:
    train = getattr(column, side).codes[split.train].astype(np.int64)
    test = column.original.codes[split.test].astype(np.int64)
    numbers = column.numbers
    if side == "original" and column.cardinality > MOST_CATEGORIES:
        numbers = column.own_numbers
    if numbers is not None:
        return _standardised(numbers[train], numbers[test])
    if side == "released" and not same_values(column):
        test = counterparts(column, split.train)[test]
    return _indicators(train, test)


def _standardised(train: Floats, test: Floats) -> tuple[Floats, Floats]:
    """Numbers from the mean of the training records, in their standard deviations; gaps at the mean."""
    there = train[~np.isnan(train)]
    if not len(there) or np.ptp(there) == 0:
        return np.zeros((len(train), 1)), np.zeros((len(test), 1))
    unit = np.abs(there).max()  # so that no number is too large to be squared
    middle, spread = (there / unit).mean(), (there / unit).std()
    with np.errstate(over="ignore"):
        found = [np.clip((part / unit - middle) / spread, -FARTHEST, FARTHEST) for part in (train, test)]
    return np.nan_to_num(found[0])[:, None], np.nan_to_num(found[1])[:, None]


def _indicators(train: Integers, test: Integers) -> tuple[Floats, Floats]:
    often = np.bincount(train)
    codes = np.argsort(-often, kind="stable")[:MOST_CATEGORIES]
    # A value that all training records have tells them apart from none but those held out.
    codes = codes[(often[codes] > 0) & (often[codes] < len(train))]
    return (train[:, None] == codes).astype(np.float64), (test[:, None] == codes).astype(np.float64)
