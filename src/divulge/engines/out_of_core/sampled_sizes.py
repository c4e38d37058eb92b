"""What the beginning of a file tells about all of it: how many values there are and what they take."""

from __future__ import annotations

import csv
import io
from codecs import getincrementaldecoder
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from divulge.source import duck
from divulge.source.dialect import Dialect, reader_options
from divulge.source.parquet import Parquet, broken
from divulge.table.codes import code_type

FIELD = 16  # bytes of a text in DuckDB, beside its letters
_COUNTING = 350  # bytes for each row while an audit counts it, measured
_COUNTED = 220  # and afterwards, as long as it may be asked about again
_VALUE = 160  # bytes for a different value as an object of Python, beside its text
_SAMPLE = 1 << 14  # records at the beginning from which the rest is guessed


@dataclass(frozen=True)
class Sampled:
    """What some values of an attribute tell about all of them."""

    seen: int
    different: int
    length: float
    dense: int | None = None  # integers so close together that they need no list: how many there can be

    @classmethod
    def of(cls, values: Sequence[str | None], dense: int | None = None) -> Sampled:
        texts = [value for value in values if value]
        length = sum(map(len, texts)) / max(1, len(texts))
        return cls(len(texts), len(set(texts)), length, dense)

    def values(self, records: int) -> int:
        """How many different values so many records have, probably.

        Where most of those seen differ, the number follows from how few met again: among D values, n draws
        repeat one about n * n / 2 D times.
        """
        if self.dense is not None:
            return self.dense
        if 2 * self.different <= self.seen:
            return self.different
        again = max(1, self.seen - self.different)
        return min(records, max(self.different, self.seen**2 // (2 * again)))

    def coded(self, records: int) -> float:
        """Bytes for the codes of so many records and the list of their values."""
        values = self.values(records)
        listed = 0 if self.dense is not None else values * (_VALUE + self.length)
        return records * np.dtype(code_type(values)).itemsize + listed


def of_parquet(file: Parquet) -> dict[str, Sampled]:
    """What the beginning of a Parquet file tells of each attribute, beside the bounds that it knows."""
    names = {name: duck.quoted(column.name) for name, column in file.columns.items()}
    told = [f"count({sql}), count(DISTINCT {sql}), avg(strlen({sql}::VARCHAR))" for sql in names.values()]
    place = f"read_parquet({duck.file_literal(file.path)}, hive_partitioning = false)"
    try:
        spans = file.spans(file.attributes)
        with duck.shared().cursor() as connection:
            beginning = f"SELECT * FROM {place} LIMIT {_SAMPLE}"
            [found] = connection.execute(f"SELECT {', '.join(told)} FROM ({beginning})").fetchall()
    except Exception as error:  # its own words may quote what it read
        raise broken(file.name, error) from None
    dense = {name: span.high - span.low + 1 for name, span in spans.items() if span.is_dense(file.records)}
    return {
        name: Sampled(seen, different, length or 0.0, dense.get(name))
        for name, seen, different, length in zip(names, found[::3], found[1::3], found[2::3], strict=True)
    }


def of_text(head: bytes, dialect: Dialect) -> tuple[list[Sampled], int]:
    """What the beginning of a CSV file tells of each attribute, and how many records it has."""
    beginning = io.StringIO(getincrementaldecoder(dialect.encoding)().decode(head), newline="")
    options: Any = reader_options(dialect.separator, dialect.quote)
    rows: list[list[str]] = []
    with suppress(csv.Error):  # a field beyond csv's limit: what came before it tells enough
        rows.extend(csv.reader(beginning, **options))
    whole = [row for row in rows[dialect.skip :] if len(row) == len(dialect.header)] or [list(dialect.header)]
    return [Sampled.of(column) for column in zip(*whole, strict=True)], len(whole)


def holding(
    records: int, attributes: Iterable[Sampled], *, counting: bool = True, as_text: bool = False
) -> int:
    """Bytes that so many records take as codes while they are counted or afterwards, their texts included."""
    needed = float(records * (_COUNTING if counting else _COUNTED))
    for one in attributes:
        needed += one.coded(records) + (records * (FIELD + one.length) if as_text else 0)
    return int(needed)
