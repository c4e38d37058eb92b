"""What an audit says of each record: its group, its risk, and which sensitive values are revealed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import FEW, SMALL, exact_counts_asked, hidden
from divulge.assessment.checks.singled_out import risk_by_row
from divulge.assessment.inference.key_sets import key_sets
from divulge.assessment.inference.revealing_groups import Bar
from divulge.assessment.inference.revealing_keys import Inference
from divulge.assessment.population.record_columns import beyond_columns
from divulge.assessment.scope import Scope
from divulge.errors import ParameterError, Undefined
from divulge.policy import Demands
from divulge.questions.data import Data
from divulge.readings.frames import FrameColumn
from divulge.table.schema import Schema

Flags = npt.NDArray[np.bool_]
RECORD_NUMBER = "record"


@dataclass(frozen=True, eq=False)
class RecordFacts:
    """Facts of each record, in the order of the table; a record that is not counted has a group of 0."""

    group_size: npt.NDArray[np.int64]  # people alike on all quasi-identifiers
    risk: npt.NDArray[np.float64]
    revealed: Mapping[str, Flags | None]  # by sensitive attribute; None where that could not be read
    scope: Scope = field(repr=False)  # with a row for each record

    def columns(self) -> dict[str, FrameColumn]:
        """The facts as columns; small groups, and what follows from them, are hidden unless asked for."""
        counted = self.group_size > 0
        few = counted & (self.group_size < SMALL) & (not exact_counts_asked())
        unsaid = ~counted | few
        words = {"group_size_hidden": FrameColumn(str, np.array([None, FEW], object)[few.astype(np.int8)])}
        return {
            "counted": FrameColumn(bool, counted),
            "group_size": FrameColumn(int, self.group_size, unsaid),
            **({} if exact_counts_asked() else words),
            "risk": FrameColumn(float, self.risk, unsaid),
            "unique": FrameColumn(bool, self.group_size == 1, unsaid),
            **{f"{name}_revealed": _said(one, few) for name, one in self.revealed.items()},
            **beyond_columns(self.scope, unsaid),
        }


def _said(revealed: Flags | None, few: Flags) -> FrameColumn:
    """Whether a value is revealed; nothing is said where that would count out fewer than five people."""
    if revealed is None:
        return FrameColumn(bool, np.zeros(len(few), bool), np.ones(len(few), bool))
    told = int(np.count_nonzero(revealed & ~few))
    unsaid = few if isinstance(hidden(told, of=len(few)), int) else np.ones(len(few), bool)
    return FrameColumn(bool, revealed, unsaid)


def refuse_unordered(data: Data) -> None:
    """Refuse to list records that have no order, or no group of their own."""
    if data.missing == "wildcard":
        raise Undefined(
            "Records cannot be listed where missing values fit any value: their groups overlap.",
            hint="Count missing values as a value (--missing value), or leave these records out.",
        )
    if not data.numbered:
        raise Undefined(
            "Records cannot be listed where they are counted in a database or in Spark: they have no order.",
            hint="Export the table to a file, and audit that.",
        )


def record_facts(scope: Scope, demands: Demands) -> RecordFacts:
    """What the audit of a scope says of each record; ``demands`` say from when on a value is revealed."""
    scope = _row_by_row(scope)
    rows, keys = scope.rows, scope.keys
    assert rows is not None
    kept = rows.kept(keys, None)
    chosen: Any = slice(None) if kept is None else kept
    numbers, bound = rows.sets(keys)
    group_size = np.zeros(len(numbers), np.int64)
    group_size[chosen] = rows.sizes(numbers, bound, chosen)[numbers[chosen]]
    risk = np.zeros(len(numbers))
    risk[chosen] = risk_by_row(scope, rows, keys)[0]
    revealed = {target: _revealed(scope, target, demands) for target in scope.sensitive}
    return RecordFacts(group_size, risk, revealed, scope)


def _revealed(scope: Scope, target: str, demands: Demands) -> Flags | None:
    """The records whose value the quasi-identifiers give away, in sets of any size; None if unreadable."""
    levels = [one for one in demands.learned if one.target is None or target in one.target]
    if not levels:
        return None
    bars = tuple(dict.fromkeys(Bar(one.certain, one.gain) for one in levels))
    asked = Inference(scope, target, key_sets(scope, scope.keys)[0], len(scope.sensitive), bars)
    try:
        told = asked.of_every_size(max(bars, key=lambda bar: bar.certain))
    except Undefined:
        return None
    return np.zeros(scope.data.records, bool) if told is None else told.rows


def _row_by_row(scope: Scope) -> Scope:
    """The same with a row for each record; of a file that is counted on disk, with the attributes needed."""
    data = scope.data
    refuse_unordered(data)
    if data.has_each_record():
        return scope
    schema = data.schema
    weight = None if scope.population is None else scope.population.weight
    more = [name for name in (data.weights, weight, scope.household) if name is not None]
    needed = dict.fromkeys([*schema.identifiers, *scope.keys, *scope.sensitive, *more])
    held = data.taking(np.arange(data.records))
    own = Schema(tuple(needed), schema.identifiers, schema.quasi_identifiers, schema.sensitive)
    return replace(scope, data=held.with_roles(own), _asked={})


def record_columns(
    data: Data, facts: Mapping[str, FrameColumn], key: str | None = None
) -> dict[str, FrameColumn]:
    """The facts of records after what names each: its number from 1 on, or its value of an attribute."""
    if key is None:
        return {RECORD_NUMBER: FrameColumn(int, np.arange(1, data.records + 1)), **facts}
    if key in facts:
        raise ParameterError(
            f"The attribute '{key}' is called like a column of the records.",
            hint="Rename it, or leave it out.",
        )
    column = data.column(key)
    whole = all(isinstance(value, int) and not isinstance(value, bool) for value in column.values)
    type_ = int if whole else str
    values = np.array([None, *(value if whole else str(value) for value in column.values)], object)
    return {key: FrameColumn(type_, values[column.codes], column.codes == 0), **facts}
