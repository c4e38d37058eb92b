"""Sets that are made of classes and may overlap: numbers of classes added up over each set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[Any]


class SetCells(NamedTuple):
    """Numbers by row and column, in that order, each place once."""

    row: Numbers
    column: Numbers
    number: Numbers


def set_cells(row: Numbers, column: Numbers, number: Numbers, columns: int) -> SetCells:
    """Numbers at the same place added up."""
    place, which = np.unique(row.astype(np.int64) * columns + column, return_inverse=True)
    total = np.zeros(len(place), number.dtype)
    np.add.at(total, which, number)
    return SetCells(place // columns, place % columns, total)


@dataclass(frozen=True, eq=False)
class ClassSets:
    """Sets of classes: those of set ``s`` are ``members[starts[s] : starts[s + 1]]``, one at the least."""

    starts: Numbers
    members: Numbers
    classes: int

    @classmethod
    def of_pairs(cls, sets: Numbers, classes: Numbers, many: int) -> ClassSets:
        """From pairs of a set and a class in it."""
        order = np.lexsort((classes, sets))
        return cls(np.r_[0, np.cumsum(np.bincount(sets))], classes[order], many)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def taken(self, sets: Numbers) -> ClassSets:
        """Some of the sets, which may be taken several times."""
        sizes = np.diff(self.starts)[sets]
        members = self.members[_ranges(self.starts[sets], sizes)]
        return ClassSets(np.r_[0, np.cumsum(sizes)], members, self.classes)

    def added_up(self, of_classes: Numbers) -> Numbers:
        """Numbers of classes, added up over each set."""
        return np.add.reduceat(of_classes[self.members], self.starts[:-1])

    def spread(self, of_sets: Numbers) -> Numbers:
        """Numbers of sets, added up over the sets that each class is in."""
        found = np.zeros(self.classes, of_sets.dtype)
        np.add.at(found, self.members, np.repeat(of_sets, np.diff(self.starts)))
        return found

    def work(self, entries: Numbers) -> int:
        """How many additions it takes to add up cells of which each class has so many."""
        return int(entries[self.members].sum())

    def joined(self, of_classes: SetCells, columns: int) -> SetCells:
        """SetCells whose rows are classes, added up over the classes of each set."""
        entries = np.bincount(of_classes.row, minlength=self.classes)
        starts = np.cumsum(entries) - entries
        many = entries[self.members]
        owner = np.repeat(np.repeat(np.arange(len(self)), np.diff(self.starts)), many)
        entry = _ranges(starts[self.members], many)
        return set_cells(owner, of_classes.column[entry], of_classes.number[entry], columns)


def _ranges(starts: Numbers, sizes: Numbers) -> Numbers:
    """Ranges of numbers one after the other."""
    return np.repeat(starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum()))
