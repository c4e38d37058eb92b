"""Database tables through SQLAlchemy: counted inside the database, from one state of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from divulge.engines.base import Summary
from divulge.engines.coded_table import Markers
from divulge.engines.database.column import DatabaseColumn
from divulge.engines.database.halves import Groups, at_once, halves, together
from divulge.engines.database.lines import codes_of_lines, come_as_lines, line
from divulge.engines.database.pairs import joined
from divulge.engines.database.session import DatabaseSession
from divulge.engines.database.unique_columns import is_unique
from divulge.engines.external.table import (
    CountedAs,
    ExternalTable,
    JoinKeys,
    PairedTables,
    Target,
    ValueRecoding,
)
from divulge.source.base import Columns, check_asked
from divulge.source.dictionary import Dictionary
from divulge.table.codes import Codes

_LARGE = 1_000_000  # records from which on a table is grouped in two halves, where the server allows it
_FIRST = 1000  # records among which a value that occurs twice is looked for before all are sorted
_BLOCK = 20_000  # rows that the database is asked for at a time
_PART = 1000  # rows that are made codes at a time, while they are still in the processor's cache


@dataclass(frozen=True, eq=False)
class DatabaseTable:
    """A table that is counted where it is; its records come over only if there is no other way."""

    name: str
    attributes: tuple[str, ...]
    records: int
    session: DatabaseSession
    place: Any
    columns: Mapping[str, DatabaseColumn]
    _read: dict[str, Codes] = field(default_factory=dict, repr=False)
    _summed: dict[str, tuple[int, int, int]] = field(default_factory=dict, repr=False)

    kind: ClassVar[str] = "database"

    def combinations(self, attributes: Sequence[str]) -> tuple[Columns, npt.NDArray[np.int64]]:
        """The combinations of values that occur, and how many records have each, by one grouped query."""
        wanted = check_asked(attributes, self.attributes)
        picked = [self.columns[one].grouped for one in wanted]
        with self.session.asking(f"T{self.name[1:]}") as connection:
            halved = self._grouped_in_halves(connection, picked, wanted)
            codes, times = halved or self._fetched(connection, picked, wanted, grouped=True)
        source = Columns(self.name, tuple(wanted), len(times), codes.__getitem__)
        return source, times

    def distinct(self, attributes: Sequence[str]) -> int:
        """How many combinations of values occur."""
        if len(attributes) == 1:
            present, distinct, _ = self._sums(attributes[0])
            return distinct + (present < self.records)
        picked = [self.columns[one].grouped for one in check_asked(attributes, self.attributes)]
        inner = sa.select(*picked).select_from(self.place).group_by(*picked).subquery()
        [[(found,)]] = [self.rows(sa.select(sa.func.count()).select_from(inner))]
        return int(found)

    def summary(self, attribute: str, most: int) -> Summary:
        """How many values an attribute has and on how many records, and some of them."""
        sample: list[Any] = []
        present, distinct, lone = self._sums(attribute)
        if most:
            # Where no value occurs twice the first ones are found without grouping.
            place = self.place if lone == present else self._grouped(attribute)
            value = self.columns[attribute].grouped if lone == present else place.c[attribute]
            query = sa.select(value).select_from(place).where(value.is_not(None))
            sample = self.rows(query.order_by(value).limit(most))
        return Summary(present, distinct, lone, [one for (one,) in sample])

    def joined(
        self, other: ExternalTable, keys: JoinKeys, columns: tuple[Sequence[str], Sequence[str]]
    ) -> PairedTables | None:
        """The records of this table and of another side by side; None where they cannot be joined there."""
        return joined(self, other, keys, columns) if isinstance(other, DatabaseTable) else None

    # -- a database always hands over combinations, so nothing else is asked of it ---------------------

    def prepared(
        self,
        recoded: Mapping[str, ValueRecoding],
        *,
        without_missing: Sequence[str] = (),
        suppressed: Mapping[str, str] | None = None,
    ) -> None:
        return None

    def weight_span(self, attribute: str, missing_values: Markers) -> None:
        """Not asked here: records that weigh are brought over, as far as they fit."""

    def counted_as(self, how: CountedAs) -> None:
        """None: people, weights and wildcards are counted from combinations, which come over."""

    def class_kinds(self, keys: Sequence[str], target: Target) -> None:
        return None

    def aggregates(self, keys: Sequence[str], target: Target) -> None:
        return None

    def worst(self, keys: Sequence[str], target: Target, statistic: str, most: int, *, highest: bool) -> None:
        return None

    def _sums(self, attribute: str) -> tuple[int, int, int]:
        """Records with a value, different values, and values on one record only, asked for once."""
        if attribute not in self._summed:
            self._summed[attribute] = self._all_different(attribute) or self._tallied(attribute)
        return self._summed[attribute]

    def _all_different(self, attribute: str) -> tuple[int, int, int] | None:
        """The same by one sort, which costs a quarter of grouping; None where a value occurs twice.

        Of a key, values are only counted.
        """
        if not self.columns[attribute].sorts:
            return None
        value = self.columns[attribute].grouped
        every = sa.select(value).select_from(self.place)
        with self.session.asking(f"T{self.name[1:]}") as connection:
            unique = is_unique(connection, self.place, attribute)
        if unique:
            [(present,)] = self.rows(sa.select(sa.func.count(every.subquery().c[attribute])))
            return present, present, present
        for place in (every.limit(_FIRST).subquery(), every.subquery()):
            one = place.c[attribute]
            [(present, distinct)] = self.rows(sa.select(sa.func.count(one), sa.func.count(one.distinct())))
            if distinct < present:
                return None
        return present, distinct, distinct

    def _tallied(self, attribute: str) -> tuple[int, int, int]:
        grouped = self._grouped(attribute)
        value, times = grouped.c[attribute], grouped.c.often
        there = [sa.func.sum(times), sa.func.count(), sa.func.sum(sa.case((times == 1, 1), else_=0))]
        [found] = self.rows(sa.select(*there).where(value.is_not(None)))
        present, distinct, lone = (int(one or 0) for one in found)
        return present, distinct, lone

    def _grouped(self, attribute: str) -> Any:
        """The values of an attribute, and how often each occurs."""
        column = self.columns[attribute].grouped
        often = sa.func.count().label("often")
        return sa.select(column, often).select_from(self.place).group_by(column).subquery()

    def encode(self, attributes: Sequence[str]) -> dict[str, Codes]:
        """The codes of records: all columns are read at once, since the order of two queries may differ."""
        wanted = check_asked(attributes, self.attributes)
        if not self._read:
            picked = [sa.column(one) for one in self.attributes]
            with self.session.asking(f"T{self.name[1:]}") as connection:
                codes, _ = self._fetched(connection, picked, self.attributes, grouped=False)
            self._read.update(codes)
        return {one: self._read[one] for one in wanted}

    def rows(self, query: Any) -> list[Any]:
        with self.session.asking(f"T{self.name[1:]}") as connection:
            return list(connection.execute(query).all())

    def _grouped_in_halves(
        self, connection: Any, picked: Sequence[Any], names: Sequence[str]
    ) -> Groups | None:
        """The groups of a large table, two halves at once; None where the server is asked for all."""
        if self.records < _LARGE or not come_as_lines(connection, len(names)):
            return None
        with self.session.beside() as other:
            parts = None if other is None else halves(connection, self.place)
            if parts is None:
                return None

            def group(connection: Any, part: Any) -> Groups:
                return self._fetched(connection, picked, names, grouped=True, part=part)

            return together(names, at_once(group, (connection, other), parts))

    def _fetched(
        self,
        connection: Any,
        picked: Sequence[Any],
        names: Sequence[str],
        *,
        grouped: bool,
        part: Any = None,
    ) -> Groups:
        """Columns as codes, block by block, of records or of groups, and how many records each stands for."""
        times = sa.func.count() if grouped else sa.literal_column("1")

        def query(*columns: Any) -> Any:
            asked = sa.select(*columns).select_from(self.place)
            asked = asked if part is None else asked.where(part)
            return asked.group_by(*picked) if grouped else asked

        found = None
        if come_as_lines(connection, len(names)):
            kinds = [one.type_code for one in connection.execute(query(*picked).limit(0)).cursor.description]
            with _told(connection):
                blocks = _blocks(connection, query(line(picked, times)), _BLOCK)
                found = codes_of_lines(connection, kinds, names, blocks)
        codes, often = found or _codes(names, _blocks(connection, query(*picked, times), _PART))
        for one in names:
            if self.columns[one].truth:
                codes[one] = _truth(codes[one])
        return codes, often


def _codes(
    names: Sequence[str], blocks: Iterable[list[tuple[Any, ...]]]
) -> tuple[dict[str, Codes], npt.NDArray[np.int64]]:
    """Rows as the driver has them as codes, and the number at the end of each."""
    dictionaries = [Dictionary(one) for one in names]
    parts: list[list[Any]] = [[] for _ in names]
    numbers = []
    for block in blocks:
        *columns, times = zip(*block, strict=False)  # rows of a query are all as long
        for dictionary, part, values in zip(dictionaries, parts, columns, strict=True):
            part.append(dictionary.codes(values))
        numbers.append(np.asarray(times, np.int64))
    codes = {d.attribute: d.gather(part) for d, part in zip(dictionaries, parts, strict=True)}
    return codes, np.concatenate(numbers)


def _blocks(connection: Any, query: Any, part: int) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of a query as the driver has them: SQLAlchemy would make an object of each.

    No type that is asked for has a conversion of SQLAlchemy's own.
    """
    with connection.execute(query, execution_options={"stream_results": True}) as result:
        asked_for = result.fetchmany(1)  # SQLAlchemy has asked for the first row already
        if not asked_for:
            return
        yield [tuple(asked_for[0])]
        with _told(connection):
            while rows := result.cursor.fetchmany(_BLOCK):
                for first in range(0, len(rows), part):
                    yield rows[first : first + part]


@contextmanager
def _told(connection: Any) -> Iterator[None]:
    """What the driver raises by itself, as SQLAlchemy raises it."""
    try:
        yield
    except connection.dialect.loaded_dbapi.Error as error:
        raise sa.exc.DBAPIError(None, None, error) from None


def _truth(codes: Codes) -> Codes:
    """Truth values that the database keeps as 0 and 1."""
    if not {0, 1}.issuperset(codes.values):
        return codes
    return Codes(codes.codes, [bool(value) for value in codes.values])
