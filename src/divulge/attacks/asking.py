"""The questions that attacks put to a table; asked by several attacks, each is counted once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from divulge.attacks.hidden import SureCells, told_rate
from divulge.attacks.outcome import DISCRIMINATION_RATE, AttackReading, reading
from divulge.chance import Chance
from divulge.counts import RECORD, JointCounts
from divulge.data import Data
from divulge.errors import DivulgeError, Undefined
from divulge.question import Question
from divulge.wildcard import overlap

MOST_PAIRS = 20_000_000  # of classes that suppressed cells make fit each other: some seconds
NO_KEYS = "no quasi-identifier of the release is known"
NO_TARGETS = "no sensitive attribute of the release is known"


@dataclass(frozen=True, eq=False)
class Asked:
    """What do these keys tell about this target? The answer, or why there is none.

    A question about one key counts suppressed cells as a class, that of the ``mark``.
    """

    question: Question
    mark: str | None = None
    _readings: dict[Any, AttackReading] = field(default_factory=dict, repr=False)

    @property
    def keys(self) -> tuple[str, ...]:
        return self.question.keys

    @property
    def target(self) -> str:
        return self.question.target_name

    @property
    def counts(self) -> JointCounts:
        """The joint counts; Undefined where there is nothing to count or nothing to tell."""
        if self.undefined is not None:
            raise Undefined(self.undefined)
        return self.question.counts.in_cells()

    @cached_property
    def undefined(self) -> str | None:
        """Why nothing can be told; None when something can."""
        try:
            entropy = self.question.counts.in_cells().entropy
        except DivulgeError as error:
            return error.message.removesuffix(".")
        return None if entropy > 0 or self.question.about_records else f"{self.target} has one value only"

    @cached_property
    def rate(self) -> float | None:
        """The discrimination rate; None where it is undefined."""
        try:
            rate = DISCRIMINATION_RATE.compute(self.counts)
        except Undefined:
            return None
        return rate if self.hidden is None else told_rate(self.question.classes, self.hidden)

    @cached_property
    def hidden(self) -> int | None:
        """The place of the class of suppressed cells; None where there is none."""
        if self.mark is None or self.undefined is not None:
            return None
        counts = self.question.classes
        assert counts.decode is not None
        labels = [str(key[self.keys[0]]) for key in counts.decode(np.arange(len(counts.size)))]
        return labels.index(self.mark) if self.mark in labels else None

    @cached_property
    def fitting(self) -> JointCounts:
        """The counts of records by who they could be: a suppressed cell matches anything, so classes overlap.

        People who have several records are counted by the values as they stand, and so are suppressed cells
        that match too much to be compared.
        """
        counts, codes = self.counts, self.question.suppressed_codes()
        if counts.subjects is not None:
            return self.question.classes
        if not codes or counts.overlapping:
            return counts
        columns = {key: self.question.column(key) for key in self.keys}
        if not any(np.isin(columns[key].codes, marks).any() for key, marks in codes.items()):
            return counts  # records with a suppressed cell have nothing else, and are in no class
        try:
            return overlap(self.question.classes, columns, anything=codes, most=MOST_PAIRS)
        except Undefined:
            return counts

    @cached_property
    def cells(self) -> SureCells:
        """The cells of each class as released, and what others that suppressed cells make fit may add."""
        counts, wide = self.counts, self.fitting
        if counts.cells is None or wide.cells is None:
            raise Undefined("it compares target values, and with @record every record is its own value")
        if wide is counts or wide.overlapping == counts.overlapping:
            return SureCells.of(counts)
        exact = self.question.classes.cells
        assert exact is not None
        values = len(counts.target_values)
        word, own = (one.owner * values + one.target for one in (wide.cells, exact))
        surely, records = np.zeros(len(word)), np.zeros(len(word), np.int64)
        surely[np.searchsorted(word, own)] = exact.weight
        records[np.searchsorted(word, own)] = exact.count
        perhaps = wide.cells.weight - surely
        return SureCells.sized(wide.cells.owner, wide.cells.target, surely, perhaps, records)

    @property
    def of(self) -> int:
        """All records, those among them whose keys are all suppressed: these are told nothing about."""
        return self.counts.records + self.question.suppressed_records

    def as_told(self, one: AttackReading, counts: JointCounts) -> AttackReading:
        """A reading of the key in which suppressed cells tell nothing; the counts name their classes."""
        if self.hidden is None or one.discrimination_rate is None:
            return one
        rate = told_rate(counts, self.hidden)
        return replace(one, discrimination_rate=rate, adjusted=Chance(one.chance).adjusted(rate, 1.0))

    def reading(self, *, show_values: bool = False, seed: int | None = None) -> AttackReading:
        """The rates, overall and by value."""
        asked = (show_values, seed)
        if asked not in self._readings:
            self._readings[asked] = self._read(show_values, seed)
        return self._readings[asked]

    def _read(self, show_values: bool, seed: int | None) -> AttackReading:
        if self.undefined is not None:
            return AttackReading(self.keys, self.target, undefined=self.undefined)
        named = (lambda: self.question.classes) if show_values else None
        found = reading(self.keys, self.target, self.counts, named=named, seed=seed)
        return found if self.hidden is None else self.as_told(found, self.question.classes)


def ask(data: Data, keys: Sequence[str], target: str = RECORD) -> Asked:
    """The question, remembered with the data, so that attacks after the same thing share its counts."""
    known = data.memo("@asked")
    asked = (id(data), tuple(keys), target)  # data with other roles or conventions share the memo
    if asked not in known:
        known[asked] = Asked(Question(data, tuple(keys), (target,)))
    return known[asked]


def ask_alone(data: Data, key: str, target: str = RECORD) -> Asked:
    """What does one quasi-identifier tell, on all records, those with a suppressed cell among them?"""
    if data.suppressed_code(key) is None or _throughout(data, key):
        return ask(data, (key,), target)
    known, asked = data.memo("@asked"), (id(data), key, target)
    if asked not in known:
        known[asked] = Asked(Question(replace(data, suppressed=None), (key,), (target,)), data.suppressed)
    return known[asked]


def ask_each(data: Data, target: str = RECORD) -> list[Asked]:
    """Each quasi-identifier alone, then all together."""
    keys = data.schema.quasi_identifiers
    alone = [ask_alone(data, key, target) for key in keys]
    return [*alone, ask(data, keys, target)] if len(keys) > 1 else alone


def suppressed_keys(data: Data) -> list[str]:
    """The quasi-identifiers that are suppressed on every record."""
    return [key for key in data.schema.quasi_identifiers if _throughout(data, key)]


def _throughout(data: Data, key: str) -> bool:
    """Whether every cell of a key is suppressed."""
    code = data.suppressed_code(key)
    return code is not None and bool((data.column(key).codes == code).all())


def lacking(data: Data) -> str | None:
    """Why the inference of an attribute cannot be tried on a table; None when it can."""
    if not data.schema.quasi_identifiers:
        return NO_KEYS
    return None if data.schema.sensitive else NO_TARGETS


def infer(data: Data, targets: Sequence[str], *, show_values: bool, seed: int) -> list[AttackReading]:
    """What each quasi-identifier, and all together, tell about each target."""
    return [
        one.reading(show_values=show_values, seed=seed)
        for target in targets
        for one in ask_each(data, target)
    ]
