"""A table on its way to release: columns as codes, and which original row each record was."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.engines.opening import times_of
from divulge.errors import UnknownAttribute, attribute_suggestion
from divulge.mechanisms.transitions import in_canonical_order
from divulge.policy.place import PolicyPlace
from divulge.source.base import Source
from divulge.source.options import SUPPRESSED
from divulge.table.codes import MISSING, Codes, narrow
from divulge.table.packing import RowCombinations, combinations

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WorkingTable:
    """Columns as codes, each record with the number of the original row it was made from.

    ``rows`` is None where records are no longer those of single people, as synthetic ones are. ``mark``
    stands in a suppressed cell. ``beside`` are further tables that go out with this one, by name. ``keys``
    are texts by which records draw, where they do not draw by the numbers of their rows. Rows of which each
    stands for ``times`` records can be recoded and suppressed, and draw nothing.

    >>> table = WorkingTable.of({"age": Codes.of([30, 40]), "sex": Codes.of(["f", "m"])})
    >>> table.without(["age"]).attributes
    ('sex',)
    """

    columns: Mapping[str, Codes]
    rows: Rows | None
    mark: str = SUPPRESSED
    beside: Mapping[str, WorkingTable] | None = None
    keys: npt.NDArray[np.object_] | None = None
    original: Mapping[str, Codes] | None = None  # the columns before the first step
    name: str = "the release"  # what to call it in a sentence
    times: Rows | None = None  # how many records each row stands for; None: one

    @classmethod
    def of(cls, columns: Mapping[str, Codes], mark: str = SUPPRESSED) -> WorkingTable:
        """A table of columns that nothing has been done to."""
        records = len(next(iter(columns.values())).codes)
        return cls(dict(columns), np.arange(records), mark, original=columns)

    @classmethod
    def read(cls, source: Source, mark: str = SUPPRESSED) -> WorkingTable:
        """All columns of a source; its rows may stand for many records each."""
        found = cls.of(source.encode(source.attributes), mark)
        return replace(found, times=times_of(source))

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self.columns)

    @property
    def records(self) -> int:
        """How many records there are."""
        return len(next(iter(self.columns.values())).codes)

    @property
    def originals(self) -> int:
        """How many records the original had; 0 where nobody knows."""
        return 0 if self.original is None else len(next(iter(self.original.values())).codes)

    @property
    def draw_rows(self) -> npt.NDArray[Any]:
        """What random numbers are drawn by: keys, or numbers of original rows, while there are any."""
        if self.rows is None:
            return np.arange(self.records)
        return self.rows if self.keys is None else self.keys

    def drawing_by(self, attribute: str, place: PolicyPlace) -> WorkingTable:
        """The same records, which draw by an attribute that each has a text or whole number of its own in."""
        if attribute not in self.columns:
            raise place.error(
                f"the table has no attribute '{attribute}'.",
                attribute_suggestion(attribute, self.attributes) or "Write it as in the table.",
            )
        column = self.column(attribute)
        counts = column.frequencies()
        plain = all(type(column.values[code - 1]) in (str, int) for code in column.used().tolist() if code)
        if counts[MISSING] or counts.max() > 1 or not plain:
            raise place.error(
                f"'{attribute}' does not give each record a text or a whole number of its own.",
                "Name an attribute without missing or repeated values, or leave row_key out.",
            )
        texts = np.array(["", *map(str, column.values)], object)
        return replace(self, keys=texts[column.codes])

    def column(self, attribute: str) -> Codes:
        """An attribute as codes."""
        if attribute not in self.columns:
            raise UnknownAttribute(attribute, self.attributes, "the table at this step")
        return self.columns[attribute]

    def encode(self, attributes: Sequence[str]) -> dict[str, Codes]:
        """The codes of some attributes, as any source of records has them."""
        return {name: self.column(name) for name in attributes}

    def classes(self, attributes: Sequence[str]) -> RowCombinations:
        """Which records share their values of some attributes."""
        columns = [in_canonical_order(self.column(name)) for name in attributes]
        return combinations([(one.codes, one.cardinality) for one in columns], self.records)

    def class_sizes(self, attributes: Sequence[str]) -> Rows:
        """For each record how many share its values of some attributes, itself among them."""
        number = self.classes(attributes).number
        return np.bincount(number, weights=self.times).astype(np.int64)[number]

    def with_columns(self, columns: Mapping[str, Codes]) -> WorkingTable:
        """The same records with some columns replaced or added."""
        return replace(self, columns={**self.columns, **columns})

    def without(self, attributes: Sequence[str]) -> WorkingTable:
        """The same records without some columns."""
        return replace(
            self, columns={name: one for name, one in self.columns.items() if name not in attributes}
        )

    def taking(self, places: npt.NDArray[np.bool_] | npt.NDArray[np.integer[Any]]) -> WorkingTable:
        """Some of the records: places, or a mask."""
        rows = None if self.rows is None else self.rows[places]
        keys = None if self.keys is None else self.keys[places]
        times = None if self.times is None else self.times[places]
        columns = {name: one.take(places) for name, one in self.columns.items()}
        return replace(self, columns=columns, rows=rows, keys=keys, times=times)

    def starring(self, attribute: str, cells: npt.NDArray[np.bool_]) -> WorkingTable:
        """The same records with an attribute suppressed in some of them."""
        column = self.column(attribute)
        values = list(column.values)
        code = values.index(self.mark) + 1 if self.mark in values else len(values) + 1
        values = values if code <= len(values) else [*values, self.mark]
        starred = np.where(cells, code, column.codes)
        return self.with_columns({attribute: Codes(narrow(starred, len(values)), values)})


def rows_checksum(columns: Mapping[str, Codes]) -> str:
    """A short text that another table, or the same rows in another order, does not have.

    >>> one, other = ({"a": Codes.of(values)} for values in ([1, 2], [2, 1]))
    >>> rows_checksum(one) == rows_checksum(other)
    False
    """
    found = hashlib.sha256()
    for name in sorted(columns):
        texts = np.array(["", *map(str, columns[name].values)], object)[columns[name].codes]
        found.update("\x1f".join([name, *texts.tolist(), "\x1e"]).encode("utf-8", "surrogatepass"))
    return found.hexdigest()[:16]
