"""Counts made where the records are, when even the combinations of values are too many to be brought over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from divulge.codes import Codes
from divulge.counts import RECORD, Cells, JointCounts
from divulge.data import Data
from divulge.errors import Undefined
from divulge.partition import Partition
from divulge.reduced import AggregateCounts, read_by, riskiest
from divulge.source.base import CountedTable, Recoding

MOST_NAMED = 10_000  # classes brought over with their names, unless fewer are asked for


@dataclass(frozen=True, eq=False)
class Afar:
    """A table far away, of which the records that count are left, with values in their domains."""

    source: CountedTable
    keys: tuple[str, ...]
    target: str
    suppressed: int
    dropped: int

    @property
    def records(self) -> int:
        return self.source.records

    @cached_property
    def counts(self) -> JointCounts:
        """Kinds of classes with how many there are of each; sums and extremes where kinds are too many."""
        about_records = self.target == RECORD
        found = self.source.class_kinds(self.keys, None if about_records else self.target)
        if found is None:
            reduced = None if about_records else self.source.aggregates(self.keys, self.target)
            if reduced is None:
                raise Undefined("its classes are too many to be brought over, and so are their kinds")
            return AggregateCounts.of_sizes(reduced, keys=self.keys, target=self.target)
        if found.start is None or found.place is None:
            return JointCounts(found.count, None, multiplicity=found.times, keys=self.keys)
        cells = Cells(found.start, found.place, found.count, found.count)
        return JointCounts(
            cells.per_class(found.count),
            cells,
            found.values,
            multiplicity=found.times,
            keys=self.keys,
            target=self.target,
        )

    def named(
        self, counts: JointCounts, value: Callable[[JointCounts], object], most: int | None
    ) -> JointCounts:
        """The classes that are worst by a value of classes, with their names."""
        return riskiest(self.source, counts, read_by(value, counts), most or MOST_NAMED)


def asked_afar(
    data: Data,
    keys: tuple[str, ...],
    target: tuple[str, ...],
    partitions: Mapping[str, Partition],
    known: Sequence[str] = (),
) -> Afar | None:
    """What is to be counted, made ready where it is; None for what can only be counted record by record."""
    plain = data.weights is None and not data.schema.identifiers and data.missing != "wildcard"
    if not plain or len(target) != 1 or not isinstance(data.source, CountedTable):
        return None
    used = [*keys, *(() if target == (RECORD,) else target)]
    marks = {} if data.suppressed is None else dict.fromkeys(known or keys, data.suppressed)
    shown = data.source.prepared({}, suppressed=marks)
    counted = shown.prepared(_unmarked(data, used), without_missing=used if data.missing == "drop" else ())
    suppressed, dropped = data.records - shown.records, shown.records - counted.records
    if partitions:
        left = replace(data, source=counted, missing_values=frozenset(), **data.fresh())
        counted = counted.prepared({name: _grouped(left, name, part) for name, part in partitions.items()})
    return Afar(counted, keys, target[0], suppressed, dropped)


def _unmarked(data: Data, used: Sequence[str]) -> dict[str, Recoding]:
    """Attributes with values that mean missing, and what becomes of them."""
    if not data.missing_values:
        return {}
    plain = replace(data, missing_values=frozenset(), **data.fresh())
    columns = {name: plain.frequencies(name)[0] for name in used}
    recoded = {name: (column, data.without_markers(column)) for name, column in columns.items()}
    return {name: _recoded(*pair) for name, pair in recoded.items() if pair[0] is not pair[1]}


def _grouped(data: Data, name: str, partition: Partition) -> Recoding:
    column = data.frequencies(name)[0]
    return _recoded(column, partition.apply(column, attribute=name))


def _recoded(before: Codes, after: Codes) -> Recoding:
    places = np.zeros(before.cardinality, dtype=np.int64)
    places[before.codes] = after.codes
    return Recoding(before.values, places, after.values)
