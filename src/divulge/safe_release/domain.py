"""Where records lie: values of X in their order, targets, and the cell of a record among them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.alignment.recognition import interval
from divulge.counting.counts import RECORD
from divulge.counting.value_structure import order_of
from divulge.engines.memory.counting import joined
from divulge.errors import EmptySource, ParameterError, PartitionError, SchemaError, UnknownAttribute
from divulge.questions.data import Data
from divulge.questions.question import Question
from divulge.table.codes import MISSING, Codes
from divulge.table.partition import Partition

IntArray = npt.NDArray[np.int64]
NOWHERE = -1


class Cell(NamedTuple):
    """A record in a release decision: the places of its value of X and of its target.

    A place of -1 is outside the domain.
    """

    x: int
    y: int


@dataclass(frozen=True, eq=False)
class Domain:
    """The values X can have, in the order in which neighbours may be merged, and the targets.

    Of several attributes a value is a tuple. Partitions turn a record's values into the domain's.
    """

    x: tuple[str, ...]
    y: tuple[str, ...]
    values: tuple[object, ...]
    targets: tuple[object, ...]
    partitions: Mapping[str, Partition] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.values), len(self.targets)

    def cell(self, record: Mapping[str, object]) -> Cell:
        """The cell of a record given by its attributes; what the domain does not have is nowhere."""
        for name in (*self.x, *self.y):
            if name not in record:
                raise UnknownAttribute(name, [str(key) for key in record], where="the record")
        values, targets = self._places
        return Cell(_place(values, self._value(record, self.x)), _place(targets, self._value(record, self.y)))

    def _value(self, record: Mapping[str, object], attributes: tuple[str, ...]) -> object:
        found = tuple(self._coarse(name, record[name]) for name in attributes)
        return found[0] if len(found) == 1 else found

    def _coarse(self, name: str, value: object) -> object:
        if name not in self.partitions:
            return _plain(value)
        try:
            codes = self.partitions[name].apply(Codes.of([value]), attribute=name)
        except (PartitionError, TypeError):  # not covered, or nothing that could be a value
            return _Unknown
        return codes.value(int(codes.codes[0]))

    @cached_property
    def _places(self) -> tuple[dict[object, int], dict[object, int]]:
        return _numbered(self.values), _numbered(self.targets)

    def including(self, other: Domain) -> Domain:
        """This domain with the values and targets of another that it lacks.

        Values go where they belong, if this domain's are in an order that tells; targets after its own.
        """
        ours, theirs = self._places
        values = self._in_order([value for value in other.values if _told(value) not in ours])
        targets = (*self.targets, *(target for target in other.targets if _told(target) not in theirs))
        return Domain(self.x, self.y, values, targets, self.partitions)

    def _in_order(self, more: Sequence[object]) -> tuple[object, ...]:
        together = (*self.values, *more)
        found = arranged(together, [self.partitions.get(name) for name in self.x])
        known = self._places[0]
        kept = [known[_told(value)] for value in found if _told(value) in known]
        return tuple(found) if kept == [*range(len(self.values))] else together

    def places(self, other: Domain) -> tuple[list[int], list[int]]:
        """Where this domain has the values and the targets of another, all of which it must have."""
        values, targets = self.places_or_nowhere(other)
        lost = values.count(NOWHERE), targets.count(NOWHERE)
        if any(lost):
            raise SchemaError(
                f"The baseline lacks {lost[0]} values and {lost[1]} targets that are released or requested.",
                hint="Use a baseline that follows the table, so that released records stay counted.",
            )
        return values, targets

    def places_or_nowhere(self, other: Domain) -> tuple[list[int], list[int]]:
        """The same, where this domain may lack some."""
        ours, theirs = self._places
        return [_place(ours, value) for value in other.values], [_place(theirs, one) for one in other.targets]

    def cell_of(self, other: Domain) -> Callable[[Cell], Cell]:
        """Where this domain has a cell of another; what is nowhere stays nowhere."""
        values, targets = ((*places, NOWHERE) for places in self.places_or_nowhere(other))
        return lambda cell: Cell(values[cell.x], targets[cell.y])

    def moved(self, counts: IntArray, other: Domain) -> IntArray:
        """Counts on another domain as counts on this one."""
        found = np.zeros(self.shape, np.int64)
        found[np.ix_(*self.places(other))] = counts
        return found


@dataclass(frozen=True, eq=False)
class HolderTable:
    """How many records of a holder's table are in each cell, and the cell of each."""

    domain: Domain
    counts: IntArray  # a row for each value of X, a column for each target
    rows: IntArray | None = None  # of each record, where the table was read from records
    columns: IntArray | None = None

    @property
    def records(self) -> int:
        return int(self.counts.sum())


def tabulate(
    data: Data, x: Sequence[str], y: Sequence[str], partitions: Mapping[str, Partition] | None = None
) -> HolderTable:
    """The cells of a table's records, after checking that X and Y make a dependency."""
    if not x or not y:
        raise SchemaError(
            "A dependency needs X, whose values are released, and Y, the targets they might reveal.",
            hint="For example: --x Age --y Location.",
        )
    if data.weights is not None:
        raise SchemaError("Weighted records cannot be released one at a time.", hint="Leave the weights out.")
    if data.missing == "wildcard":
        raise SchemaError(
            "A missing value cannot match every value when records are released.",
            hint="Count it as a value of its own, or drop such records.",
        )
    question = Question(data, tuple(x), tuple(y), dict(partitions or {}))  # refuses what makes no sense
    values, rows = _arranged(data, question.keys, question.partitions)
    targets, columns = _arranged(data, question.target, question.partitions)
    domain = Domain(question.keys, question.target, values, targets, question.partitions)
    there = (rows >= 0) & (columns >= 0)
    if not there.any():
        raise EmptySource(f"No record is left to release: all {data.records} have missing values.")
    flat = np.bincount(rows[there] * len(targets) + columns[there], minlength=len(values) * len(targets))
    return HolderTable(domain, flat.reshape(domain.shape).astype(np.int64), rows, columns)


def occurrences(
    data: Data, x: Sequence[str], partitions: Mapping[str, Partition] | None = None
) -> dict[object, int]:
    """How many records have each value of X, for a reference that has no targets."""
    question = Question(data, tuple(x), (RECORD,), dict(partitions or {}))
    values, rows = _arranged(data, question.keys, question.partitions)
    found = np.bincount(rows[rows >= 0], minlength=len(values))
    return dict(zip(values, found.tolist(), strict=True))


def shares_by_value(data: Data, x: Sequence[str]) -> dict[object, float]:
    """A share for each value of X, from a table that has X and one more column; of one X any two columns."""
    names = data.schema.attributes
    values = names[:1] if len(x) == 1 and len(names) == 2 else tuple(x)
    others = [name for name in names if name not in values]
    if len(others) != 1 or len(names) != len(values) + 1:
        raise SchemaError(
            f"A table of shares has X and one more column, and this one has {len(names)} columns.",
            hint="Write a line for each value: the value, then its share.",
        )
    (share,) = others
    data.load([*values, share])
    columns, weights = [data.column(name) for name in values], data.column(share)
    found: dict[object, float] = {}
    for row, code in enumerate(weights.codes.tolist()):
        parts = tuple(_plain(column.value(int(column.codes[row]))) for column in columns)
        value = parts[0] if len(parts) == 1 else parts
        try:
            weight = float(str(weights.value(code)))
        except ValueError:
            raise ParameterError(f"The shares in '{share}' must be numbers.") from None
        if value in found:
            raise ParameterError("The table of shares has a value twice.")
        found[value] = weight
    return found


def table_of(
    counts: Any, values: Sequence[object] | None = None, targets: Sequence[object] | None = None
) -> HolderTable:
    """A table given by its counts: a row for each value of X, in order, a column for each target.

    >>> table_of([[5, 3], [2, 8]]).records
    18
    """
    array = np.asarray(counts)
    if array.ndim != 2 or not array.size:
        raise ParameterError("Counts need a row for each value of X and a column for each target.")
    if array.dtype.kind not in "iu" or (array < 0).any():
        raise ParameterError("Counts must be whole numbers, none below zero.")
    rows, columns = array.shape
    names = tuple(values) if values is not None else tuple(range(rows))
    places = tuple(targets) if targets is not None else tuple(range(columns))
    if (len(set(names)), len(set(places))) != (rows, columns):
        raise ParameterError(
            f"{rows} values and {columns} targets, all different, are needed to name the counts."
        )
    return HolderTable(Domain(("x",), ("y",), names, places), array.astype(np.int64))


def label(value: object) -> str:
    """A value as documents name it; that of several attributes with commas between."""
    if isinstance(value, tuple):
        return ", ".join(label(part) for part in value)
    return "(missing)" if value is None else str(value)


class _Unknown:
    """A value that a partition does not cover: equal to none of the domain."""


def _plain(value: object) -> object:
    """A value as the domain spells it: missing however it is written, numbers of Python."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return None if math.isnan(value) else value + 0.0
    return value


def _numbered(values: Sequence[object]) -> dict[object, int]:
    return {_told(value): place for place, value in enumerate(values)}


def _place(places: Mapping[object, int], value: object) -> int:
    try:
        return places.get(_told(value), NOWHERE)
    except TypeError:  # a list or the like is no value
        return NOWHERE


def _told(value: object) -> object:
    """A value that can be looked up, True told from 1."""
    return tuple(map(_told, value)) if isinstance(value, tuple) else (isinstance(value, bool), value)


def _arranged(
    data: Data, attributes: Sequence[str], partitions: Mapping[str, Partition]
) -> tuple[tuple[object, ...], IntArray]:
    """The values of some attributes that occur, in order, and the place of each record among them.

    A missing value comes first; a record that is dropped for one is nowhere.
    """
    data.load(attributes)
    columns = [_ordered(data, name, partitions.get(name)) for name in attributes]
    together = joined(columns)  # combinations come sorted by the places of their parts
    codes = together.codes.astype(np.int64)
    dropped = np.zeros(len(codes), bool)
    if data.missing == "drop":
        dropped = np.any([column.codes == MISSING for column in columns], axis=0)
    used, places = np.unique(codes[~dropped], return_inverse=True)
    found = np.full(len(codes), NOWHERE, np.int64)
    found[~dropped] = places
    return tuple(
        None if code == MISSING else _plain(together.values[code - 1]) for code in used.tolist()
    ), found


def _ordered(data: Data, name: str, partition: Partition | None) -> Codes:
    """A column whose codes follow the order of its values: of domains, declared, of numbers, ranges, text."""
    column = data.column(name)
    if partition is not None:
        return partition.apply(column, attribute=name)
    values = list(column.values)
    declared = data.orders.get(name)
    order = _meant(values, None) if declared is None else order_of(values, declared)
    if order is None:
        order = sorted(range(len(values)), key=lambda at: str(values[at]))
    table = np.zeros(len(values) + 1, np.int64)
    table[np.asarray(order, np.int64) + 1] = np.arange(1, len(values) + 1)
    return column.recode(table, [values[place] for place in order])


def arranged(values: Sequence[object], partitions: Sequence[Partition | None]) -> list[object]:
    """Values in their order, missing first, those of several attributes by one after the other.

    None at all where an attribute's values have none but that of the alphabet.
    """
    parts: list[Any] = [value if len(partitions) > 1 else (value,) for value in values]
    ranks = []
    for place, partition in enumerate(partitions):
        here = [*{_told(part[place]): part[place] for part in parts if part[place] is not None}.values()]
        order = _meant(here, partition)
        if order is None:
            return []
        ranks.append({_told(None): -1, **{_told(here[at]): rank for rank, at in enumerate(order)}})
    keys = [tuple(rank[_told(one)] for rank, one in zip(ranks, part, strict=True)) for part in parts]
    return [values[at] for at in sorted(range(len(values)), key=keys.__getitem__)]


def _meant(values: Sequence[object], partition: Partition | None) -> list[int] | None:
    """The order of a column's values: of a partition's domains, of numbers or dates, of ranges."""
    if partition is not None:
        places = {name: place for place, name in enumerate(partition.domains)}
        return sorted(range(len(values)), key=lambda at: places.get(str(values[at]), len(places)))
    return order_of(values) or _by_ranges(values)


def _by_ranges(values: Sequence[object]) -> list[int] | None:
    """The order of values that all spell a range or a bound, such as <18, 18-19, >=20."""
    found = [interval(str(value)) for value in values]
    ranges = [limits for limits in found if limits is not None]
    if len(ranges) < len(values):
        return None
    return sorted(range(len(values)), key=ranges.__getitem__)
