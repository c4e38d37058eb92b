"""A table on a cluster, asked in SQL: what is few comes over as Arrow, values are told apart by hashes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.counting.wildcard import FEW_KINDS, overlapping_people
from divulge.engines.external.table import CountedAs, Target, ValueRecoding
from divulge.engines.spark import class_sql, sql
from divulge.engines.spark.class_sql import Asked
from divulge.engines.spark.session import cause, unheard
from divulge.errors import DivulgeError, SourceError, Undefined
from divulge.source.base import check_asked, not_a_value
from divulge.table.codes import Codes

MOST = 20_000_000  # cells (rows times attributes) up to which combinations or records are brought over
_WHOLE = re.compile(r"-?[0-9]+")
SAMPLE = 64  # one combination of so many is counted to tell about how many there are


@dataclass(frozen=True, eq=False)
class SparkQueries:
    """A table of which some attributes can be asked at a time; columns are named by their places."""

    name: str
    attributes: tuple[str, ...]
    records: int
    frame: Any = field(repr=False)
    kinds: tuple[str, ...]
    domains: Mapping[str, Sequence[object]] = field(default_factory=dict)  # what numbers stand for
    _read: dict[str, Codes] = field(default_factory=dict, repr=False)
    _values: dict[str, int] = field(default_factory=dict, repr=False)  # of attributes that were counted
    _estimates: dict[frozenset[str], int] = field(default_factory=dict, repr=False)
    how: CountedAs = field(default_factory=CountedAs)
    _margins: dict[tuple[str, ...], Margin] = field(default_factory=dict, repr=False)

    def few(self, attributes: Sequence[str], width: int = 1) -> bool:
        """Whether combinations, so many cells wide, can all be brought over, as far as some of them tell."""
        if self.records * width <= MOST:
            return True
        single = [self._values.get(name, MOST + 1) for name in attributes]
        if math.prod(single) * width <= MOST:  # no more are possible
            return True
        known = [n for part, n in self._estimates.items() if part <= set(attributes)]
        if max(known, default=0) * width > MOST:  # there are no fewer with more attributes
            return False
        some = sql.hashed(self.columns(attributes), 1)
        query = f"SELECT count(DISTINCT y) FROM (SELECT {some} AS y FROM ({self.select(attributes)}))"
        found = self.number(f"{query} WHERE pmod(y, {SAMPLE}) = 0") * SAMPLE
        self._estimates[frozenset(attributes)] = found
        return found * width <= MOST

    def margin(self, target: Target) -> Margin | None:
        """How often each target value occurs, or what it weighs; None if they are too many."""
        names = [target] if isinstance(target, str) else list(target or ())
        weights = self.how.weights
        known = (*names, weights or "")
        if known in self._margins:
            return self._margins[known]
        if not self.few(names, len(names)):
            return None
        by, picked = ", ".join(self.columns(names)), self.select(names)
        sums = "count(*) AS t"
        if weights is not None:
            picked, sums = f"SELECT {self.picked(names)}, {self.weight} AS w FROM {{table}}", "sum(w) AS t"
        query = f"SELECT {by}, {sql.values(self.columns(names))} AS x, {sums} FROM ({picked}) GROUP BY {by}"
        found = self.arrow(query).sort_by("x")
        columns = [self.codes(found, [one])[one].values_of() for one in names]
        values = tuple(columns[0]) if len(names) == 1 else tuple(zip(*columns, strict=True))
        self._margins[known] = Margin(found["x"].to_numpy(), found["t"].to_numpy(), values)
        return self._margins[known]

    def asked(self, keys: Sequence[str], target: Target) -> Asked:
        """What is read of the table for a question."""
        targets = [target] if isinstance(target, str) else list(target or ())
        check_asked([*keys, *targets], self.attributes)
        picked = self.picked([*keys, *targets])
        known, aim = self.columns(keys), self.columns(targets)
        people = [self.unmarked(name) for name in self.how.people]
        if people:
            picked += "".join(f", {term} AS s{i}" for i, term in enumerate(people))
        if self.how.weights is not None:
            picked += f", {self.weight} AS w"
        gaps: list[int] = []
        if self.how.wildcard:
            found = self.arrow(class_sql.gaps(picked, known, FEW_KINDS))["g"].to_pylist()
            gaps = sorted(found) if any(found) else []
            self._refuse_gaps(gaps, alone=not targets)
        whose = [f"s{i}" for i in range(len(people))]
        return Asked(picked, known, aim, whose, self.how.weights is not None, gaps)

    def _refuse_gaps(self, gaps: Sequence[int], *, alone: bool) -> None:
        """Refuse what cannot be counted where a missing key matches any value."""
        if gaps and self.how.people:
            raise overlapping_people()
        if gaps and (len(gaps) > FEW_KINDS or (alone and self.how.weights is not None)):
            raise Undefined("missing values match too many records to be counted on the cluster")

    @property
    def weight(self) -> str:
        """What a record weighs."""
        assert self.how.weights is not None
        place = self.attributes.index(self.how.weights)
        return sql.number(self.unmarked(self.how.weights), self.kinds[place])

    def unmarked(self, attribute: str) -> str:
        """A column as it stands, texts that mean missing among the missing."""
        place = self.attributes.index(attribute)
        column, kind = self.comparable(attribute), self.kinds[place].partition("(")[0].partition(" ")[0]
        if column is None:
            raise not_a_value(attribute, f"values of type {self.kinds[place]}")
        marks = sorted(self.how.missing_values)
        if kind not in ("string", "char", "varchar"):
            marks = [mark for mark in marks if _WHOLE.fullmatch(mark)]
        if not marks:
            return column
        listed = ", ".join(map(sql.literal, marks))
        return f"CASE WHEN coalesce(CAST({column} AS STRING) NOT IN ({listed}), true) THEN {column} END"

    def columns(self, attributes: Sequence[str]) -> list[str]:
        return [f"c{self.attributes.index(name)}" for name in attributes]

    def comparable(self, attribute: str) -> str | None:
        place = self.attributes.index(attribute)
        return sql.comparable(f"c{place}", self.kinds[place])

    def picked(self, attributes: Sequence[str]) -> str:
        picked = []
        for name in dict.fromkeys(attributes):
            column = self.comparable(name)
            if column is None:
                raise not_a_value(name, f"values of type {self.kinds[self.attributes.index(name)]}")
            picked.append(f"{column} AS c{self.attributes.index(name)}")
        return ", ".join(picked)

    def select(self, attributes: Sequence[str]) -> str:
        return f"SELECT {self.picked(attributes)} FROM {{table}}"

    def query(self, query: str, **frames: Any) -> Any:
        return self.frame.sparkSession.sql(query, table=self.frame, **frames)

    def arrow(self, query: str, **frames: Any) -> Any:
        with asking(self.name):
            return self.query(query, **frames).toArrow()

    def number(self, query: str) -> int:
        return int(self.arrow(query)[0][0].as_py())

    def codes(self, found: Any, attributes: Sequence[str]) -> dict[str, Codes]:
        from divulge.source.frames.arrow import encode_chunks

        columns = zip(attributes, self.columns(attributes), strict=True)
        codes = {name: encode_chunks(name, found[column]) for name, column in columns}
        for name in self.domains.keys() & codes.keys():
            values: Sequence[Any] = codes[name].values
            codes[name] = Codes(codes[name].codes, [self.domains[name][number - 1] for number in values])
        return codes


@dataclass(frozen=True, eq=False)
class Margin:
    """How often each target value occurs, in the order of their hashes, by which cells refer to them."""

    hashes: npt.NDArray[np.int64]
    count: npt.NDArray[Any]
    values: tuple[object, ...]

    def __post_init__(self) -> None:
        if (self.hashes[1:] == self.hashes[:-1]).any():
            raise Undefined(
                "two target values have the same hash of 64 bits, so they cannot be distinguished"
            )

    def places(self, hashes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return np.searchsorted(self.hashes, hashes)

    def recoding(self, beside: Any, change: ValueRecoding) -> Any:
        """A frame that says by hashes what becomes of values: numbers of domains, NULL for missing."""
        import pyarrow as pa

        places = dict(zip(map(_told_apart, [None, *change.values]), change.places.tolist(), strict=True))
        numbers = [places[_told_apart(value)] or None for value in self.values]
        return beside.sparkSession.createDataFrame(
            pa.table({"x": self.hashes, "d": pa.array(numbers, pa.int32())})
        )

    @property
    def total(self) -> float:
        return float(self.count.sum())

    def frame(self, beside: Any) -> Any:
        """The same as a frame, in the session of another."""
        import pyarrow as pa

        return beside.sparkSession.createDataFrame(pa.table({"x": self.hashes, "t": self.count}))


def _told_apart(value: object) -> tuple[bool, object]:
    """A value as a key of a dictionary, in which True is not 1."""
    return isinstance(value, bool), value


@contextmanager
def asking(name: str) -> Iterator[None]:
    """What goes wrong on the cluster is told without Spark's own words, which may quote records."""
    try:
        with unheard():
            yield
    except (DivulgeError, MemoryError):
        raise
    except Exception as error:  # each way to Spark has errors of its own
        raise SourceError(
            f"Spark could not read {name} ({cause(error)}).",
            hint="Run a count in Spark itself to see why.",
        ) from None
