"""Records as rows of numbers for a learner, in columns that the original alone decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from divulge.table.packing import packed
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

    What columns there are follows from the training records of the original: one of standardised numbers,
    with gaps at the mean, where the original has numbers; otherwise one of 0 and 1 for each value. Released
    values are put into these columns by what they stand for. Held-out originals are brought into values of
    the release where it has others than the original. Columns that do not vary in training are left out.
    """
    parts = [_column(column, split, side) for column in columns]
    train, test = (np.concatenate(blocks, axis=1, dtype=np.float32) for blocks in zip(*parts, strict=True))
    varying = np.ptp(train, axis=0) > 0 if len(train) else np.zeros(train.shape[1], bool)
    return train[:, varying], test[:, varying]


def same_values(column: Paired) -> bool:
    """Whether the release has values of the original and no others, and at least one."""
    return column.comparable and bool(used(column.released)[1:-1].any())


def counterparts(column: Paired, rows: Integers) -> Integers:
    """For each code of the original the one that most of its records have in the release; -1 if none.

    A number that no record has goes with the nearest that one has.
    """
    sides = ((side.codes[rows], column.cardinality) for side in (column.original, column.released))
    words, often = np.unique(packed(sides, len(rows)), return_counts=True)
    found = np.full(column.cardinality, -1)
    order = np.argsort(often, kind="stable")  # of what is written to one place, the last remains
    found[words[order] // column.cardinality] = words[order] % column.cardinality
    if column.own_numbers is not None:
        unseen = np.flatnonzero((found < 0) & ~np.isnan(column.own_numbers))
        seen = np.flatnonzero((found >= 0) & ~np.isnan(column.own_numbers))
        if len(seen):
            found[unseen] = found[seen[_nearest(column.own_numbers[seen], column.own_numbers[unseen])]]
    return found


def as_numbers(column: Paired) -> Floats | None:
    """The number of each code where the original has numbers; NaN where a released value tells none.

    A group of numbers lies halfway between the least and the greatest that the original has in it.
    """
    if column.numbers is not None or column.own_numbers is None:
        return column.numbers
    found = column.own_numbers.copy()
    for code, group in column.meanings.groups.items():
        members = column.own_numbers[group]
        found[code] = members.min() / 2 + members.max() / 2
    return found


def _nearest(numbers: Floats, wanted: Floats) -> Integers:
    """The place of the nearest number to each that is wanted."""
    order = np.argsort(numbers)
    halfway = (numbers[order][1:] + numbers[order][:-1]) / 2
    return order[np.searchsorted(halfway, wanted)]


def _column(column: Paired, split: Split, side: Side) -> tuple[Floats, Floats]:
    learned = column.original.codes[split.train].astype(np.int64)
    numbers = as_numbers(column)
    rows = _indicators(column, learned) if numbers is None else _standardised(numbers, numbers[learned])
    test = column.original.codes[split.test].astype(np.int64)
    if side == "original":
        return rows[learned], rows[test]
    if not same_values(column):
        there = counterparts(column, split.train)[test]
        test = np.where(there < 0, test, there)
    return rows[column.released.codes[split.train]], rows[test]


def _standardised(numbers: Floats, learned: Floats) -> Floats:
    """A row for each code: its distance from the mean of the training originals, in standard deviations."""
    there = learned[~np.isnan(learned)]
    if not len(there) or np.ptp(there) == 0:
        return np.zeros((len(numbers), 1))
    unit = np.abs(there).max()  # so that no number is too large to be squared
    middle, spread = (there / unit).mean(), (there / unit).std()
    with np.errstate(over="ignore"):
        found = np.clip((numbers / unit - middle) / spread, -FARTHEST, FARTHEST)
    return np.nan_to_num(found)[:, None]


def _indicators(column: Paired, learned: Integers) -> Floats:
    """A row for each code: 1 under its own value, and for a group the share of each value in it.

    What tells nothing, or cannot be read, has the shares of all training originals.
    """
    often = np.bincount(learned, minlength=column.cardinality)
    chosen = np.argsort(-often, kind="stable")[:MOST_CATEGORIES]
    # A value that all training records have tells them apart from none but those held out.
    chosen = chosen[(often[chosen] > 0) & (often[chosen] < len(learned))]
    found = (np.arange(column.cardinality)[:, None] == chosen).astype(np.float64)
    own = used(column.original)
    found[~own] = often[chosen] / max(len(learned), 1)
    if not same_values(column):
        for code, group in column.meanings.groups.items():
            weights = often[group] if often[group].any() else np.ones(len(group))
            found[code] = weights @ found[group] / weights.sum()
    return found
