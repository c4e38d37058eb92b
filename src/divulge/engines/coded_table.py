"""Rows of codes: columns read once, what their odd values mean, and how many records each row stands for."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge._support.wording import some_of
from divulge.counting.counts import Integers
from divulge.errors import SchemaError
from divulge.source.base import Columns, Source
from divulge.table.codes import MISSING, Codes, as_numbers
from divulge.table.partition import Partition

GROUPED = 1 << 18  # rows up to which it is remembered how values were grouped
LARGEST_WEIGHT = 1e100  # sums of larger weights, or of the inverse, may not be finite
WIDEST = 1e13  # how many times the smallest weight their sum may be

Markers = frozenset[str]  # texts that mean missing
NONE: Markers = frozenset()


@dataclass(frozen=True, eq=False)
class CodedTable:
    """A source's columns as codes. ``times`` says how often each row stands; without it, once."""

    source: Source
    times: Integers | None = None
    _columns: dict[tuple[str, Markers], Codes] = field(default_factory=dict, repr=False)
    _memos: dict[Hashable, dict[Any, Any]] = field(default_factory=dict, repr=False)

    @cached_property
    def records(self) -> int:
        """How many records there are."""
        return self.source.records if self.times is None else int(self.times.sum())

    def memo(self, name: Hashable) -> dict[Any, Any]:
        """A place where counting may keep what other questions can use."""
        return self._memos.setdefault(name, {})

    def load(self, attributes: Sequence[str], missing_values: Markers = NONE) -> None:
        """Read several columns at once, which is quicker than one by one."""
        asked = [name for name in dict.fromkeys(attributes) if (name, missing_values) not in self._columns]
        wanted = [name for name in asked if (name, NONE) not in self._columns]
        if wanted:
            for name, codes in self.source.encode(wanted).items():
                self._columns[name, NONE] = codes
        for name in asked:
            if (name, missing_values) not in self._columns:
                self._columns[name, missing_values] = without_markers(
                    self._columns[name, NONE], missing_values
                )

    def column(self, attribute: str, missing_values: Markers = NONE) -> Codes:
        """An attribute as codes, a row each, values that mean missing among the missing."""
        if (attribute, missing_values) not in self._columns:
            self.load([attribute], missing_values)
        return self._columns[attribute, missing_values]

    def cardinality(self, attribute: str, missing_values: Markers = NONE) -> int:
        """How many codes an attribute can have; of rows taken from others, these are not taken for that."""
        known = self.source.cardinality if isinstance(self.source, Columns) else None
        if known is None or (attribute, missing_values) in self._columns:
            return self.column(attribute, missing_values).cardinality
        return known(attribute)

    def grouped(self, attribute: str, partition: Partition, missing_values: Markers = NONE) -> Codes:
        """An attribute as codes of the groups that its values are in; remembered where rows are few."""
        memo, asked = self.memo("groups"), (attribute, id(partition), missing_values)
        if asked in memo:
            remembered: Codes = memo[asked][0]
            return remembered
        found = partition.apply(self.column(attribute, missing_values), attribute=attribute)
        if self.source.records <= GROUPED:
            memo[asked] = found, partition  # kept beside, since its id would else be given to another
        return found

    def code_of(self, attribute: str, text: str | None, missing_values: Markers = NONE) -> int | None:
        """The code of the value that reads so; None where there is none."""
        memo, asked = self.memo("codes"), (attribute, text, missing_values)
        if asked not in memo:
            memo[asked] = None if text is None else code_of(self.column(attribute, missing_values), text)
        found: int | None = memo[asked]
        return found

    def numbers(self, attribute: str, missing_values: Markers = NONE) -> npt.NDArray[np.float64]:
        """An attribute read as numbers; NaN where it is missing or not a number."""
        column = self.column(attribute, missing_values)
        table = np.full(column.cardinality, np.nan)
        used = np.flatnonzero(column.frequencies()[1:]) + 1
        table[used] = as_numbers(column.values_of(used))
        return table[column.codes]

    def record_weights(
        self, attribute: str | None, missing_values: Markers = NONE
    ) -> npt.NDArray[np.float64] | None:
        """The weight of each row, all positive numbers; None when records weigh the same."""
        if attribute is None:
            return None
        weights = self.numbers(attribute, missing_values)
        wrong = ~(np.isfinite(weights) & (weights > 0))
        bad = int(wrong.sum() if self.times is None else self.times[wrong].sum())
        refuse_wrong(attribute, bad, self.records)
        weighed = weights if self.times is None else weights * self.times
        if len(weights):
            with np.errstate(over="ignore"):  # a sum beyond all numbers is refused as one
                total = float(weighed.sum())
            check_span(attribute, float(weights.min()), float(weights.max()), total)
        return weighed


def without_markers(codes: Codes, missing_values: Markers) -> Codes:
    """The same codes, values declared to mean missing among the missing."""
    marked = [code for text in missing_values if (code := code_of(codes, text)) is not None]
    if not marked:
        return codes
    table = np.arange(codes.cardinality)
    table[marked] = MISSING
    return codes.recode(table, codes.values)


def code_of(codes: Codes, text: str) -> int | None:
    """The code of the value that is this text, or reads like it; None where there is none."""
    values = codes.values
    if isinstance(values, range):
        if not text.lstrip("-").isdigit() or str(int(text)) != text or int(text) not in values:
            return None
        return values.index(int(text)) + 1
    return next((code for code, value in enumerate(values, 1) if value == text or str(value) == text), None)


def refuse_wrong(attribute: str, wrong: int, records: int) -> None:
    """Refuse weights of which some are no positive numbers."""
    if wrong:
        raise SchemaError(
            f"The weights in '{attribute}' must be positive numbers; {some_of(wrong, records)} are not.",
            hint="Drop those records first, or measure without weights.",
        )


def check_span(attribute: str, least: float, most: float, total: float) -> None:
    """Refuse weights whose sums would overflow, or lose the smallest of them to rounding."""
    if not (least >= 1 / LARGEST_WEIGHT and most <= LARGEST_WEIGHT):
        raise SchemaError(
            f"The weights in '{attribute}' must be between {1 / LARGEST_WEIGHT:g} and {LARGEST_WEIGHT:g}.",
            hint="Divide all of them by the same number: only their shares count.",
        )
    if total > WIDEST * least:
        raise SchemaError(
            f"The weights in '{attribute}' differ too much: the smallest is less than {1 / WIDEST:g} of "
            "their sum and would be lost in rounding.",
            hint="Check that they are weights; those of a survey differ by a few powers of ten.",
        )
