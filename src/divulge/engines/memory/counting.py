"""The local engine: joint counts of columns held as codes in memory.

Few possible cells: one table, filled in one pass. Many: sorted words, or the compiled loops of
``sparse`` where there are records enough to gain by it. All ways give the same counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.counting import MOST_ROWS, MOST_TALLIED, histogram
from divulge._compiled.counting import cells as cells_of
from divulge._support.threads import cores, run, shares
from divulge.counting.counts import TARGET_WEIGHT, Cells, Floats, Integers, JointCounts, Repeated
from divulge.engines.memory import sparse
from divulge.engines.memory.cell_tables import added_up
from divulge.table.codes import Codes, narrow
from divulge.table.packing import coded, combinations, packed, ranked, told_apart

LARGEST_TABLE = 1 << 25  # cells of a table that is filled directly
LOOPS_PAY = 1 << 19  # records from which compiled loops hold alike classes once, and sort no more
THREADS_PAY = 1 << 17  # records from which a table is filled by several threads
MOST_GAPS = 1 << 12  # values of a target up to which it is looked which occur
SAMPLE = 1 << 15
MOSTLY = 0.9  # of a sample's records, as many classes as these tell that no table will hold all

Load = Callable[[str], Codes]
ClassSizes = list[Integers]  # nothing yet; or the sizes that occur, and how many classes have each


def count(
    load: Load,
    keys: Sequence[str],
    target: Codes | None,
    *,
    records: int,
    times: Integers | None = None,
    weights: Floats | None = None,
    subject: Codes | None = None,
    compact: bool = False,
    memo: sparse.Memo | None = None,
    sizes: ClassSizes | None = None,
    latest: sparse.Memo | None = None,
) -> JointCounts:
    """Joint counts of the keys and the target (None: every record is its own subject).

    ``times`` says how many records each row stands for, and ``subject`` which belong to one person.
    With ``compact``, classes that look alike may be held once and cannot be named; otherwise classes
    come in the order of their codes. ``sizes`` has those of the classes once a target was counted, whatever
    it was: then they are not counted again. ``latest`` has who shares a class after some keys, likewise.
    """
    if target is None and weights is not None:
        if times is not None:  # every record weighs by itself, so each gets a row of its own
            rows = np.repeat(np.arange(len(times)), times)
            each = weights[rows] / times[rows]
            return count(lambda name: load(name).take(rows), keys, None, records=len(rows), weights=each)
        target = Codes(narrow(np.arange(1, records + 1), records), range(records))
    compact = compact and times is None and weights is None and subject is None
    compact = compact and LOOPS_PAY <= records < MOST_TALLIED and library.built()
    if compact and target is None and sizes:
        return JointCounts(sizes[0], None, multiplicity=sizes[1])
    if compact and _mostly_apart(load, keys, records):
        return _tallied(load, keys, target, records, memo, sizes, latest)
    found = _without_gaps(load, keys, records)
    classes = _number_classes(found, keys, largest=LARGEST_TABLE)
    filled = classes is not None and (target is None or fills_a_table(classes, _in_use(target)[0]))
    if compact and not filled:
        return _tallied(load, keys, target, records, memo, sizes if classes is None else None, latest)
    if classes is None:
        classes = _sort_classes(found, keys, records)
    if target is None and times is None and len(keys) == 1:
        counts = _of_sizes(found(keys[0]).frequencies())  # which others ask for as well
    else:
        counts = _tabulate(classes, target, weights, times)
    if subject is not None:
        distinct = _tabulate(classes, subject).cells
        assert distinct is not None
        repeated = None if target is None else _repeated(classes, target, subject, times)
        counts = replace(counts, subjects=np.diff(distinct.start), repeated=repeated)
    return replace(counts, decode=_decoder({key: load(key) for key in keys}, classes))


def _tallied(
    load: Load,
    keys: Sequence[str],
    target: Codes | None,
    records: int,
    memo: sparse.Memo | None,
    sizes: ClassSizes | None,
    latest: sparse.Memo | None,
) -> JointCounts:
    """Counts by compiled loops, in which alike classes are held once; what sizes they have is kept."""
    found = _from_tally(sparse.tally(load, keys, target, records, memo=memo, latest=latest), target)
    if sizes == [] and found.multiplicity is not None:
        sizes += _size_counts(found.size, found.multiplicity)
    return found


def _size_counts(size: Integers, often: Integers) -> tuple[Integers, Integers]:
    """The sizes that occur, and how many classes have each."""
    if size.max(initial=0) > 4 * len(size):  # a table of all sizes would be mostly empty
        found, place = np.unique(size, return_inverse=True)
        return found, np.bincount(place, weights=often).astype(np.int64)
    table = np.bincount(size, weights=often).astype(np.int64)
    found = np.flatnonzero(table)
    return found, table[found]


def _without_gaps(load: Load, keys: Sequence[str], records: int) -> Load:
    """Keys in numbers of the codes that occur, where there could be many more combinations than records.

    Classes keep their order.
    """
    if records < THREADS_PAY:
        return load
    possible, most = 1, min(LARGEST_TABLE, 4 * records)
    for key in keys:  # which are read only as far as need be
        possible *= load(key).cardinality
        if possible > most:
            return lambda key: load(key).occurring[0]
    return load


def _repeated(classes: RecordClasses, target: Codes, subject: Codes, times: Integers | None) -> Repeated:
    """Class, target and person of each record, rows that stand for several written out."""
    place, _ = _present(target, target.frequencies())
    _, person = np.unique(subject.codes, return_inverse=True)
    columns = classes.numbers, place[target.codes], person
    return Repeated(*(column if times is None else np.repeat(column, times) for column in columns))


def tabulate(classes: RecordClasses, target: Codes) -> JointCounts:
    """Joint counts of records whose classes are numbered already, all target values in use."""
    return replace(_tabulate(classes, target), target_values=list(target.values))


def fills_a_table(classes: RecordClasses, target: Codes) -> bool:
    """Whether classes by target codes are few enough to be counted in a table of all."""
    most = min(LARGEST_TABLE, max(16 * len(target.codes), 1 << 16))
    return classes.bound * target.cardinality <= most


@dataclass(frozen=True, eq=False)
class RecordClasses:
    """A number for the class of each record; numbers run below ``bound``, and not all need occur."""

    numbers: npt.NDArray[Any]
    bound: int

    def squeezed(self) -> RecordClasses:
        """The same classes numbered without gaps, in the same order."""
        used = np.flatnonzero(np.bincount(self.numbers, minlength=self.bound) != 0)
        table = np.zeros(self.bound, np.uint32)
        table[used] = np.arange(len(used))
        return RecordClasses(table[self.numbers], len(used))

    def split(self, column: Codes) -> RecordClasses:
        """The classes told apart by one more attribute."""
        bound = self.bound * column.cardinality
        kind = np.uint32 if bound <= np.iinfo(np.uint32).max else np.uint64
        numbers: Integers = self.numbers.astype(kind)
        numbers *= column.cardinality
        numbers += column.codes
        return RecordClasses(numbers, bound)


def _number_classes(load: Load, keys: Sequence[str], *, largest: int) -> RecordClasses | None:
    """Classes numbered by position in a table of all combinations; None when that table is too large."""
    first = load(keys[0])
    most = min(largest, max(4 * len(first.codes), 1 << 12))
    classes = RecordClasses(first.codes, first.cardinality)
    for key in keys[1:]:
        column = load(key)
        if classes.bound * column.cardinality > most:
            if classes.bound > 4 * largest:
                return None
            classes = classes.squeezed()
        if classes.bound * column.cardinality > most:
            return None
        classes = classes.split(column)
    return classes


def _mostly_apart(load: Load, keys: Sequence[str], records: int) -> bool:
    """Whether a sample already falls into so many classes that no table will hold them all."""
    if len(keys) == 1:
        return False
    rows = np.arange(0, records, max(records // SAMPLE, 1))
    remaining, bound = list(keys), 1
    numbers: npt.NDArray[Any] = np.zeros(len(rows), np.uint64)
    while remaining:
        word, bits = sparse.next_word(load, remaining, 64 - bound.bit_length())
        words = sparse.pack(word, rows) | numbers << np.uint64(bits)
        if not remaining:
            return len(np.unique(words)) > MOSTLY * len(rows)
        found, numbers = np.unique(words, return_inverse=True)
        numbers, bound = numbers.astype(np.uint64), len(found)
        if bound > MOSTLY * len(rows):
            return True
    return False


def _sort_classes(load: Load, keys: Sequence[str], records: int) -> RecordClasses:
    """Classes numbered by sorting, whatever the number of combinations."""
    columns = ((column.codes, column.cardinality) for column in map(load, keys))
    numbers, bound = ranked(packed(columns, records))
    return RecordClasses(narrow(numbers, bound), bound)


def _tabulate(
    classes: RecordClasses, target: Codes | None, weights: Floats | None = None, times: Integers | None = None
) -> JointCounts:
    if target is None:
        return _of_sizes(table(classes, None, times).astype(np.int64))
    column, used = _in_use(target)
    if weights is None and fills_a_table(classes, column):
        filled = table(classes, column, times)
        if library.built() and filled.dtype in (np.uint32, np.int64):
            return _from_table(filled, column, target, used)
        cell = np.flatnonzero(filled != 0)
        number = filled[cell].astype(np.int64)
        owner, code = _owners(cell, column.cardinality)
        return _from_cells(owner, code if used is None else used[code], number, None, target)
    words, weight = classes.split(target).numbers, None
    if weights is None and times is None:  # then it is enough to sort the words, without their rows
        cell, number = np.unique(words, return_counts=True)
    else:
        first, place = told_apart(words)
        cell = words[first]
        number = np.bincount(place) if times is None else added_up(place, times, len(cell))
        weight = None if weights is None else np.bincount(place, weights=weights)
    return _from_cells(*_owners(cell, target.cardinality), number, weight, target)


def _of_sizes(size: Integers) -> JointCounts:
    """Counts of records alone from how many there are in each class there could be."""
    return JointCounts(size[size > 0], None)


def _from_table(filled: Integers, column: Codes, target: Codes, used: Integers | None) -> JointCounts:
    """Counts from a table of classes by the codes of a column, which are those ``used`` of the target."""
    size, owner, code, number, having = cells_of(filled, column.cardinality, None)
    there = np.flatnonzero(having)
    if len(there) < len(having):
        place = np.zeros(len(having), np.int64)
        place[there] = np.arange(len(there))
        code = place[code]
    start = np.append(np.flatnonzero(np.append(True, owner[1:] != owner[:-1])[: len(owner)]), len(owner))
    values = [target.value(int(one)) for one in (there if used is None else used[there])]
    return JointCounts(size, Cells(start, code, number, number), values, target="target")


def _in_use(target: Codes) -> tuple[Codes, Integers | None]:
    """Of many records, a target in numbers of the codes that occur, and these; as it is if most codes do."""
    few = target.cardinality <= MOST_GAPS and len(target.codes) >= THREADS_PAY
    if not few or 2 * np.count_nonzero(target.frequencies()) > target.cardinality:
        return target, None
    return target.occurring


def _owners(cell: npt.NDArray[Any], width: int) -> tuple[Integers, Integers]:
    """The class of each cell and its target code; of numbers of half the width, that takes half the time."""
    owner = cell // cell.dtype.type(width)
    code = cell - owner * cell.dtype.type(width)
    return owner.astype(np.int64), code.astype(np.int64)


def table(classes: RecordClasses, target: Codes | None, times: Integers | None = None) -> Integers:
    """The table of classes by target codes, row after row: how many records there are of each."""
    width = 1 if target is None else target.cardinality
    if times is not None:
        codes = None if target is None else target.codes
        return added_up(classes.numbers, times, classes.bound, codes, width)
    records, cells = len(classes.numbers), classes.bound * width
    # A table for each thread, as long as filling them costs more than adding them up.
    threads = max(1, min(cores(), records // max(THREADS_PAY, 4 * cells)), -(-records // (MOST_ROWS - 1)))
    tables = np.zeros((threads, cells), np.uint32)
    fill = histogram if library.built() else _histogram

    def work(part: slice, table: Integers) -> None:
        codes = None if target is None else np.ascontiguousarray(target.codes[part])
        fill(np.ascontiguousarray(classes.numbers[part]), codes, width, table)

    run(work, shares(records, threads), tables)
    if threads == 1:
        return tables[0]
    return tables.sum(axis=0, dtype=np.uint32 if records < MOST_ROWS else np.int64)


def _histogram(
    classes: npt.NDArray[Any], targets: npt.NDArray[Any] | None, width: int, table: Integers
) -> None:
    """What the compiled loop of this name does, in blocks, so that memory stays bounded."""
    step = max(1 << 17, 4 * len(table))
    for first in range(0, len(classes), step):
        word = classes[first : first + step].astype(np.int64)
        if targets is not None:
            word *= width
            word += targets[first : first + step]
        table += np.bincount(word, minlength=len(table)).astype(table.dtype)


def _from_cells(
    owner: Integers, target_code: Integers, number: Integers, weight: Floats | None, target: Codes
) -> JointCounts:
    """Counts from cells in the order of their classes."""
    begins = np.ones(len(owner), bool)
    np.not_equal(owner[1:], owner[:-1], out=begins[1:])
    start = np.append(np.flatnonzero(begins), len(owner))
    place, values = _present(target, np.bincount(target_code, minlength=target.cardinality))
    cells = Cells(start, place[target_code], number, number if weight is None else weight)
    return JointCounts(cells.per_class(number), cells, values, target="target")


def _from_tally(tally: sparse.Tally, target: Codes | None) -> JointCounts:
    """Counts from the loops' tally, in which classes that look alike are held once."""
    if target is None:
        size, often = _size_counts(tally.size, tally.often)
        return JointCounts(size, None, multiplicity=often)
    cells = Cells(tally.start, tally.target, tally.count, tally.count)
    values = [target.value(code) for code in tally.used.tolist()]
    known = {TARGET_WEIGHT: tally.having.astype(np.float64)}
    return JointCounts(
        tally.size, cells, values, multiplicity=tally.often, target="target", _statistics=known
    )


def _present(target: Codes, occurring: Integers) -> tuple[Integers, list[object]]:
    """Places for the target codes that occur, and the values in those places (None for missing)."""
    used = np.flatnonzero(occurring)
    place = np.zeros(target.cardinality, np.int64)
    place[used] = np.arange(len(used))
    return place, [target.value(int(code)) for code in used]


def joined(columns: Sequence[Codes]) -> Codes:
    """Several attributes as one, whose values are the combinations that occur."""
    if len(columns) == 1:
        return columns[0]
    first, number = combinations(coded(columns), len(columns[0].codes))
    values = [tuple(column.value(int(column.codes[row])) for column in columns) for row in first.tolist()]
    return Codes(narrow(number + 1, len(values)), values)


def _decoder(
    columns: Mapping[str, Codes], classes: RecordClasses
) -> Callable[[Integers], list[dict[str, object]]]:
    """How to name classes: by the key values of a record in each."""

    def decode(which: Integers) -> list[dict[str, object]]:
        example = np.full(classes.bound, -1, np.int64)
        example[classes.numbers] = np.arange(len(classes.numbers))
        rows = example[example >= 0][which]
        return [
            {key: column.value(int(column.codes[row])) for key, column in columns.items()} for row in rows
        ]

    return decode
