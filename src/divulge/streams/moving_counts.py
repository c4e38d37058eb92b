"""Joint counts of records that come and go; what they reduce to is worked out from changed classes alone."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from divulge._support.shares import entropy
from divulge._support.threads import cached_property
from divulge.counting.counts import (
    RECORD,
    Cells,
    Counts,
    Floats,
    Integers,
    JointCounts,
    UnweightedCounts,
)
from divulge.counting.statistics import Statistic
from divulge.errors import Undefined
from divulge.measures.registry import Measure, Parameters
from divulge.streams.growing_array import GrowingArray
from divulge.streams.reduction_tree import Reduced, ReductionTree

BITS = 32  # of the number of a value
ROOM = 1024  # cells that nobody is in, and records that left, up to which none are cleared away


class WholeTableNeeded(Undefined):
    """A reading depends on the whole table and not on classes one by one."""

    def __init__(self) -> None:
        super().__init__("it depends on all records at once, and is computed from them again")


@dataclass(frozen=True, eq=False, repr=False)
class MovingReductions(UnweightedCounts):
    """What the classes of a moment reduce to; measures read it like other counts."""

    size: Integers
    target_values: Sequence[object]
    margin: Floats
    reduce: Callable[[Statistic], Reduced]
    multiplicity: Integers | None = None
    keys: tuple[str, ...] = ()
    target: str = RECORD
    by_person: bool = False
    ground: dict[str, Any] = field(default_factory=dict)
    _statistics: dict[Any, Any] = field(default_factory=dict)

    @cached_property
    def entropy(self) -> float:
        if self.about_records and not self.by_person:
            return float(np.log2(self.records))
        return entropy(self.margin)

    def statistic(self, statistic: Statistic) -> Floats:
        raise WholeTableNeeded

    def in_cells(self) -> JointCounts:
        raise WholeTableNeeded

    def with_ground(self, **ground: Any) -> Counts:
        raise WholeTableNeeded

    def total(self, statistic: Statistic) -> float:
        return self.reduce(statistic).total

    def least(self, statistic: Statistic) -> float:
        return self.reduce(statistic).least

    def most(self, statistic: Statistic) -> float:
        return self.reduce(statistic).most

    def over_records(self, statistic: Statistic) -> float:
        return self.reduce(statistic).weighted

    def over_weight(self, statistic: Statistic) -> float:
        return self.reduce(statistic).weighted


def follows(measure: Measure, parameters: Parameters) -> bool:
    """Whether a measure is read from classes that each tell their part, so that it can be followed.

    What compares classes with the whole table changes in all of them with every record.
    """
    return measure.by_class is None or measure.statistic(parameters).of_class


class MovingCounts:
    """Records by class and target value, which leave in the order in which they came.

    The target of a question about records is the person, where an identifier says who that is, and
    otherwise one value for all. Numbers of cells that nobody is in are used again from time to time, so that
    memory follows what is there at one time.

    >>> counts = MovingCounts(("age",), "@record")
    >>> counts.move(["20s", "20s", "30s"], [None, None, None])
    >>> counts.now.records, counts.now.classes
    (3, 2)
    >>> counts.move([], [], leaving=2)
    >>> counts.now.records, counts.now.classes
    (1, 1)
    """

    def __init__(self, keys: tuple[str, ...], target: str, *, by_person: bool = False) -> None:
        self.keys, self.target, self.by_person = keys, target, by_person
        self._trees: dict[Statistic, ReductionTree] = {}
        self._clear()

    def _clear(self) -> None:
        self._classes: dict[Hashable, int] = {}
        self._values: dict[Hashable, int] = {}
        self._cells: dict[int, int] = {}  # by the numbers of their class and value, in one
        self._sizes, self._first, self._width = GrowingArray(), GrowingArray(), GrowingArray()  # of classes
        self._count, self._owner, self._value, self._next = (GrowingArray() for _ in range(4))  # of cells
        self._margin, self._classes_of = GrowingArray(), GrowingArray()  # records by value, classes by size
        self._queue = GrowingArray()  # the cell of each record, in the order in which they came
        self._left = 0  # of the queue
        self._trees = {statistic: ReductionTree() for statistic in self._trees}

    @property
    def now(self) -> MovingReductions:
        """What is to be read at this moment."""
        classes_of, margin = self._classes_of.filled, self._margin.filled
        sizes, values = np.flatnonzero(classes_of), np.flatnonzero(margin)
        return MovingReductions(
            sizes,
            range(len(values)),
            margin[values].astype(np.float64),
            self._reduced,
            classes_of[sizes],
            self.keys,
            self.target,
            self.by_person,
        )

    def move(self, classes: Sequence[Hashable], values: Sequence[Hashable], *, leaving: int = 0) -> None:
        """Add records by their classes and target values, of which None is no class and is not counted.

        Then those leave that came first, of all that were added, counted or not.
        """
        arrived = self._numbered(classes, values)
        self._queue.extend(arrived)
        left = self._queue.filled[self._left : self._left + leaving]
        self._left += leaving
        self._apply(arrived[arrived >= 0], left[left >= 0])
        if self._left > max(len(self._queue) // 2, ROOM):
            self._queue.drop(self._left)
            self._left = 0
        self._tidy()

    # -- numbers for what comes ------------------------------------------------------------------------

    def _numbered(self, classes: Sequence[Hashable], values: Sequence[Hashable]) -> Integers:
        """The number of each record's cell; -1 where it is not counted."""
        owners = _numbers(self._classes, classes, self._open_classes)
        targets = _numbers(self._values, values, self._open_values)
        named = (np.array(owners, np.int64) << BITS) + np.array(targets, np.int64)
        numbers = np.array(_numbers(self._cells, named.tolist(), self._open_cells), np.int64)
        if None in self._classes:
            numbers[named >> BITS == self._classes[None]] = -1
        return numbers

    def _open_classes(self, names: Sequence[Hashable]) -> None:
        self._first.extend(np.full(len(names), -1))
        for of_classes in (self._width, self._sizes):
            of_classes.extend(np.zeros(len(names), np.int64))

    def _open_values(self, values: Sequence[Hashable]) -> None:
        self._margin.extend(np.zeros(len(values), np.int64))

    def _open_cells(self, cells: Sequence[int]) -> None:
        """Put new cells first into the chains of their classes."""
        named = np.array(cells, np.int64)
        owner, value = named >> BITS, named & ((1 << BITS) - 1)
        number = np.arange(len(self._count), len(self._count) + len(cells))
        order = np.argsort(owner, kind="stable")
        ends = np.append(owner[order][1:] != owner[order][:-1], True)
        follows = np.empty(len(cells), np.int64)
        follows[order[1:]] = number[order[:-1]]
        begins = order[np.append(True, ends[:-1])]
        follows[begins] = self._first.filled[owner[begins]]
        self._first.filled[owner[order[ends]]] = number[order[ends]]
        np.add.at(self._width.filled, owner, 1)
        self._count.extend(np.zeros(len(cells), np.int64))
        for of_cells, more in ((self._owner, owner), (self._value, value), (self._next, follows)):
            of_cells.extend(more)

    # -- what changes ----------------------------------------------------------------------------------

    def _apply(self, arrived: Integers, left: Integers) -> None:
        owner, value = self._owner.filled, self._value.filled
        changed = np.unique(np.concatenate([owner[arrived], owner[left]]))
        before = self._sizes.filled[changed]
        for cells, add in ((arrived, np.add), (left, np.subtract)):
            add.at(self._count.filled, cells, 1)
            add.at(self._sizes.filled, owner[cells], 1)
            add.at(self._margin.filled, value[cells], 1)
        after = self._sizes.filled[changed]
        self._classes_of.reach(int(after.max(initial=0)))
        np.subtract.at(self._classes_of.filled, before, 1)
        np.add.at(self._classes_of.filled, after, 1)
        self._classes_of.filled[0] = 0
        self._write(self._trees, changed[after > 0])
        for tree in self._trees.values():
            tree.take(changed[after == 0])

    def _write(self, trees: dict[Statistic, ReductionTree], classes: Integers) -> None:
        """The statistics of some classes, put into their trees."""
        if len(classes) and trees:
            counts = self._counts_of(classes)
            for statistic, tree in trees.items():
                tree.put(classes, counts.statistic(statistic).astype(np.float64), counts.size)

    def _reduced(self, statistic: Statistic) -> Reduced:
        """What a statistic reduces to; it is followed from the first time that it is asked for."""
        if not statistic.of_class:
            raise WholeTableNeeded
        if statistic not in self._trees:
            self._trees[statistic] = ReductionTree()
            self._write({statistic: self._trees[statistic]}, np.flatnonzero(self._sizes.filled))
        return self._trees[statistic].reduced

    def _counts_of(self, classes: Integers) -> JointCounts:
        """The joint counts of some classes that somebody is in."""
        sizes = self._sizes.filled[classes]
        if self.target == RECORD and not self.by_person:
            return JointCounts(sizes, None)
        cells = self._cells_of(classes)
        count = self._count.filled[cells]
        there = count > 0
        start = np.concatenate([[0], np.cumsum(self._width.filled[classes])])
        start = np.concatenate([[0], np.cumsum(there)])[start]
        kept = count[there]
        held = Cells(start, self._value.filled[cells[there]], kept, kept)
        people = np.diff(start) if self.target == RECORD else None
        return JointCounts(sizes, held, range(len(self._margin)), subjects=people, target=self.target)

    def _cells_of(self, classes: Integers) -> Integers:
        """The cells of some classes, class by class: each class has a chain of them."""
        width = self._width.filled[classes]
        found = np.empty(int(width.sum()), np.int64)
        place = np.concatenate([[0], np.cumsum(width)[:-1]])
        at = self._first.filled[classes]
        while len(at):
            found[place] = at
            at = self._next.filled[at]
            more = at >= 0
            at, place = at[more], place[more] + 1
        return found

    def _tidy(self) -> None:
        """Number what is there anew where most cells are empty."""
        empty = np.count_nonzero(self._count.filled == 0)
        if empty <= max(len(self._count) // 2, ROOM):
            return
        names, values = list(self._classes), list(self._values)
        queue = self._queue.filled[self._left :]
        owner, value = self._owner.filled.tolist(), self._value.filled.tolist()
        cells = queue.tolist()
        self._clear()
        self.move(
            [None if cell < 0 else names[owner[cell]] for cell in cells],
            [None if cell < 0 else values[value[cell]] for cell in cells],
        )


def _numbers(
    known: dict[Any, int], names: Sequence[Any], opened: Callable[[Sequence[Any]], None]
) -> list[int]:
    """The number of each name; those that are not known get the next, and are opened together."""
    found = list(map(known.get, names))
    if None not in found:
        return found  # type: ignore[return-value]
    new = list(dict.fromkeys(name for name, number in zip(names, found, strict=True) if number is None))
    known.update(zip(new, range(len(known), len(known) + len(new)), strict=True))
    opened(new)
    return list(map(known.__getitem__, names))
