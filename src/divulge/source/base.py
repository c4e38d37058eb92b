"""What every source of records offers, and the checks they share."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from divulge.codes import Codes
from divulge.errors import DuplicateAttribute, EmptySource, SourceError, UnknownAttribute, counted, listing
from divulge.header import names_look_like_values

# Below this a thread costs more than it saves.
MANY_RECORDS = 1 << 18
# DuckDB describes 5,000 columns in some seconds, and 100,000 in hours.
MOST_COLUMNS = 5_000


@runtime_checkable
class Source(Protocol):
    """Records with named attributes, handed over as codes; the order of records never changes."""

    @property
    def name(self) -> str:
        """What to call it in a sentence."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the columns, in order."""

    @property
    def records(self) -> int:
        """How many records there are."""

    def encode(self, attributes: Sequence[str]) -> dict[str, Codes]:
        """The codes of some attributes."""


@dataclass(frozen=True)
class Summary:
    """An attribute in a few numbers: records with a value, different values, values on one record only."""

    present: int
    distinct: int
    lone: int
    sample: list[object]


@dataclass(frozen=True, eq=False)
class ClassKinds:
    """Classes by kind: those with the same numbers of the same target values are one kind, held once.

    Kind ``i`` owns ``start[i]:start[i + 1]`` of ``place`` (of target values) and ``count`` (records), and
    stands for ``times[i]`` classes. Without a target a kind is a size: ``count``, with nothing else.
    """

    count: npt.NDArray[np.int64]
    times: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64] | None = None
    place: npt.NDArray[np.int64] | None = None
    values: tuple[object, ...] = ()


@dataclass(frozen=True, eq=False)
class Aggregates:
    """Classes told by size: how many have it (``times``), and of each statistic total, least and most.

    ``values`` are the target's and ``margin`` says how many records have each.
    """

    by_size: Mapping[str, npt.NDArray[Any]]
    values: tuple[object, ...]
    margin: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WorstClasses:
    """A few classes with the values of their keys; class ``i`` owns ``start[i]:start[i + 1]`` of the cells.

    The values of the keys stand on every cell. Without a target a class is one cell, and ``place`` None.
    """

    keys: Mapping[str, Codes]
    start: npt.NDArray[np.int64]
    count: npt.NDArray[np.int64]
    place: npt.NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class Recoding:
    """An attribute's values replaced: code ``c``, 0 for missing, by code ``places[c]`` of ``domains``."""

    values: Sequence[object]
    places: npt.NDArray[np.int64]
    domains: Sequence[object]


@runtime_checkable
class Distant(Source, Protocol):
    """A source whose records are better counted where they are than brought over."""

    distant: bool

    def combinations(self, attributes: Sequence[str]) -> tuple[Columns, npt.NDArray[np.int64]] | None:
        """The combinations of values that occur, and how many records have each; None if too many."""

    def distinct(self, attributes: Sequence[str]) -> int:
        """How many combinations of values occur."""

    def summary(self, attribute: str, most: int) -> Summary:
        """An attribute in a few numbers, with at most so many of its values."""


@runtime_checkable
class CountedTable(Distant, Protocol):
    """A distant source that can be asked about classes even where combinations are too many to bring over."""

    def prepared(
        self,
        recoded: Mapping[str, Recoding],
        *,
        without_missing: Sequence[str] = (),
        suppressed: Mapping[str, str] | None = None,
    ) -> CountedTable:
        """The same with some values replaced, and without some records.

        Those go whose ``suppressed`` attributes all read as said, and then those that lack a value.
        """

    def class_kinds(self, keys: Sequence[str], target: str | None) -> ClassKinds | None:
        """The kinds of classes that the keys make; None if they are too many as well."""

    def aggregates(self, keys: Sequence[str], target: str) -> Aggregates | None:
        """Sums and extremes of the classes' statistics; None where they cannot be had."""

    def worst(
        self, keys: Sequence[str], target: str | None, statistic: str, most: int, *, highest: bool
    ) -> WorstClasses | None:
        """The classes with the lowest or highest of a statistic; None where they cannot be had."""


@dataclass(frozen=True, eq=False)
class Columns:
    """A source whose columns can be encoded one by one."""

    name: str
    attributes: tuple[str, ...]
    records: int
    encoder: Callable[[str], Codes]

    def __post_init__(self) -> None:
        check_table(self.name, self.attributes, self.records)

    def encode(self, attributes: Sequence[str]) -> dict[str, Codes]:
        wanted = check_asked(attributes, self.attributes)
        if len(wanted) == 1 or self.records < MANY_RECORDS:
            return {attribute: self.encoder(attribute) for attribute in wanted}
        with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            return dict(zip(wanted, pool.map(self.encoder, wanted), strict=True))


def check_names(name: str, attributes: Sequence[str]) -> None:
    """Every attribute has a name of its own, and there is at least one."""
    if not attributes:
        raise EmptySource(f"{name} has no attributes.", hint="Check that this is the table you meant.")
    twice = [attribute for attribute, times in Counter(attributes).items() if times > 1]
    if twice:
        raise DuplicateAttribute(
            f"{name} has more than one attribute called {listing(twice)}."
            if not names_look_like_values(twice)
            else f"{name} has {counted(len(twice), 'name')} that more than one attribute has.",
            hint="Rename them so that each name stands for one attribute.",
        )


def check_width(name: str, attributes: int) -> None:
    """A file has no more columns than can be described in seconds; the time grows with their square."""
    if attributes > MOST_COLUMNS:
        raise SourceError(
            f"{name} has {attributes:,} columns, and a file may have {MOST_COLUMNS:,}.",
            hint="Save the columns that matter in a file of their own, or give a frame in Python.",
        )


def check_table(name: str, attributes: Sequence[str], records: int) -> None:
    """The names are sound and there is at least one record."""
    check_names(name, attributes)
    if not records:
        raise EmptySource(
            f"{name} has a header but no records.",
            hint=f"It has {counted(len(attributes), 'attribute')}; check that it was written to the end.",
        )


def check_asked(asked: Sequence[str], attributes: Sequence[str]) -> list[str]:
    """The attributes asked for, each once, all of them known."""
    known = set(attributes)
    for attribute in asked:
        if attribute not in known:
            raise UnknownAttribute(attribute, attributes)
    return list(dict.fromkeys(asked))


def not_a_value(attribute: str, kind: str) -> SourceError:
    """The error for an attribute that holds lists or the like, which cannot be compared as values."""
    return SourceError(
        f"The attribute '{attribute}' holds {kind}, which cannot be told apart as values.",
        hint="Split it into plain attributes, or turn it into text.",
    )
