"""What a table offers that is counted where it is: combinations of values, and classes if these are many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from divulge.engines.base import Summary
from divulge.engines.coded_table import NONE, Markers
from divulge.source.base import Columns, Source
from divulge.table.codes import Codes

Target = str | tuple[str, ...] | None  # one attribute, several together, or every record on its own


@dataclass(frozen=True)
class CountedAs:
    """How records count: whose they are, what each weighs, and whether a missing key matches any value.

    ``missing_values`` are texts that mean missing where people or weights are named by them.
    """

    people: tuple[str, ...] = ()
    weights: str | None = None
    wildcard: bool = False
    missing_values: Markers = NONE

    @property
    def plain(self) -> bool:
        """Whether every record is a person who counts once, and a missing key is a value."""
        return not (self.people or self.weights or self.wildcard)


@dataclass(frozen=True)
class WeightSpan:
    """The weights of all records: how many are no positive numbers; of the others the ends and the sum."""

    wrong: int
    least: float
    most: float
    total: float


@dataclass(frozen=True, eq=False)
class ClassKinds:
    """Classes by kind: those with the same numbers of the same target values are one kind, held once.

    Kind ``i`` owns ``start[i]:start[i + 1]`` of ``place`` (of target values) and ``count`` (records), and
    stands for ``times[i]`` classes. Without a target a kind is a size: ``count``, with nothing else.
    ``weight`` is what cells weigh, ``subjects`` are the people of a class of a kind, and ``own`` its records
    where missing keys let others fit it; ``margin`` is then the weight of each target value.
    """

    count: npt.NDArray[np.int64]
    times: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64] | None = None
    place: npt.NDArray[np.int64] | None = None
    values: tuple[object, ...] = ()
    weight: npt.NDArray[np.float64] | None = None
    subjects: npt.NDArray[np.int64] | None = None
    own: npt.NDArray[np.int64] | None = None
    margin: npt.NDArray[Any] | None = None


@dataclass(frozen=True, eq=False)
class Aggregates:
    """Classes told by size: how many have it (``times``), and of each statistic total, least and most.

    ``values`` are the target's and ``margin`` says how many records have each, or what they weigh. Where
    people or weighted records are looked for there are too many to list: ``different`` says how many they
    are, ``weight`` what they weigh together and ``entropy`` how uncertain one is of them. Classes of a size
    may also be told apart by their ``people`` or their ``own`` records; with weights ``weight`` is what
    those of a size weigh, and statistics have a fourth column, their sum by weight.
    """

    by_size: Mapping[str, npt.NDArray[Any]]
    values: tuple[object, ...] = ()
    margin: npt.NDArray[Any] | None = None
    different: int = 0
    weight: float = 0.0
    entropy: float = 0.0


@dataclass(frozen=True, eq=False)
class WorstClasses:
    """A few classes with the values of their keys; class ``i`` owns ``start[i]:start[i + 1]`` of the cells.

    The values of the keys stand on every cell. Without a target a class is one cell, and ``place`` None.
    ``weight``, ``subjects`` and ``own`` are as of kinds of classes. ``totals`` is what people or weighted
    records that are looked for weigh in the whole table: those of the cells, and all others together.
    """

    keys: Mapping[str, Codes]
    start: npt.NDArray[np.int64]
    count: npt.NDArray[np.int64]
    place: npt.NDArray[np.int64] | None = None
    weight: npt.NDArray[np.float64] | None = None
    subjects: npt.NDArray[np.int64] | None = None
    own: npt.NDArray[np.int64] | None = None
    totals: npt.NDArray[Any] | None = None


@dataclass(frozen=True, eq=False)
class ValueRecoding:
    """An attribute's values replaced: code ``c``, 0 for missing, by code ``places[c]`` of ``domains``."""

    values: Sequence[object]
    places: npt.NDArray[np.int64]
    domains: Sequence[object]


@dataclass(frozen=True)
class JoinKeys:
    """The attributes that say which records are the same, by both names, and texts that mean missing."""

    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    missing: tuple[Markers, Markers]


@dataclass(frozen=True, eq=False)
class PairedTables:
    """The records of two tables side by side, each where it is alone as well.

    ``repeats`` says on how many records a key stands again, in the original and among released records of the
    original's; ``table`` is None where it does.
    """

    repeats: tuple[int, int]
    table: ExternalTable | None


IN_ORIGINAL, IN_RELEASE = "in the original", "in the release"


def paired_names(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, ...]:
    """What the columns of two tables are called side by side."""
    original, release = (f"original {name}" for name in ours), (f"release {name}" for name in theirs)
    return (IN_ORIGINAL, IN_RELEASE, *original, *release)


@runtime_checkable
class ExternalTable(Source, Protocol):
    """A source whose records are better counted where they are than brought over."""

    @property
    def kind(self) -> str:
        """What to call the engine."""

    def combinations(self, attributes: Sequence[str]) -> tuple[Columns, npt.NDArray[np.int64]] | None:
        """The combinations of values that occur, and how many records have each; None if too many."""

    def distinct(self, attributes: Sequence[str]) -> int:
        """How many combinations of values occur."""

    def summary(self, attribute: str, most: int) -> Summary:
        """An attribute in a few numbers, with at most so many of its values."""

    def prepared(
        self,
        recoded: Mapping[str, ValueRecoding],
        *,
        without_missing: Sequence[str] = (),
        suppressed: Mapping[str, str] | None = None,
    ) -> ExternalTable | None:
        """The same with some values replaced, and without some records; None where that cannot be done.

        Those go whose ``suppressed`` attributes all read as said, and then those that lack a value.
        """

    def weight_span(self, attribute: str, missing_values: Markers) -> WeightSpan | None:
        """What the weights of all records are like; asked where they are counted there."""

    def counted_as(self, how: CountedAs) -> ExternalTable | None:
        """The same with records that count so in what follows; None where that cannot be done."""

    def class_kinds(self, keys: Sequence[str], target: Target) -> ClassKinds | None:
        """The kinds of classes that the keys make; None if they are too many as well."""

    def aggregates(self, keys: Sequence[str], target: Target) -> Aggregates | None:
        """Sums and extremes of the classes' statistics; None where they cannot be had."""

    def worst(
        self, keys: Sequence[str], target: Target, statistic: str, most: int, *, highest: bool
    ) -> WorstClasses | None:
        """The classes with the lowest or highest of a statistic; None where they cannot be had."""

    def joined(
        self, other: ExternalTable, keys: JoinKeys, columns: tuple[Sequence[str], Sequence[str]]
    ) -> PairedTables | None:
        """The records of this table and of another side by side; None where they cannot be joined there."""
