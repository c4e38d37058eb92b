"""The rows of a table with whom they are about: sets of people alike, and how many in each have a value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.counting import MOST_ROWS, MOST_TALLIED
from divulge._support.threads import cached_property
from divulge.alignment.elsewhere import stays
from divulge.assessment.people.cell_blocks import CellBlocks
from divulge.assessment.people.copies import copies
from divulge.assessment.people.originals import OriginalValues
from divulge.assessment.people.people_table import PeopleTable, of_cells, of_table
from divulge.counting.counts import RECORD
from divulge.engines.memory.cell_tables import added_up, cell_table, listed
from divulge.engines.memory.sparse import sharing
from divulge.questions.data import Data
from divulge.questions.question import Question
from divulge.table.codes import MISSING, Codes
from divulge.table.packing import coded, combinations, numbered, told_apart
from divulge.table.partition import Partition

Numbers = npt.NDArray[Any]
SETS_PER_ROW, CELLS_PER_ROW = 4, 4  # entries of a table of all combinations, up to which it is filled
LEAST_TABLE = 1 << 12
MOST_PLACES = 1 << 30  # of sets and values, up to which their numbers take four bytes
MANY, LONE = 200_000, 0.25  # rows from which on those who are alone are held once, and how many they then are
FEW_CELLS, MOST_CELLS = 1 << 14, 1 << 22  # of a table of several columns: with all codes, and at all


@dataclass(frozen=True, eq=False)
class LoneApart:
    """A number for the set of each row: those of several rows from 0 on, then by the code of one alone."""

    numbers: Numbers
    sets: int  # of several rows
    lone: Numbers  # by code: how many are alone in their set

    @property
    def used(self) -> Numbers:
        """The number of each set of a table."""
        return np.concatenate([np.arange(self.sets), self.sets + np.flatnonzero(self.lone)])


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows of codes. ``person`` numbers whom each is about; without it every record is a person."""

    data: Data
    partitions: Mapping[str, Partition]
    person: Numbers | None = None
    stars_fit: bool = False  # whether a suppressed cell is no value of its own
    originals: OriginalValues | None = None  # what suppressed cells had, where that is known
    share: Numbers | None = None  # how much of its person each row is, where the rows of one share it out
    _columns: dict[str, Codes] = field(default_factory=dict, repr=False)
    _sets: dict[tuple[str, ...], tuple[Numbers, int]] = field(default_factory=dict, repr=False)
    _several: dict[tuple[str, ...], tuple[Numbers, int] | None] = field(default_factory=dict, repr=False)
    _apart: dict[tuple[str, ...], LoneApart] = field(default_factory=dict, repr=False)  # the latest two
    _lock: Any = field(default_factory=RLock, repr=False)  # what takes long is found by one thread for all

    @cached_property
    def times(self) -> Numbers | None:
        """How many records each row stands for; None where each is one, or where people are counted."""
        return None if self.person is not None else self.data.times

    def column(self, attribute: str) -> Codes:
        """An attribute as it is counted, in its groups where it has some."""
        if attribute not in self._columns:
            data, groups = self.data, self.partitions.get(attribute)
            column = data.column(attribute) if groups is None else data.grouped(attribute, groups)
            self._columns[attribute] = column
        return self._columns[attribute]

    def kept(self, keys: Sequence[str], target: str | None) -> Numbers | None:
        """The rows that count for these keys and this target; None for all.

        Records whose keys are all suppressed do so where it is known whose they are.
        """
        keep: Numbers | None = None
        if self.originals is None and keys and len(self._marks(keys)) == len(keys):
            keep = ~np.logical_and.reduce(list(self.hidden(keys).values()))
        if self.data.missing == "drop":
            for name in (*keys, *(() if target is None else (target,))):
                there = self.data.column(name).codes != MISSING
                keep = there if keep is None else keep & there
        return None if keep is None or keep.all() else np.flatnonzero(keep)

    def showing(self, keys: Sequence[str], target: str | None) -> Numbers | None:
        """The rows in which these keys can be looked up; None for all.

        Where a suppressed cell is no value, nobody is found by a key that their record does not show.
        """
        kept = self.kept(keys, target)
        hidden = self.hidden(keys) if self.stars_fit and self.originals is None else {}
        if not hidden:
            return kept
        shown = ~np.logical_or.reduce(list(hidden.values()))
        return np.flatnonzero(shown) if kept is None else kept[shown[kept]]

    def own(self, attribute: str) -> Numbers:
        """The code of the value that each record's person has; as released where no original is known."""
        if self.originals is None or attribute not in self.originals.shared:
            return self.data.column(attribute).codes
        return self.originals.unsuppressed(attribute)

    def hidden(self, keys: Sequence[str]) -> dict[str, npt.NDArray[np.bool_]]:
        """Which cells are suppressed, for each of the keys that has some."""
        return {key: self.data.column(key).codes == code for key, code in self._marks(keys).items()}

    def _marks(self, keys: Sequence[str]) -> dict[str, int]:
        """The code of a suppressed cell, for each of the keys that has some."""
        codes = {key: self.data.suppressed_code(key) for key in keys}
        return {key: code for key, code in codes.items() if code is not None}

    def shown_by_cells(self, keys: Sequence[str], target: str) -> bool:
        """Whether cells of these keys say by themselves which rows show them: all but those without any."""
        grouped = any(key in self.partitions for key in self._marks(keys))
        if not grouped and self.data.missing != "drop" and self.originals is None and not self.stars_fit:
            return True
        return self.showing(keys, target) is None

    def sets(self, keys: Sequence[str]) -> tuple[Numbers, int]:
        """A number for the set of each row, and the bound of these numbers; long to find, those are kept."""
        if len(keys) <= 2:
            return self._numbered_sets(keys)
        with self._lock:
            if tuple(keys) not in self._sets:
                self._sets.clear()
                self._sets[tuple(keys)] = self._numbered_sets(keys)
            return self._sets[tuple(keys)]

    def _numbered_sets(self, keys: Sequence[str]) -> tuple[Numbers, int]:
        columns = [self.column(key) for key in keys]
        if len(keys) <= 2:  # as in a table of their cells
            columns.sort(key=lambda one: one.cardinality)
        records = len(columns[0].codes)
        most = max(SETS_PER_ROW * records, LEAST_TABLE)
        if records >= MANY and math.prod(one.cardinality for one in columns) > most:
            columns = [one.occurring[0] for one in columns]  # of the same order, with a lower bound
        return numbered(coded(columns), records, most)

    def distinct(self, rows: Numbers | slice) -> int:
        """How many people some rows are about."""
        if self.person is not None:
            return len(np.unique(self.person[rows]))
        if self.times is not None:
            return int(self.times[rows].sum())
        records = self.data.source.records
        if isinstance(rows, slice):
            return len(range(records)[rows])
        return int(rows.sum()) if rows.dtype == bool else len(rows)

    def having(self, rows: npt.NDArray[np.bool_]) -> int:
        """How many people have what some rows say; rows that share out a person count in part."""
        return self.distinct(rows) if self.share is None else round(float(self.share[rows].sum()))

    def of_everyone(self, codes: Numbers, values: int, target: str) -> tuple[Numbers, int]:
        """How many people have each value of a target, and how many there are, in a set or in none."""
        kept = self.kept((), target)
        rows = slice(None) if kept is None else kept
        return self._having(codes[rows].astype(np.int64), values, rows), self.distinct(rows)

    def sizes(self, numbers: Numbers, bound: int, rows: Numbers | slice) -> Numbers:
        """How many people each set has; 0 for numbers that do not occur."""
        return self._tally(numbers[rows], bound, rows)

    def table(
        self, numbers: Numbers, bound: int, codes: Numbers, values: int, rows: Numbers | slice
    ) -> PeopleTable:
        """Sets by value, in people; ``codes`` numbers the value of each row, from 0 on."""
        alike = self.person is None and self.share is None
        if alike and (filled := self._filled(numbers, bound, codes, values, rows)) is not None:
            return of_table(filled, values, self.distinct(rows))
        word = numbers[rows] * values
        word += codes[rows]
        if bound * values <= max(CELLS_PER_ROW * len(word), LEAST_TABLE):
            filled = self._having(word, bound * values, rows)
            cell = np.flatnonzero(filled != 0)
            count = filled[cell]
        else:
            first, place = told_apart(word)
            cell, count = word[first], self._having(place, len(first), rows)
        found = of_cells(cell, count, values, self.distinct(rows))
        if self.person is None:
            return found
        # A person may be in several cells of a set, and in several sets.
        size = self._tally(numbers[rows], bound, rows)
        having = self._having(codes[rows].astype(np.int64), values, rows)
        return replace(found, size=size[np.unique(cell // values)], having=having)

    def _filled(
        self, numbers: Numbers, bound: int, codes: Numbers, values: int, rows: Numbers | slice
    ) -> Numbers | None:
        """How many records each set has by value, where all cells there can be are few."""
        sets, times = numbers[rows], self.times
        if bound * values > max(CELLS_PER_ROW * len(sets), LEAST_TABLE):
            return None
        return added_up(sets, None if times is None else times[rows], bound, codes[rows], values)

    def by_code(self, numbers: Numbers, bound: int, target: str, rows: Numbers | slice) -> PeopleTable:
        """Sets by the codes of a target, each record a person; codes that do not occur take no room."""
        whole = self.data.column(target)
        column, used = whole.occurring
        filled = self._filled(numbers, bound, column.codes, column.cardinality, rows)
        if filled is not None:
            return of_table(filled, column.cardinality, self.distinct(rows), used, whole.cardinality)
        found = self.table(numbers, bound, column.codes, column.cardinality, rows)
        return found.standing_for(used, whole.cardinality)

    def apart(self, keys: Sequence[str], target: str, rows: Numbers | slice) -> LoneApart | None:
        """The sets of several rows, and those that are alone by the target's code; None where few are alone.

        Sets of one who has the same value tell the same, and are held once.
        """
        if self.person is not None or self.times is not None or self.share is not None:
            return None
        possible = math.prod(self.column(key).cardinality for key in keys)
        if self.data.source.records < MANY or possible < LONE * self.distinct(rows):
            return None
        with self._lock:
            found = self._of_many(keys, rows)
        asked, whole = (*keys, target), isinstance(rows, slice)
        known = self._apart.get(asked) if whole else None
        if found is None or known is not None:
            return known
        place, sets, values = *found, self.data.column(target).cardinality
        codes, lone = self.data.column(target).codes[rows], place < 0
        numbers = np.where(lone, codes + place.dtype.type(sets), place)
        alone = added_up(lone.view(np.uint8), None, 2, codes, values)[values:].astype(np.int64)
        apart = LoneApart(numbers, sets, alone)
        if whole:
            with self._lock:
                for oldest in [*self._apart][:-1]:
                    del self._apart[oldest]
                self._apart[asked] = apart
        return apart

    def _of_many(self, keys: Sequence[str], rows: Numbers | slice) -> tuple[Numbers, int] | None:
        """The number of each row's set among those of several, -1 for one alone; None where few are."""
        whole, asked = isinstance(rows, slice), tuple(keys)
        if whole and asked in self._several:
            return self._several[asked]
        if whole and library.built() and self.data.source.records < MOST_TALLIED:
            self._several.clear()
            self._several[asked] = self._sharing(keys) if self._many_alone(asked) else None
            return self._several[asked]
        numbers, bound = self.sets(keys)
        numbers = numbers[rows]
        sizes = np.bincount(numbers, minlength=bound)
        found = None
        if np.count_nonzero(sizes == 1) >= LONE * len(numbers):
            several = sizes > 1
            place = np.where(several, np.cumsum(several) - 1, -1)
            place = place.astype(np.int32 if bound < MOST_PLACES else np.int64)
            found = place[numbers], int(np.count_nonzero(several))
        if whole:
            self._several.clear()
            self._several[asked] = found
        return found

    def _many_alone(self, keys: tuple[str, ...]) -> bool:
        """Whether many are alone, by counts that are there already; weighted records are not asked."""
        if self.data.weights is not None:
            return True
        groups = {name: part for name, part in self.partitions.items() if name in keys}
        counts = Question(self.data, keys, (RECORD,), groups).counts
        return bool(counts.add_up(counts.size == 1) >= LONE * counts.records)

    def _sharing(self, keys: Sequence[str]) -> tuple[Numbers, int] | None:
        """The same of all rows by loops that sort nothing; sets are numbered in no order."""
        records = self.data.source.records
        shared = sharing(lambda key: self.column(key).occurring[0], keys, records)
        if shared.rows is None or shared.classes is None or records - len(shared.rows) < LONE * records:
            return None
        place = np.full(records, -1, np.int32 if shared.count < MOST_PLACES else np.int64)
        place[shared.rows] = shared.classes
        return place, shared.count

    def of_several(self, apart: LoneApart, target: str, rows: Numbers | slice) -> PeopleTable:
        """Sets by the codes of a target, those who are alone with a value as one set that stands for many."""
        column, lone, people = self.data.column(target), np.flatnonzero(apart.lone), self.distinct(rows)
        (narrow, used), bound = column.occurring, apart.sets + column.cardinality
        filled = self._filled(apart.numbers, bound, narrow.codes[rows], len(used), slice(None))
        if filled is not None:
            found = of_table(filled, len(used), people, used, column.cardinality)
        else:
            word = apart.numbers.astype(np.int64) * column.cardinality
            word += column.codes[rows]
            first, place = told_apart(word)
            count = np.bincount(place, minlength=len(first))
            found = of_cells(word[first], count, column.cardinality, people)
        sets, cells = len(found.size) - len(lone), len(found.count) - len(lone)  # each alone has one of both
        size, times, count = found.size.copy(), found.times.copy(), found.count.copy()
        times[sets:], size[sets:], count[cells:] = size[sets:], 1, 1
        return replace(found, size=size, times=times, count=count)

    def few_cells(self, keys: Sequence[str], target: str, beside: Sequence[str] = ()) -> PeopleTable | None:
        """Sets by the codes of a target where every record is a person, and all cells there can be are few.

        Sets come in the order of the numbers that rows have. Of many rows, attributes ``beside`` these are
        counted with them where that takes no longer.
        """
        if (found := self.cells(keys, target, beside)) is None:
            return None
        _, used, filled = found
        values = self.data.column(target).cardinality
        return of_table(filled, len(used), int(filled.sum()), used, values)

    def cells(
        self, keys: Sequence[str], target: str, beside: Sequence[str] = ()
    ) -> tuple[list[Codes], Numbers, Numbers] | None:
        """The columns of these, the target's last, its codes there, and how many people are in each cell.

        Those whose keys are all suppressed are in none.
        """
        if self.person is not None or self.share is not None or not 0 < self.data.records < MOST_ROWS:
            return None
        named = sorted(keys, key=lambda key: self.column(key).cardinality)
        every = [
            (one, np.arange(one.cardinality)) for one in (*map(self.column, named), self.data.column(target))
        ]
        many = self.data.source.records >= MANY and target not in self.partitions
        if many or math.prod(one.cardinality for one, _ in every) > FEW_CELLS:
            every = [*map(self._occurring, named), self.data.column(target).occurring]
        columns = [one for one, _ in every]
        if math.prod(one.cardinality for one in columns) > MOST_CELLS or not listed(columns):
            return None
        filled = self._blocks.table([*named, target], beside) if many else cell_table(columns, self.times)
        marks = self._marks(named)
        if len(marks) == len(named) and not self.partitions.keys() & marks:
            at = [np.flatnonzero(used == marks[key]) for key, (_, used) in zip(named, every, strict=False)]
            filled.reshape([one.cardinality for one in columns])[np.ix_(*at)] = 0
        return columns, every[-1][1], filled

    @cached_property
    def _blocks(self) -> CellBlocks:
        return CellBlocks(lambda name: self._occurring(name)[0], self.data.source.records, self.times)

    def _occurring(self, key: str) -> tuple[Codes, Numbers]:
        """A key in the codes that occur; its groups, if it has some, nearly all do."""
        column = self.column(key)
        groups = key in self.partitions
        return (column, np.arange(column.cardinality)) if groups else column.occurring

    def _having(self, numbers: Numbers, bound: int, rows: Numbers | slice) -> Numbers:
        """How many people have each value; one whose rows share it out has a part of each."""
        if self.share is None:
            return self._tally(numbers, bound, rows)
        return np.bincount(numbers, weights=self.share[rows], minlength=bound)

    def _tally(self, numbers: Numbers, bound: int, rows: Numbers | slice) -> Numbers:
        """How many people have each number."""
        if self.person is not None:
            numbers = numbers[first_of_each(numbers, self.person[rows])]
        if self.times is None:
            return np.bincount(numbers, minlength=bound)
        return added_up(numbers, self.times[rows], bound)


def first_of_each(numbers: Numbers, person: Numbers) -> Numbers:
    """The first row of each person with each number."""
    most = int(numbers.max(initial=0)) + 1, int(person.max(initial=0)) + 1
    return combinations(zip((numbers, person), most, strict=True), len(numbers)).first


def persons(data: Data, identifiers: Sequence[str]) -> Numbers:
    """A number for the person that each row is about, by their identifiers."""
    return combinations(coded(map(data.column, identifiers)), data.source.records).number


def rows_of(data: Data, partitions: Mapping[str, Partition], attributes: Sequence[str]) -> CodedRows | None:
    """The rows of data with whom they are about; None where they are counted elsewhere, or overlap.

    People are told apart by their identifiers where these repeat, and copies of a record are counted once.
    """
    held = data.looked_at(attributes)
    named = data.schema.identifiers
    several = bool(named) and data.people < data.records
    if data.missing == "wildcard" or (held is None and data.weights is None and not several):
        return None
    if held is None and not (several and data.weights is not None) and stays(data):
        return None  # people are counted where their records are
    held = held or data  # where combinations are too many, weights and people need every record
    if several:
        memo = held.memo("@person")
        if named not in memo:
            memo[named] = persons(held, named)
        shared_out = held.weights is not None and held.sample_weights is None
        return CodedRows(held, partitions, memo[named], share=held.record_weights() if shared_out else None)
    return CodedRows(held, partitions, copies(data))
