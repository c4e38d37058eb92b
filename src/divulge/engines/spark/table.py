"""Tables on a Spark cluster: counted there, and a bounded amount comes over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from divulge.engines.base import Summary
from divulge.engines.coded_table import Markers
from divulge.engines.external.table import (
    CountedAs,
    ExternalTable,
    JoinKeys,
    PairedTables,
    ValueRecoding,
    WeightSpan,
)
from divulge.engines.spark import pairs, querying, sql
from divulge.engines.spark.classes import SparkClasses
from divulge.engines.spark.querying import asking
from divulge.errors import SourceError, Undefined
from divulge.source.base import Columns, check_asked
from divulge.table.codes import Codes


@dataclass(frozen=True, eq=False)
class SparkTable(SparkClasses):
    """A table that is counted on the cluster.

    What comes over is bounded by ``MOST``: combinations of values if they are few, otherwise kinds of
    classes, otherwise sums and extremes. Where classes themselves stay on the cluster they are told apart
    by 128 bits of a hash of their keys, not by ten columns: two of a billion classes would be taken for one
    in one of 10^20 tables.
    """

    kind: ClassVar[str] = "spark"

    def combinations(self, attributes: Sequence[str]) -> tuple[Columns, npt.NDArray[np.int64]] | None:
        """The combinations of values that occur, and how many records have each; None if too many."""
        wanted = check_asked(attributes, self.attributes)
        if not self.few(wanted, len(wanted)):
            return None
        names = ", ".join(self.columns(wanted))
        found = self.arrow(f"SELECT {names}, count(*) AS n FROM ({self.select(wanted)}) GROUP BY {names}")
        codes = self.codes(found, wanted)
        if len(wanted) == 1:
            self._values[wanted[0]] = len(found)
        return Columns(self.name, tuple(wanted), len(found), codes.__getitem__), found["n"].to_numpy()

    def distinct(self, attributes: Sequence[str]) -> int:
        """How many combinations of values occur."""
        wanted = check_asked(attributes, self.attributes)
        return self.number(f"SELECT count(*) FROM (SELECT DISTINCT * FROM ({self.select(wanted)}))")

    def summary(self, attribute: str, most: int) -> Summary:
        """How many values an attribute has and on how many records, and some of them, drawn by their hash."""
        wanted = check_asked([attribute], self.attributes)
        [x] = self.columns(wanted)
        grouped = f"SELECT {x}, count(*) AS n FROM ({self.select(wanted)}) WHERE {x} IS NOT NULL GROUP BY {x}"
        totals = self.arrow(f"SELECT count(*) AS d, sum(n) AS n, count_if(n = 1) AS o FROM ({grouped})")
        distinct, present, lone = (totals[name][0].as_py() or 0 for name in "dno")
        sample: list[Any] = []
        if most and distinct:
            few = self.arrow(f"SELECT {x} FROM ({grouped}) ORDER BY xxhash64({x}), {x} LIMIT {most}")
            sample = sorted(self.codes(few, wanted)[attribute].values_of())
        return Summary(present, distinct, lone, sample)

    def encode(self, attributes: Sequence[str]) -> dict[str, Codes]:
        """The codes of records, all columns at once, since the order of two queries may differ."""
        wanted = check_asked(attributes, self.attributes)
        self.select(wanted)
        if not self._read:
            if self.records * len(self.attributes) > querying.MOST:
                raise SourceError(
                    f"This cannot be counted on the cluster, and {self.name} is too large to "
                    f"fetch: {self.records} records of {len(self.attributes)} attributes.",
                    hint="Leave out weights, or write the attributes needed to a file and read that.",
                )
            whole = [name for name in self.attributes if self.comparable(name) is not None]
            self._read.update(self.codes(self.arrow(self.select(whole)), whole))
        return {name: self._read[name] for name in wanted}

    def prepared(
        self,
        recoded: Mapping[str, ValueRecoding],
        *,
        without_missing: Sequence[str] = (),
        suppressed: Mapping[str, str] | None = None,
    ) -> SparkTable:
        """The same with some values replaced by numbers of domains, and without some records."""
        marked = [self._marked(name, mark) for name, mark in (suppressed or {}).items()]
        shown = [] if not marked or None in marked else [f"NOT ({' AND '.join(filter(None, marked))})"]
        frame, kinds = self.frame, list(self.kinds)
        frames: dict[str, Any] = {}
        for name, change in recoded.items():
            margin = self.margin(name)
            if margin is None:
                raise Undefined(f"'{name}' has too many different values to be grouped")
            frames[f"m{self.attributes.index(name)}"] = margin.recoding(frame, change)
            kinds[self.attributes.index(name)] = "int"
        domains = {**self.domains, **{name: change.domains for name, change in recoded.items()}}
        changed = replace(
            self, kinds=tuple(kinds), domains=domains, _read={}, _values={}, _estimates={}, _margins={}
        )
        kept = [f"{changed.comparable(name)} IS NOT NULL" for name in without_missing]
        if not (shown or kept or frames):
            return self
        hashes = [f"xxhash64({self.comparable(name)})" for name in recoded]
        query = sql.replaced(len(self.attributes), dict(zip(frames, hashes, strict=True)), shown, kept)
        with asking(self.name):
            frame = self.query(query, **frames)
            records = frame.count() if shown or kept else self.records
        return replace(changed, frame=frame, records=records)

    def weight_span(self, attribute: str, missing_values: Markers) -> WeightSpan:
        """What the weights of all records are like."""
        check_asked([attribute], self.attributes)
        weight = replace(self, how=CountedAs(weights=attribute, missing_values=missing_values)).weight
        right = "FILTER (WHERE w > 0)"
        told = f"count(*) {right} AS n, min(w) {right} AS a, max(w) {right} AS b, sum(w) {right} AS c"
        found = self.arrow(f"SELECT {told} FROM (SELECT {weight} AS w FROM {{table}})")
        n, *rest = (found[name][0].as_py() for name in "nabc")
        return WeightSpan(self.records - n, *(float(one or 0) for one in rest))

    def counted_as(self, how: CountedAs) -> SparkTable:
        """The same with records that count so in what follows."""
        return replace(self, how=how, _margins={})

    def joined(
        self, other: ExternalTable, keys: JoinKeys, columns: tuple[Sequence[str], Sequence[str]]
    ) -> PairedTables | None:
        """The records of this table and of another side by side; None where they cannot be joined there."""
        return pairs.joined(self, other, keys, columns) if isinstance(other, SparkTable) else None

    def _marked(self, attribute: str, mark: str) -> str | None:
        """The condition that a value reads like a mark; None if that cannot be for its type."""
        kind = self.kinds[self.attributes.index(attribute)]
        if not kind.startswith(("string", "char", "varchar")) and not mark.lstrip("-").isdigit():
            return None
        return f"coalesce(CAST({self.columns([attribute])[0]} AS STRING) = {sql.literal(mark)}, false)"
