"""What every source of records offers, and the checks they share."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from divulge._support.header import DoubtfulName, names_look_like_values
from divulge._support.wording import enumerated
from divulge.errors import DuplicateAttribute, EmptySource, SourceError, UnknownAttribute, counted, listing
from divulge.table.codes import Codes

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


@dataclass(frozen=True, eq=False)
class Columns:
    """A source whose columns can be encoded one by one."""

    name: str
    attributes: tuple[str, ...]
    records: int
    encoder: Callable[[str], Codes]
    labels: Mapping[str, Mapping[object, str]] = field(
        default_factory=dict
    )  # of codes, where a file has them
    cardinality: Callable[[str], int] | None = (
        None  # of an attribute, where that is known before it is encoded
    )
    left: tuple[str, ...] = ()  # what a file has beside its values, which no release of it has

    def __post_init__(self) -> None:
        check_table(self.name, self.attributes, self.records)

    def encode(self, attributes: Sequence[str]) -> dict[str, Codes]:
        wanted = check_asked(attributes, self.attributes)
        if len(wanted) == 1 or self.records < MANY_RECORDS:
            return {attribute: self.encoder(attribute) for attribute in wanted}
        with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            return dict(zip(wanted, pool.map(self.encoder, wanted), strict=True))


def left_behind(source: Source) -> str:
    """What a release of a source cannot have, in a sentence; empty where nothing is lost."""
    left = source.left if isinstance(source, Columns) else ()
    if not left:
        return ""
    said = f"{source.name} has {enumerated(left)}, which the release does not have"
    empty = "; values that meant missing are empty" if left[-1] == "codes that mean missing" else ""
    return f"{said}{empty}."


def value_labels(source: Source) -> Mapping[str, Mapping[object, str]]:
    """The labels of codes that a file has, by attribute; none where its kind has none."""
    return source.labels if isinstance(source, Columns) else {}


def check_names(name: str, attributes: Sequence[str]) -> None:
    """Every attribute has a name of its own, and there is at least one."""
    if not attributes:
        raise EmptySource(f"{name} has no attributes.", hint="Check that this is the table you meant.")
    twice = [attribute for attribute, times in Counter(attributes).items() if times > 1]
    if twice:
        raise DuplicateAttribute(
            f"{name} has more than one attribute called {listing(twice)}."
            if not names_look_like_values(twice)
            else f"{name} has {counted(len(twice), 'name')} that several attributes share.",
            hint="Rename them so that each name is used once.",
        )


def check_width(name: str, attributes: int) -> None:
    """A file has no more columns than can be described in seconds; the time grows with their square."""
    if attributes > MOST_COLUMNS:
        raise SourceError(
            f"{name} has {attributes:,} columns, and the limit is {MOST_COLUMNS:,}.",
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
    called = "An attribute" if isinstance(attribute, DoubtfulName) else f"The attribute '{attribute}'"
    return SourceError(
        f"{called} holds {kind}, which cannot be compared as values.",
        hint="Split it into plain attributes, or turn it into text.",
    )
