"""What an engine is: it counts the records of a source where they are.

It counts a question, says how often the values of an attribute occur, sums an attribute up in a few numbers,
and names the worst classes by a statistic. Nobody outside of ``engines/`` asks where the records are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import hidden
from divulge._support.wording import in_words, many
from divulge.counting.counts import RECORD, Beside, Counts, Integers, JointCounts
from divulge.counting.statistics import Statistic
from divulge.engines.coded_table import NONE, CodedTable, Markers
from divulge.errors import EmptySource
from divulge.source.options import Missing
from divulge.table.codes import Codes
from divulge.table.hierarchy import Hierarchy
from divulge.table.partition import Partition

Frequencies = tuple[Codes, npt.NDArray[np.int64]]


@dataclass(frozen=True)
class Summary:
    """An attribute in a few numbers: records with a value, different values, values on one record only."""

    present: int
    distinct: int
    lone: int = field(repr=False)
    sample: list[object]

    @classmethod
    def of(cls, column: Codes, counts: npt.NDArray[np.int64], most: int) -> Summary:
        """The same from all values and how many records have each, with some of them, spread evenly."""
        used = np.flatnonzero(counts[1:])
        some = used[np.linspace(0, len(used) - 1, min(len(used), most)).astype(np.int64)]
        sample = [column.values[place] for place in some.tolist()]
        return cls(int(counts[1:].sum()), len(used), int((counts[1:] == 1).sum()), sample)


@dataclass(frozen=True)
class Conventions:
    """What odd values mean, which attribute holds weights, and which ones say whose a record is."""

    missing: Missing = "value"
    missing_values: Markers = NONE
    suppressed: str | None = None
    weights: str | None = None
    identifiers: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Request:
    """A question as engines count it.

    A record is left out where all that is ``known`` is suppressed; where nothing is, none is left out.
    ``beside`` is the table that classes are compared with, ``order`` and ``hierarchy`` how the target's
    values lie to each other.
    """

    keys: tuple[str, ...]
    target: tuple[str, ...]
    partitions: Mapping[str, Partition]
    known: tuple[str, ...]
    conventions: Conventions
    beside: Beside | None = None
    order: Sequence[object] | None = None
    hierarchy: Hierarchy | None = None

    @property
    def about_records(self) -> bool:
        return self.target == (RECORD,)

    @property
    def target_name(self) -> str:
        return ", ".join(self.target)

    @property
    def sought(self) -> tuple[str, ...]:
        """The attributes that are looked for."""
        return () if self.about_records else self.target

    @property
    def attributes(self) -> tuple[str, ...]:
        """All that is read of a record."""
        return tuple(dict.fromkeys((*self.keys, *self.sought, *self.known)))

    @property
    def identity(self) -> Hashable:
        """What makes it the same question: keys, target, partitions and conventions."""
        partitions = tuple((name, id(one)) for name, one in sorted(self.partitions.items()))
        lie = id(self.beside), id(self.order), id(self.hierarchy)
        return self.keys, self.target, partitions, self.known, self.conventions, lie


class SubsetSearch(NamedTuple):
    """An engine's own way through all subsets of attributes, and how many rows times subsets it may take."""

    find: Callable[..., Any]
    work: int


class LevelSearch(NamedTuple):
    """An engine's own way through all combinations of levels, and how many classes times those it may take.

    ``search`` takes a question about classes, and gives what finds every combination; ``classes`` numbers
    records by packed keys, and ``cells`` counts a target's values in classes. Each is None where it cannot.
    """

    search: Callable[..., Any]
    classes: Callable[..., Any]
    cells: Callable[..., Any]
    work: int


class Dealing(NamedTuple):
    """An engine's own way to assign targets at random: from how many records on, and the seconds for each.

    ``deal`` takes the sizes of classes, how often each stands, how many records have each target value, the
    order of values, the number of shuffles and a seed, and gives joint counts.
    """

    deal: Callable[..., Iterator[JointCounts]]
    records: int
    seconds: float


class SelectedRows(Protocol):
    """Records that are counted for a question, row by row."""

    @property
    def times(self) -> Integers | None:
        """How many records each row stands for; None where each is one."""

    @property
    def subject(self) -> Codes | None:
        """The person of each record; None where every record is a person of its own."""

    def column(self, attribute: str) -> Codes:
        """A key or target as it is counted: on the records that count, its values in their domains."""

    def suppressed_codes(self) -> dict[str, list[int]]:
        """The codes that mark suppressed cells among those that are counted, for each key that has some."""

    def rows_in(self, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Of all rows those in some classes, which come in the order of their codes."""


class Counted(Protocol):
    """A question that an engine has counted, or will when it is asked for something."""

    @property
    def records(self) -> int:
        """Records that are counted."""

    @property
    def suppressed(self) -> int:
        """Records on which all that is known is suppressed: they form no class."""

    @property
    def dropped(self) -> int:
        """Records left out because a key or the target is missing."""

    @property
    def counts(self) -> Counts:
        """Counts for readings over the whole table; classes that look alike may be held once."""

    @property
    def classes(self) -> JointCounts:
        """Joint counts in which every class stands for itself and can be named; Undefined if too many."""

    def worst(self, statistic: Statistic, most: int | None) -> JointCounts:
        """Joint counts in which classes can be named: all, or those worst by a statistic if too many."""

    def missing(self, attribute: str) -> int:
        """Records without a value of a key or the target, whether they are counted or not."""

    @property
    def rows(self) -> SelectedRows:
        """The records that are counted, row by row; brought over for that, as far as they can be."""

    @property
    def rows_at_hand(self) -> SelectedRows | None:
        """The same, or None where records stay where they are."""


class Engine(CodedTable, ABC):
    """The records of a source, counted where they are."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """What to call it: memory, gpu, database, out of core or spark."""

    @abstractmethod
    def count(self, request: Request) -> Counted:
        """A question, counted once however often it is asked."""

    @abstractmethod
    def frequencies(self, attribute: str, missing_values: Markers = NONE) -> Frequencies:
        """An attribute's values as codes, and how many records have each, missing first."""

    @abstractmethod
    def all_values(self, attribute: str, missing_values: Markers = NONE) -> Frequencies | None:
        """The same, or None where the values are too many to be looked at one by one."""

    @abstractmethod
    def summary(self, attribute: str, most: int, missing_values: Markers = NONE) -> Summary:
        """An attribute in a few numbers, with at most so many of its values."""

    @abstractmethod
    def distinct(self, attributes: Sequence[str], missing_values: Markers = NONE) -> int:
        """How many combinations of values occur."""

    @abstractmethod
    def occurs(self, attribute: str, text: str, missing_values: Markers = NONE) -> bool:
        """Whether some record has a value that reads so."""

    @abstractmethod
    def read_ahead(self, attributes: Sequence[str], missing_values: Markers = NONE) -> None:
        """Read columns that will be needed, where reading is all that it takes to have them."""

    @abstractmethod
    def at_hand(
        self, attributes: Sequence[str], conventions: Conventions, *, passing: bool = False
    ) -> Engine | None:
        """Rows with some attributes, which may stand for many records each; None where they are too many.

        They are kept for other questions, unless they are only ``passing``.
        """

    def looked_at(self, attributes: Sequence[str], conventions: Conventions) -> Engine | None:
        """The rows that many questions look at one by one; None where it is better to count all records."""
        return self.at_hand(attributes, conventions)

    @abstractmethod
    def has_each_record(self, attributes: Sequence[str]) -> bool:
        """Whether there is a row for each record, with all of these attributes."""

    @property
    @abstractmethod
    def numbered(self) -> bool:
        """Whether records have an order of their own, in which their columns can be had."""

    @property
    def subset_search(self) -> SubsetSearch | None:
        """How it searches subsets of attributes; None: as rows at hand are searched."""
        return None

    @property
    def level_search(self) -> LevelSearch | None:
        """How it searches combinations of levels; None: as classes at hand are searched."""
        return None

    @property
    def dealing(self) -> Dealing | None:
        """How it assigns targets at random; None: as counts at hand are shuffled."""
        return None


def refuse_nothing(counted: Counted, records: int) -> None:
    """Refuse a question for which no record is left to count."""
    if counted.records == 0:
        raise EmptySource(
            f"No record is left to count: of {many(records)}, "
            f"{in_words(hidden(counted.suppressed, of=records))} are suppressed and "
            f"{in_words(hidden(counted.dropped, of=records))} have missing values."
        )
