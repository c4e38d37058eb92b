"""Where a release is made without bringing records over: a query that grows step by step, then written there.

Columns are called c0, c1, ... by their places; k is the text by which a record draws.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.engines.external.table import ExternalTable

MOST_CELLS = 20_000_000  # records times attributes, up to which they are brought over where that has to be
UNIT = 2.0**-52  # a draw is 13 hexadecimal digits, as a number from 0 up to 1


@dataclass(frozen=True)
class ReleaseDialect:
    """What one place writes differently from another.

    ``digits`` are 13 hexadecimal digits of the digest of a text, from a place on, as a number. The others are
    templates: ``parsed`` is a value as a number, NULL where it is none, ``spelled`` a number with so many
    digits behind the point, ``point`` the place of the point in a text.
    """

    digits: Callable[[str, int], str]
    literal: Callable[[str], str]
    text: str
    number: str
    whole: str
    decimal: str
    parsed: str
    spelled: str
    point: str
    floor: str = "floor({})"
    once: str = ""  # ends a query whose terms are to be computed once for each record

    def draw(self, text: str, first: int = 1) -> str:
        """The number from 0 up to 1 that a text draws: from the first or from the 14th digit on."""
        return f"({self.digits(text, first)} * {self.float_number(UNIT)})"

    def uniform(self, key: str) -> str:
        """The number from 0 up to 1 that a record draws with a key."""
        return self.draw(f"'{key}:' || k")

    def normal(self, key: str) -> str:
        """The standard normal number that a record draws with a key (Box and Muller)."""
        text, one, two = f"'{key}:' || k", self.float_number(1.0), self.float_number(2.0)
        angle = f"{self.float_number(2 * math.pi)} * {self.draw(text, 14)}"
        return f"(sqrt(-{two} * ln({one} - {self.draw(text)})) * cos({angle}))"

    def as_text(self, column: str) -> str:
        """A column as text."""
        return f"CAST({column} AS {self.text})"

    def float_number(self, number: float) -> str:
        """A number in full precision."""
        return f"CAST('{number!r}' AS {self.number})"

    def rounded(self, number: str, places: int) -> str:
        """A number with so many digits behind the point, as a number."""
        tens = self.float_number(10.0**places)
        return f"({self.floor.format(f'{number} * {tens} + {self.float_number(0.5)}')} / {tens})"


@dataclass(frozen=True, eq=False)
class HeldValues:
    """The values of a column, which the place keeps under a name, and how many records have each.

    A value is known by its place among them; None is missing.
    """

    name: str
    values: Sequence[object]
    counts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, name: str, found: Sequence[Any]) -> HeldValues:
        """The same from pairs of a value and how many records have it."""
        return cls(name, [value for value, _ in found], np.array([n for _, n in found], np.int64))


@dataclass(frozen=True, eq=False)
class ValueMapping:
    """What becomes of values: the value at ``place`` turns into ``released`` if its draw is within bounds.

    Bounds are on the code of the value and the draw together: low <= code + draw < high. A row is for
    draws in one of ``parts`` equal parts, so that few rows are looked at for a draw. Released values are
    texts of a type, ``kind``, with ``digits`` in all and behind the point of a decimal.
    """

    place: npt.NDArray[np.int64]
    part: npt.NDArray[np.float64]
    parts: int
    code: npt.NDArray[np.int64]
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    released: Sequence[str | None]
    kind: str
    digits: tuple[int, int] | None
    certain: bool  # whether nothing is drawn
    also_missing: bool  # whether a missing value may turn into one that is not

    def columns(self) -> list[list[Any]]:
        """Place, part, code, low, high and released, as plain lists."""
        given = (self.place, self.part, self.code, self.low, self.high)
        return [*(one.tolist() for one in given), list(self.released)]


@dataclass(frozen=True, eq=False)
class ReleasedColumn:
    """A column that was made elsewhere: its name, its type as mappings call it, a value for each record."""

    name: str
    kind: str
    digits: tuple[int, int] | None
    values: Sequence[Any]


class Workplace(ABC):
    """A table whose release is made where it is."""

    dialect: ReleaseDialect
    hidden: tuple[str, ...] = ("k",)  # columns that are not released
    row_number: str | None = None  # the hidden column with the number of a record, where it has one
    released: Any = None  # a frame of the release, where it is one
    digest: str | None = None  # of the file of the release, where it is one
    most_values = 200_000  # of an attribute, up to which they are looked at one by one

    def __init__(self, table: ExternalTable) -> None:
        self.name, self.kind = table.name, table.kind
        self.attributes, self.records = table.attributes, table.records

    @abstractmethod
    def start(self, key: str | None) -> str:
        """The query for all records as they are; k is the text of an attribute, or the number of a record."""

    @abstractmethod
    def rows(self, query: str) -> list[Any]:
        """The few rows that a query gives."""

    @abstractmethod
    def values(self, query: str, column: str) -> HeldValues | None:
        """The values of a column of a query; None where they are too many."""

    @abstractmethod
    def mapping(self, held: HeldValues, mapping: ValueMapping) -> str:
        """What stands behind FROM for a mapping: value, part, code, low, high, released."""

    @abstractmethod
    def write(self, query: str, columns: Sequence[tuple[str, str]], order: str | None) -> None:
        """Write columns of a query, each under its name, in an order."""

    def named(self, query: str) -> str:
        """The same query, which the place may remember under a name: some read no deeply nested ones."""
        return query

    def number(self, query: str) -> int:
        """The one number that a query gives."""
        [[found]] = self.rows(query)
        return int(found)


class KeepingWorkplace(Workplace):
    """A place that keeps rows of queries in temporary tables of its own."""

    prefix = ""  # of the names of these tables
    _made = 0

    @abstractmethod
    def run(self, statement: str, *given: object) -> Any:
        """Have a statement carried out."""

    def keep(self, letter: str, query: str, *given: object) -> str:
        """Keep the rows of a query, and give the name of the table that has them."""
        name = self.new_name(letter)
        self.run(f"CREATE TEMPORARY TABLE {name} AS {query}", *given)
        return name

    def new_name(self, letter: str) -> str:
        """A name for a table that no other has."""
        self._made += 1
        return f"{self.prefix}{letter}{self._made}"

    def named(self, query: str) -> str:
        name = self.new_name("q")
        self.run(f"CREATE TEMPORARY VIEW {name} AS {query}")
        return f"SELECT * FROM {name}"

    def rows(self, query: str) -> list[Any]:
        return list(self.run(query).fetchall())

    def values(self, query: str, column: str) -> HeldValues | None:
        grouped = values_query(query, column, self.most_values)
        name = self.keep("v", f"SELECT value, n, row_number() OVER () - 1 AS place FROM ({grouped}) AS g")
        found = self.rows(f"SELECT value, n FROM {name} ORDER BY place")
        return None if len(found) > self.most_values else HeldValues.of(name, found)


class ReceivingWorkplace(Workplace):
    """A place that also takes a release which was made elsewhere, of records that were brought over."""

    @abstractmethod
    def write_columns(self, columns: Sequence[ReleasedColumn]) -> None:
        """Write a release that was not made here."""


def values_query(query: str, column: str, most: int) -> str:
    """The values of a column of a query and how many records have each, of more than most one too many."""
    grouped = f"SELECT {column} AS value, count(*) AS n FROM ({query}) AS t GROUP BY {column}"
    return f"{grouped} LIMIT {most + 2}"


def recoded_query(
    query: str,
    columns: Sequence[str],
    column: str,
    mapping: str,
    uniform: str | None,
    parts: int,
    dialect: ReleaseDialect,
    *,
    also_missing: bool,
    before: str = "",
) -> str:
    """The records of a query with one column as a mapping says, which may depend on a draw.

    ``before`` names a further column with what it was. A record draws before its value is looked for, so that
    it draws once and not for every row of the mapping.
    """
    given, drawn, released, more = ", ".join(columns), "", "m.released", ""
    if uniform:
        given += f", {uniform} AS draw"
        part = dialect.floor.format(f"t.draw * {dialect.float_number(float(parts))}")
        drawn = f" AND {part} = m.part AND m.code + t.draw >= m.low AND m.code + t.draw < m.high"
    if also_missing:
        within = drawn.replace(" m.", " n.")
        more = f" LEFT JOIN {mapping} AS n ON t.{column} IS NULL AND n.value IS NULL{within}"
        released = f"CASE WHEN t.{column} IS NULL THEN n.released ELSE m.released END"
    picked = ", ".join(f"{released} AS {one}" if one == column else f"t.{one} AS {one}" for one in columns)
    picked += f", t.{column} AS {before}" if before else ""
    return (
        f"SELECT {picked} FROM (SELECT {given} FROM ({query}) AS u{dialect.once}) AS t "
        f"LEFT JOIN {mapping} AS m ON t.{column} = m.value{drawn}{more}"
    )


def computed_query(query: str, columns: Sequence[str], column: str, term: str, before: str = "") -> str:
    """The records of a query with one column computed anew; ``before`` names a column with what it was."""
    picked = ", ".join(f"{term} AS {one}" if one == column else one for one in columns)
    picked += f", {column} AS {before}" if before else ""
    return f"SELECT {picked} FROM ({query}) AS t"


def large_classes_query(query: str, columns: Sequence[str], keys: Sequence[str], least: int) -> str:
    """The records of a query in classes of so many at least."""
    size = f"count(*) OVER (PARTITION BY {', '.join(keys)}) AS class_size"
    sized = f"SELECT {', '.join(columns)}, {size} FROM ({query}) AS t"
    return f"SELECT {', '.join(columns)} FROM ({sized}) AS s WHERE class_size >= {least}"


def sampled_query(
    query: str,
    columns: Sequence[str],
    strata: Sequence[str],
    fraction: float,
    key: str,
    dialect: ReleaseDialect,
) -> str:
    """A share of the records of a query, of each stratum by itself; ``weight`` is one over the share kept."""
    parted = f"PARTITION BY {', '.join(strata)} " if strata else ""
    order = f"ORDER BY {dialect.uniform(key)}, k"
    ranked = (
        f"SELECT {', '.join(columns)}, row_number() OVER ({parted}{order}) AS drawn, "
        f"count(*) OVER ({parted.strip()}) AS size FROM ({query}) AS t"
    )
    one, half = dialect.float_number(1.0), dialect.float_number(0.5)
    kept = dialect.floor.format(f"{dialect.float_number(fraction)} * size + {half}")
    return (
        f"SELECT {', '.join(columns)}, {one} / ({one} * {kept} / size) AS weight "
        f"FROM ({ranked}) AS s WHERE drawn <= {kept}"
    )
