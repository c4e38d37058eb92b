"""Data to be measured: a source, the roles of its attributes, and what its odd values mean."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from divulge.codes import MISSING, Codes, narrow
from divulge.engines.opening import open_source
from divulge.errors import SchemaError
from divulge.hierarchy import Hierarchy
from divulge.schema import Schema, names
from divulge.small_counts import hidden
from divulge.source.base import Columns, CountedTable, Distant, Source, Summary
from divulge.wording import in_words

Missing = Literal["value", "drop", "wildcard"]
SUPPRESSED = "*"
CONDENSED = 1 << 22  # records from which a source is asked for combinations instead of columns
LARGEST_WEIGHT = 1e100  # sums of larger weights, or of the inverse, may not be finite
WIDEST = 1e13  # how many times the smallest weight their sum may be
REMEMBERED = 1 << 16  # values of an attribute up to which it is remembered how many records have each


@dataclass(frozen=True, eq=False)
class Data:
    """A source with roles and conventions; columns are read once, when they are first asked for."""

    source: Source
    schema: Schema
    weights: str | None = None
    missing: Missing = "value"
    missing_values: frozenset[str] = frozenset()
    suppressed: str | None = SUPPRESSED
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    orders: Mapping[str, Sequence[object]] = field(default_factory=dict)
    times: npt.NDArray[np.int64] | None = None  # how often each row of the source stands; None: once
    _columns: dict[str, Codes] = field(default_factory=dict, repr=False)
    _memos: dict[str, dict[Any, Any]] = field(default_factory=dict, repr=False)
    _condensed: dict[tuple[str, ...], Data | None] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"Data({self.source.name}: {self.records} records, {len(self.schema.attributes)} attributes)"

    @property
    def records(self) -> int:
        return self.source.records if self.times is None else int(self.times.sum())

    def with_roles(self, schema: Schema) -> Data:
        """The same data, sharing what was read, with other roles."""
        return replace(self, schema=schema)

    def without(self, attribute: str) -> Data:
        """The same data with an attribute that no longer has a role: nobody knows it or looks for it."""
        return self.with_roles(self.schema.without_role(attribute))

    def taking(self, rows: npt.NDArray[np.int64]) -> Data:
        """The same data with some of the rows only; values keep their codes."""
        times = None if self.times is None else self.times[rows]
        source = Columns(
            self.source.name, self.source.attributes, len(rows), lambda name: self.column(name).take(rows)
        )
        return replace(self, source=source, times=times, **self.fresh())

    def one_by_one(self) -> Data:
        """The same data with a row for each record."""
        if self.times is None:
            return self
        return replace(self.taking(np.repeat(np.arange(len(self.times)), self.times)), times=None)

    def starring(self, attribute: str, rows: npt.NDArray[np.bool_]) -> Data:
        """The same data with an attribute suppressed in some rows; other values keep their codes."""
        column, code = self.column(attribute), self.suppressed_code(attribute)
        values = column.values if code is not None else [*column.values, self.suppressed]
        starred = np.where(rows, len(values) if code is None else code, column.codes)
        changed = Codes(narrow(starred, len(values)), values)
        return replace(self, **{**self.fresh(), "_columns": {**self._columns, attribute: changed}})

    @property
    def distant(self) -> bool:
        """Whether records are counted where they are, and not brought over."""
        return self.times is None and getattr(self.source, "distant", False)

    def condensed(self, attributes: Sequence[str]) -> Data:
        """The same data with records that are alike on some attributes held once, where that is cheaper."""
        if self.distant:
            return self._gathered(attributes)
        plain = self.weights is None and not self.schema.identifiers and self.times is None
        if not plain or self.records < CONDENSED or not hasattr(self.source, "condensed"):
            return self
        if any(name in self._columns for name in attributes):
            return self
        wanted = tuple(attributes)
        if wanted not in self._condensed:
            found = self.source.condensed(wanted)
            self._condensed[wanted] = found and replace(self, source=found[0], times=found[1], **self.fresh())
        held = self._condensed[wanted]
        return self if held is None else replace(held, suppressed=self.suppressed)

    def _gathered(self, attributes: Sequence[str]) -> Data:
        """The combinations of some attributes, counted where the records are; those at hand serve again."""
        data = self._of_records
        weights = [] if self.weights is None else [self.weights]
        asked = dict.fromkeys([*attributes, *data.schema.identifiers, *weights])
        held = next((held for known, held in self._condensed.items() if asked.keys() <= set(known)), None)
        if held is None:
            found = self._distant_source.combinations(tuple(asked))
            if found is None:
                return data
            held = replace(self, source=found[0], times=found[1], **self.fresh())
            self._condensed[tuple(asked)] = held
        return replace(held, schema=data.schema, suppressed=self.suppressed)

    @staticmethod
    def fresh() -> dict[str, Any]:
        """Empty places for what is remembered of a source, for data from another one."""
        return {"_columns": {}, "_memos": {}, "_condensed": {}}

    @property
    def _distant_source(self) -> Distant:
        return cast("Distant", self.source)

    @property
    def _of_records(self) -> Data:
        """The same data without identifiers, where every record has its own and they tell nothing more."""
        identifiers = self.schema.identifiers
        if not identifiers or self.people < self.records:
            return self
        schema = self.schema
        for name in identifiers:
            schema = schema.without_role(name)
        return self.with_roles(schema)

    @property
    def people(self) -> int:
        """How many people the records are about: as many, unless identifiers say otherwise."""
        identifiers = self.schema.identifiers
        if not identifiers:
            return self.records
        memo = self.memo("@people")
        if identifiers not in memo:
            count = self._distant_source.distinct if self.distant else self._combinations
            memo[identifiers] = count(identifiers)
        return int(memo[identifiers])

    def _combinations(self, attributes: Sequence[str]) -> int:
        """How many combinations of values occur."""
        self.load(attributes)
        columns = np.stack([self.column(name).codes for name in attributes], axis=1)
        return len(np.unique(columns, axis=0))

    def frequencies(self, attribute: str) -> tuple[Codes, npt.NDArray[np.int64]]:
        """An attribute's values as codes, and how many records have each, missing first."""
        memo = self.memo("@frequencies")
        if attribute not in memo:
            column, counts = self._frequencies(attribute)
            if column.cardinality > REMEMBERED:
                return column, counts
            memo[attribute] = column, counts
        column, counts = memo[attribute]
        return column, counts.copy()

    def _frequencies(self, attribute: str) -> tuple[Codes, npt.NDArray[np.int64]]:
        held = self
        if self.distant:
            schema = Schema(self.schema.attributes)
            held = replace(self, schema=schema, weights=None)._gathered([attribute])
        column = held.column(attribute)
        found = np.bincount(column.codes, weights=held.times, minlength=column.cardinality)
        return column, found.astype(np.int64)

    def summary(self, attribute: str, most: int = 0) -> Summary:
        """An attribute in a few numbers, with at most so many of its values, spread evenly."""
        if self.distant and not self.missing_values and not self._at_hand(attribute, most):
            return self._distant_source.summary(attribute, most)
        column, counts = self.frequencies(attribute)
        used = np.flatnonzero(counts[1:])
        some = used[np.linspace(0, len(used) - 1, min(len(used), most)).astype(np.int64)]
        sample = [column.values[place] for place in some.tolist()]
        return Summary(int(counts[1:].sum()), len(used), int((counts[1:] == 1).sum()), sample)

    def _at_hand(self, attribute: str, most: int) -> bool:
        """Whether an attribute was brought over with others, and its sample is to be all of its values."""
        held = next((held for known, held in self._condensed.items() if held and attribute in known), None)
        return held is not None and (not most or len(held.column(attribute).values) <= most)

    def load(self, attributes: Sequence[str]) -> None:
        """Read several columns at once, which is quicker than one by one."""
        self.schema.check(attributes)
        wanted = [name for name in dict.fromkeys(attributes) if name not in self._columns]
        if wanted:
            for name, codes in self.source.encode(wanted).items():
                self._columns[name] = self.without_markers(codes)

    def column(self, attribute: str) -> Codes:
        """An attribute as codes, values declared to mean missing among the missing."""
        self.load([attribute])
        return self._columns[attribute]

    def memo(self, target: str) -> dict[Any, Any]:
        """A place where counting may keep what other questions about the same target can use."""
        return self._memos.setdefault(target, {})

    def suppressed_code(self, attribute: str) -> int | None:
        """The code of the suppression mark in an attribute; None where it does not occur."""
        if self.suppressed is None:
            return None
        return _code_of(self.column(attribute), self.suppressed)

    def suppresses(self, attribute: str) -> bool:
        """Whether the suppression mark occurs in an attribute, wherever that is counted."""
        if not self.distant:
            return self.suppressed_code(attribute) is not None
        if self.suppressed is None:
            return False
        memo, asked = self.memo("@suppresses"), (attribute, self.suppressed)
        if asked not in memo:
            memo[asked] = self._suppresses_there(attribute, self.suppressed)
        return bool(memo[asked])

    def _suppresses_there(self, attribute: str, mark: str) -> bool:
        """Whether a mark occurs in an attribute of records that are counted where they are."""
        if isinstance(self.source, CountedTable) and not self._at_hand(attribute, 0):
            return self.source.prepared({}, suppressed={attribute: mark}).records < self.source.records
        return _code_of(self.frequencies(attribute)[0], mark) is not None

    def numbers(self, attribute: str) -> npt.NDArray[np.float64]:
        """An attribute read as numbers; NaN where it is missing or not a number."""
        column = self.column(attribute)
        table = np.full(column.cardinality, np.nan)
        used = np.flatnonzero(np.bincount(column.codes, minlength=column.cardinality)[1:]) + 1
        for code in used.tolist():
            table[code] = as_number(column.values[code - 1])
        return table[column.codes]

    def record_weights(self) -> npt.NDArray[np.float64] | None:
        """The weight of each row, all positive numbers; None when records weigh the same."""
        if self.weights is None:
            return None
        weights = self.numbers(self.weights)
        wrong = ~(np.isfinite(weights) & (weights > 0))
        if wrong.any():
            bad = int(wrong.sum() if self.times is None else self.times[wrong].sum())
            few = in_words(hidden(bad, of=self.records))
            raise SchemaError(
                f"The weights in '{self.weights}' must be positive numbers; {few} of "
                f"{self.records:,} are not.",
                hint="Drop those records first, or measure without weights.",
            )
        weighed = weights if self.times is None else weights * self.times
        _check_span(self.weights, weights, weighed)
        return weighed

    def without_markers(self, codes: Codes) -> Codes:
        """The same codes, values declared to mean missing among the missing."""
        marked = [code for text in self.missing_values if (code := _code_of(codes, text)) is not None]
        if not marked:
            return codes
        table = np.arange(codes.cardinality)
        table[marked] = MISSING
        return codes.recode(table, codes.values)


def read(
    data: object,
    *,
    identifiers: str | Sequence[str] | None = None,
    quasi_identifiers: str | Sequence[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    weights: str | None = None,
    missing: Missing = "value",
    missing_values: str | Sequence[str] | None = None,
    suppressed: str | None = SUPPRESSED,
    hierarchies: Mapping[str, Hierarchy | str | os.PathLike[str]] | None = None,
    orders: Mapping[str, Sequence[object]] | None = None,
    table: str | None = None,
    separator: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    engine: str | None = None,
    master: str | None = None,
    memory: str | int | None = None,
) -> Data:
    """Data from a CSV or Parquet path, a pandas, Polars, Arrow, DuckDB or Spark object, or a database table.

    ``missing`` says what a missing value is: a value of its own, a reason to drop the record, or a
    wildcard that matches anything; ``missing_values`` are texts that mean missing. ``suppressed`` marks
    suppressed cells. ``hierarchies`` and ``orders`` say how an attribute's values lie to each other.
    ``table`` goes with a database; ``separator``, ``quote`` and ``encoding`` with a CSV file that they
    cannot be told from. ``engine="spark"`` reads a path or a table with Spark, on the cluster of ``master``.
    ``memory`` is a budget such as "4GB": a file that would take more is counted on disk.

    >>> read({"age": ["20s", "30s"], "disease": ["flu", "cold"]}, sensitive="disease")
    Data(a dictionary of columns: 2 records, 2 attributes)
    """
    if missing not in ("value", "drop", "wildcard"):
        raise SchemaError(f"missing cannot be '{missing}'.", hint="Choose value, drop or wildcard.")
    written = {"separator": separator, "quote": quote, "encoding": encoding}
    where = {"table": table, "engine": engine, "master": master}
    source = open_source(data, memory=memory, **where, **written)
    schema = Schema(source.attributes, names(identifiers), names(quasi_identifiers), names(sensitive))
    for named in ([weights] if weights else [], hierarchies or (), orders or ()):
        schema.check(named)
    return Data(
        source,
        schema,
        weights,
        missing,
        frozenset(names(missing_values)),
        suppressed,
        {
            name: given if isinstance(given, Hierarchy) else Hierarchy.read(given, attribute=name)
            for name, given in (hierarchies or {}).items()
        },
        dict(orders or {}),
    )


def as_number(value: Any) -> float:
    """A value as a number; NaN where it is none. Texts such as '1_000' and 'inf' are not numbers."""
    if isinstance(value, bool) or (isinstance(value, str) and "_" in value):
        return float("nan")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")
    return number if np.isfinite(number) else float("nan")


def _check_span(attribute: str, weights: npt.NDArray[np.float64], weighed: npt.NDArray[np.float64]) -> None:
    """Refuse weights whose sums would overflow, or lose the smallest of them to rounding."""
    if not len(weights):
        return
    if not (weights.min() >= 1 / LARGEST_WEIGHT and weights.max() <= LARGEST_WEIGHT):
        raise SchemaError(
            f"The weights in '{attribute}' must lie between {1 / LARGEST_WEIGHT:g} and {LARGEST_WEIGHT:g}.",
            hint="Divide all of them by the same number: only their shares count.",
        )
    if weighed.sum() > WIDEST * weights.min():
        raise SchemaError(
            f"The weights in '{attribute}' differ too much: the smallest is less than {1 / WIDEST:g} of "
            "their sum and would be lost in rounding.",
            hint="Check that they are weights; those of a survey differ by a few powers of ten.",
        )


def _code_of(codes: Codes, text: str) -> int | None:
    """The code of the value that is this text, or reads like it; None where there is none."""
    values = codes.values
    if isinstance(values, range):
        if not text.lstrip("-").isdigit() or str(int(text)) != text or int(text) not in values:
            return None
        return values.index(int(text)) + 1
    return next((code for code, value in enumerate(values, 1) if value == text or str(value) == text), None)
