"""A question counted from rows of codes: which of them count, as what, and the joint counts they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property, cores
from divulge.counting.counts import Floats, Integers, JointCounts
from divulge.counting.statistics import Statistic
from divulge.counting.wildcard import overlap
from divulge.engines.base import Request, refuse_nothing
from divulge.engines.coded_table import CodedTable
from divulge.engines.memory import sparse
from divulge.engines.memory.counting import ClassSizes, count, joined
from divulge.engines.target_structure import grounded
from divulge.table.codes import MISSING, Codes
from divulge.table.packing import coded, combinations

SIZES_KEPT = 64  # questions of which it is known what sizes classes have
AT_ONCE = 16  # keys read together; counting may be done before the last of many is reached


@dataclass(frozen=True, eq=False)
class CountedRows:
    """A question and the rows that answer it."""

    table: CodedTable
    request: Request

    @cached_property
    def counts(self) -> JointCounts:
        return self._count(compact=True)

    @cached_property
    def classes(self) -> JointCounts:
        return self.counts if self.counts.decode is not None else self._count(compact=False)

    def worst(self, statistic: Statistic, most: int | None) -> JointCounts:
        return self.classes

    @property
    def rows(self) -> CountedRows:
        return self

    @property
    def rows_at_hand(self) -> CountedRows:
        return self

    # -- which records --------------------------------------------------------------------------

    @cached_property
    def suppressed(self) -> int:
        return 0 if self._suppressed is None else self._number(self._suppressed)

    @cached_property
    def dropped(self) -> int:
        return self.table.records - self.suppressed - self.records

    @cached_property
    def records(self) -> int:
        return self.table.records if self._rows is None else self._number(self._rows)

    def missing(self, attribute: str) -> int:
        return self._number(self._column(attribute).codes == MISSING)

    def suppressed_codes(self) -> dict[str, list[int]]:
        """The codes that mark suppressed cells among those that are counted, for each key that has some."""
        keys = [key for key in self.request.keys if key not in self.request.partitions]
        codes = {key: self._suppressed_code(key) for key in keys}
        return {key: [code] for key, code in codes.items() if code is not None}

    @property
    def times(self) -> Integers | None:
        """How many records each row that is counted stands for; None where each is one."""
        times = self.table.times
        return times if times is None or self._rows is None else times[self._rows]

    def _number(self, rows: npt.NDArray[Any]) -> int:
        """How many records the rows (numbers or a mask) stand for."""
        if self.table.times is not None:
            return int(self.table.times[rows].sum())
        return int(rows.sum()) if rows.dtype == bool else len(rows)

    def _column(self, attribute: str) -> Codes:
        return self.table.column(attribute, self.request.conventions.missing_values)

    def _suppressed_code(self, attribute: str) -> int | None:
        conventions = self.request.conventions
        return self.table.code_of(attribute, conventions.suppressed, conventions.missing_values)

    @cached_property
    def _suppressed(self) -> npt.NDArray[np.bool_] | None:
        mask: npt.NDArray[np.bool_] | None = None
        for name in self.request.known:
            code = self._suppressed_code(name)
            if code is None:
                return None
            hidden = self._column(name).codes == code
            mask = hidden if mask is None else mask & hidden
            if not mask.any():
                return None
        return mask

    @cached_property
    def _rows(self) -> npt.NDArray[np.int64] | None:
        """The rows that are counted; None for all of them."""
        keep: npt.NDArray[np.bool_] | None = None if self._suppressed is None else ~self._suppressed
        if self.request.conventions.missing == "drop":
            for name in (*self.request.keys, *self.request.sought):
                there = self._column(name).codes != MISSING
                keep = there if keep is None else keep & there
        return None if keep is None or keep.all() else np.flatnonzero(keep)

    def rows_in(self, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Of all rows those in some classes, which come in the order of their codes."""
        columns = [self.column(key) for key in self.request.keys]
        number = combinations(coded(columns), len(columns[0].codes)).number
        found = np.zeros(self.table.source.records, bool)
        found[slice(None) if self._rows is None else self._rows] = chosen[number]
        return found

    # -- counting -------------------------------------------------------------------------------

    def _count(self, *, compact: bool) -> JointCounts:
        request, conventions = self.request, self.request.conventions
        self.table.load([*request.keys[:AT_ONCE], *request.sought], conventions.missing_values)
        refuse_nothing(self, self.table.records)
        target = self.subject if request.about_records else self._target
        weights = self.table.record_weights(conventions.weights, conventions.missing_values)
        counts = self.joint_counts(
            target,
            weights if weights is None or self._rows is None else weights[self._rows],
            compact=compact and conventions.missing != "wildcard",
        )
        if request.about_records and self.subject is not None and counts.cells is not None:
            counts = replace(counts, subjects=np.diff(counts.cells.start))
        counts = replace(counts, keys=request.keys, target=request.target_name)
        if request.beside is not None and not request.about_records:
            counts = replace(counts, compared=request.beside.aligned(counts.target_values))
        counts = counts.with_ground(**grounded(counts, request, self.column))
        if conventions.missing == "wildcard":
            counts = overlap(counts, {key: self.column(key) for key in request.keys})
        return counts

    def joint_counts(self, target: Codes | None, weights: Floats | None, *, compact: bool) -> JointCounts:
        """The rows counted by the keys and a target; alike classes may be held once if ``compact``."""
        request = self.request
        plain = not request.partitions and self._rows is None
        return count(
            self.column,
            request.keys,
            target,
            records=self.records,
            times=self.times,
            weights=weights,
            subject=None if request.about_records else self.subject,
            compact=compact,
            memo=self.table.memo((request.target, request.conventions.missing_values)) if plain else None,
            sizes=self._class_sizes,
            latest=self._unresolved,
        )

    @property
    def _class_sizes(self) -> ClassSizes | None:
        """The sizes of the classes of these keys, which all targets share unless records are left out."""
        return self._of_keys("class sizes", SIZES_KEPT, [])

    @property
    def _unresolved(self) -> sparse.Memo | None:
        """The records that share a class after some of these keys, in the same way; long lists of them."""
        return self._of_keys("unresolved", cores(), {})

    def _of_keys(self, name: str, most: int, new: Any) -> Any:
        """A place for what all targets of these keys share; None where each leaves out others."""
        request, conventions = self.request, self.request.conventions
        if conventions.missing != "value":
            return None
        groups = [request.partitions.get(key) for key in request.keys]
        left_out = request.known, conventions.missing_values, conventions.suppressed
        asked = request.keys, tuple(map(id, groups)), left_out
        memo = self.table.memo(name)
        if len(memo) >= most and asked not in memo:
            memo.clear()
        # Groups are kept beside, since their id would otherwise be given to others.
        return memo.setdefault(asked, (new, groups))[0]

    def column(self, attribute: str) -> Codes:
        """A key or target as it is counted: on the records that count, its values in their domains."""
        if attribute not in self._prepared:
            request = self.request
            if attribute in request.keys:
                place = request.keys.index(attribute)
                self.table.load(request.keys[place : place + AT_ONCE], request.conventions.missing_values)
            self._prepared[attribute] = self._grouped(attribute)
        return self._prepared[attribute]

    def _grouped(self, attribute: str) -> Codes:
        """An attribute on the records that are counted, its values in their domains."""
        partition = self.request.partitions.get(attribute)
        if partition is None:
            return self._kept(attribute)
        if self._rows is None:
            return self.table.grouped(attribute, partition, self.request.conventions.missing_values)
        return partition.apply(self._kept(attribute), attribute=attribute)

    def _kept(self, attribute: str) -> Codes:
        """An attribute on the records that are counted, its values as they came."""
        column = self._column(attribute)
        return column if self._rows is None else column.take(self._rows)

    @cached_property
    def _prepared(self) -> dict[str, Codes]:
        return {}

    @cached_property
    def _target(self) -> Codes:
        return joined([self.column(name) for name in self.request.target])

    @cached_property
    def subject(self) -> Codes | None:
        """The person of each record; None where every record is a person of its own.

        Records without an identifier count as one person: who they are is not known, and taking them
        for many would promise a crowd that may not be there.
        """
        identifiers = self.request.conventions.identifiers
        if not identifiers or self._rows is not None:
            return self._people(identifiers)
        memo = self.table.memo(("subject", self.request.conventions.missing_values))
        if identifiers not in memo:
            memo[identifiers] = self._people(identifiers)
        subject: Codes | None = memo[identifiers]
        return subject

    def _people(self, identifiers: Sequence[str]) -> Codes | None:
        if not identifiers:
            return None
        subject = joined([self._kept(name) for name in identifiers])
        people = np.count_nonzero(np.bincount(subject.codes))
        return None if people == self.records else subject
